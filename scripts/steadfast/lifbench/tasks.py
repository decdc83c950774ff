"""The facts of LIFBench's tasks and of its rubric, read from ``resources/lifbench``."""

from dataclasses import dataclass
from pathlib import Path

import yaml

RESOURCES = Path(__file__).resolve().parents[3] / "resources" / "lifbench"
SCENARIOS = ("list", "multidoc", "onedoc")


@dataclass(frozen=True)
class Task:
    """One of the eleven tasks (paper, Table 2 and appendix E).

    Attributes:
        id: the paper's short name, such as ``LSI``.
        name: the paper's name, such as ``Single-ID``.
        released_name: the key in the benchmark's released files.
        scenario: one of ``SCENARIOS``.
        variables: settings of the instruction's variables per context.
        max_tokens: output limit in tokens.
        directions: whether each expression asks for what follows or what precedes.
    """

    id: str
    name: str
    released_name: str
    scenario: str
    variables: int
    max_tokens: int
    directions: bool = False


@dataclass(frozen=True)
class ScorePoint:
    """A score point's weight and the capabilities it counts for (paper, Table 6)."""

    weight: float
    capabilities: tuple[str, ...]


def _read(name: str) -> dict:
    return yaml.safe_load((RESOURCES / name).read_text(encoding="utf-8"))


TASKS: dict[str, Task] = {id: Task(id=id, **facts) for id, facts in _read("tasks.yaml").items()}


def _score_points(weights: str) -> dict[str, dict[str, ScorePoint]]:
    return {
        task: {
            name: ScorePoint(facts.get(weights, facts["weight"]), tuple(facts["capabilities"]))
            for name, facts in points.items()
        }
        for task, points in _read("rubric.yaml").items()
    }


RUBRICS: dict[str, dict[str, dict[str, ScorePoint]]] = {
    "released": _score_points("weight"),
    "corrected": _score_points("corrected_weight"),
}
RUBRIC = RUBRICS["released"]


def total_weight(task: str, rubric: str = "released") -> float:
    """The sum of a task's weights (the paper's R-tilde, equation 2)."""
    return sum(point.weight for point in RUBRICS[rubric][task].values())
