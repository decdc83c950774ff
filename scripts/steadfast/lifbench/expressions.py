"""Instruction templates: reading, checking and filling them (paper, section 3.3, Expression)."""

import difflib
import re
import string
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from steadfast.errors import UserError
from steadfast.files import write_json
from steadfast.lifbench.released import released_task
from steadfast.lifbench.tasks import RESOURCES, TASKS, Task
from steadfast.lifbench.variables import read_yaml, sampling_space

SCENARIO_PROMPTS = RESOURCES / "scenarios.yaml"
_FIELD = re.compile(r"(\w+)((?:\[\d{1,3}\])*)", re.ASCII)
_KEYS = ("expression_id", "template", "direction", "origin", "cluster")
Record = dict[str, Any]


def build_expressions(task: str, source: str, own: Path, released: Path | None, out: Path) -> None:
    """Write the templates of a task, its scenario description and the space of its variables.

    Args:
        task: a key of ``TASKS``.
        source: ``own`` (the file ``own``) or ``released`` (the benchmark's, in ``released``).
        own: YAML file of templates.
        released: directory with the benchmark's tasks.json, or that file.
        out: JSON: task, origin, scenario_prompt, space, expressions.

    Raises:
        UserError: a file or a template is not as it should be; the sentence names both.
    """
    shown, space = sampling_space(task)
    if source == "own":
        place, expressions = own, read_expressions(own)
        scenario_prompt = read_yaml(SCENARIO_PROMPTS)[TASKS[task].scenario]
    elif source == "released":
        place = released
        scenario_prompt, expressions, space = released_task(task, released, space)
    else:
        raise UserError(f"expressions: there is no source {source!r}; choose own or released")
    for expression in expressions:
        where = f"{place}: {task} expression {expression['expression_id']}"
        check_template(expression["template"], shown, where)
        _check_direction(TASKS[task], expression["direction"], where)
    record = {"task": task, "origin": source, "scenario_prompt": scenario_prompt, "space": space}
    write_json(out, {**record, "expressions": expressions})


def read_expressions(path: Path) -> list[Record]:
    """The templates in a YAML file, in the order of the file.

    Raises:
        UserError: the file is no YAML, has unknown or missing keys, or repeats an expression_id.
    """
    record = read_yaml(path)
    _check_keys(record, ("origin", "expressions"), str(path))
    entries = record.get("expressions")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UserError(f"{path}: 'expressions' must be a list of expression_id and template pairs")
    expressions = []
    for place, entry in enumerate(entries, start=1):
        where = f"{path}: entry {place}"
        _check_keys(entry, _KEYS, where)
        if (
            not isinstance(entry.get("template"), str)
            or type(entry.get("expression_id")) is not int
        ):
            raise UserError(f"{where}: give an integer 'expression_id' and a text 'template'")
        defaults = {"direction": None, "origin": record.get("origin"), "cluster": None}
        expressions.append(defaults | entry)
    ids = [expression["expression_id"] for expression in expressions]
    if len(set(ids)) < len(ids) or not ids:
        raise UserError(
            f"{path}: every expression needs an expression_id of its own, and one at least"
        )
    return expressions


def check_template(template: str, shown: Iterable[str], where: str) -> None:
    """See that a template shows all of its task's variables and nothing else.

    Args:
        template: text with ``{name}`` or ``{name[0]}`` fields, ``{{`` and ``}}`` for braces.
        shown: names; ``a|b`` stands for either.
        where: file and expression, for the message.

    Raises:
        UserError: a field is unknown, missing, or something else than a name with numbers.
    """
    used = {name for _, name, _ in _pieces(template, where) if name}
    groups = [group.split("|") for group in shown]
    names = [name for group in groups for name in group]
    for name in sorted(used.difference(names)):
        raise UserError(_unknown(name, names, where))
    for group in groups:
        if used.isdisjoint(group):
            field = " or ".join(f"{{{name}}}" for name in group)
            raise UserError(f"{where}: the template does not show {field}; add it")


def fill(template: str, variables: Record, where: str) -> str:
    """A template with its variables' values, as ``str.format`` would write them.

    Only names and numbers in brackets are followed: no attributes, calls, conversions or formats.

    Raises:
        UserError: a field is not among ``variables``, or its number is out of range.
    """
    parts = []
    for literal, name, indices in _pieces(template, where):
        parts.append(literal)
        if name is None:
            continue
        if name not in variables:
            raise UserError(_unknown(name, variables, where))
        value = variables[name]
        for index in indices:
            if not isinstance(value, list) or index >= len(value):
                raise UserError(f"{where}: {{{name}[{index}]}} has no value; use a smaller number")
            value = value[index]
        parts.append(str(value))
    return "".join(parts)


def _pieces(template: str, where: str) -> Iterator[tuple[str, str | None, list[int]]]:
    try:
        pieces = list(string.Formatter().parse(template))
    except ValueError as error:
        raise UserError(
            f"{where}: the braces of the template do not match ({error}); "
            "write {{ and }} for braces that are text"
        ) from None
    for literal, field, form, conversion in pieces:
        if field is None:
            yield literal, None, []
            continue
        match = _FIELD.fullmatch(field)
        if match is None or form or conversion:
            raise UserError(
                f"{where}: the field {{{field}}} is not allowed; "
                "a field is a variable's name, or a name and a number such as {options[0]}"
            )
        yield literal, match[1], [int(index) for index in re.findall(r"\d+", match[2])]


def _unknown(name: str, names: Iterable[str], where: str) -> str:
    names = list(names)
    nearest = (difflib.get_close_matches(name, names, n=1, cutoff=0.0) or names)[0]
    return f"{where}: unknown variable {{{name}}}; did you mean {{{nearest}}}?"


def _check_direction(task: Task, direction: int | None, where: str) -> None:
    if task.directions and (type(direction) is not int or direction not in (1, -1)):
        raise UserError(f"{where}: give 'direction: 1' (what follows) or 'direction: -1'")
    if not task.directions and direction is not None:
        raise UserError(f"{where}: {task.id} has no directions; remove 'direction'")


def _check_keys(record: Record, known: tuple[str, ...], where: str) -> None:
    for key in record:
        if key not in known:
            nearest = difflib.get_close_matches(str(key), known, n=1, cutoff=0.0)[0]
            raise UserError(f"{where}: unknown key {key!r}; did you mean {nearest!r}?")
