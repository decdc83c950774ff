"""The examples in docstrings run, and show what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
OF_A_RUN = [SCRIPTS / "steadfast/notebook/run.py"]
"""Modules whose examples read a run (tests/workflow/test_notebook.py)."""
MODULES = [
    ".".join(path.relative_to(SCRIPTS).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SCRIPTS.glob("steadfast/**/*.py"))
    if ">>> " in path.read_text(encoding="utf-8") and path not in OF_A_RUN
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_show_what_happens(name):
    found = doctest.testmod(import_module(name))
    assert found.attempted > 0
    assert found.failed == 0
