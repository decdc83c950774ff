"""Prompts: every template of a task crossed with every setting of its variables, per context."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steadfast.errors import UserError
from steadfast.files import read_json, read_jsonl, write_jsonl
from steadfast.lifbench.expressions import fill
from steadfast.lifbench.tasks import SCENARIOS, TASKS
from steadfast.lifbench.variables import draw_settings

Record = dict[str, Any]


def build_prompts(
    length: str,
    seed: int,
    tasks: list[str],
    contexts: dict[str, Path],
    expressions: dict[str, Path],
    out: Path,
) -> None:
    """Write the prompts of one length, context by context (paper, section 3.3 and Table 2).

    Args:
        length: the length's name, such as ``4k``.
        seed: seed of the variables.
        tasks: keys of ``TASKS``.
        contexts: the contexts of that length, by scenario.
        expressions: the templates, by task.
        out: JSON lines; a context is named, never copied.

    Raises:
        UserError: a file or task is unknown, or a context is too small for a task.
    """
    files = {task: _expression_file(task, expressions) for task in tasks}
    records = (
        prompt
        for scenario in SCENARIOS
        if any(TASKS[task].scenario == scenario for task in files)
        for context in read_jsonl(_path(contexts, scenario, "contexts"))
        for task in TASKS
        if task in files and TASKS[task].scenario == scenario
        for prompt in _prompts(task, _of_length(context, length), files[task], seed)
    )
    write_jsonl(out, records)


def render(scenario_prompt: str, text: str, instruction: str) -> tuple[str, str, str]:
    """The three parts of a full prompt (paper, equation 1: D and I around X).

    Only the middle part, the context, may be truncated. Nothing in ``text`` or ``instruction`` is
    read as a field.

    Args:
        scenario_prompt: D, with ``{input}`` and after it ``{instruction}``.
        text: X, the context's text.
        instruction: I.

    Returns:
        (head, context, tail), which joined are the prompt.

    Raises:
        UserError: D has not both fields, each once and in this order.
    """
    head, found, rest = scenario_prompt.partition("{input}")
    before, placed, after = rest.partition("{instruction}")
    once = scenario_prompt.count("{input}") == scenario_prompt.count("{instruction}") == 1
    if not (found and placed and once):
        raise UserError(
            f"scenario description {scenario_prompt[:40]!r}…: it must have {{input}} once and, "
            "after it, {instruction} once"
        )
    return head, text, before + instruction + after


def load_part(
    prompts: Path, contexts: dict[str, Path], expressions: dict[str, Path]
) -> Iterator[tuple[Record, Record, str]]:
    """Each prompt with its context's record and its scenario description, in the file's order.

    Raises:
        UserError: a prompt names a task, or a context, which the other files do not have.
    """
    known: dict[str, dict[str, Record]] = {}
    files: dict[str, Record] = {}
    for prompt in read_jsonl(prompts):
        task, context_id = prompt["task"], prompt["context_id"]
        if task not in files:
            files[task] = _expression_file(task, expressions)
        scenario = TASKS[task].scenario
        if scenario not in known:
            records = read_jsonl(_path(contexts, scenario, "contexts"))
            known[scenario] = {record["context_id"]: record for record in records}
        if context_id not in known[scenario]:
            raise UserError(
                f"{prompts}: the context {context_id!r} of {prompt['sample_id']} is not in "
                f"{contexts[scenario]}; build the prompts again from that file"
            )
        yield prompt, known[scenario][context_id], files[task]["scenario_prompt"]


def _prompts(task: str, context: Record, file: Record, seed: int) -> Iterator[Record]:
    settings = draw_settings(task, file["space"], context, seed)
    for expression in file["expressions"]:
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


def _expression_file(task: str, expressions: dict[str, Path]) -> Record:
    if task not in TASKS:
        raise UserError(f"tasks: there is no task {task!r}; choose from {', '.join(TASKS)}")
    path = _path(expressions, task, "expressions")
    record = read_json(path)
    if record.get("task") != task:
        raise UserError(f"{path}: holds the expressions of {record.get('task')}, not of {task}")
    return record


def _path(files: dict[str, Path], key: str, what: str) -> Path:
    if key not in files:
        raise UserError(f"{what}: no file is given for {key!r}; add it to the inputs")
    return files[key]


def _of_length(context: Record, length: str) -> Record:
    if context["length"] != length:
        raise UserError(
            f"context {context['context_id']} is of length {context['length']}, not {length}; "
            "give the contexts of the same length"
        )
    return context
