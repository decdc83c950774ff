"""All released data: prompts, responses, verdicts, metrics and tables."""

import pytest

from followbench_run import JUDGES, LANGUAGES, scored
from steadfast.benchmarks.followbench.metrics import metrics
from steadfast.benchmarks.followbench.tables import BUILDERS, tables
from steadfast.contract.records import OVERALL
from steadfast.show.roster import Display
from steadfast.stats.tidy import rows_of
from test_followbench_tables import rows

# Table 1 of the paper, where the released data agree: mean length in words, and items.
PRINTED = {
    "Data-to-text generation": ["84", "25"],
    "Document-level named entity recognition": ["376", "25"],
    "Text generation with language constraints": ["88", "25"],
    "Summarization": ["254", "25"],
    "Machine translation": ["91", "25"],
    "Story generation": ["34", "10"],
    "40 diverse NLP tasks": ["739", "200"],
}


@pytest.fixture(scope="module")
def frames():
    scores, data = scored("local", ("reference", "sim-a"))
    return metrics(scores, data, None, LANGUAGES, JUDGES)


def test_table_1_has_the_papers_numbers(frames):
    counts = rows_of(frames["items"], language="en").groupby("category")["n"].sum().to_dict()
    assert counts == {
        "content": 125, "situation": 110, "style": 150, "format": 150, "example": 200, "mixed": 85,
    }  # fmt: skip
    (table,) = tables(frames, Display(), "strict", LANGUAGES, ["table1_items"])
    by_task = {row[2]: row[4:6] for row in rows(table)}
    assert {task: by_task[task] for task in PRINTED} == PRINTED


def test_metrics_and_tables_are_of_all_items(frames):
    summary = frames["summary"].set_index(["model", "measure"])
    assert summary.loc[("reference", "HSR"), ["n", "expected"]].tolist() == [820, 820]
    assert summary.loc[("reference", "CSL"), "expected"] == 164
    # Two of 150 format items, in one of six categories.
    assert summary.loc[("reference", "HSR"), "value"] == pytest.approx(100 - 200 / 150 / 6)
    for measure in ("HSR", "SSR", "CSL"):
        low, middle, high = summary.loc[("sim-a", measure), ["low", "value", "high"]]
        assert 0 < low < middle < high < summary.loc[("reference", measure), "value"]
    for language in LANGUAGES:
        keys = {"model": "sim-a", "language": language, "category": OVERALL}
        by_level = rows_of(frames["hsr"], **keys).set_index("level").loc[list("12345"), "value"]
        assert by_level.is_monotonic_decreasing
    built = tables(frames, Display(), "strict", LANGUAGES, list(BUILDERS))
    assert all(table.sections for table in built if not table.name.endswith("_corrected"))
