"""How LIFBench's tasks are scored and shown: score points with their weights (paper, Table 6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.paper_tasks import TASKS


@dataclass(frozen=True)
class ScoredTask:
    """A task with its score points."""

    id: str  # the paper's short name, such as LSI
    scenario: str  # one of tasks.SCENARIOS
    name: str  # the paper's name, such as Single-ID
    points: Mapping[str, Record]  # its score points, see score_points


# The paper's tasks by id, in the order to show.
SCORED_TASKS: dict[str, ScoredTask] = {}
for _id, _task in TASKS.items():
    SCORED_TASKS[_id] = ScoredTask(_id, _task.scenario, **facts("lifbench/scoring")[_id])


@dataclass(frozen=True)
class ScorePoint:
    """A score point's weight and the capabilities it counts for."""

    weight: float
    capabilities: tuple[str, ...]


def score_points(rubric: str) -> dict[str, dict[str, ScorePoint]]:
    """Returns the score points of each task by name.

    ``weight`` in its file (``resources/lifbench/scoring``) is that of the released scores (Table 6,
    but for LSI, LOI and LOE, where the table interchanges ori and correct: ``corrected_weight``).
    The capabilities (section 4.2) are those that reproduce Tables 8 and 9: LMI correct, LOI
    correct, LOE correct and MF correct differ from what Table 6 prints.
    """
    key = "corrected_weight" if rubric == "corrected" else "weight"
    points_of_tasks: dict[str, dict[str, ScorePoint]] = {}
    for task in SCORED_TASKS.values():
        points_of_tasks[task.id] = {}
        for name, point in task.points.items():
            weight = point[key] if key in point else point["weight"]
            points_of_tasks[task.id][name] = ScorePoint(weight, tuple(point["capabilities"]))
    return points_of_tasks


# The name of a judge's scores beside those of the rubrics.
JUDGE = "judge"
# The score points by rubric, task and name.
RUBRICS = {rubric: score_points(rubric) for rubric in ("released", "corrected")}


class Rubric(NamedTuple):
    """What score points count in a task's total, and tasks in the overall ARS."""

    name: str = "released"
    weighting: str = "rubric"  # of tasks: by their total weights; mean: all alike

    def renamed(self, name: str) -> "Rubric":
        """Returns the rubric of a name, weighted alike; this one for a judge, which has none."""
        return self._replace(name=name) if name in RUBRICS else self

    def points(self, task: str) -> Mapping[str, ScorePoint]:
        """Returns a task's score points by name."""
        return RUBRICS[self.name][task]

    def total_weight(self, task: str) -> float:
        """Returns the sum of a task's weights (the paper's R-tilde, equation 2)."""
        return sum(point.weight for point in self.points(task).values())

    @property
    def weights(self) -> dict[str, float]:
        """Each task's weight in the overall ARS."""
        by_rubric = self.weighting == "rubric"
        return {task: self.total_weight(task) if by_rubric else 1.0 for task in SCORED_TASKS}


PAPER = Rubric()


def task_weights(weighting: str, rubric: str) -> dict[str, float]:
    """Each task's weight in the overall ARS of a config."""
    return Rubric(rubric, weighting).weights
