"""The score points of each task with their weights, by rubric (paper, Table 6)."""

from dataclasses import dataclass

from steadfast.resources import facts


@dataclass(frozen=True)
class ScorePoint:
    """A score point's weight and the capabilities it counts for."""

    weight: float
    capabilities: tuple[str, ...]


def _score_points(weights: str) -> dict[str, dict[str, ScorePoint]]:
    return {
        task: {
            name: ScorePoint(values.get(weights, values["weight"]), tuple(values["capabilities"]))
            for name, values in points.items()
        }
        for task, points in facts("lifbench/rubric.yaml").items()
    }


RUBRICS: dict[str, dict[str, dict[str, ScorePoint]]] = {
    "released": _score_points("weight"),
    "corrected": _score_points("corrected_weight"),
}


def total_weight(task: str, rubric: str = "released") -> float:
    """The sum of a task's weights (the paper's R-tilde, equation 2).

    >>> total_weight("LMI")
    10
    """
    return sum(point.weight for point in RUBRICS[rubric][task].values())
