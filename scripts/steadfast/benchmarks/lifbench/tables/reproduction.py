"""The paper beside its own released scores: printed tables cell by cell."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS
from steadfast.benchmarks.lifbench.scored_tasks import PAPER, Rubric
from steadfast.benchmarks.lifbench.tables.printed import (
    LABELS,
    first_value_column,
    has_cell,
    printed_rows,
)
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults, columns_of
from steadfast.benchmarks.lifbench.tables.scores import PRINTED, ranks_by_value
from steadfast.contract import components
from steadfast.show.cells import count_cell
from steadfast.show.render import Printed, escape_csv, printed
from steadfast.show.roster import Display, DisplayedModel
from steadfast.show.table import Cell, Column, Section, Table

NAME = "lifbench_reproduction"
TABLES = STRINGS["reproduction"]["tables"]
PAGE = facts("lifbench/printed/notes.yaml")
NOTES = PAGE["notes"]
DIGITS = 3  # of the paper's numbers
RANKS = ", ranks"
CellKey = tuple[str, str, str]  # model, length (or "") and column


class PrintedCell(NamedTuple):
    """A cell of the paper."""

    table: str  # such as Table 3; the ranks of Table 4 are cells of their own
    model: str  # the paper's label
    length: str  # "" where the table has no rows by length
    column: str  # heading
    printed: str  # as the paper has it
    scores: str  # what the released scores give, rounded alike; "" if nothing
    note: str = ""  # key of the explanation in notes.yaml, for a known difference

    @property
    def matches(self) -> bool:
        """Whether the released scores give what is printed."""
        return self.printed == self.scores


def reproduction(cells: Sequence[PrintedCell]) -> Printed:
    """Returns all cells as CSV; how many match, and those that differ, as LaTeX and Markdown."""
    counts = printed(summary_table(cells))
    differences = printed(differences_table(cells))
    rows = []
    for cell in cells:
        matches = "yes" if cell.matches else "no"
        explanation = NOTES[cell.note]["explanation"] if cell.note else ""
        rows.append((*map(escape_csv, cell[:-1]), matches, explanation))
    frame = pd.DataFrame(rows, columns=[*PrintedCell._fields[:-1], "matches", "explanation"])
    csv = frame.to_csv(index=False, lineterminator="\n")
    tex = f"{counts.tex}\n{differences.tex}"
    return Printed(NAME, tex, f"{counts.md}\n{differences.md}", csv)


def compare(
    frames: components.Frames, released: Mapping[str, str], rubric: Rubric = PAPER
) -> list[PrintedCell]:
    """Returns every printed cell of which the run has the same lengths, tasks and models."""
    models = _labels(released)
    labels = set(models.values())
    paper_frames = dict(frames)
    for name, rows in frames.items():
        if "model" in rows:
            paper_frames[name] = rows[rows["model"].isin(models)]
    display = Display(
        digits=DIGITS, models={name: DisplayedModel(label) for name, label in models.items()}
    )
    results = LifbenchResults(paper_frames, display, rubric)
    explained = {tuple(row.values())[:4]: row for row in printed_rows("differences")}
    rank_of: dict[tuple[str, str], int] = {}
    # The paper's ranks are among all of its models.
    if len(labels) == len(LABELS):
        for (model, column), rank in ranks_by_value(results).items():
            rank_of[results.roster.label(model), column] = rank
    cells = []
    for name, title in TABLES.items():
        shown_cells = _shown(PRINTED[name](results, name))
        for cell in _printed(name, title, shown_cells, rank_of):
            if cell.model in labels and has_cell(results, cell.length, cell.column):
                cells.append(cell._replace(note=_note(cell, shown_cells, explained)))
    return cells


def _labels(released: Mapping[str, str]) -> dict[str, str]:
    """Returns the labels of the models of the paper, by the names that they have in the run."""
    labels = {}
    for model, name in released.items():
        paper_model = PAPER_MODELS.get(name)
        if paper_model and not paper_model.is_reference:
            labels[model] = paper_model.label
    return labels


def _shown(table: Table) -> dict[CellKey, Cell]:
    """Returns the cells of a table as it would be shown."""
    first = first_value_column(table)
    cells: dict[CellKey, Cell] = {}
    for section in table.sections:
        for row in section.rows:
            length = row[1].text if first == 2 else ""
            for column, cell in zip(table.columns[first:], row[first:], strict=True):
                cells[row[0].text or "", length or "", column.heading] = cell
    return cells


def _printed(
    name: str, title: str, shown: Mapping[CellKey, Cell], rank_of: Mapping[tuple[str, str], int]
) -> list[PrintedCell]:
    values = []
    ranks = []
    for row in printed_rows(name):
        key = (row["model"], row.get("length", ""), row["column"])
        cell = shown.get(key, Cell(None))
        values.append(PrintedCell(title, *key, row["value"], cell.text or ""))
        if rank_of and "rank" in row:
            rank = rank_of.get((row["model"], row["column"]), "")
            ranks.append(PrintedCell(title + RANKS, *key, row["rank"], str(rank)))
    return values + ranks


def _note(
    cell: PrintedCell,
    shown: Mapping[CellKey, Cell],
    explained: Mapping[tuple[str, ...], Mapping[str, str]],
) -> str:
    """Returns the note that explains a cell's difference, where one does."""
    if cell.matches:
        return ""
    # A note holds for the number that it was written for, and for no other.
    row = explained.get(cell[:4])
    if row and row["scores"] == cell.scores:
        return row["note"]
    for key, entry in NOTES.items():
        rows = entry.get("interchanged", {}) if entry["table"] == cell.table else {}
        other = rows.get(cell.model)
        if other and shown[other, cell.length, cell.column].text == cell.printed:
            return str(key)
    return ""


