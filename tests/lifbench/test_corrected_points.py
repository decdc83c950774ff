"""What the corrected rubric gives its points for: each total is computed anew and on the page."""

from pathlib import Path

import pytest

from rubric_examples import points_of_tasks, read, shown_points, total
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS as WEIGHTS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rubrics.md"
CONTEXTS, _ = read()
TASKS = points_of_tasks()
ANSWERS = [
    pytest.param(part, answer, stated, id=f"{part['tasks'][0]}-{number}")
    for part in TASKS
    for number, (answer, stated) in enumerate(part["answers"])
]


def test_every_point_of_every_task_is_there_once():
    stated = [(task, list(part["points"])) for part in TASKS for task in part["tasks"]]
    expected = {task: list(points) for task, points in WEIGHTS["corrected"].items()}
    assert len(stated) == len(expected)
    assert {task: sorted(names) for task, names in stated} == {
        task: sorted(names) for task, names in expected.items()
    }


@pytest.mark.parametrize(("part", "answer", "stated"), ANSWERS)
def test_an_answer_has_the_total_that_is_stated(part, answer, stated):
    assert round(total(part, CONTEXTS[part["context"]], answer), 3) == stated


@pytest.mark.parametrize("part", TASKS, ids=lambda part: part["tasks"][0])
def test_the_page_shows_what_points_are_given_for(part):
    assert shown_points(part) in PAGE.read_text(encoding="utf-8")
