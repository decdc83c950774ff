"""What several tables share: rows by model, or by model and length."""

from collections.abc import Callable, Mapping, Sequence

from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.show.cells import MODEL, CellsByModel
from steadfast.show.results import Note
from steadfast.show.table import Cell, Column, Section, Table

CellsAt = Callable[[str], CellsByModel]
"""The cells of each model at a length ("": over all)."""
Rows = Callable[[LifbenchResults, str, Sequence[Column], CellsAt, Sequence[Note]], Table]
"""(what is shown, the table's name, headings of the cells, the cells, notes besides the shared)."""


def by_model(
    results: LifbenchResults,
    name: str,
    columns: Sequence[Column],
    cells: CellsAt,
    notes: Sequence[Note],
) -> Table:
    """Returns a table with a row a model."""
    sections = results.sections(results.groups(), cells("").__getitem__)
    return results.table(name, (MODEL, *columns), sections, [*results.notes, *notes])


def by_length(
    results: LifbenchResults,
    name: str,
    columns: Sequence[Column],
    cells: CellsAt,
    notes: Sequence[Note],
) -> Table:
    """Returns a table with a row a model and length."""
    found = {length: cells(length) for length in results.lengths}
    sections = []
    for group in results.groups():
        for i, model in enumerate(group.models):
            rows = tuple(
                (results.label(model, repeated=j > 0), Cell(length), *found[length][model])
                for j, length in enumerate(results.lengths)
            )
            headed = group.unranked and i == 0
            sections.append(Section(rows, group.full_heading if headed else "", headed))
    columns = (MODEL, Column("Length", align="r"), *columns)
    return results.table(name, columns, sections, [*results.notes, *notes])


def exact(values: Mapping[str, float]) -> dict[str, float]:
    """Returns values without rounding errors, so that those that are equal share a rank.

    >>> exact({"a": 0.1 + 0.2, "b": 0.3})
    {'a': 0.3, 'b': 0.3}
    """
    return {model: float(f"{value:.12g}") for model, value in values.items()}
