"""JSON in what models write: strictly, or whatever of it stands among other text."""

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from steadfast.base.literals import parse_literal
from steadfast.benchmarks.lifbench.rubric.parsing import all_of, parse_json

_TRIES = 32  # brackets of a text at which JSON may begin and does not
_CLOSING = {"[": "]", "{": "}"}
_STRING = r'"(?:[^"\\\n]|\\.)*"?'
_QUOTED = re.compile(_STRING)
_NONE = re.compile(rf"{_STRING}|\bNone\b")
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*[\]}}])")
_FENCE = re.compile(r"```[\w-]*\n(.*?)\n?```", re.DOTALL)


class Numeral(str):
    """A number in JSON, as it is written."""


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_int=Numeral, parse_float=Numeral, parse_constant=_no_constant)


def strict_json(text: str) -> tuple[bool, Any]:
    """Returns whether a text is JSON, and its value; numbers come as ``Numeral``."""
    return parse_json(text, _DECODER)


def json_with_none(text: str) -> tuple[bool, Any]:
    """Returns the same of JSON in which ``None`` may stand for ``null``."""
    if "None" in text:
        text = _NONE.sub(lambda match: "null" if match[0] == "None" else match[0], text)
    return strict_json(text)


def read_value(text: str) -> tuple[bool, Any]:
    """Returns whether a text is JSON, more or less, or a Python literal, and its value."""
    is_literal, value = json_with_none(text)
    if not is_literal and "," in text:  # without a comma it would be read as it was
        is_literal, value = json_with_none(
            _LAST_COMMA.sub(lambda m: "" if m[0] == "," else m[0], text)
        )
    if not is_literal and "'" in text:
        is_literal, value = parse_literal(text)
    return is_literal, value


def unfenced(text: str) -> str:
    """Returns what is in the code fence that a text is; the text itself if it is none."""
    match = _FENCE.fullmatch(text)
    return match[1].strip() if match else text


def values_in(text: str, opening: str) -> tuple[bool, list[Any]]:
    """Returns whether a text is JSON, and what in it is: its value, or those after a bracket."""
    is_json, value = strict_json(text)
    if is_json and type(value) is str:  # JSON within a string
        inner, parts = strict_json(value)
        return (False, [parts]) if inner and isinstance(parts, (list, dict)) else (True, [value])
    if is_json:
        return True, [value]
    first = text.find(opening)
    last = text.rfind(_CLOSING[opening])
    if first < 0:
        return False, []
    is_read, value = read_value(text[first : last + 1])
    return False, [value] if is_read else _embedded(text, opening)


def _embedded(text: str, opening: str) -> list[Any]:
    """Returns the JSON values in a text, up to as many brackets that begin none as are tried."""
    values: list[Any] = []
    position = 0
    failed = 0
    while failed < _TRIES and (start := text.find(opening, position)) >= 0:
        try:
            value, position = _DECODER.raw_decode(text, start)
            values.append(value)
        except (ValueError, RecursionError):
            position = start + 1
            failed += 1
    return values


def found_list(text: str) -> tuple[bool, Any]:
    """Returns whether a text is JSON, and its value, or of the lists in it the last."""
    is_whole, values = values_in(text, "[")
    # Lists of numbers within other text are references rather than answers.
    candidates = values if is_whole else [value for value in values if not _is_numeric(value)]
    # Lists of one entry each are the entries of one list.
    if all_of(list, candidates) and set(map(len, candidates)) == {1}:
        return is_whole, list(chain.from_iterable(candidates))
    return is_whole, candidates[-1] if candidates else None


def _is_numeric(value: Any) -> bool:
    texts = strings(value)
    return bool(texts) and all_of(Numeral, texts)


def containers(values: Iterable[Any]) -> list[Any]:
    """Returns the lists and objects among values."""
    return [value for value in values if isinstance(value, (list, dict))]


def listed(value: Any) -> Any:
    """Returns what a value comes down to: of a list of one list or object, and of an object that
    holds one beside plain values, that one.

    >>> listed({"count": 1, "answer": [["Name a fruit."]]})
    ['Name a fruit.']
    """
    while isinstance(value, (list, dict)):
        inner = containers(value.values() if isinstance(value, dict) else value)
        if len(inner) != 1 or (isinstance(value, list) and len(value) > 1):
            break
        value = inner[0]
    return value


def unescaped(text: str) -> str:
    """Returns a text in which JSON strings stand, with what they say in their places."""
    if "\\" not in text:
        return text
    unquoted = _QUOTED.sub(lambda match: str(strict_json(match[0])[1] or match[0]), text)
    return unquoted.replace('\\"', '"')


def strings(value: Any) -> list[str]:
    """Returns the strings and numbers in a JSON value, in order; of an object, its values'."""
    values = []
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, str):
            values.append(value)
        elif isinstance(value, dict):
            left.extend(reversed(value.values()))
        elif isinstance(value, (list, tuple)):
            left.extend(reversed(value))
    return values


def entries_form(plain: Sequence[bool]) -> float:
    """Returns 1 if each entry of a list has the requested form; .5 if none has."""
    return 0.5 + 0.5 * sum(plain) / len(plain) if plain else 1.0
