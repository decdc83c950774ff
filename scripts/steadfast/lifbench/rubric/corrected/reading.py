"""JSON in what models write: strictly, or whatever of it stands among other text."""

import json
from typing import Any

from steadfast.lifbench.rubric.parsing import parse_json

_TRIES = 32  # brackets of a text at which JSON may begin


class Numeral(str):
    """A number in JSON, as it is written."""


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_int=Numeral, parse_float=Numeral, parse_constant=_no_constant)


def strict_json(text: str) -> tuple[bool, Any]:
    """Whether a text is JSON, and its value; numbers come as ``Numeral``."""
    return parse_json(text, _DECODER)


def found_json(text: str, opening: str) -> tuple[bool, bool, Any]:
    """Whether a text is JSON, whether it holds some that begins with a bracket, and its value."""
    whole, value = strict_json(text)
    return (True, True, value) if whole else (False, *_embedded_json(text, opening))


def _embedded_json(text: str, opening: str) -> tuple[bool, Any]:
    """Whether a text holds JSON that begins with a bracket, and the value of the longest."""
    longest, value, position = 0, None, 0
    for _ in range(_TRIES):
        start = text.find(opening, position)
        if start < 0:
            break
        try:
            found, position = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            continue
        if position - start > longest:
            longest, value = position - start, found
    return longest > 0, value


def strings(value: Any) -> list[str]:
    """The strings and numbers in a JSON value, in order; of an object, its values'."""
    found, left = [], [value]
    while left:
        value = left.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            left.extend(reversed(value.values()))
        elif isinstance(value, list):
            left.extend(reversed(value))
    return found
