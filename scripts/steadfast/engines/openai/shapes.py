"""Values of a JSON text that somebody else wrote: as what they should be, or as nothing."""

import json
import re
from collections.abc import Mapping

SURROGATE = re.compile("[\ud800-\udfff]")
MOST = 10**12
"""A count above it is a fault of the server's."""


def clean(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which no UTF-8 file can hold."""
    return text if text.isascii() else SURROGATE.sub("�", text)


def parsed(content: bytes) -> object:
    """The value of a JSON text in UTF-8; None where it is none."""
    try:
        return json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> Mapping[str, object]:
    """A JSON object, by default an empty one."""
    return value if isinstance(value, dict) else {}


def array(value: object) -> list[object]:
    """A JSON array, by default an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str | None:
    """A string that can be written."""
    return clean(value) if isinstance(value, str) else None


def count(value: object) -> int | None:
    """A number of things, from 0 to ``MOST``; true and false are none."""
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
    return value if sound and isinstance(value, int) else None
