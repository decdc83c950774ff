"""The paper's printed tables beside what the released per-sample scores give, cell by cell."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from steadfast.files import read_text, write_text
from steadfast.lifbench.paper import PAPER_MODELS
from steadfast.lifbench.tables import BUILDERS, LAYOUT, Results
from steadfast.lifbench.tasks import RESOURCES
from steadfast.tables import latex
from steadfast.tables.render import escape_csv, markdown
from steadfast.tables.table import Cell, Column, Section, Table

NAME = "reproduction"
PRINTED = RESOURCES / "printed"
DIGITS = 3  # of the paper's numbers
RANKS = ", ranks"


@dataclass(frozen=True)
class PrintedCell:
    """A cell of the paper.

    Attributes:
        table: such as ``Table 3``; the ranks of Table 4 are cells of their own.
        model: the paper's label.
        length: "" where the table has no rows by length.
        column: heading.
        printed: as the paper has it.
        scores: what the released scores give, rounded alike; "" if nothing.
        note: key of the explanation in ``notes.yaml``, for a known difference.
    """

    table: str
    model: str
    length: str
    column: str
    printed: str
    scores: str
    note: str = ""

    @property
    def matches(self) -> bool:
        """Whether the released scores give what is printed."""
        return self.printed == self.scores


def build_reproduction(
    metrics: Mapping[str, Path],
    samples: Mapping[str, Path],
    models: Mapping[str, str],
    out_dir: Path,
) -> None:
    """Writes ``reproduction.csv`` (all cells), ``.tex`` and ``.md`` (counts, and what differs).

    Args:
        metrics: files of ``lifbench.metrics`` by name, by the released rubric.
        samples: as ``build_tables`` takes them.
        models: the models' names in the metrics, and in the released score files; those that are
            not the paper's are left out.
        out_dir: directory for the files.

    Raises:
        UserError: a file is missing or damaged.
    """
    cells = compare(metrics, samples, models)
    summary, differences = summary_table(cells), differences_table(cells)
    out = Path(out_dir) / NAME
    write_text(out.with_suffix(".csv"), _comma_separated(cells))
    write_text(out.with_suffix(".md"), markdown(summary) + "\n" + markdown(differences))
    write_text(out.with_suffix(".tex"), latex.render(summary) + "\n" + latex.render(differences))


def compare(
    metrics: Mapping[str, Path], samples: Mapping[str, Path], models: Mapping[str, str]
) -> list[PrintedCell]:
    """Every printed cell of the models that run, in the order of the paper."""
    paper = {model: PAPER_MODELS.get(released) for model, released in models.items()}
    labels = {model: facts.label for model, facts in paper.items() if facts and not facts.gold}
    display = {"digits": DIGITS, "labels": labels}
    results = Results(metrics, samples, display, models=labels)
    notes = _notes()
    known = {tuple(row.values())[:4]: (row["scores"], row["note"]) for row in _rows("differences")}
    cells = []
    for name, title in LAYOUT["reproduction"]["tables"].items():
        shown = _shown(BUILDERS[name](results, name))
        for cell in _printed(name, title, shown):
            if cell.model in labels.values():
                cells.append(_explained(cell, shown, known, notes))
    return cells


def _notes() -> dict[str, dict[str, Any]]:
    return yaml.safe_load(read_text(PRINTED / "notes.yaml"))["notes"]


def _rows(name: str) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(read_text(PRINTED / f"{name}.csv").splitlines())


Place = tuple[str, str, str]
"""Model, length (or "") and column."""


def _shown(table: Table) -> dict[Place, Cell]:
    """The cells of a table as it would be shown."""
    lengths = int(table.columns[1].heading == "Length" and not table.columns[1].group)
    found = {}
    for section in table.sections:
        for label, *rest in section.rows:
            length = rest[0].text if lengths else ""
            for column, cell in zip(table.columns[1 + lengths :], rest[lengths:], strict=True):
                found[label.text, length, column.heading] = cell
    return found


def _printed(name: str, title: str, shown: Mapping[Place, Cell]) -> Iterator[PrintedCell]:
    values, places = [], []
    for row in _rows(name):
        place = (row["model"], row.get("length", ""), row["column"])
        cell = shown.get(place, Cell(None))
        values.append(PrintedCell(title, *place, row["value"], cell.text or ""))
        if "rank" in row:
            rank = cell.suffix.strip("()")
            places.append(PrintedCell(title + RANKS, *place, row["rank"], rank))
    yield from values
    yield from places


def _explained(
    cell: PrintedCell,
    shown: Mapping[Place, Cell],
    known: Mapping[tuple[str, ...], tuple[str, str]],
    notes: Mapping[str, dict[str, Any]],
) -> PrintedCell:
    """The cell with the note that explains its difference, where one does."""
    first_four = astuple(cell)[:4]
    if cell.matches:
        return cell
    # A note holds for the number that it was written for, and for no other.
    scores, note = known.get(first_four, ("", ""))
    if note and scores == cell.scores:
        return PrintedCell(*first_four, cell.printed, cell.scores, note)
    for key, facts in notes.items():
        rows = facts.get("interchanged", {})
        other = rows.get(cell.model) if facts["table"] == cell.table else None
        if other and shown[other, cell.length, cell.column].text == cell.printed:
            return PrintedCell(*first_four, cell.printed, cell.scores, key)
    return cell


def summary_table(cells: Iterable[PrintedCell]) -> Table:
    """How many cells match, table by table."""
    counts: dict[str, Counter] = {}
    for cell in cells:
        kinds = ["cells", "matching" if cell.matches else "differing"]
        kinds += [] if cell.matches else ["explained" if cell.note else "unexplained"]
        counts.setdefault(cell.table, Counter()).update(kinds)
    kinds = ("cells", "matching", "differing", "explained", "unexplained")
    rows = [
        (Cell(title), *(Cell(f"{count[kind]:,}") for kind in kinds))
        for title, count in counts.items()
    ]
    total = sum(counts.values(), Counter())
    sums = (Cell("All"), *(Cell(f"{total[kind]:,}") for kind in kinds))
    models = len({cell.model for cell in cells})
    return Table(
        NAME,
        LAYOUT[NAME]["caption"].format(models=models),
        (
            Column("Table", align="l"),
            *(Column(kind.capitalize(), align="r") for kind in kinds[:3]),
            *(Column(kind.capitalize(), "Of the differing", "r") for kind in kinds[3:]),
        ),
        (Section(tuple(rows)), Section((sums,), apart=True)),
        tuple(
            (None, text) for text in yaml.safe_load(read_text(PRINTED / "notes.yaml"))["remarks"]
        ),
    )


def differences_table(cells: Iterable[PrintedCell]) -> Table:
    """Each cell that differs, with the number of the note that explains it."""
    notes, sections = _notes(), {}
    differing = [cell for cell in cells if not cell.matches]
    numbers = {
        key: i for i, key in enumerate(dict.fromkeys(c.note for c in differing if c.note), 1)
    }
    for cell in differing:
        rows = sections.setdefault(cell.table, [])
        why = f"({numbers[cell.note]})" if cell.note else "unexplained"
        texts = (cell.model, cell.length, cell.column, cell.printed, cell.scores, why)
        rows.append((Cell(cell.table, repeated=bool(rows)), *map(Cell, texts)))
    columns = (
        *(Column(heading, align="l") for heading in ("Table", "Model", "Length", "Column")),
        *(Column(heading, align="r") for heading in ("Printed", "From the scores")),
        Column("Why"),
    )
    return Table(
        f"{NAME}_differences",
        LAYOUT[NAME]["differences"],
        columns,
        tuple(Section(tuple(rows)) for rows in sections.values()),
        tuple((None, f"({i}) {notes[key]['explanation']}") for key, i in numbers.items()),
    )


def _comma_separated(cells: Iterable[PrintedCell]) -> str:
    notes, out = _notes(), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [field.name for field in fields(PrintedCell)][:-1]
    writer.writerow([*names, "matches", "explanation"])
    for cell in cells:
        explanation = notes[cell.note]["explanation"] if cell.note else ""
        matches = "yes" if cell.matches else "no"
        writer.writerow([*map(escape_csv, astuple(cell)[:-1]), matches, explanation])
    return out.getvalue()
