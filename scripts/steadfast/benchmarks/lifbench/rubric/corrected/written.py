"""Groups of documents in an MF answer that is no JSON: lines, bullets or tables of values."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from steadfast.benchmarks.lifbench.rubric.corrected.groups import Group, Row
from steadfast.benchmarks.lifbench.rubric.facts import FieldValues
from steadfast.benchmarks.lifbench.rubric.text import folded

# A word for a missing value, or what looks like an identifier or a date but is not a document's.
_OTHER = re.compile(r"\b(?:(none|null|n/a)\b|(?!doc|group)(?=[a-z_-]*[0-9])[\w-]{8,})")
_NEXT_ROW = re.compile(r"[;)\]]")
_NEXT_GROUP = re.compile(r"\]\s*\].*\[|\][^\[\]]*:\s*\[|[.!?]\s|\b[0-9]+\s*[:.)]")
_WORD = re.compile(r"\w+")
_BULLET = re.compile(r"[-*•+]\s|[0-9]+[.)]\s")


class Value(NamedTuple):
    """A field's value in an answer; if no document has it, it has no ``fields`` (places)."""

    fields: tuple[int, ...]
    text: str | None  # the value, folded; None for a missing one
    before: str  # what stands between it and the value before, or the beginning of its line


def written_groups(response: str, known: FieldValues) -> list[Group]:
    """Returns the groups of two or more documents that an answer's lines name by the asked fields.

    A line with several documents is a group. Of lines with one document, or a field of one, those
    are a group that follow each other, and that begin alike if they have a column for it.
    """
    lines = [list(_values(folded(line), known)) for line in response.split("\n")]
    parts = [part for line in lines for part in _parts(line, known.width)]
    if not any(len(part) > 1 for part in parts):
        runs = (list(run) for full, run in groupby(lines, bool) if full)
        parts = [part for run in runs for part in _of_lines(run, known)]
    found = [[row for row in part if known.tells(row)] for part in parts]
    return [group for group in found if sum(map(known.holds, group)) > 1]


def _values(line: str, known: FieldValues) -> Iterator[Value]:
    place = after = 0
    for key, start, end in [*known.finder.spans(line), ("", len(line), len(line))]:
        for other in _OTHER.finditer(line, place, start):
            text = None if other[1] else other[0]
            yield Value((), text, line[after : other.start()])
            after = other.end()
        if key:
            yield Value(*known.of[key], line[after:start])
        place = after = end


def _parts(line: list[Value], width: int) -> Iterator[Group]:
    """Yields the documents of a line, apart where a number, stop or brackets begin a group."""
    part: list[Value] = []
    for value in line:
        if part and _NEXT_GROUP.search(value.before):
            yield list(_rows(part, width))
            part = []
        part.append(value)
    yield list(_rows(part, width))


def _of_lines(lines: list[list[Value]], known: FieldValues) -> list[Group]:
    """Returns the groups in lines that follow each other: as a column before the documents says,
    unless it only numbers them."""
    if known.width > 1 and all(len(line) == 1 for line in lines):
        return [list(_rows((value for line in lines for value in line), known.width))]
    rows: list[tuple[list[str], Row]] = []
    column: list[str] = []
    for line in lines:
        words = [word for word in _WORD.findall(line[0].before) if word not in known.names]
        column = words or column  # which may be written for the first alone
        rows += [(column, row) for row in _rows(line, known.width)]
    by_column = [[row for _, row in of] for _, of in groupby(rows, lambda row: row[0])]
    return by_column if len(by_column) < len(rows) else [[row for _, row in rows]]


def _rows(values: Iterable[Value], width: int) -> Iterator[Row]:
    """Yields documents of so many fields: the next begins where a field recurs, or at a sign."""
    row: dict[int, str | None] = {}
    last = -1
    for value in values:
        free = [place for place in value.fields or (last + 1,) if place not in row]
        fits = [place for place in free if place < width]
        if row and (not fits or _NEXT_ROW.search(value.before) or _BULLET.match(value.before)):
            yield tuple(row.get(place) for place in range(width))
            row, fits = {}, list(value.fields or (0,))
        last = next((place for place in fits if place > last), fits[0])
        row[last] = value.text
    if row:
        yield tuple(row.get(place) for place in range(width))
