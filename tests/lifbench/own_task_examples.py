"""The tasks that docs/new-task.md shows, on a small context."""

from pathlib import Path

from small_contexts import small_context
from steadfast.benchmarks.lifbench.expressions import own_expressions
from steadfast.benchmarks.lifbench.own_tasks.tasks import own_tasks
from steadfast.benchmarks.lifbench.prompts import prompts
from steadfast.benchmarks.lifbench.readers import LifbenchReader
from steadfast.benchmarks.lifbench.scoring import LifbenchScoring
from steadfast.contract.components import Sample

EXAMPLES = Path(__file__).parents[2] / "docs/examples/tasks"
FILES = {"LNB": str(EXAMPLES / "neighbours.yaml"), "LCI": str(EXAMPLES / "identifiers.yaml")}
CONTEXT = small_context("list", size=80) | {"tokens": 3000}
# Ten identifiers, at places 10 to 19; the stretches below know how many they hold.
CONTEXT["elements"][10:20] = [f"{k:032x}" for k in range(10)]


def own(**changes):
    return own_tasks(FILES, **{"counts": False, **changes})


def asked(tasks):
    data = {
        "contexts": {"list": [CONTEXT]},
        "expressions": {
            n: own_expressions({}, task.task.worded, task.file.templates)
            for n, task in tasks.items()
        },
    }
    return list(prompts("4k", data, 1, [own.task.asked for own in tasks.values()]))


def sample(prompt):
    return Sample("4k", prompt, {"context": CONTEXT, "scenario_prompt": "{input}{instruction}"})


def scorer(tasks):
    return LifbenchScoring("released", {name: task.scored for name, task in tasks.items()})


def reader(tasks):
    return LifbenchReader({name: task.answered for name, task in tasks.items()})
