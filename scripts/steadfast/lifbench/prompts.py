"""Prompts: every template of a task crossed with every setting of its variables, per context."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from steadfast.components import Data
from steadfast.files import Record
from steadfast.lifbench.contexts.formats import NUMBERED, formats_of
from steadfast.lifbench.tasks import TASKS, scenarios_of
from steadfast.lifbench.templates import fill
from steadfast.lifbench.variables import draw_settings


def prompts(
    part: str, data: Data, seed: int, tasks: Sequence[str], formats: Sequence[str] = (NUMBERED,)
) -> Iterator[Record]:
    """The prompts of one length, context by context (paper, section 3.3 and Table 2).

    Args:
        part: the length's name, such as ``4k``.
        data: ``contexts`` of that length by scenario, or scenario and domain (``list/uuids``), and
            ``expressions`` by task.
        seed: of the variables.
        tasks: keys of ``TASKS``, in their order.
        formats: of lists and documents. Contexts of further domains are shown in the first alone.

    Returns:
        Records that name their context and never copy it. ``format`` and ``domain`` are named where
        they are not the paper's, and the ``perspective`` where a prompt is asked for nothing but to
        see how stable models are in it.

    Raises:
        UserError: a context is too small for a task.
    """
    for scenario in scenarios_of(tasks):
        here = [task for task in tasks if TASKS[task].scenario == scenario]
        for context in _contexts(data["contexts"], scenario):
            domain = {"domain": context["domain"]} if "domain" in context else {}
            shown = formats_of(scenario, formats)
            for format in shown[:1] if domain else shown:
                seen = domain | ({"format": format} if format != NUMBERED else {})
                if domain or format != shown[0]:
                    seen["perspective"] = "domain" if domain else "format"
                for task in here:
                    yield from _prompts(task, context, data["expressions"][task], seed, seen)


def _contexts(contexts: Mapping[str, Iterable[Record]], scenario: str) -> Iterator[Record]:
    """Those of a scenario, of all domains."""
    return chain.from_iterable(
        of for name, of in contexts.items() if name.partition("/")[0] == scenario
    )


def _prompts(
    task: str, context: Record, expressions: Record, seed: int, seen: Record
) -> Iterator[Record]:
    ending = f"/{seen['format']}" if "format" in seen else ""
    settings = draw_settings(task, expressions["space"], context, seed)
    for expression in expressions["expressions"]:
        number = expression["expression_id"]
        bias = {"bias": expression["direction"]} if TASKS[task].directions else {}
        for variable_id, (variables, gold) in enumerate(settings):
            sample_id = f"{task}/{context['context_id']}/e{number}/v{variable_id}{ending}"
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
                **seen,
            }
