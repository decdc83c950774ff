"""The examples in docstrings run, with the results that they show."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
NEEDS_A_RUN = SCRIPTS / "steadfast/notebook/run.py"
"""Its examples are run by tests/workflow/test_notebook.py."""
MODULES = [
    ".".join(path.relative_to(SCRIPTS).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SCRIPTS.glob("steadfast/**/*.py"))
    if ">>> " in path.read_text(encoding="utf-8") and path != NEEDS_A_RUN
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_have_the_results_shown(name):
    examples = doctest.testmod(import_module(name))
    assert examples.attempted > 0
    assert examples.failed == 0
