"""Calls the functions that the user's own tasks name, and checks what they give."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

from steadfast.components import Score
from steadfast.config.plain import check_plain
from steadfast.errors import UserError
from steadfast.files import Record, Settings
from steadfast.lifbench.gold import fields
from steadfast.lifbench.templates import fill
from steadfast.loading import load


def call(function: str, about: str, *arguments: Any) -> Any:
    """What a function of the user's gives.

    Args:
        function: as ``loading.load`` takes it.
        about: the sample or context, for the sentence.

    Raises:
        UserError: there is no such function, or it fails.
    """
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
    """Whether files can hold a value, see ``check_plain``.

    Raises:
        UserError: they cannot; the sentence begins with ``where``.
    """
    try:
        check_plain(value)
    except UserError as error:
        raise UserError(f"{where}: {str(error).removeprefix('config: ')}") from None


def own_score(how: Settings, prompt: Record, context: Record, response: str) -> Score:
    """What an answer to a task of the user's own is worth; 0 where it is blank.

    Args:
        how: ``scoring``, the function, and ``weights`` of the score points.
        prompt: the prompt record.
        context: the context record; the function must not change it.
        response: what the model wrote.

    Raises:
        UserError: the function fails, or gives no share of each score point.

    Source: equation 2.
    """
    response, weights = response.strip(), how["weights"]
    points = dict.fromkeys(weights, 0.0)
    if response:
        given = call(how["scoring"], prompt["sample_id"], response, prompt, context)
        points = _shares(given, points, f"{how['scoring']}: of {prompt['sample_id']}")
    total = sum(points[name] * weight for name, weight in weights.items())
    return Score("ok", points, total / sum(weights.values()))


def _shares(given: object, names: Mapping[str, float], where: str) -> dict[str, float]:
    if not isinstance(given, Mapping) or given.keys() != names.keys():
        found = ", ".join(map(str, given)) if isinstance(given, Mapping) else type(given).__name__
        raise UserError(
            f"{where} it gives {found}; return a share for each of {', '.join(names)}, no other"
        )
    for name, share in given.items():
        if not isinstance(share, Real) or not 0 <= float(share) <= 1:
            raise UserError(
                f"{where} it gives {share!r} for {name}; return a number from 0 to 1, the share "
                "of the point's weight"
            )
    return {name: float(given[name]) for name in names}


def own_answer(how: str | Settings, prompt: Record, context: Record, looked_up: bool = True) -> str:
    """The answer that a task's file says: a text with the names of variables, or a function's.

    Args:
        how: the text, or ``function``.
        prompt: the prompt record.
        context: the context record.
        looked_up: whether it may know the gold information.

    Raises:
        UserError: the text names what there is not, or the function fails or gives no text.
    """
    known = prompt if looked_up else {**prompt, "gold": {}}
    if isinstance(how, str):
        return fill(how, fields(known), f"{prompt['task']}: stand_ins: {how!r}")
    found = call(how["function"], prompt["sample_id"], known, context)
    if not isinstance(found, str):
        raise UserError(
            f"{how['function']}: of {prompt['sample_id']} it gives {found!r}; return a text"
        )
    return found
