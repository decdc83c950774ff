"""What each value of a config has to be: visible, on one line, named once, of a sensible size."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from steadfast.base.errors import UserError
from steadfast.base.names import shown
from steadfast.schema.strict import VERBATIM

DEEPEST = 50  # levels; a value that holds itself has more
LARGEST_WHOLE = 2**63 - 1  # what data files hold as a whole number
LONGEST_KEY = 100  # characters of a key, as a sentence shows it


def check_plain(value: object, place: tuple[str | int, ...] = ()) -> None:
    """Raises UserError unless a value is made of mappings with texts as keys, lists, texts, finite
    numbers and null, which every part of a run can write down and read again."""
    if len(place) > DEEPEST:
        raise _wrong(place[:3], f"nested deeper than {DEEPEST} levels; take some out")
    match value:
        case None | bool():
            pass
        case str():
            _check_writable(value, place)
        case int():
            if abs(value) > LARGEST_WHOLE:
                raise _wrong(place, f"a whole number beyond {LARGEST_WHOLE:,}; write a smaller one")
        case float():
            if not math.isfinite(value):
                raise _wrong(place, f"{value} is no finite number; write one")
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise _wrong(place, f"the key {shown(key)} is no text; put it in quotes")
                _check_writable(key, place)
                check_plain(inner, (*place, key))
        case list():
            for number, inner in enumerate(value):
                check_plain(inner, (*place, number))
        case _:
            kind = type(value).__name__
            raise _wrong(place, f"a {kind} is no plain value; put it in quotes to make it a text")


def _check_writable(text: str, place: tuple[str | int, ...]) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _wrong(place, f"{shown(text)} holds half a character; write it whole") from None
    if "\0" in text:
        raise _wrong(place, f"{shown(text)} holds a null character; take it out")


def dotted(place: Iterable[str | int]) -> str:
    """The keys that lead to a place of the config, as sentences name it.

    >>> dotted(["models", "a\\nb", "tags", 0])
    'models.a\\\\nb.tags.0'
    """
    names = (repr(str(step))[1:-1] for step in place)  # on one line, whatever they hold
    return ".".join(
        name if len(name) <= LONGEST_KEY else name[: LONGEST_KEY - 3] + "..." for name in names
    )


Place = tuple[str | int, ...]
LONGEST, LONGEST_PATH = 255, 2000  # bytes of a name in a path, and of a path; systems end at 4,096
SMALLEST, LARGEST = 1e-9, 1e15
SEED = "seed"
"""A key whose number says nothing by its size."""


def check_values(section: BaseModel, place: Place = ()) -> None:
    """Raises UserError unless each value of a checked section makes sense, whatever it is for.

    Left alone is what is passed on as it stands: keys with any values of the user's, and those that
    the schema calls verbatim.
    """
    for name, field in type(section).model_fields.items():
        if not _is_verbatim(field):
            _check(getattr(section, name), (*place, name))


def _is_verbatim(field: FieldInfo) -> bool:
    extra = field.json_schema_extra
    return Any in get_args(field.annotation) or (isinstance(extra, dict) and VERBATIM in extra)


def _check(value: object, place: Place) -> None:
    match value:
        case BaseModel():
            check_values(value, place)
        case dict():
            for key, inner in value.items():
                _check_text(key, (*place, key))
                _check(inner, (*place, key))
        case list():
            for number, inner in enumerate(value):
                _check(inner, (*place, number))
            for text, count in Counter(one for one in value if isinstance(one, str)).items():
                if count > 1:
                    raise _wrong(place, f"{shown(text)} is named twice; name it once")
        case str():
            _check_text(value, place)
        case int() | float() if place[-1] != SEED and value:
            if not SMALLEST <= abs(value) <= LARGEST:
                raise _wrong(
                    place,
                    f"{value:g} is of no use here; write 0, or a number from {SMALLEST:g} to "
                    f"{LARGEST:g}",
                )


def _check_text(text: str, place: Place) -> None:
    if not any(char.isprintable() and not char.isspace() for char in text):
        raise _wrong(place, f"{shown(text)} has no visible character; write one, or leave it out")
    if any(unicodedata.category(char) == "Cc" for char in text):
        raise _wrong(place, f"{shown(text)} has a line break or a control character; take it out")
    if text != text.strip():
        raise _wrong(place, f"{shown(text)} begins or ends with a blank; take it out")
    longest = max(len(name.encode()) for name in text.split("/"))
    for size, most in ((longest, LONGEST), (len(text.encode()), LONGEST_PATH)):
        if size > most:
            raise _wrong(place, f"{shown(text)} has {size:,} bytes, more than {most:,}; shorten it")


def _wrong(place: Place, what: str) -> UserError:
    return UserError(f"config: {dotted(place)}: {what}" if place else f"config: {what}")
