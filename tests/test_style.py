"""bench/style.py counts names, comprehensions, comments and imports of a module."""

import runpy
from pathlib import Path

STYLE = runpy.run_path(str(Path(__file__).parents[1] / "bench/style.py"))
SOURCE = """\
# a comment
import ast
from itertools import (
    chain,
)
found, rows = 1, [row for row in "# no comment"]  # another
for its in chain(rows):
    first, second = divmod(its, ast.parse)
"""


def test_counts_of_a_module_and_marks_of_missed_goals():
    counts = STYLE["style_counts"](SOURCE)
    assert counts == {
        "lines": 8, "names": 6, "vague": 2, "comprehensions": 1, "tuples": 1, "comments": 2,
        "imports": 4,
    }  # fmt: skip
    row = STYLE["table_row"]("package", counts, True)
    assert row.split() == ["package", "8", "33.33*", "12.50*", "12.50*", "25.00", "50.00*"]
    assert STYLE["table_row"]("package", counts, False) == row.replace("*", " ").rstrip()
