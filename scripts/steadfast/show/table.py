"""What a printed table is: columns, sections of rows, marks and notes."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain
from typing import Literal

Style = Literal["", "best"]  # best: a model that the test cannot rule out as best
Mark = Literal["dagger", "incomplete"]
MISSING = "--"  # in place of a value
SIGNS: Mapping[str | None, str] = {"dagger": "†", "incomplete": "*"}  # of the marks, in text
# What a note is about that explains no mark: sampling units and tests, or prompts and judges.
Subject = Literal["sampling", "data"]
# What each of the three lines below a table is about: marks and headings, sampling, data.
NOTE_LINES: tuple[Collection[str | None], ...] = (
    (*SIGNS, None),
    ("sampling",),
    ("data",),
)


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        text: plain text, escaped by the renderers; None where there is no value.
        style: whether it may be the best by the test.
        suffix: plain text, after a blank, that the style leaves alone, such as a rank.
        marks: signs after the text, each explained by a note.
        repeated: says the same as the cell above it; LaTeX leaves it blank.
    """

    text: str | None
    style: Style = ""
    suffix: str = ""
    marks: tuple[Mark, ...] = ()
    repeated: bool = False

    @property
    def signs(self) -> str:
        """Returns the marks in text."""
        return "".join(SIGNS[mark] for mark in self.marks)


@dataclass(frozen=True)
class Column:
    """One column: its heading, the heading that it shares with neighbours, and its alignment."""

    heading: str
    group: str = ""
    align: Literal["l", "c", "r"] = "c"

    @property
    def full_heading(self) -> str:
        """Returns the heading with the group's before it."""
        return f"{self.group}: {self.heading}" if self.group else self.heading


@dataclass(frozen=True)
class Section:
    """Rows under one heading; ``unranked`` ones are set off by a rule, ``printed`` in a paper."""

    rows: tuple[tuple[Cell, ...], ...]
    heading: str = ""
    unranked: bool = False
    printed: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        name: stem of its files.
        caption: plain text.
        columns: as many as each row has cells.
        sections: rows in the order shown.
        notes: sentences below the table, each with the mark that it explains, or its subject;
            None: it explains a heading or what else is shown.
        remark: a sentence that holds of the whole table, before its caption and in the marks of
            each row of its CSV.
        rows_per_page: rows after which LaTeX continues on a new page.
        data: which data the values are of, for a column of its own in the CSV, which has no notes.
    """

    name: str
    caption: str
    columns: tuple[Column, ...]
    sections: tuple[Section, ...]
    notes: tuple[tuple[Mark | Subject | None, str], ...] = ()
    remark: str = ""
    rows_per_page: int = 42
    data: str = ""

    @property
    def full_caption(self) -> str:
        """Returns the remark and the caption."""
        return f"{self.remark} {self.caption}".strip()

    def with_data_notes(self, texts: Sequence[str]) -> "Table":
        """Returns the same with sentences on the data, as last notes and in its CSV."""
        sentences = by_benchmarks(texts)
        notes = (*self.notes, *(("data", sentence) for sentence in sentences))
        return replace(self, notes=notes, data=" ".join(sentences))

    def with_merged_notes(self) -> "Table":
        """Returns the same with its notes in three lines at most, each about one thing."""
        lines = []
        for subjects in NOTE_LINES:
            notes = (note for note in self.notes if note[0] in subjects)
            sentences = dict.fromkeys(note_text(*note) for note in notes)
            if sentences:
                lines.append((None, " ".join(sentences)))
        return replace(self, notes=tuple(lines))

    def pages(self) -> Iterator["Table"]:
        """Yields pieces of at most ``rows_per_page`` rows, cut between sections where possible."""
        page: list[Section] = []
        size = self.rows_per_page
        for section in self.sections:
            for start in range(0, max(len(section.rows), 1), size):
                piece = replace(section, rows=section.rows[start : start + size])
                if page and sum(len(part.rows) for part in [*page, piece]) > size:
                    yield replace(self, sections=tuple(page))
                    page = []
                page.append(piece)
        yield replace(self, sections=tuple(page))


def styles(sections: Iterable[Section]) -> set[Style]:
    """Returns the styles of all cells."""
    rows = chain.from_iterable(section.rows for section in sections)
    return {cell.style for cell in chain.from_iterable(rows)}


def note_text(subject: Mark | Subject | None, text: str) -> str:
    """Returns a note's text, behind the mark that it explains.

    >>> note_text("dagger", "Truncated."), note_text("data", "Synthetic.")
    ('† Truncated.', 'Synthetic.')
    """
    return f"{SIGNS[subject]} {text}" if subject in SIGNS else text


def by_benchmarks(sentences: Iterable[str]) -> list[str]:
    """Returns sentences such as "IFEval: released data.", one for benchmarks that share it.

    >>> by_benchmarks(["A: x. y.", "B: z.", "C: x. y.", "", "Adaptive run: of A."])
    ['A, C: x. y.', 'B: z.', 'Adaptive run: of A.']
    """
    benchmarks: dict[str, list[str]] = {}
    for sentence in filter(None, sentences):
        benchmark, colon, statement = sentence.partition(": ")
        names = benchmarks.setdefault(statement if colon else sentence, [])
        if colon:
            names.append(benchmark)
    merged = []
    for statement, names in benchmarks.items():
        merged.append(f"{', '.join(names)}: {statement}" if names else statement)
    return merged


def short_interval(cell: Cell) -> str:
    """Returns an interval with a dash, where no sign of a number would be taken for it.

    >>> short_interval(Cell("0.1 to 0.2")), short_interval(Cell("-0.1 to 0.2"))
    ('0.1–0.2', '-0.1 to 0.2')
    """
    text = cell.text or ""
    return text if "-" in text else text.replace(" to ", "–")


def rounded(value: float, digits: int) -> Decimal:
    """Returns a number as printed: half up, after rounding to 12 significant digits; never -0."""
    return Decimal(f"{value:.12g}").quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP) + 0


def ranks(
    values: Mapping[str, float], contenders: Collection[str], smaller: bool = False
) -> dict[str, int]:
    """Returns the place of each competing row, from 1; equal values share the better place."""
    competing = {row: value for row, value in values.items() if row in contenders}
    ordered = sorted(competing.values(), reverse=not smaller)
    return {row: ordered.index(value) + 1 for row, value in competing.items()}


def shown_ranks(values: Mapping[str, float], contenders: Collection[str]) -> dict[str, int]:
    """Returns the ranks that a table shows: none where one value stands alone, or all are equal."""
    places = ranks(values, contenders)
    return places if len(set(places.values())) > 1 else {}
