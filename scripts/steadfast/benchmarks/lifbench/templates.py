"""Instruction templates: checking and filling them (paper, section 3.3, Expression)."""

import re
import string
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.names import suggestion
from steadfast.benchmarks.lifbench.tasks import Task

_FIELD = re.compile(r"(\w+)((?:\[\d{1,3}\])*)", re.ASCII)


def check_expressions(task: Task, expressions: Iterable[Record], path: Path | str) -> list[Record]:
    """Returns the expressions of a task, each with a template that can be filled."""
    checked = list(expressions)
    for expression in checked:
        where = f"{path}: {task.id} expression {expression['expression_id']}"
        check_template(expression["template"], task.shown, where)
        direction = expression["direction"]
        if task.directions and (type(direction) is not int or direction not in (1, -1)):
            raise UserError(f"{where}: give 'direction: 1' (what follows) or 'direction: -1'")
        if not task.directions and direction is not None:
            raise UserError(f"{where}: {task.id} has no directions; remove 'direction'")
    return checked


def check_template(template: str, shown: Iterable[str], where: str) -> None:
    """Refuses a template that lacks a variable of its task or shows anything else."""
    used = {name for name, _ in _fields(template, where)}
    groups = [group.split("|") for group in shown]
    names = list(chain.from_iterable(groups))
    for name in sorted(used.difference(names)):
        raise _unknown(name, names, where)
    for group in groups:
        if used.isdisjoint(group):
            field = " or ".join(f"{{{name}}}" for name in group)
            raise UserError(f"{where}: the template does not show {field}; add it")


def fill(template: str, variables: Mapping[str, object], where: str) -> str:
    """Returns a template with its variables' values, as ``str.format`` writes them.

    Only names and numbers in brackets are followed: no attributes, calls, conversions or formats.
    """
    for name, indices in _fields(template, where):
        if name not in variables:
            raise _unknown(name, variables, where)
        value = variables[name]
        for index in indices:
            if not isinstance(value, list) or index >= len(value):
                raise UserError(f"{where}: {{{name}[{index}]}} has no value; use a smaller number")
            value = value[index]
    # Safe, since every field was checked above to be a known name with valid indices.
    return template.format(**variables)


def _fields(template: str, where: str) -> Iterator[tuple[str, list[int]]]:
    """Yields the name and the indices of each field."""
    try:
        parsed = list(string.Formatter().parse(template))
    except ValueError as error:
        raise UserError(
            f"{where}: the braces of the template do not match ({error}); "
            "write {{ and }} for braces that are text"
        ) from None
    for _, field, form, conversion in parsed:
        if field is None:
            continue
        match = _FIELD.fullmatch(field)
        if match is None or form or conversion:
            raise UserError(
                f"{where}: the field {{{field}}} is not allowed; "
                "a field is a variable's name, or a name and a number such as {options[0]}"
            )
        yield match[1], [int(index) for index in re.findall(r"\d+", match[2])]


def _unknown(name: str, names: Iterable[str], where: str) -> UserError:
    return UserError(f"{where}: unknown variable {name!r}; {suggestion(name, names)}")
