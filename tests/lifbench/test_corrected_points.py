"""The points of the corrected rubric: each total is computed anew and on the page."""

from pathlib import Path

import pytest

from rubric_examples import points_of_tasks, read, shown_points, total
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS as WEIGHTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rubrics.md"
CONTEXTS, _ = read()
PARTS = points_of_tasks()


def part_id(part):
    return part["tasks"][0]


def test_every_task_and_point_is_described_once():
    points = [(task, set(part["points"])) for part in PARTS for task in part["tasks"]]
    assert len(points) == len(WEIGHTS["corrected"])
    assert dict(points) == {task: set(names) for task, names in WEIGHTS["corrected"].items()}


@pytest.mark.parametrize("part", PARTS, ids=part_id)
def test_answers_have_their_documented_totals(part):
    for answer, documented in part["answers"]:
        assert round(total(part, CONTEXTS[part["context"]], answer), 3) == documented, answer


@pytest.mark.parametrize("part", PARTS, ids=part_id)
def test_page_describes_the_points(part):
    assert shown_points(part) in PAGE.read_text(encoding="utf-8")
