"""The summary's table on a terminal."""

from dataclasses import replace

import pandas as pd
import pytest

from steadfast.show.roster import Display
from steadfast.show.summary import RunSummary, summary_table
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.show.terminal_summary import summary_lines
from steadfast.stats.tidy import SUMMARY, write_csv

BASELINE = "The no-lookup baseline scores X 0.6, above b."
INTERVALS = "Below a value: its 95 % interval."
COLUMNS = (
    Column("Model"),
    Column("X", "A"),
    Column("X: 95 %", "A"),
    Column("Y", "A"),
    Column("Z", "B"),
    Column("Z: 95 %", "B"),
)


def cells(*texts):
    return tuple(Cell(text) for text in texts)


CAREFUL = (
    Cell("Careful_one"),
    Cell("0.851", "best", marks=("incomplete",)),
    *cells("0.690 to 1.000", "0.1", "3.7", "-0.5 to 0.2"),
)
SECOND = cells("b|模型", "0.5", None, "--", "2", "1 to 3")
TABLE = Table(
    "summary",
    "Caption.",
    COLUMNS,
    (Section((CAREFUL, SECOND), "Simulated (no real models)"),),
    (
        ("incomplete", "Fewer samples scored than expected: Careful_one (X 3 of 4)."),
        (None, "Bold: the best."),
        (None, BASELINE),
    ),
)


def test_intervals_are_below_values_and_benchmarks_above_measures():
    assert summary_lines(TABLE, 100) == [
        "             A                 B",
        "Model        X            Y    Z",
        "-----------  -----------  ---  -----------",
        "Simulated (no real models)",
        "Careful_one  **0.851***   0.1  3.7",
        "             0.690–1.000       -0.5 to 0.2",
        "b|模型       0.5          --   2",
        "                               1–3",
        "",
        "Bold (**): models that cannot be ruled out as best in the column (paired test, 95 %).",
        INTERVALS,
        "* Fewer samples scored than expected: Careful_one (X 3 of 4).",
        BASELINE,
    ]


@pytest.mark.parametrize("width", [24, 30, 42, 80])
def test_table_is_no_wider_than_the_terminal(width):
    lines = summary_lines(TABLE, width)
    table_lines = lines[: lines.index(INTERVALS) - 1]
    assert max(len(line) for line in table_lines if "Simulated" not in line) <= width
    assert "\n".join(table_lines).count("**0.851**") == 1


def test_measures_that_do_not_fit_follow_in_another_block():
    assert summary_lines(TABLE, 30)[8:14] == [
        "            B",
        "Model       Z",
        "----------  -----------",
        "Simulated (no real models)",
        "Careful_on  3.7",
        "e           -0.5 to 0.2",
    ]


@pytest.mark.parametrize(("width", "label"), [(100, 24), (60, 20), (20, 8)])
def test_long_label_goes_on_in_the_next_line(width, label):
    section = Section((cells("m" * 30, ".5"),))
    table = Table("summary", "Caption.", (Column("M"), Column("X")), (section,))
    lines = summary_lines(table, width)
    assert lines[2:4] == [f"{'m' * label}  .5", "m" * min(label, 30 - label)]


def test_escape_characters_of_labels_are_not_printed():
    section = Section((cells("a\x1b[31m", ".5"),))
    table = Table("summary", "Caption.", (Column("M"), Column("X")), (section,))
    assert summary_lines(table, 80)[2] == "a<U+001B>[31m  .5"


@pytest.mark.parametrize("heading", ["Seconds", "Seconds: 95 %"])
def test_further_column_of_the_table_is_printed(heading):
    section = Section(((*CAREFUL, Cell("0s")), (*SECOND, Cell("1s"))))
    wider = replace(TABLE, columns=(*COLUMNS, Column(heading, "B")), sections=(section,))
    lines = summary_lines(wider, 100)
    assert lines[1].split()[4:] == heading.split()
    assert lines[3].endswith("0s")
    assert lines[5].endswith("1s")


def test_further_column_of_the_summary_file_is_printed(tmp_path):
    lengths = {"effective_context_length": "8k", "effective_context_length_range": "4k to 16k"}
    rows = pd.DataFrame([["m", "ARS", 0.8, 0.7, 0.9, 9, 9]], columns=SUMMARY).assign(**lengths)
    write_csv(tmp_path / "summary.csv", rows)
    measure = {"ARS": {"text": "ARS", "digits": 3, "smaller": False, "full": 1.0}}
    benchmarks = {"lifbench": {"title": "LIFBench", "judged": False, "measures": measure}}
    summary = RunSummary({"lifbench": tmp_path / "summary.csv"}, benchmarks, Display())
    assert summary_lines(summary_table(summary), 80)[:5] == [
        "       LIFBench",
        "Model  ARS          Effective context length",
        "-----  -----------  ------------------------",
        "m      0.800        8k",
        "       0.700–0.900  4k–16k",
    ]
