"""The paper's printed tables: which cells a run has too, and rows of them below the run's."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace

from steadfast.base.files import read_text
from steadfast.base.resources import resource
from steadfast.benchmarks.lifbench import released_files, released_scores, scored_tasks
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults
from steadfast.show.results import Note
from steadfast.show.table import Cell, Section, Table

LENGTHS = tuple(released_files.released_lengths())
WEIGHTED = ("Overall", "ARS")  # columns of the overall score
NAMES = tuple(STRINGS["reproduction"]["tables"])
TEXTS = STRINGS["published"]
LABELS = [model.label for model in released_scores.PAPER_MODELS.values() if not model.is_reference]


def has_cell(results: LifbenchResults, length: str, column: str) -> bool:
    """Returns whether a run has a cell of the paper, of the same lengths, tasks and weighting."""
    only_length = length or (column if column in LENGTHS else "")
    if only_length and only_length not in results.lengths:
        return False
    if not only_length and set(results.lengths) != set(LENGTHS):
        return False
    if column in scored_tasks.SCORED_TASKS:
        return column in results.tasks
    is_weighted_alike = column not in WEIGHTED or results.rubric.weighting == "rubric"
    return is_weighted_alike and set(results.tasks) == set(scored_tasks.SCORED_TASKS)


def printed_rows(name: str) -> Iterator[Mapping[str, str]]:
    """Yields the cells of a printed table: model (label), column, value; some length and rank."""
    path = resource("lifbench/printed") / f"{name}.csv"
    yield from csv.DictReader(read_text(path).splitlines())


def with_printed(table: Table, name: str, results: LifbenchResults, same_prompts: bool) -> Table:
    """Returns a table with the paper's cells that the run has too, in a section of their own."""
    if name not in NAMES:
        return table
    if results.rubric.name != "released":
        return replace(table, notes=(*table.notes, ("data", TEXTS["rubric"])))
    rows = tuple(_rows(table, name, results))
    if not rows:
        return replace(table, notes=(*table.notes, ("data", TEXTS["none"])))
    section = Section(rows, TEXTS["heading"], unranked=True, printed=True)
    note: Note = ("data", TEXTS["same" if same_prompts else "other"])
    return replace(table, sections=(*table.sections, section), notes=(*table.notes, note))


def first_value_column(table: Table) -> int:
    """Returns where columns of values begin: behind the models, or behind models and lengths."""
    second = table.columns[1]
    return 2 if second.heading == "Length" and not second.group else 1


def _rows(table: Table, name: str, results: LifbenchResults) -> Iterator[tuple[Cell, ...]]:
    """Yields a row a model, or a model and length, as the table has them."""
    cells: dict[str, dict[str, dict[str, str]]] = {label: {} for label in LABELS}
    for row in printed_rows(name):
        length = row.get("length", "")
        if has_cell(results, length, row["column"]):
            cells[row["model"]].setdefault(length, {})[row["column"]] = row["value"]
    first = first_value_column(table)
    headings = [column.heading for column in table.columns[first:]]
    for label, lengths in cells.items():
        for number, (length, values) in enumerate(lengths.items()):
            head = (Cell(label, repeated=number > 0), Cell(length))[:first]
            yield (*head, *(Cell(values.get(heading)) for heading in headings))
