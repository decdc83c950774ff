"""The instructions that are rewritten: one of each task and direction."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench import own_expressions, released_expressions
from steadfast.benchmarks.lifbench.recs.released_files import rewrites
from steadfast.benchmarks.lifbench.tasks import Task

Source = Literal["own", "released"]
Direction = int | None
"""1, what follows; -1, what precedes; None where the task has no directions."""


def request_id(task: str, direction: Direction) -> str:
    """Returns the name of what is asked about an original.

    >>> request_id("LOI", 1), request_id("OQ", None)
    ('LOI/+1', 'OQ')
    """
    return task if direction is None else f"{task}/{direction:+d}"


def rewritten(task: Settings, directions: Sequence[int]) -> tuple[Direction, ...]:
    """Returns the directions of a task (``Task.worded``) whose templates are rewritten."""
    return tuple(directions) if Task.of(task).directions else (None,)


def base(inputs: Mapping[str, Path], task: Settings) -> Record:
    """Returns a task's hand-written expressions: released ones if ``templates`` is an input."""
    module = released_expressions if "templates" in inputs else own_expressions
    return module.expressions(inputs, task)


def originals_of(
    inputs: Mapping[str, Path],
    task: Settings,
    directions: Sequence[int],
    source: Source,
    directory: str | None,
) -> dict[Direction, str]:
    """Returns the original template of each direction that is rewritten.

    Own ones are the first own template of the direction; released ones that which the authors
    rewrote, and for direction -1 the first in tasks.json (the input ``templates``).
    """
    found: dict[Direction, str] = {}
    for direction in rewritten(task, directions):
        if source == "released" and direction != -1:
            found[direction] = rewrites(task["id"], directory).original
        elif source == "released" and "templates" not in inputs:
            raise UserError(
                "lifbench.recs.directions: the released rewrites have no original of direction -1; "
                "leave -1 out, or rewrite the project's own templates"
            )
        else:
            found[direction] = first(base(inputs, task)["expressions"], direction)
    return found


def first(expressions: Iterable[Record], direction: Direction) -> str:
    """Returns the first template of a direction."""
    return next(e["template"] for e in expressions if e["direction"] == direction)
