"""How the paper's tasks are asked."""

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.tasks import PAPER_TASKS, Task

# By id, in the order to show.
TASKS = {name: Task(name, **facts("lifbench/tasks")[name]) for name in PAPER_TASKS}