def summary_table(cells: Sequence[PrintedCell]) -> Table:
    """Returns how many cells match, table by table."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    totals = Counter[str]()
    for cell in cells:
        kind = "matching" if cell.matches else "explained" if cell.note else "unexplained"
        counts[cell.table][kind] += 1
        totals[kind] += 1
    rows = []
    for title, count in (*counts.items(), ("All", totals)):
        differing = count.total() - count["matching"]
        numbers = [count.total(), count["matching"], differing]
        numbers += [count["explained"], count["unexplained"]]
        rows.append((Cell(title), *map(count_cell, numbers)))
    models = len({cell.model for cell in cells})
    return Table(
        NAME,
        STRINGS["reproduction"]["caption"].format(models=models),
        (
            Column("Table", align="l"),
            *columns_of(["Cells", "Matching", "Differing"], align="r"),
            *columns_of(["Explained", "Unexplained"], "Of the differing", "r"),
        ),
        (Section(tuple(rows[:-1])), Section((rows[-1],), unranked=True)),
        tuple((None, text) for text in PAGE["remarks"]),
    )


def differences_table(cells: Sequence[PrintedCell]) -> Table:
    """Returns each cell that differs, with the number of the note that explains it."""
    differing = [cell for cell in cells if not cell.matches]
    why = {"": "unexplained"}
    notes: list[tuple[None, str]] = []
    for cell in differing:
        if cell.note not in why:
            why[cell.note] = f"({len(why)})"
            notes.append((None, f"{why[cell.note]} {NOTES[cell.note]['explanation']}"))
    sections = []
    for title, cells_of_table in groupby(differing, key=attrgetter("table")):
        rows: list[tuple[Cell, ...]] = []
        for cell in cells_of_table:
            heading = Cell(title, repeated=bool(rows))
            rows.append((heading, *map(Cell, cell[1:-1]), Cell(why[cell.note])))
        sections.append(Section(tuple(rows)))
    columns = columns_of(["Table", "Model", "Length", "Column"], align="l")
    columns += [*columns_of(["Printed", "From the scores"], align="r"), Column("Why")]
    return Table(
        f"{NAME}_differences",
        STRINGS["reproduction"]["differences"],
        tuple(columns),
        tuple(sections),
        tuple(notes),
    )
