"""Settings of the paper's tasks: what their prompts and expressions take."""

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.tasks import PAPER_TASKS, Task

# By id, in the order to show.
TASKS = {name: Task(name, **facts("lifbench/tasks")[name]) for name in PAPER_TASKS}
