"""FollowBench on the released data, all of it: prompts, answers, verdicts, metrics, tables."""

import pytest

from followbench_run import BOTH, IMPOSSIBLE, JUDGES, LANGUAGES, run, scored
from steadfast.benchmarks.followbench.metrics import metrics
from steadfast.benchmarks.followbench.tables import BUILDERS, tables
from steadfast.contract.records import OVERALL
from steadfast.show.roster import Display
from test_followbench_tables import rows

ITEMS = {"en": (820, 470), "zh": (790, 460)}
MODELS = ("reference", "sim-a")
# Table 1 of the paper: mean length in words and items, where the released data agrees with it.
PRINTED = {
    "Data-to-text generation": (84, 25),
    "Document-level named entity recognition": (376, 25),
    "Text generation with language constraints": (88, 25),
    "Summarization": (254, 25),
    "Machine translation": (91, 25),
    "Story generation": (34, 10),
    "40 diverse NLP tasks": (739, 200),
}


@pytest.fixture(scope="module")
def frames():
    scores, data = scored("local", MODELS)
    return metrics(scores, data, None, LANGUAGES, JUDGES)


@BOTH
def test_all_items_are_asked_and_the_judged_ones_judged(language):
    found = run("local", language)
    judged = found.judge_prompts(language, found.answers(language))
    assert (len(found.samples[language]), len(judged)) == ITEMS[language]


@BOTH
def test_the_reference_keeps_all_that_can_be_kept(language):
    records = [
        r
        for model, part, r in scored("local", MODELS)[0]
        if (model, part) == ("reference", language)
    ]
    failed = [record["sample_id"] for record in records if record["total"] != 1]
    impossible = IMPOSSIBLE[language].get("wooden_table", ())
    assert failed == [f"{language}/format/22/{level}" for level in impossible]
    assert len(records) == ITEMS[language][0]


@pytest.mark.wide
def test_the_reference_has_the_highest_values_that_answers_can_have(frames):
    rows = frames["summary"][frames["summary"]["model"] == "reference"].set_index("measure")
    # 2 of the 150 items of one of six categories, and with them 2 levels of one of its 30 groups.
    assert rows.loc["HSR", "highest"] == pytest.approx(100 - 100 * 2 / 150 / 6)
    assert rows.loc["CSL", "highest"] == pytest.approx(5 - 2 / 30 / 6)
    for measure in ("HSR", "SSR", "CSL"):
        assert rows.loc[measure, "value"] == pytest.approx(rows.loc[measure, "highest"])


def test_table_1_has_the_papers_numbers(frames):
    sums = frames["items"][frames["items"]["language"] == "en"].groupby("category")["n"].sum()
    assert sums.to_dict() == {
        "content": 125,
        "situation": 110,
        "style": 150,
        "format": 150,
        "example": 200,
        "mixed": 85,
    }
    (table,) = tables(frames, Display(), "strict", LANGUAGES, ["table1_items"])
    by_task = {row[2]: row for row in rows(table)}
    for task, (words, count) in PRINTED.items():
        assert by_task[task][4:6] == [str(words), str(count)]


def test_metrics_and_tables_are_of_all_items(frames):
    summary = frames["summary"].set_index(["model", "measure"])
    assert summary.loc[("reference", "HSR"), ["n", "expected"]].tolist() == [820, 820]
    assert summary.loc[("reference", "CSL"), "expected"] == 164
    # Two of 150 format items, in one of six categories.
    assert summary.loc[("reference", "HSR"), "value"] == pytest.approx(100 - 200 / 150 / 6)
    for measure in ("HSR", "SSR", "CSL"):
        low, middle, high = summary.loc[("sim-a", measure), ["low", "value", "high"]]
        assert 0 < low < middle < high < summary.loc[("reference", measure), "value"]
    hsr = frames["hsr"].set_index(["model", "language", "category", "level"])["value"]
    for language in LANGUAGES:
        by_level = [hsr["sim-a", language, OVERALL, str(level)] for level in range(1, 6)]
        assert by_level == sorted(by_level, reverse=True)
    made = tables(frames, Display(), "strict", LANGUAGES, list(BUILDERS))
    assert all(table.sections for table in made if not table.name.endswith("_corrected"))
