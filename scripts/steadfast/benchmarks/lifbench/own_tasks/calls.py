"""Calls the functions that the user's own tasks name, and checks what they give."""

from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.loading import load
from steadfast.benchmarks.lifbench.gold import fields
from steadfast.benchmarks.lifbench.records import Prompt
from steadfast.benchmarks.lifbench.templates import fill
from steadfast.config.values import check_plain


def call(function: str, about: str, *arguments: Any) -> Any:
    """Returns what a function of the user's gives."""
    found = load(function)
    try:
        return found(*arguments)
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"{function}: it failed on {about} ({type(error).__name__}: {error}); mend the function"
        ) from error


def check_values(value: object, where: str) -> None:
    """Refuses a value that files cannot hold, see ``check_plain``."""
    try:
        check_plain(value)
    except UserError as error:
        raise UserError(f"{where}: {str(error).removeprefix('config: ')}") from None


def own_answer(how: str | Settings, prompt: Prompt, context: Record, looked_up: bool = True) -> str:
    """Returns the answer that a task's file says: a text with variables' names, or a function's."""
    known = prompt if looked_up else {**prompt, "gold": {}}
    if isinstance(how, str):
        return fill(how, fields(known), f"{prompt['task']}: stand_ins: {how!r}")
    found = call(how["function"], prompt["sample_id"], known, context)
    if not isinstance(found, str):
        raise UserError(
            f"{how['function']}: of {prompt['sample_id']} it gives {found!r}; return a text"
        )
    return found
