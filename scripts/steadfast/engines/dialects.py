"""How models mark a thought, and where in a text such marks stand.

``resources/engines/reasoning.yaml`` has the marks, and says what its keys mean. Marks in code are
text. Each function takes time and memory in proportion to the text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from steadfast.files import Settings
from steadfast.resources import facts

FACTS = facts("engines/reasoning.yaml")
HEADER = r"[^<]*+(?:<\|constrain\|>[^<]*+)?"
"""What an ellipsis in a mark stands for: a recipient and a content type, or nothing."""
FENCE = re.compile(r"^[ \t]*+(?P<ticks>`{3,}+)(?P<info>.*)$", re.MULTILINE)
TICKS_OR_BREAK = re.compile(r"(?P<ticks>`++)|\n[ \t]*+\n")


@dataclass(frozen=True)
class Dialect:
    """How some models mark a thought; the fields are as in the resource."""

    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    openings: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    channels: bool = False
    words: bool = False

    @property
    def marks(self) -> tuple[str, ...]:
        """All that may stand anywhere in a text."""
        return (*self.starts, *self.ends, *self.frames)

    @cached_property
    def mark(self) -> re.Pattern[str]:
        """Any mark, in the group ``start``, ``end`` or ``frame``."""
        kinds = {"start": self.starts, "end": self.ends, "frame": self.frames}
        groups = [f"(?P<{kind}>{_any(marks)})" for kind, marks in kinds.items() if marks]
        return re.compile("|".join(groups) or "(?!)")

    @cached_property
    def opening(self) -> re.Pattern[str]:
        """The beginning of a text that begins with a thought."""
        before = "|".join([r"\s++", *filter(None, [_any(self.frames)])])
        return re.compile(f"(?:{before})*+(?:{_any([*self.starts, *self.openings])})")

    def is_in(self, text: str) -> bool:
        """Whether a mark may be in a text; most have none, and this is fast."""
        return any(mark.partition("…")[0] in text for mark in self.marks)


def _any(marks: Iterable[str]) -> str:
    """One pattern for several marks, the longest first, since some begin alike."""
    ordered = sorted(marks, key=len, reverse=True)
    return "|".join(re.escape(mark).replace("…", HEADER) for mark in ordered)


def _dialect(known: Settings) -> Dialect:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in known.items()
    }
    return Dialect(**fields)


DIALECTS = {name: _dialect(known) for name, known in FACTS["dialects"].items()}


class Mark(NamedTuple):
    """A mark in a text: its kind, where it starts and stops, and whether it stands in code."""

    kind: str | None
    start: int
    stop: int
    in_code: bool


def marks_in(text: str, dialect: Dialect) -> Iterator[Mark]:
    """The marks of a dialect in a text, in order."""
    if not dialect.is_in(text):
        return
    spans = _code(text)
    begin = end = -1
    for mark in dialect.mark.finditer(text):
        start, stop = mark.span()
        while end <= start:
            begin, end = next(spans, (len(text) + 1, len(text) + 1))
        yield Mark(mark.lastgroup, start, stop, begin <= start)


def _code(text: str) -> Iterator[tuple[int, int]]:
    """Spans of code as in CommonMark: fenced with back-ticks, and inline within a paragraph."""
    outside, opening = 0, None
    for line in FENCE.finditer(text):
        if opening is None and "`" not in line["info"]:
            yield from _inline_code(text, outside, line.start("ticks"))
            opening = line
        elif opening and line["ticks"] >= opening["ticks"] and not line["info"].strip():
            yield opening.start("ticks"), line.end()
            outside, opening = line.end(), None
    if opening:
        yield opening.start("ticks"), len(text)
    else:
        yield from _inline_code(text, outside, len(text))


def _inline_code(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for match in TICKS_OR_BREAK.finditer(text, start, stop):
        if match["ticks"]:
            runs.append(match.span())
        else:
            yield from _paired(runs)
            runs.clear()
    yield from _paired(runs)


def _paired(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """From each run of back-ticks to the next that is as long, from left to right."""
    closing: list[int | None] = []
    last: dict[int, int] = {}
    for index in reversed(range(len(runs))):
        length = runs[index][1] - runs[index][0]
        closing.append(last.get(length))
        last[length] = index
    closing.reverse()
    index = 0
    while index < len(runs):
        partner = closing[index]
        if partner is not None:
            yield runs[index][0], runs[partner][1]
        index = (index if partner is None else partner) + 1
