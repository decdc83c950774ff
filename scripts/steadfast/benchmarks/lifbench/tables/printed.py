"""What the paper prints, as rows below those of the models that run."""

from collections.abc import Iterator
from dataclasses import replace

from steadfast.benchmarks.lifbench.paper import PAPER_MODELS
from steadfast.benchmarks.lifbench.printed import Asked, printed_rows
from steadfast.benchmarks.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.show.results import Note
from steadfast.show.table import Cell, Section, Table

NAMES = tuple(WORDS["reproduction"]["tables"])
TEXTS = WORDS["published"]
LABELS = [model.label for model in PAPER_MODELS.values() if not model.gold]


def with_printed(
    table: Table, name: str, results: LifbenchResults, asked: Asked, same_prompts: bool
) -> Table:
    """Returns a table with the paper's cells that the run has too, in a section of their own."""
    if name not in NAMES:
        return table
    if results.rubric != "released":
        return replace(table, notes=(*table.notes, (None, TEXTS["rubric"])))
    rows = tuple(_rows(table, name, asked))
    if not rows:
        return replace(table, notes=(*table.notes, (None, TEXTS["none"])))
    section = Section(rows, TEXTS["heading"], unranked=True, printed=True)
    note: Note = (None, TEXTS["same" if same_prompts else "other"])
    return replace(table, sections=(*table.sections, section), notes=(*table.notes, note))


def _rows(table: Table, name: str, asked: Asked) -> Iterator[tuple[Cell, ...]]:
    """Yields a row a model, or a model and length, as the table has them."""
    found: dict[str, dict[str, dict[str, str]]] = {label: {} for label in LABELS}
    for row in printed_rows(name):
        length = row.get("length", "")
        if asked.has(length, row["column"]):
            found[row["model"]].setdefault(length, {})[row["column"]] = row["value"]
    by_length = int(table.columns[1].heading == "Length" and not table.columns[1].group)
    headings = [column.heading for column in table.columns[1 + by_length :]]
    for label, lengths in found.items():
        for number, (length, values) in enumerate(lengths.items()):
            head = (Cell(label, repeated=number > 0), Cell(length))[: 1 + by_length]
            yield (*head, *(Cell(values.get(heading)) for heading in headings))
