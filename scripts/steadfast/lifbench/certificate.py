"""How LIFBench compares models, for the plan's certificate."""

from steadfast.lifbench.measures import task_weights
from steadfast.lifbench.tasks import TASKS
from steadfast.metrics.certificate import Compared
from steadfast.metrics.variance_components import Components
from steadfast.resources import facts

SCENARIO_OF = {name: task.scenario for name, task in TASKS.items()}


def compared(weighting: str, rubric: str) -> Compared:
    """The tasks of a scenario share contexts; parts are lengths.

    Args:
        weighting: of the tasks in the overall ARS.
        rubric: by which totals were given.
    """
    released = facts("lifbench/variance.yaml")
    return Compared(
        unit="contexts a length",
        weights=task_weights(weighting, rubric),
        groups=SCENARIO_OF,
        lengths=True,
        rubric=rubric,
        released={name: Components.of_facts(of) for name, of in released["groups"].items()},
        source=released["source"],
        apart="perspective",
    )
