"""The paper beside its own released scores: printed tables cell by cell."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.records import Beyond
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS
from steadfast.benchmarks.lifbench.scored_tasks import PAPER, Rubric
from steadfast.benchmarks.lifbench.tables import BUILDERS
from steadfast.benchmarks.lifbench.tables import tables as own_tables
from steadfast.benchmarks.lifbench.tables.printed import LABELS, AskedCells, printed_rows
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults
from steadfast.benchmarks.lifbench.tables.scores import ranks_by_value
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.cells import count_cell
from steadfast.show.render import Printed, escape_csv, printed
from steadfast.show.roster import Display, Shown
from steadfast.show.table import Cell, Column, Section, Table

NAME = "lifbench_reproduction"
TABLES = STRINGS["reproduction"]["tables"]
PAGE = facts("lifbench/printed/notes.yaml")
NOTES = PAGE["notes"]
DIGITS = 3  # of the paper's numbers
RANKS = ", ranks"
Place = tuple[str, str, str]  # model, length (or "") and column


def tables(
    frames: Frames,
    display: Display,
    weighting: str,
    rubric: str,
    released: Mapping[str, str],
    beyond: Beyond | None = None,
    same_prompts: bool = False,
) -> Iterator[Table | Printed]:
    """Yields all tables of LIFBench, and the paper's printed cells beside ours."""
    yield from own_tables(frames, display, weighting, rubric, beyond, same_prompts)
    by = Rubric(rubric, weighting)
    yield reproduction(compare(frames, released, by))


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
    pages = [printed(summary_table(cells)), printed(differences_table(cells))]
    tex, md = ("\n".join(getattr(page, kind) for page in pages) for kind in ("tex", "md"))
    columns = [*PrintedCell._fields[:-1], "matches", "explanation"]
    found = [
        (
            *map(escape_csv, cell[:-1]),
            "yes" if cell.matches else "no",
            NOTES[cell.note]["explanation"] if cell.note else "",
        )
        for cell in cells
    ]
    rows = pd.DataFrame(found, columns=columns)
    return Printed(NAME, tex, md, rows.to_csv(index=False, lineterminator="\n"))


def _asked(frames: Frames, rubric: Rubric) -> AskedCells:
    coverage = frames["coverage"]
    return AskedCells(set(coverage["length"]) - {""}, set(coverage["task"]) - {OVERALL}, rubric)


def compare(
    frames: Frames, released: Mapping[str, str], rubric: Rubric = PAPER
) -> list[PrintedCell]:
    """Returns every printed cell of which the run has the same lengths, tasks and models."""
    models = _labels(released)
    labels = set(models.values())
    of_paper = {
        name: rows[rows["model"].isin(models)] if "model" in rows else rows
        for name, rows in frames.items()
    }
    display = Display(digits=DIGITS, models={name: Shown(label) for name, label in models.items()})
    results = LifbenchResults(of_paper, display, PAPER)
    differences = printed_rows("differences")
    known_differences = {
        tuple(row.values())[:4]: (row["scores"], row["note"]) for row in differences
    }
    asked_cells = _asked(frames, rubric)
    label = results.roster.label
    places = {}
    if len(labels) == len(LABELS):
        places = {(label(m), column): n for (m, column), n in ranks_by_value(results).items()}
    cells = []
    for name, title in TABLES.items():
        shown_cells = _shown(BUILDERS[name](results, name))
        printed_cells = (
            cell for cell in _printed(name, title, shown_cells, places) if cell.model in labels
        )
        run = (cell for cell in printed_cells if asked_cells.has(cell.length, cell.column))
        cells += [cell._replace(note=_note(cell, shown_cells, known_differences)) for cell in run]
    return cells


def _labels(released: Mapping[str, str]) -> dict[str, str]:
    """Returns the labels of the models of the paper, by the names that they have in the run."""
    by_model = {
        model: PAPER_MODELS[name] for model, name in released.items() if name in PAPER_MODELS
    }
    return {
        model: paper_model.label
        for model, paper_model in by_model.items()
        if not paper_model.is_reference
    }


