"""Which columns of a table in LaTeX are side by side, so that a page has room at a readable size.

A table that is wider than a page gets its intervals below their values; one that still is gets its
columns in several blocks, one below the other, each behind the labels of the rows.
"""

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from steadfast.base.resources import facts
from steadfast.show.table import Cell, Column, Table, short_interval

# Points of print that a page has room for: A4 with 2 cm of margins has 484, Letter with 1 in 469.
# A table of this width is scaled down to 94 % on the narrower one, so that print has 7.5 pt.
PAGE_WIDTH = 500.0
PAGE_HEIGHT = 540.0
# Points of the smallest text of a page that a table has to fit, that of LaTeX's class article.
TEXT_WIDTH = 345.0
# Points that a row, a section's heading, a block's head and a line of the caption take.
LINE = 9.5
HEADING = 17.0
HEAD = 36.0
CAPTION_LINE = 12.0
FEWEST_ROWS = 5  # rows of a page, at least
SMALL = 1.125  # size of small print (9 pt) over that of footnotesize (8 pt)
SCRIPT = 0.94  # width of a text in scriptsize (7 pt) over that in footnotesize
BOLD = 1.16  # width of a text in bold over that in upright print
# Characters of about 2.6 and of about 7 points in footnotesize.
NARROW = frozenset("fijlrt.,:;'!|()[] -")
WIDE = frozenset("mwMW%")
# Points of a digit, and of a capital letter.
DIGIT = 4.25
CAPITAL = 5.9
MOST_IN_SMALL = 7  # columns of a table in small print, at most
SEPARATION = 8.0  # points between two columns
LONGEST = 60  # characters of a cell, at most; one name should not shrink the whole table
# Characters of a heading's line that need no break, even where the cells are narrower.
NARROWEST = 9
# Ends of the headings of intervals; such a column follows that of its values.
INTERVALS = (facts("show.yaml")["interval"], facts("summary.yaml")["interval"].format(measure=""))


class Place(NamedTuple):
    """A column of LaTeX: the place of its values in a row, and of the intervals below them."""

    value: int
    interval: int | None = None


class Layout(NamedTuple):
    """Columns of each block, whether intervals are below their values, and the size of print."""

    blocks: list[list[Place]]
    folded: bool
    size: Literal["small", "footnotesize"]


def layout(table: Table) -> Layout:
    """Returns the columns of a table, as far as possible side by side."""
    places = [Place(number) for number in range(len(table.columns))]
    width = _width(table, places)
    if width * SMALL <= PAGE_WIDTH and len(places) <= MOST_IN_SMALL:
        return Layout([places], folded=False, size="small")
    if width <= PAGE_WIDTH:
        return Layout([places], folded=False, size="footnotesize")
    folded = _with_intervals_below(table.columns)
    blocks = _blocks(table, folded, PAGE_WIDTH)
    # As even as possible: the narrowest blocks that are not more of them.
    for share in (0.6, 0.7, 0.8, 0.9):
        even = _blocks(table, folded, share * PAGE_WIDTH)
        if len(even) <= len(blocks):
            blocks = even
            break
    return Layout(blocks, folded=len(folded) < len(places), size="footnotesize")


def rows_per_page(table: Table, columns: Layout) -> int:
    """Returns the rows that a page has room for, beside caption and notes."""
    if columns.size == "small":
        return table.rows_per_page
    lines = sum(math.ceil(_points(text) / TEXT_WIDTH) for _, text in table.notes)
    caption = math.ceil(1.25 * _points(table.full_caption) / TEXT_WIDTH)
    room = PAGE_HEIGHT - LINE * lines - CAPTION_LINE * caption
    headings = sum(bool(section.heading) for section in table.sections)
    # Sections without a heading are set off by half a line.
    gaps = len(table.sections) - headings
    height = room / len(columns.blocks) - HEAD - HEADING * headings - LINE / 2 * gaps
    row = LINE * (2.2 if columns.folded else 1.0)
    return min(table.rows_per_page, max(FEWEST_ROWS, int(height / row)))


def _blocks(table: Table, places: Sequence[Place], width: float) -> list[list[Place]]:
    """Returns columns in blocks of a width at most, each with the labels of the rows first."""
    first = _labels(table.columns)
    labels = list(places[:first])
    blocks: list[list[Place]] = []
    for group in _groups(table, places[first:], labels):
        if blocks and _width(table, [*blocks[-1], *group]) <= width:
            blocks[-1] += group
        else:
            blocks.append([*labels, *group])
    return blocks or [labels]


def heading_lines(table: Table, place: Place) -> list[str]:
    """Returns a column's heading in lines that are hardly wider than its cells."""
    heading = table.columns[place.value].heading
    longest_word = max(map(len, heading.split()), default=0)
    cells = int(_cells_width(table, place) / DIGIT)
    width = max(cells, longest_word, NARROWEST)
    return textwrap.wrap(heading, width, break_long_words=False, break_on_hyphens=False) or [""]


def shown(cell: Cell) -> str:
    """Returns a cell's text, shortened where it is too long for a table."""
    text = cell.text or ""
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _with_intervals_below(columns: Sequence[Column]) -> list[Place]:
    places: list[Place] = []
    for number, column in enumerate(columns):
        if places and column.heading.endswith(INTERVALS):
            places[-1] = Place(places[-1].value, number)
        else:
            places.append(Place(number))
    return places


def _labels(columns: Sequence[Column]) -> int:
    """Returns how many first columns are labels of the rows, such as model and length."""
    labels = 0
    while labels < len(columns) and columns[labels].align == "l":
        labels += 1
    return labels


def _groups(
    table: Table, places: Iterable[Place], labels: Sequence[Place]
) -> Iterator[list[Place]]:
    """Yields the columns that share a heading; one by one where these are wider than a page."""
    by_heading = groupby(
        places, key=lambda place: table.columns[place.value].group or str(place.value)
    )
    for _, members in by_heading:
        group = list(members)
        if _width(table, [*labels, *group]) <= PAGE_WIDTH:
            yield group
        else:
            yield from ([place] for place in group)


def _width(table: Table, places: Iterable[Place]) -> float:
    """Returns an estimate of the points that columns take side by side in footnotesize."""
    total = -SEPARATION
    for group, members in groupby(places, key=lambda place: table.columns[place.value].group):
        columns = sum(_column_width(table, place) + SEPARATION for place in members)
        total += max(columns, _points(group) + SEPARATION)
    return total


def _column_width(table: Table, place: Place) -> float:
    heading = max(map(_points, heading_lines(table, place)))
    return max(heading, _cells_width(table, place))


def _cells_width(table: Table, place: Place) -> float:
    """Returns the points of a column's widest cell, its intervals in smaller print."""
    widths = [0.0]
    for section in table.sections:
        for row in section.rows:
            cell = row[place.value]
            bold = BOLD if cell.style else 1.0
            widths.append(bold * _points(f"{shown(cell)} {cell.suffix}".strip()))
            if place.interval is not None:
                widths.append(SCRIPT * _points(short_interval(row[place.interval])))
    return max(widths)


def _points(text: str) -> float:
    """Returns an estimate of a text's points in footnotesize."""
    points = 0.0
    for char in text:
        if char in NARROW:
            points += 2.6
        elif char in WIDE:
            points += 7.0
        else:
            points += CAPITAL if char.isupper() else DIGIT
    return points
