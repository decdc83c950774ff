"""The values of a JSON list, read one by one."""

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

BLANKS = re.compile(r"[ \t\n\r]*")
CHUNK = 2**16  # characters that are read at once, at least


def listed(text: TextIO) -> Iterator[Any]:
    """Yields the values of a list, of which one at a time is in memory."""
    held = _Held(text)
    held.take("[")
    if held.next != "]":
        yield held.value()
        while held.next == ",":
            held.take(",")
            yield held.value()
    held.take("]")
    held.take("")


class _Held:
    """What is in memory of a text: no more than a value's beginning, its end and a chunk."""

    def __init__(self, text: TextIO):
        self._text, self._held, self._at = text, "", 0
        self._decode = json.JSONDecoder().raw_decode

    @property
    def next(self) -> str:
        """The next character that is no blank; nothing at the end."""
        while True:
            self._at = BLANKS.match(self._held, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._held) or not self._more():
                return self._held[self._at : self._at + 1]

    def take(self, expected: str) -> None:
        """Goes past that character."""
        if self.next != expected:
            raise json.JSONDecodeError(f"Expecting {expected!r}", self._held, self._at)
        self._at += len(expected)

    def value(self) -> Any:
        """Returns the next value."""
        while self.next:
            try:
                value, end = self._decode(self._held, self._at)
            except json.JSONDecodeError:
                if self._more():
                    continue
                raise
            following = BLANKS.match(self._held, end).end()  # type: ignore[union-attr]
            # A number may go on beyond what is in memory.
            if self._held[following : following + 1] in {",", "]"} or not self._more():
                self._at = end
                return value
        raise json.JSONDecodeError("Expecting value", self._held, self._at)

    def _more(self) -> bool:
        """Reads as much again as is left, so that a long value is decoded a few times only."""
        left = self._held[self._at :]
        read = self._text.read(max(CHUNK, len(left)))
        if read:
            self._held, self._at = left + read, 0
        return bool(read)