def _shown(table: Table) -> dict[Place, Cell]:
    """Returns the cells of a table as it would be shown."""
    lengths = int(table.columns[1].heading == "Length" and not table.columns[1].group)
    cells: dict[Place, Cell] = {}
    for section in table.sections:
        for label, *values in section.rows:
            length = values[0].text if lengths else ""
            for column, cell in zip(table.columns[1 + lengths :], values[lengths:], strict=True):
                cells[label.text or "", length or "", column.heading] = cell
    return cells


def _printed(
    name: str, title: str, shown: Mapping[Place, Cell], ranked: Mapping[tuple[str, str], int]
) -> list[PrintedCell]:
    values = []
    places = []
    for row in printed_rows(name):
        place = (row["model"], row.get("length", ""), row["column"])
        cell = shown.get(place, Cell(None))
        values.append(PrintedCell(title, *place, row["value"], cell.text or ""))
        if ranked and "rank" in row:
            rank = ranked.get((row["model"], row["column"]), "")
            places.append(PrintedCell(title + RANKS, *place, row["rank"], str(rank)))
    return values + places


def _note(
    cell: PrintedCell,
    shown: Mapping[Place, Cell],
    known: Mapping[tuple[str, ...], tuple[str, str]],
) -> str:
    """Returns the note that explains a cell's difference, where one does."""
    if cell.matches:
        return ""
    # A note holds for the number that it was written for, and for no other.
    scores, note = known.get(cell[:4], ("", ""))
    if note and scores == cell.scores:
        return note
    for key, explained in NOTES.items():
        rows = explained.get("interchanged", {})
        other = rows.get(cell.model) if explained["table"] == cell.table else None
        if other and shown[other, cell.length, cell.column].text == cell.printed:
            return str(key)
    return ""


def summary_table(cells: Sequence[PrintedCell]) -> Table:
    """Returns how many cells match, table by table."""
    rows = []
    for title in (*dict.fromkeys(cell.table for cell in cells), "All"):
        table_cells = [cell for cell in cells if title in (cell.table, "All")]
        notes = [cell.note for cell in table_cells if not cell.matches]
        counts = (len(table_cells), len(table_cells) - len(notes), len(notes))
        explained = sum(map(bool, notes))
        cells_of_row = map(count_cell, (*counts, explained, len(notes) - explained))
        rows.append((Cell(title), *cells_of_row))
    models = len({cell.model for cell in cells})
    return Table(
        NAME,
        STRINGS["reproduction"]["caption"].format(models=models),
        (
            Column("Table", align="l"),
            *(Column(heading, align="r") for heading in ("Cells", "Matching", "Differing")),
            *(Column(kind, "Of the differing", "r") for kind in ("Explained", "Unexplained")),
        ),
        (Section(tuple(rows[:-1])), Section((rows[-1],), unranked=True)),
        tuple((None, text) for text in PAGE["remarks"]),
    )


def differences_table(cells: Sequence[PrintedCell]) -> Table:
    """Returns each cell that differs, with the number of the note that explains it."""
    differing = [cell for cell in cells if not cell.matches]
    notes = dict.fromkeys(cell.note for cell in differing if cell.note)
    why = {"": "unexplained"} | {key: f"({i})" for i, key in enumerate(notes, 1)}
    sections = [
        Section(
            tuple(
                (Cell(title, repeated=i > 0), *map(Cell, (*cell[1:-1], why[cell.note])))
                for i, cell in enumerate(rows)
            )
        )
        for title, rows in groupby(differing, key=lambda cell: cell.table)
    ]
    columns = (
        *(Column(heading, align="l") for heading in ("Table", "Model", "Length", "Column")),
        *(Column(heading, align="r") for heading in ("Printed", "From the scores")),
        Column("Why"),
    )
    return Table(
        f"{NAME}_differences",
        STRINGS["reproduction"]["differences"],
        columns,
        tuple(sections),
        tuple((None, f"{why[key]} {NOTES[key]['explanation']}") for key in notes),
    )
