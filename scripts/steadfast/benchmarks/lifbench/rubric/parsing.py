"""Readers of what models write: bounded in time and memory for any text; nothing is executed."""

import json
import warnings
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from rapidfuzz.distance import Levenshtein

_DECODER = json.JSONDecoder()


def parse_json(text: str, decoder: json.JSONDecoder = _DECODER) -> tuple[bool, Any]:
    """Returns whether a text is JSON, by default as Python reads it (NaN too), and its value."""
    try:
        return True, decoder.decode(text)
    except (ValueError, RecursionError):
        return False, None


def list_form(whole: bool, value: Any) -> float:
    """Returns the share of a format point for a JSON list of strings, whole or within an answer."""
    if not isinstance(value, list):
        return 0.25 if whole else 0.0
    full, partly = (1.0, 0.75) if whole else (0.75, 0.5)
    return full if all(type(item) is str for item in value) else partly


def as_text(value: Any) -> str | None:
    """Returns ``str(value)``, or None where Python refuses (huge or deep values)."""
    try:
        return str(value)
    except (ValueError, RecursionError):
        return None


def unescape(*texts: str) -> str:
    """Returns the first text that Python's ``unicode_escape`` can read, read so (Q1)."""
    for text in texts:
        with suppress(UnicodeError), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # escapes that mean nothing
            encoded = text.encode("utf-8")
            if b"\\" not in encoded:
                return encoded.decode("latin-1")
            return encoded.decode("unicode_escape")
    return texts[0]


def outer_brackets(text: str) -> str | None:
    """Returns what is from the first ``[`` to the last ``]``; None where one is missing."""
    first = text.find("[")
    last = text.rfind("]")
    return text[first : last + 1] if 0 <= first < last else None


def double_bracketed(text: str) -> list[str]:
    r"""Returns all matches of the pattern ``\[\[.*?\]\]``, in linear time."""
    matches = []
    for line in text.split("\n"):
        position = 0
        while (start := line.find("[[", position)) >= 0:
            end = line.find("]]", start + 2)
            if end == -1:
                break
            position = end + 2
            matches.append(line[start:position])
    return matches


def braced(text: str) -> list[str]:
    r"""Returns all matches of the pattern ``\{[^\]]+\}``, in linear time."""
    matches = []
    for piece in text.split("]"):
        start = piece.find("{")
        end = piece.rfind("}")
        if start >= 0 and end >= start + 2:
            matches.append(piece[start : end + 1])
    return matches


def contained(parts: Iterable[str], text: str) -> list[str]:
    """Returns those of the parts that a text contains."""
    return [part for part in parts if part in text]


def all_of(kind: type, values: Iterable[Any]) -> bool:
    """Returns whether all values are of a type."""
    return all(isinstance(value, kind) for value in values)


def is_near(text: str, expected: str) -> bool:
    """Returns whether a text is within a sixth of the expected length, and three more, of edits."""
    allowed = len(expected) // 6 + 3
    return Levenshtein.distance(expected, text, score_cutoff=allowed) <= allowed
