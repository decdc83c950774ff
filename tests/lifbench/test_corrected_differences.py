"""Each difference between the rubrics: its scores are computed anew, and the page shows it."""

from pathlib import Path

import pytest

from rubric_examples import read, scores, shown_context, shown_difference
from steadfast.benchmarks.lifbench.rubric import RUBRICS
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS as WEIGHTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rubrics.md"
CONTEXTS, DIFFERENCES = read()


def test_the_page_shows_every_quirk_once_and_in_order():
    assert [d["quirk"] for d in DIFFERENCES] == [f"Q{n}" for n in range(1, 19)]
    blocks = [shown_context(context) for context in CONTEXTS.values()]
    blocks += [shown_difference(difference) for difference in DIFFERENCES]
    page = PAGE.read_text(encoding="utf-8")
    place = 0
    for block in blocks:
        assert block in page[place:], f"docs/rubrics.md should have here:\n\n{block}"
        place = page.index(block, place) + len(block)


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda d: d["quirk"])
def test_the_scores_are_those_of_the_rubrics(difference):
    computed = scores(difference, CONTEXTS[difference["context"]])
    assert computed.keys() == difference["scores"].keys() == RUBRICS.keys()
    for rubric, stated in difference["scores"].items():
        values = computed[rubric].points | {"total": computed[rubric].total}
        assert stated == {name: round(values[name], 3) for name in stated}


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda d: d["quirk"])
def test_the_points_that_are_not_shown_are_equal(difference):
    released, corrected = scores(difference, CONTEXTS[difference["context"]]).values()
    hidden = released.points.keys() - difference["scores"]["released"].keys()
    assert all(released.points[name] == corrected.points[name] for name in hidden)
    same_weights = (
        WEIGHTS["released"][difference["task"]] == WEIGHTS["corrected"][difference["task"]]
    )
    assert released.points != corrected.points or not same_weights
