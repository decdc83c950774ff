"""Each difference between the rubrics: its scores are computed anew, and the page shows it."""

from pathlib import Path

import pytest

from rubric_examples import read, scores, shown_context, shown_difference
from steadfast.benchmarks.lifbench.rubric import RUBRICS
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS as WEIGHTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rubrics.md"
CONTEXTS, DIFFERENCES = read()
each_difference = pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda row: row["quirk"])


def test_page_has_every_context_and_quirk_in_order():
    assert [row["quirk"] for row in DIFFERENCES] == [f"Q{n}" for n in range(1, 19)]
    page = PAGE.read_text(encoding="utf-8")
    for block in (*map(shown_context, CONTEXTS.values()), *map(shown_difference, DIFFERENCES)):
        _, separator, page = page.partition(block)
        assert separator, f"docs/rubrics.md should have here:\n\n{block}"


@each_difference
def test_documented_scores_are_those_of_the_rubrics(difference):
    computed = scores(difference, CONTEXTS[difference["context"]])
    assert computed.keys() == difference["scores"].keys() == RUBRICS.keys()
    for rubric, documented in difference["scores"].items():
        values = computed[rubric].points | {"total": computed[rubric].total}
        assert documented == {name: round(values[name], 3) for name in documented}


@each_difference
def test_points_that_are_not_documented_are_equal(difference):
    computed = scores(difference, CONTEXTS[difference["context"]])
    released = computed["released"].points
    corrected = computed["corrected"].points
    for name in released.keys() - difference["scores"]["released"].keys():
        assert released[name] == corrected[name]
    task = difference["task"]
    assert released != corrected or WEIGHTS["released"][task] != WEIGHTS["corrected"][task]
