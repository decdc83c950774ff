"""Checks each value of a config: visible, on one line, not repeated, of a sensible size."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from steadfast.base.errors import UserError
from steadfast.base.names import quoted
from steadfast.schema.strict import VERBATIM

# The keys that lead to a value, and its numbers in lists.
KeyPath = tuple[str | int, ...]
DEEPEST = 50  # levels; a value that contains itself has more
LARGEST_WHOLE = 2**63 - 1  # largest integer in data files
LONGEST_KEY = 100  # characters of a key in an error
LONGEST = 255  # bytes of a name in a path
LONGEST_PATH = 2000  # bytes of a path; operating systems end at 4,096
SMALLEST = 1e-9
LARGEST = 1e15
# A key whose number may have any size.
SEED = "seed"


def check_plain(value: object, key_path: KeyPath = ()) -> None:
    """Raises UserError unless a value consists of mappings with string keys, lists, strings, finite
    numbers, booleans and null, which every part of a run can write and read again."""
    if len(key_path) > DEEPEST:
        raise _wrong(key_path[:3], f"nested deeper than {DEEPEST} levels; remove levels")
    match value:
        case None | bool():  # before int, which a bool is too
            pass
        case str():
            _check_writable(value, key_path)
        case int():
            if abs(value) > LARGEST_WHOLE:
                raise _wrong(key_path, f"an integer beyond {LARGEST_WHOLE:,}; write a smaller one")
        case float():
            if not math.isfinite(value):
                raise _wrong(key_path, f"{value} is not a finite number; write one")
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise _wrong(
                        key_path, f"the key {quoted(key)} is not a string; put it in quotes"
                    )
                _check_writable(key, key_path)
                check_plain(inner, (*key_path, key))
        case list():
            for number, inner in enumerate(value):
                check_plain(inner, (*key_path, number))
        case _:
            kind = type(value).__name__
            raise _wrong(key_path, f"a {kind} is not allowed; put it in quotes to make it a string")


def _check_writable(text: str, key_path: KeyPath) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        problem = "half a character (lone surrogate)"
        raise _wrong(key_path, f"{quoted(text)} contains {problem}; remove it") from None
    if "\0" in text:
        raise _wrong(key_path, f"{quoted(text)} contains a null character; remove it")


def dotted_key(key_path: Iterable[str | int]) -> str:
    """The keys that lead to a value of the config, as errors show them.

    >>> dotted_key(["models", "a\\nb", "tags", 0])
    'models.a\\\\nb.tags.0'
    >>> dotted_key([100 * "a"]) == 100 * "a", dotted_key([101 * "a"]) == 97 * "a" + "..."
    (True, True)
    """
    names = []
    for step in key_path:
        name = repr(str(step))[1:-1]  # on one line, whatever it holds
        names.append(name if len(name) <= LONGEST_KEY else name[: LONGEST_KEY - 3] + "...")
    return ".".join(names)


def check_values(section: BaseModel, key_path: KeyPath = ()) -> None:
    """Raises UserError unless each value of a valid section makes sense, whatever its meaning.

    Values that are passed on unchanged are not checked: keys of type Any, and those that the
    schema marks as verbatim.
    """
    for name, field in type(section).model_fields.items():
        if not _is_verbatim(field):
            _check(getattr(section, name), (*key_path, name))


def _is_verbatim(field: FieldInfo) -> bool:
    extra = field.json_schema_extra
    return Any in get_args(field.annotation) or (isinstance(extra, dict) and VERBATIM in extra)


def _check(value: object, key_path: KeyPath) -> None:
    match value:
        case BaseModel():
            check_values(value, key_path)
        case dict():
            for key, inner in value.items():
                _check_text(key, (*key_path, key))
                _check(inner, (*key_path, key))
        case list():
            for number, inner in enumerate(value):
                _check(inner, (*key_path, number))
            texts = [member for member in value if isinstance(member, str)]
            for text, count in Counter(texts).items():
                if count > 1:
                    raise _wrong(key_path, f"{quoted(text)} is listed twice; remove one")
        case str():
            _check_text(value, key_path)
        case int() | float() if key_path[-1] != SEED and value:
            if not SMALLEST <= abs(value) <= LARGEST:
                allowed = f"0, or a number from {SMALLEST:g} to {LARGEST:g}"
                raise _wrong(key_path, f"{value:g} is out of range; write {allowed}")


def _check_text(text: str, key_path: KeyPath) -> None:
    if not any(char.isprintable() and not char.isspace() for char in text):
        problem = "has no visible characters; write some, or remove the key"
        raise _wrong(key_path, f"{quoted(text)} {problem}")
    if any(unicodedata.category(char) == "Cc" for char in text):
        raise _wrong(
            key_path, f"{quoted(text)} contains a line break or control character; remove it"
        )
    if text != text.strip():
        raise _wrong(key_path, f"{quoted(text)} begins or ends with a space; remove it")
    # Any text may become a path or a name in one: both have limits in bytes, not characters.
    longest_name = max(len(name.encode()) for name in text.split("/"))
    for size, limit in ((longest_name, LONGEST), (len(text.encode()), LONGEST_PATH)):
        if size > limit:
            problem = f"has {size:,} bytes, more than {limit:,}; shorten it"
            raise _wrong(key_path, f"{quoted(text)} {problem}")


def _wrong(key_path: KeyPath, what: str) -> UserError:
    return UserError(f"config: {dotted_key(key_path)}: {what}" if key_path else f"config: {what}")
