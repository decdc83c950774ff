"""The score points of each task with their weights, by rubric (paper, Table 6)."""

from collections.abc import Mapping
from dataclasses import dataclass

from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS, ScoredTask, ScoredTasks


@dataclass(frozen=True)
class ScorePoint:
    """A score point's weight and the capabilities it counts for."""

    weight: float
    capabilities: tuple[str, ...]


def score_points(task: ScoredTask, rubric: str) -> dict[str, ScorePoint]:
    """Returns a task's score points by name.

    ``weight`` in its file (``resources/lifbench/scoring``) is that of the released scores (Table 6,
    but for LSI, LOI and LOE, where the table interchanges ori and correct: ``corrected_weight``).
    The capabilities (section 4.2) are those that reproduce Tables 8 and 9: LMI correct, LOI
    correct, LOE correct and MF correct differ from what Table 6 prints.
    """
    key = "corrected_weight" if rubric == "corrected" else "weight"
    return {
        name: ScorePoint(point[key if key in point else "weight"], tuple(point["capabilities"]))
        for name, point in task.points.items()
    }


RUBRICS: Mapping[str, Mapping[str, Mapping[str, ScorePoint]]] = {
    rubric: {name: score_points(task, rubric) for name, task in SCORED_TASKS.items()}
    for rubric in ("released", "corrected")
}
"""Of the paper's tasks."""


def total_weight(task: str, rubric: str = "released", tasks: ScoredTasks = SCORED_TASKS) -> float:
    """Returns the sum of a task's weights (the paper's R-tilde, equation 2).

    >>> total_weight("LMI")
    10
    """
    return sum(point.weight for point in score_points(tasks[task], rubric).values())
