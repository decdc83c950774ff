"""JSON objects in answers."""

import json
from collections.abc import Collection, Iterator


def has_keys(value: object, keys: Collection[str]) -> bool:
    """Whether a value is an object with these keys and no others; "" is no key.

    An object of any keys will do where none are asked for.
    """
    wanted = [key for key in keys if key]
    if not isinstance(value, dict) or not all(key in value for key in wanted):
        return False
    return not wanted or len(value) == len(wanted)


def balanced(text: str) -> str | None:
    """The first ``{…}`` whose braces balance; None without one.

    A brace within a string counts, and one that closes nothing spoils the rest, as released.
    """
    return None if "}" in text.partition("{")[0] else next(spans(text, strings=False), None)


def spans(text: str, strings: bool = True) -> Iterator[str]:
    """Each ``{…}`` that stands in no other; braces within its strings are left aside if asked."""
    depth, start, quoted, escaped = 0, 0, False, False
    for place, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"' and depth and strings:
            quoted = True
        elif char == "{":
            start = start if depth else place
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : place + 1]


def parsed(text: str | None, constants: bool) -> object:
    """The value of a JSON text; None where it is none, or nested too deeply to read.

    Args:
        constants: whether NaN and Infinity are JSON.
    """
    if text is None:
        return None
    try:
        return json.loads(text, parse_constant=None if constants else _refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
