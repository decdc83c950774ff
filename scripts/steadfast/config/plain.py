"""Values that every part of a run can write down and read again: those of JSON, and finite."""

import math
from collections.abc import Iterable, Mapping

from steadfast.base.errors import UserError
from steadfast.base.names import shown

DEEPEST = 50  # levels; a value that holds itself has more
LARGEST = 2**63 - 1  # what data files hold as a whole number
LONGEST_KEY = 100  # characters of a key, as a sentence shows it


def check_plain(value: object, place: tuple[str | int, ...] = ()) -> None:
    """Whether a value is made of mappings with texts as keys, lists, texts, numbers and null.

    Args:
        value: the config, or what stands at a place of it.
        place: the keys that lead there.

    Raises:
        UserError: one sentence that names the first place where something else stands.
    """
    if len(place) > DEEPEST:
        raise _wrong(place[:3], f"nested deeper than {DEEPEST} levels; take some out")
    match value:
        case None | bool():
            pass
        case str():
            _check_text(value, place)
        case int():
            if abs(value) > LARGEST:
                raise _wrong(place, f"a whole number beyond {LARGEST:,}; write a smaller one")
        case float():
            if not math.isfinite(value):
                raise _wrong(place, f"{value} is no finite number; write one")
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise _wrong(place, f"the key {shown(key)} is no text; put it in quotes")
                _check_text(key, place)
                check_plain(inner, (*place, key))
        case list():
            for number, inner in enumerate(value):
                check_plain(inner, (*place, number))
        case _:
            kind = type(value).__name__
            raise _wrong(place, f"a {kind} is no plain value; put it in quotes to make it a text")


def _check_text(text: str, place: tuple[str | int, ...]) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _wrong(place, f"{shown(text)} holds half a character; write it whole") from None
    if "\0" in text:
        raise _wrong(place, f"{shown(text)} holds a null character; take it out")


def _wrong(place: tuple[str | int, ...], what: str) -> UserError:
    return UserError(f"config: {dotted(place)}: {what}" if place else f"config: {what}")


def dotted(place: Iterable[str | int]) -> str:
    """The keys that lead to a place of the config, as sentences name it.

    Example:
        >>> dotted(["models", "a\\nb", "tags", 0])
        'models.a\\\\nb.tags.0'
    """
    names = (repr(str(step))[1:-1] for step in place)  # on one line, whatever they hold
    return ".".join(
        name if len(name) <= LONGEST_KEY else name[: LONGEST_KEY - 3] + "..." for name in names
    )
