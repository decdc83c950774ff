"""Reads the list of rewrites in a model's reply: bounded in time, size and depth for any text."""

import json
from itertools import accumulate
from typing import Any

from steadfast.base.files import Settings

LIMIT = 200_000  # characters of a reply
DEPTH = 32  # brackets within brackets; those in strings count too, and no honest reply comes near


class UnreadableError(ValueError):
    """Why a reply holds no list of rewrites, as a clause."""


def readable(expected: Settings, reply: str, answer: str) -> bool:
    """Returns whether a reply can be read; if not, the engine asks again."""
    try:
        read(reply, expected)
    except UnreadableError:
        return False
    return True


def read(reply: str, expected: Settings) -> list[str]:
    """The rewrites: the JSON list from the first ``[`` to the last ``]``, whatever stands around.

    >>> read('Here they are:\\n```json\\n["Go.", "Leave."]\\n```', {"count": 2})
    ['Go.', 'Leave.']

    Up to twice as many may come as were asked for (``count``).
    """
    if len(reply) > LIMIT:
        raise UnreadableError(f"the reply has more than {LIMIT:,} characters")
    first, last, count = reply.find("["), reply.rfind("]"), expected["count"]
    if first < 0 or last < first:
        raise UnreadableError("the reply has no list from [ to ]")
    texts = _value(reply[first : last + 1])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UnreadableError("the list holds something else than strings")
    if not count <= len(texts) <= 2 * count:
        raise UnreadableError(f"{len(texts)} rewrites came where {count} were asked for")
    return texts


def _value(text: str) -> Any:
    depth = max(accumulate((c in "[{") - (c in "]}") for c in text), default=0)
    if depth > DEPTH:
        raise UnreadableError("the list is nested too deep")
    try:
        value = json.loads(text, strict=False)  # models leave line breaks in strings as they are
        text.encode()  # a lone surrogate is no text that could be asked or stored
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UnreadableError("the list holds what is no Unicode text") from None
    except json.JSONDecodeError as error:
        raise UnreadableError(f"the list is no JSON ({error.msg})") from None
    except (ValueError, RecursionError):  # a number of thousands of digits
        raise UnreadableError("the list is no JSON that can be read") from None
    return value
