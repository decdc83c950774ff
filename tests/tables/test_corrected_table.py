"""The table of a judge's values, corrected by people's verdicts."""

import csv
import io
from types import SimpleNamespace

import pandas as pd

from steadfast.show.judges import corrected_table
from steadfast.show.render import comma_separated
from steadfast.stats.corrected import COLUMNS

NAN = float("nan")
VALUES = [
    # model, other, measure, raw, its interval, value, its interval, share, clusters, units
    ("m", "", "HSR", 0.8, 0.7, 0.9, 0.75, 0.6, 0.85, 0.5, 12, 30),
    ("n", "", "HSR", 0.7, 0.6, 0.8, NAN, NAN, NAN, NAN, 9, 20),
    ("m", "n", "HSR", 0.1, 0.05, 0.15, -0.02, -0.1, 0.06, 0.5, 12, 30),
    ("m", "n", "SSR", 0.1, 0.05, 0.15, 0.0, -0.1, 0.06, 0.5, 12, 30),
]


def table(rows=VALUES):
    results = SimpleNamespace(
        frames={"corrected": pd.DataFrame(rows, columns=list(COLUMNS))},
        roster=SimpleNamespace(label=str.upper),
        prefix="my_",
        shared_notes=lambda judged: [("dagger", f"judged: {judged}")],
    )
    return corrected_table(results, "corrected", "MyBench", "groups", {"HSR": 2, "SSR": 3})


def test_corrected_values_follow_those_of_the_judge():
    corrected = table()
    header, *rows = csv.reader(io.StringIO(comma_separated(corrected)))
    assert header[1:4] == ["Model", "Other", "Measure"]
    headings = [(column.group, column.heading) for column in corrected.columns[3:]]
    groups = ["Judge alone"] * 2 + ["Corrected by people"] * 2 + ["Labelled"] * 2
    assert [group for group, _ in headings] == groups
    assert headings[-2:] == [("Labelled", "Groups"), ("Labelled", "Verdicts")]
    assert [row[:-1] for row in rows] == [
        ["Models", "M", "", "HSR", "0.80", "0.70 to 0.90", "0.75", "0.60 to 0.85", "12", "30"],
        ["Models", "N", "", "HSR", "0.70", "0.60 to 0.80", "", "", "9", "20"],
        ["Differences", "M", "N", "HSR", "0.10", "0.05 to 0.15", "-0.02", "-0.10 to 0.06",
         "12", "30"],
        ["Differences", "M", "N", "SSR", "0.100", "0.050 to 0.150", "0.000", "-0.100 to 0.060",
         "12", "30"],
    ]  # fmt: skip
    assert (corrected.name, corrected.caption[:8]) == ("my_corrected", "MyBench:")


def test_notes_name_missing_values_and_changed_orders():
    shared_note, *notes = table().notes
    assert shared_note == ("dagger", "judged: True")
    texts = [text for _, text in notes]
    assert texts[0].startswith("Corrected: the judge's mean error on the labelled subset")
    assert texts[1].startswith("No corrected value from fewer than 10 labelled groups")
    assert texts[2:] == ["Judge and people order these models differently: M and N (HSR)."]
    assert len(table(VALUES[:1]).notes) == 2  # no missing value, and no changed order
    assert [section.heading for section in table(VALUES[:2]).sections] == ["Models"]
