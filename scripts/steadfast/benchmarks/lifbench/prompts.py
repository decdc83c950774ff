"""Prompts: every template of a task crossed with every setting of its variables, per context."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.released_variables import released_settings
from steadfast.benchmarks.lifbench.tasks import Task, in_order
from steadfast.benchmarks.lifbench.templates import fill
from steadfast.benchmarks.lifbench.variables import Setting, sample_settings
from steadfast.contract.components import Data
from steadfast.corpora.contexts.formats import NUMBERED, formats_of


def prompts(
    part: str,
    data: Data,
    seed: int,
    tasks: Sequence[Settings],
    formats: Sequence[str] = (NUMBERED,),
    released: Sequence[str] = (),
) -> Iterator[Record]:
    """Yields the prompts of one length, context by context (paper, section 3.3 and Table 2).

    Tasks of the scenarios in ``released`` have the published variables. Contexts of further domains
    are sent in the first format only; ``perspective`` marks prompts that only serve to compare
    formats or domains.
    """
    tasks_of: dict[str, list[Task]] = defaultdict(list)
    for task in (Task(**settings) for settings in tasks):
        tasks_of[task.scenario].append(task)
    for scenario in in_order(tasks_of):
        names = [name for name in data["contexts"] if name.partition("/")[0] == scenario]
        for context in chain.from_iterable(data["contexts"][name] for name in names):
            domain = {"domain": context["domain"]} if "domain" in context else {}
            shown_formats = formats_of(scenario, formats)
            for format in shown_formats[:1] if domain else shown_formats:
                variant = domain | ({"format": format} if format != NUMBERED else {})
                if domain or format != shown_formats[0]:
                    variant["perspective"] = "domain" if domain else "format"
                for task in tasks_of[scenario]:
                    expressions = data["expressions"][task.id]
                    settings = _settings(task, context, expressions, seed, released)
                    yield from _prompts(
                        task, context, expressions["expressions"], settings, variant
                    )


def _settings(
    task: Task, context: Record, expressions: Record, seed: int, released: Sequence[str]
) -> list[list[Setting]]:
    space = expressions["space"]
    count = len(expressions["expressions"])
    if task.scenario in released:
        return [released_settings(task, space, context, index) for index in range(count)]
    return [sample_settings(task, space, context, seed)] * count


def _prompts(
    task: Task,
    context: Record,
    expressions: Sequence[Record],
    settings_by_expression: Sequence[list[Setting]],
    variant: Record,
) -> Iterator[Record]:
    ending = f"/{variant['format']}" if "format" in variant else ""
    family = {"family": context["family"]} if "family" in context else {}
    for expression, settings in zip(expressions, settings_by_expression, strict=True):
        number = expression["expression_id"]
        bias = {"bias": expression["direction"]} if task.directions else {}
        for variable_id, (variables, reference_answer) in enumerate(settings):
            sample_id = f"{task.id}/{context['context_id']}/e{number}/v{variable_id}{ending}"
            yield {
                "sample_id": sample_id,
                "task": task.id,
                "context_id": context["context_id"],
                **family,
                "expression_id": number,
                "variable_id": variable_id,
                "instruction": fill(expression["template"], variables, sample_id),
                "variables": variables | bias,
                "reference_answer": reference_answer,
                "max_tokens": task.max_tokens,
                **variant,
            }
