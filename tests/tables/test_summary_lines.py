"""The summary's table as a terminal shows it."""

from dataclasses import replace

import pandas as pd
import pytest

from steadfast.show.ending import summary_lines
from steadfast.show.roster import Display
from steadfast.show.summary import RunSummary, summary_table
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import SUMMARY, write_csv

BASELINE = "The no-lookup baseline scores X 0.6, above b."
COLUMNS = (
    Column("Model"),
    *(Column(heading, "A") for heading in ("X", "X: 95 %", "Y")),
    *(Column(heading, "B") for heading in ("Z", "Z: 95 %")),
)


def cells(*texts):
    return tuple(Cell(text) for text in texts)


CAREFUL = (
    Cell("Careful_one"),
    Cell("0.851", "best", marks=("incomplete",)),
    *cells("0.690 to 1.000", "0.1", "3.7", "-0.5 to 0.2"),
)
OTHER = cells("b|模型", "0.5", None, "--", "2", "1 to 3")
TABLE = Table(
    "summary",
    "Caption.",
    COLUMNS,
    (Section((CAREFUL, OTHER), "Readers (no real models)"),),
    (
        ("incomplete", "Fewer samples scored than expected: Careful_one (X 3 of 4)."),
        (None, "Bold: the best."),
        (None, BASELINE),
    ),
)


def table(*cells: Cell) -> Table:
    return Table("summary", "Caption.", (Column("M"), Column("X")), (Section((cells,)),))


def test_intervals_stand_below_their_values_and_benchmarks_above_their_measures():
    assert summary_lines(TABLE, 100) == [
        "             A                 B",
        "Model        X            Y    Z",
        "-----------  -----------  ---  -----------",
        "Readers (no real models)",
        "Careful_one  **0.851***   0.1  3.7",
        "             0.690–1.000       -0.5 to 0.2",
        "b|模型       0.5          --   2",
        "                               1–3",
        "",
        "Bold (**): models that cannot be ruled out as best in the column (paired test, 95 %).",
        "Below a value: its 95 % interval.",
        "* Fewer samples scored than expected: Careful_one (X 3 of 4).",
        BASELINE,
    ]


@pytest.mark.parametrize("width", [24, 30, 42, 80])
def test_no_line_of_the_table_is_wider_than_the_terminal(width):
    lines = summary_lines(TABLE, width)
    above = lines[: lines.index("Below a value: its 95 % interval.") - 1]
    assert max(len(line) for line in above if "Readers" not in line) <= width
    assert sum("**0.851**" in line for line in above) == 1


def test_measures_that_do_not_fit_stand_in_a_further_block_with_the_models():
    assert summary_lines(TABLE, 30)[8:14] == [
        "            B",
        "Model       Z",
        "----------  -----------",
        "Readers (no real models)",
        "Careful_on  3.7",
        "e           -0.5 to 0.2",
    ]


def test_a_label_s_escape_reaches_no_terminal():
    assert summary_lines(table(*cells("a\x1b[31m", ".5")), 80)[2] == "a<U+001B>[31m  .5"


@pytest.mark.parametrize("heading", ["Seconds", "Seconds: 95 %"])
def test_a_column_more_of_the_table_is_a_column_more_on_the_terminal(heading):
    rows = tuple((*row, Cell(f"{place}s")) for place, row in enumerate(TABLE.sections[0].rows))
    wider = replace(TABLE, columns=(*COLUMNS, Column(heading, "B")), sections=(Section(rows),))
    lines = summary_lines(wider, 100)
    assert lines[1].split()[4:] == heading.split()
    assert lines[3].endswith("0s") and lines[5].endswith("1s")


def test_a_column_more_of_the_metrics_is_a_column_more_on_the_terminal(tmp_path):
    rows = pd.DataFrame([["m", "ARS", 0.8, 0.7, 0.9, 9, 9]], columns=SUMMARY)
    write_csv(
        tmp_path / "summary.csv",
        rows.assign(effective_context_length="8k", effective_context_length_range="4k to 16k"),
    )
    measure = {"ARS": {"text": "ARS", "digits": 3, "smaller": False, "full": 1.0}}
    lifbench = {"title": "LIFBench", "judged": False, "measures": measure}
    run_summary = RunSummary(
        {"lifbench": tmp_path / "summary.csv"}, {"lifbench": lifbench}, Display()
    )
    assert summary_lines(summary_table(run_summary), 80)[:5] == [
        "       LIFBench",
        "Model  ARS          Effective context length",
        "-----  -----------  ------------------------",
        "m      0.800        8k",
        "       0.700–0.900  4k–16k",
    ]
