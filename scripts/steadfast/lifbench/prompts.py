"""Prompts: every template of a task crossed with every setting of its variables, per context."""

from collections.abc import Iterator, Sequence

from steadfast.components import Data
from steadfast.files import Record
from steadfast.lifbench.tasks import TASKS, scenarios_of
from steadfast.lifbench.templates import fill
from steadfast.lifbench.variables import draw_settings


def prompts(part: str, data: Data, seed: int, tasks: Sequence[str]) -> Iterator[Record]:
    """The prompts of one length, context by context (paper, section 3.3 and Table 2).

    Args:
        part: the length's name, such as ``4k``.
        data: ``contexts`` of that length by scenario, and ``expressions`` by task.
        seed: of the variables.
        tasks: keys of ``TASKS``, in their order.

    Returns:
        Records that name their context and never copy it.

    Raises:
        UserError: a context is too small for a task.
    """
    for scenario in scenarios_of(tasks):
        for context in data["contexts"][scenario]:
            for task in tasks:
                if TASKS[task].scenario == scenario:
                    yield from _prompts(task, context, data["expressions"][task], seed)


def _prompts(task: str, context: Record, expressions: Record, seed: int) -> Iterator[Record]:
    settings = draw_settings(task, expressions["space"], context, seed)
    for expression in expressions["expressions"]:
        number = expression["expression_id"]
        bias = {"bias": expression["direction"]} if TASKS[task].directions else {}
        for variable_id, (variables, gold) in enumerate(settings):
            sample_id = f"{task}/{context['context_id']}/e{number}/v{variable_id}"
            yield {
                "sample_id": sample_id,
                "task": task,
                "context_id": context["context_id"],
                "expression_id": number,
                "variable_id": variable_id,
                "instruction": fill(expression["template"], variables, sample_id),
                "variables": variables | bias,
                "gold": gold,
                "max_tokens": TASKS[task].max_tokens,
            }
