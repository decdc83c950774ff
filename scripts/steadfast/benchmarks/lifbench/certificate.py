"""How LIFBench compares models, for the plan's certificate."""

from collections.abc import Mapping

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.measures import task_weights
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS, with_own
from steadfast.stats.certificate import Compared
from steadfast.stats.variance_components import Components

SCENARIO_OF = {name: task.scenario for name, task in SCORED_TASKS.items()}


def compared(weighting: str, rubric: str, own: Mapping[str, Settings] | None = None) -> Compared:
    """Says how models are compared: the tasks of a scenario share contexts; parts are lengths."""
    tasks = {name: task for name, task in with_own(own).items() if task.counts}
    released = facts("lifbench/variance.yaml")
    return Compared(
        unit="contexts a length",
        weights=task_weights(weighting, rubric, tasks),
        groups={name: task.scenario for name, task in tasks.items()},
        lengths=True,
        rubric=rubric,
        released={
            name: Components.of_facts(of)
            for name, of in released["groups"].items()
            if tasks.keys() == SCORED_TASKS.keys()
        },
        source=released["source"],
        apart="perspective",
    )
