"""The report's table as a terminal shows it."""

import pytest

from steadfast.show.ending import headline
from steadfast.show.roster import NOTES

PAGE = r"""Caption.

| Model | A: X | A: X: 95 % | A: Y | B: Z | B: Z: 95 % |
|:--|:-:|:-:|:-:|:-:|:-:|
| *Readers (no real models)* | | | | | |
| Careful\_one | **0.851**\* | 0.690 to 1.000 | 0.1 | 3.7 | -0.5 to 0.2 |
| b\|模型 | 0.5 | -- | -- | 2 | 1 to 3 |

\* Fewer samples scored than expected: Careful\_one (X 3 of 4).

Bold: the best.

The floor, which looks nothing up, has X 0.6, more than b.
"""


def test_intervals_stand_below_their_values_and_benchmarks_above_their_measures():
    assert headline(PAGE, 100) == [
        "             A                 B",
        "Model        X            Y    Z",
        "-----------  -----------  ---  -----------",
        "Readers (no real models)",
        "Careful_one  **0.851***   0.1  3.7",
        "             0.690–1.000       -0.5 to 0.2",
        "b|模型       0.5          --   2",
        "                               1–3",
        "",
        "Bold (**): all that may be first of a column by the test.",
        "Below a value: its 95 % interval.",
        "* Fewer samples scored than expected: Careful_one (X 3 of 4).",
        "The floor, which looks nothing up, has X 0.6, more than b.",
    ]


@pytest.mark.parametrize("width", [24, 30, 42, 80, 100])
def test_no_line_of_the_table_is_wider_than_the_terminal(width):
    found = headline(PAGE, width)
    table = found[: found.index("Below a value: its 95 % interval.") - 1]
    assert max(len(line) for line in table if "Readers" not in line) <= width
    assert sum("**0.851**" in line for line in table) == 1


def test_measures_that_do_not_fit_stand_in_a_further_block_with_the_models():
    assert headline(PAGE, 30)[8:14] == [
        "            B",
        "Model       Z",
        "----------  -----------",
        "Readers (no real models)",
        "Careful_on  3.7",
        "e           -0.5 to 0.2",
    ]


def test_print_s_marks_are_told_as_such():
    habit = NOTES["print"]
    page = f"Caption. {habit}\n\n| M | X |\n|:--|:-:|\n| a | **.9** |\n| b | <u>.5</u> |\n"
    assert headline(page, 80) == ["M  X", "-  ------", "a  **.9**", "b  _.5_", "", habit]


def test_a_label_s_escape_reaches_no_terminal():
    page = "| M | X |\n|:--|:-:|\n| a\x1b[31m | .5 |\n"
    assert headline(page, 80)[2] == "a<U+001B>[31m  .5"


def test_the_bars_of_a_label_divide_no_cells_and_nothing_is_said_of_what_is_not_there():
    page = "Caption.\n\n| M | X |\n|:--|:-:|\n| a\\|b | .5 |\n"
    assert headline(page, 80) == ["M    X", "---  --", "a|b  .5"]
