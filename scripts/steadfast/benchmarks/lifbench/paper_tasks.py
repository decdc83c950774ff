"""How the paper's tasks are asked."""

from collections.abc import Mapping

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.tasks import PAPER_TASKS, Task

TASKS: Mapping[str, Task] = {
    id: Task.of({"id": id, **facts("lifbench/tasks")[id]}) for id in PAPER_TASKS
}
"""By id, in the order to show."""
