"""How LIFBench's tasks are scored and shown."""

from collections.abc import Mapping
from dataclasses import dataclass

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.paper_tasks import TASKS


@dataclass(frozen=True)
class ScoredTask:
    """A task as scores and tables know it: one of the paper's, or one of the user's own."""

    id: str  # the paper's short name, such as LSI
    scenario: str  # one of tasks.SCENARIOS
    name: str  # the paper's name, such as Single-ID
    points: Mapping[str, Record]  # its score points, see weights.score_points
    counts: bool = True  # whether it counts in the overall values


ScoredTasks = Mapping[str, ScoredTask]
"""Tasks by id, in the order to show."""
SCORED_TASKS: ScoredTasks = {
    id: ScoredTask(id, task.scenario, **facts("lifbench/scoring")[id]) for id, task in TASKS.items()
}
"""The paper's."""


def with_own(own: Mapping[str, Settings] | None) -> ScoredTasks:
    """Returns the paper's tasks and, after them, the user's own (``OwnTask.shown``)."""
    return {**SCORED_TASKS, **{id: ScoredTask(id, **shown) for id, shown in (own or {}).items()}}
