"""Cells that tables of all benchmarks have: values with their marks, intervals, shares."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

import pandas as pd

from steadfast.show.roster import Roster
from steadfast.show.table import Cell, Column, Mark, Section, Style, rounded
from steadfast.stats.ties import NO_TIES, Ties

MODEL = Column("Model", align="l")
PERCENT_DIGITS = 1
CellsByModel = dict[str, tuple[Cell, ...]]


@dataclass(frozen=True)
class Values:
    """One column of values.

    Attributes:
        by_model: the value of each model that has one.
        incomplete: models whose value lacks some of its samples.
        ties: which models differ significantly; by default none is compared, and none marked.
        digits: after the point; None: the table's.
        shown: how a value is printed, where digits alone do not say.
    """

    by_model: Mapping[str, float]
    incomplete: Collection[str] = ()
    ties: Ties = NO_TIES
    digits: int | None = None
    shown: Callable[[float], Decimal] | None = None

    def printed(self, digits: int) -> dict[str, Decimal]:
        """Returns the values as they are printed, with so many digits by default."""
        decimals = digits if self.digits is None else self.digits
        show = self.shown or (lambda value: rounded(value, decimals))
        return {model: show(value) for model, value in self.by_model.items()}


def value_cells(roster: Roster, columns: Iterable[Values], digits: int) -> CellsByModel:
    """Returns each model's cells, one for each column, with the best of a column marked."""
    cells: CellsByModel = dict.fromkeys(roster.models, ())
    for values in columns:
        printed = values.printed(digits)
        best = values.ties.best(roster.contenders_among(values.by_model))
        for model in cells:
            text = str(printed[model]) if model in printed else None
            marks = incomplete_mark(model in values.incomplete)
            cells[model] += (Cell(text, "best" if model in best else "", marks=marks),)
    return cells


def rank_cells(roster: Roster, ties: Ties, values: Mapping[str, float]) -> CellsByModel:
    """Returns the ranks that each competing model with a value may have by the test: 1–3, or 4."""
    texts = rank_texts(roster, ties, values)
    return {model: (Cell(texts.get(model)),) for model in roster.models}


def rank_texts(roster: Roster, ties: Ties, values: Mapping[str, float]) -> dict[str, str]:
    """Returns the texts of ``rank_cells``, of the models that are compared alone."""
    texts = {}
    for model, (best, worst) in ties.ranks(roster.contenders_among(values)).items():
        texts[model] = str(best) if best == worst else f"{best}\u2013{worst}"
    return texts


def joined_cells(parts: Sequence[CellsByModel], models: Iterable[str] = ()) -> CellsByModel:
    """Returns the columns' cells side by side; without columns none, for each of ``models``."""
    joined: CellsByModel = dict.fromkeys(parts[0] if parts else models, ())
    for part in parts:
        for model in joined:
            joined[model] += part[model]
    return joined


def incomplete_mark(incomplete: bool) -> tuple[Mark, ...]:
    """Returns the mark of a value that lacks some of its samples."""
    return ("incomplete",) if incomplete else ()


def interval_cell(low: float, high: float, digits: int, factor: int = 1) -> Cell:
    """Returns the ends of an interval; a dash where there is none."""
    if math.isnan(low):
        return Cell(None)
    return Cell(f"{rounded(factor * low, digits)} to {rounded(factor * high, digits)}")


def p_cell(value: float, digits: int, style: Style = "") -> Cell:
    """Returns a p-value; a dash where there is none."""
    if math.isnan(value):
        return Cell(None)
    smallest = Decimal(1).scaleb(-digits)
    return Cell(f"< {smallest}" if value < smallest else str(rounded(value, digits)), style)


def interval_cells(rows: pd.DataFrame, models: Sequence[str], digits: int) -> CellsByModel:
    """Returns the interval of each model, of rows with one a model at most."""
    ends = rows.set_index("model")[["low", "high"]].reindex(models)
    return {row.Index: (interval_cell(row.low, row.high, digits),) for row in ends.itertuples()}


def share_cell(scored: int, expected: int, marked: bool = True) -> Cell:
    """Returns scored samples in per cent, rounded down: only complete coverage prints as 100."""
    if not expected:
        return Cell(None)
    share = Decimal(100 * int(scored)) / int(expected)
    text = "100" if share == 100 else str(share.quantize(Decimal("0.1"), ROUND_DOWN))
    return Cell(text, marks=incomplete_mark(marked and share < 100))


def number_cell(value: float, digits: int, factor: int = 1) -> Cell:
    """Returns a number, with commas between thousands; a dash where there is none."""
    return Cell(None if math.isnan(value) else f"{rounded(factor * value, digits):,}")


def count_cell(number: float) -> Cell:
    """Returns a count, with commas between thousands."""
    return Cell(f"{number:,.0f}")


def printed_section(
    rows: Mapping[str, str], heading: str, positions: Sequence[int | None]
) -> Section:
    """Returns a paper's values by model; ``positions`` are those of each column's in ``rows``."""
    printed_rows = []
    for model, row in rows.items():
        values = row.split()
        cells = (Cell(None if position is None else values[position]) for position in positions)
        printed_rows.append((Cell(model), *cells))
    return Section(tuple(printed_rows), heading, unranked=True, printed=True)
