"""Finds the marks of reasoning in a model's text.

``resources/engines/reasoning.yaml`` lists the marks and documents its keys. Marks within code are
plain text. Each function takes time and memory in proportion to the text.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from steadfast.base.files import Settings
from steadfast.base.resources import facts

FACTS = facts("engines/reasoning.yaml")
LEAKED = FACTS["leaked"]
# Stands for an ellipsis in a mark: a recipient and a content type, or nothing.
HEADER = r"[^<]*+(?:<\|constrain\|>[^<]*+)?"
# A mark in fenced or inline code; one in a fence may count, since a fence may be left open.
FENCED = 1
INLINE = 2
STEPS = {"start": 1, "end": -1}  # change of the nesting depth of reasoning at a mark
FENCE = re.compile(r"^[ \t]*+(?P<ticks>`{3,}+)(?P<info>.*)$", re.MULTILINE)
TICKS_OR_BREAK = re.compile(r"(?P<ticks>`++)|\n[ \t]*+\n")


@dataclass(frozen=True)
class Dialect:
    """The marks of reasoning of some models; the resource documents the fields."""

    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    openings: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    channels: bool = False
    words: bool = False

    @property
    def marks(self) -> tuple[str, ...]:
        """All marks that may be anywhere in a text."""
        return (*self.starts, *self.ends, *self.frames)

    @cached_property
    def mark(self) -> re.Pattern[str]:
        """Any mark, in the group ``start``, ``end`` or ``frame``."""
        kinds = {"start": self.starts, "end": self.ends, "frame": self.frames}
        groups = [f"(?P<{kind}>{_any(marks)})" for kind, marks in kinds.items() if marks]
        return re.compile("|".join(groups) or "(?!)")

    @cached_property
    def opening(self) -> re.Pattern[str]:
        """The beginning of a text that begins with reasoning."""
        opening = _any([*self.starts, *self.openings])
        before = [f"{BLANK}++", *filter(None, [_any(self.frames)])]
        if not self.openings:
            before += [f"(?!{opening}){TOKEN}", ROLE]
        return re.compile(f"(?:{'|'.join(before)})*+(?:{opening})")

    @cached_property
    def repeated_end(self) -> re.Pattern[str]:
        """Repeated ends and leaked tokens of the next turn that may follow an end."""
        own_marks = _any([*self.starts, *self.frames])
        leaked = [] if self.channels else [f"(?!{own_marks}){TOKEN}(?:{BLANK}*+{ROLE})?"]
        repeated = "|".join(filter(None, [_any(self.ends), *leaked]))
        return re.compile(f"(?:{BLANK}*+(?:{repeated}))*+" if self.ends else "")

    def is_in(self, text: str) -> bool:
        """Whether a text may contain a mark; a fast check, since most contain none."""
        return any(literal in text for literal in self._literals)

    @cached_property
    def _literals(self) -> tuple[str, ...]:
        return tuple(mark.partition("…")[0] for mark in self.marks)


def _any(marks: Iterable[str]) -> str:
    """One pattern for several marks, the longest first, since some are prefixes of others."""
    ordered = sorted(marks, key=len, reverse=True)
    return "|".join(re.escape(mark).replace("…", HEADER) for mark in ordered)


BLANK = rf"[\s{re.escape(LEAKED['invisible'])}]"
TOKEN = rf"(?:{_any(LEAKED['tokens'])}|<[|｜][^<>|｜\s]{{1,40}}+[|｜]>)"
ROLE = rf"[#*\[<]*+{BLANK}*+(?i:{_any(LEAKED['roles'])})(?!\w)[\]*>:]*+"


def _dialect(settings: Settings) -> Dialect:
    fields: dict[str, Any] = {}
    for key, value in settings.items():
        fields[key] = tuple(value) if isinstance(value, list) else value
    return Dialect(**fields)


DIALECTS = {name: _dialect(settings) for name, settings in FACTS["dialects"].items()}


def may_hold_marks(text: str) -> bool:
    """Whether a text may contain a mark of ``DIALECTS``, other than ordinary words.

    Each of these marks has one of three strings, so that most texts need three searches instead of
    one for each mark.
    """
    return "<" in text or "◁" in text or "THINK]" in text


class ReasoningMark(NamedTuple):
    """A mark in a text."""

    kind: str | None  # start, end or frame
    start: int
    stop: int
    in_code: int  # 0 outside code, else FENCED or INLINE


def marks_in(text: str, dialect: Dialect) -> Iterator[ReasoningMark]:
    """The marks of a dialect in a text, in order."""
    if not dialect.is_in(text):
        return
    spans = _code(text)
    begin = end = -1
    kind = 0
    for mark in dialect.mark.finditer(text):
        start, stop = mark.span()
        while end <= start:  # spans and marks are both in order
            begin, end, kind = next(spans, (len(text) + 1, len(text) + 1, 0))
        yield ReasoningMark(mark.lastgroup, start, stop, kind if begin <= start else 0)


class Tags:
    """The marks of a text outside code, and which reasoning they close.

    Starts may be nested: an end closes its own start, and the reasoning too unless a later end
    would be left without a start.
    """

    def __init__(self, marks: Sequence[ReasoningMark]):
        self.marks = [mark for mark in marks if not mark.in_code]
        self.ends_in_code = [mark for mark in marks if mark.in_code and mark.kind == "end"]
        self._depths: list[int] = []  # nesting after each mark; negative: an end without a start
        self._last_end = -1
        depth = 0
        for index, mark in enumerate(self.marks):
            depth += STEPS.get(mark.kind or "", 0)
            self._depths.append(depth)
            if mark.kind == "end":
                self._last_end = index
        # later[i]: the least depth after mark i, in one pass from the end of the text
        self._later = list(accumulate(reversed(self._depths), min, initial=sys.maxsize))[-2::-1]

    @classmethod
    def of(cls, text: str, dialect: Dialect) -> "Tags":
        """Those of a text."""
        return cls([*marks_in(text, dialect)]) if dialect.is_in(text) else NO_TAGS

    @property
    def surplus(self) -> int:
        """Number of starts minus number of ends."""
        return self._depths[-1] if self._depths else 0

    def lone_end(self, dialect: Dialect) -> ReasoningMark | None:
        """The first end without a start; in channels only where no start stands before it."""
        for mark, depth in zip(self.marks, self._depths, strict=True):
            if depth < 0:
                return mark
            if depth > 0 and dialect.channels:
                return None
        return None

    def closing(self, opened: int, dialect: Dialect) -> tuple[int, bool] | None:
        """The end of reasoning opened by a mark (-1: the text), and if it leaves a start open."""
        outside = self._depths[opened] if opened >= 0 else 0
        for index in range(opened + 1, self._last_end + 1):
            depth = self._depths[index]
            # In channels, an end closes all that is open.
            nested = depth >= outside and not dialect.channels
            if self.marks[index].kind == "end" and not (nested and self._later[index] < depth):
                return index, nested
        return None


NO_TAGS = Tags(())


def _code(text: str) -> Iterator[tuple[int, int, int]]:
    """Spans of code as in CommonMark: fenced by backticks, and inline within a paragraph."""
    outside = 0
    opening = None
    for line in FENCE.finditer(text):
        if opening is None and "`" not in line["info"]:
            yield from _inline_code(text, outside, line.start("ticks"))
            opening = line
        elif opening and line["ticks"] >= opening["ticks"] and not line["info"].strip():
            yield opening.start("ticks"), line.end(), FENCED
            outside = line.end()
            opening = None
    if opening:
        yield opening.start("ticks"), len(text), FENCED
    else:
        yield from _inline_code(text, outside, len(text))


def _inline_code(text: str, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    runs: list[tuple[int, int]] = []
    for match in TICKS_OR_BREAK.finditer(text, start, stop):
        if match["ticks"]:
            runs.append(match.span())
        else:
            yield from _paired(runs)
            runs.clear()
    yield from _paired(runs)


def _paired(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """From each run of backticks to the next of the same length, from left to right."""
    closing: list[int | None] = []  # the next run of the same length, for each run
    last: dict[int, int] = {}
    for index in reversed(range(len(runs))):
        length = runs[index][1] - runs[index][0]
        closing.append(last.get(length))
        last[length] = index
    closing.reverse()
    index = 0  # runs between a run and its partner are code themselves
    while index < len(runs):
        partner = closing[index]
        if partner is not None:
            yield runs[index][0], runs[partner][1], INLINE
        index = (index if partner is None else partner) + 1
