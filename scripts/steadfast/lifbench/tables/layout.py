"""What several tables share: cells of scores, and rows by model or by model and length."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from steadfast.lifbench.tables.results import LAYOUT, Results
from steadfast.metrics.tidy import OVERALL
from steadfast.tables.roster import Group
from steadfast.tables.table import Cell, Column, Section, Table, highlights, rounded

MODEL = Column("Model", align="l")


@dataclass(frozen=True)
class Measure:
    """One column of scores.

    Attributes:
        values: by model.
        task: the task, or overall, whose samples the values rest on.
        length: the length of those samples, or "" for all.
        smaller: whether a smaller value is better.
    """

    values: Mapping[str, float]
    task: str = OVERALL
    length: str = ""
    smaller: bool = False


def score_cells(results: Results, measures: Iterable[Measure]) -> dict[str, tuple[Cell, ...]]:
    """The cells of each model, a measure a cell, best and second best of a column picked out."""
    cells: dict[str, tuple[Cell, ...]] = dict.fromkeys(results.roster.models, ())
    for measure in measures:
        shown = {m: rounded(value, results.digits) for m, value in measure.values.items()}
        styles = highlights(shown, results.roster.contenders, measure.smaller)
        for model in cells:
            text = str(shown[model]) if model in shown else None
            marks = results.marks(model, measure.task, measure.length)
            cells[model] += (Cell(text, styles.get(model, ""), marks=marks),)
    return cells


def by_model(
    results: Results, name: str, columns: Iterable[Column], measures: Iterable[Measure]
) -> Table:
    """A table with a row a model."""
    cells = score_cells(results, measures)
    sections = sections_of(results.groups(), lambda m: (results.label(m), *cells[m]))
    return Table(name, results.caption(name), (MODEL, *columns), sections, results.notes)


def by_length(
    results: Results,
    name: str,
    columns: Iterable[Column],
    measures: Callable[[str], Sequence[Measure]],
) -> Table:
    """A table with a row a model and length.

    Args:
        measures: those of the columns at a length.
    """
    cells = {length: score_cells(results, measures(length)) for length in results.lengths}
    sections = []
    for group in results.groups():
        for i, model in enumerate(group.models):
            rows = tuple(
                (results.label(model, repeated=j > 0), Cell(length), *cells[length][model])
                for j, length in enumerate(results.lengths)
            )
            apart = group.apart and i == 0
            sections.append(Section(rows, heading(group) if apart else "", apart))
    columns = (MODEL, Column("Length", align="r"), *columns)
    return Table(name, results.caption(name), columns, tuple(sections), results.notes)


def sections_of(
    groups: Iterable[Group], row: Callable[[str], tuple[Cell, ...]]
) -> tuple[Section, ...]:
    """A section a group, a row a model."""
    return tuple(
        Section(tuple(map(row, group.models)), heading(group), group.apart) for group in groups
    )


def heading(group: Group) -> str:
    """A group's heading, which says so where its members are no real models."""
    return LAYOUT["apart"][group.kind].format(group=group.heading) if group.apart else group.heading


def exact(values: Mapping[str, float]) -> dict[str, float]:
    """Values without rounding errors, so that those that are equal share a rank."""
    return {model: float(f"{value:.12g}") for model, value in values.items()}
