"""How the paper's tasks are asked."""

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.tasks import PAPER_TASKS, Task

# By id, in the order to show.
TASKS: dict[str, Task] = {}
for _id in PAPER_TASKS:
    TASKS[_id] = Task.of({"id": _id, **facts("lifbench/tasks")[_id]})
