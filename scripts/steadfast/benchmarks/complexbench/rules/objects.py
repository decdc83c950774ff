"""JSON objects in answers."""

import json
from collections.abc import Collection, Iterator


def has_keys(value: object, keys: Collection[object]) -> bool:
    """Whether a value is an object with these keys and no others; "" is no key.

    An object of any keys will do where none are asked for, and none has a key that is no text.
    """
    wanted = [key for key in keys if key != ""]
    if not isinstance(value, dict):
        return False
    if not all(isinstance(key, str) and key in value for key in wanted):
        return False
    return not wanted or len(value) == len(wanted)


def balanced(text: str) -> str | None:
    """The first ``{…}`` whose braces balance; None without one.

    As released, a brace within a string counts, and one that closes nothing takes the next one
    that opens with it: the count falls below 0, where no object begins.
    """
    depth, start = 0, 0
    for place, char in enumerate(text):
        if char == "{":
            start = start if depth else place
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return text[start : place + 1]
    return None


def spans(text: str) -> Iterator[str]:
    """Each ``{…}`` that stands in no other; braces within its strings are left aside."""
    depth, start, quoted, escaped = 0, 0, False, False
    for place, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"' and depth:
            quoted = True
        elif char == "{":
            start = start if depth else place
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : place + 1]


def parsed(text: str | None, constants: bool) -> object:
    """The value of a JSON text; None where it is none, or nested too deeply to read."""
    if text is None:
        return None
    try:
        return json.loads(text, parse_constant=None if constants else _refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
