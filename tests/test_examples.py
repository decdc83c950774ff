"""The examples in docstrings run, and show what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
MODULES = [
    ".".join(path.relative_to(SCRIPTS).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SCRIPTS.glob("steadfast/**/*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_show_what_happens(name):
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
