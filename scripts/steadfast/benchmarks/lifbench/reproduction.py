"""The paper beside its own released scores: printed tables cell by cell, claims pair by pair."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import pandas as pd

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.records import Beyond
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS
from steadfast.benchmarks.lifbench.scored_tasks import PAPER, Rubric, with_own
from steadfast.benchmarks.lifbench.tables import BUILDERS
from steadfast.benchmarks.lifbench.tables import tables as own_tables
from steadfast.benchmarks.lifbench.tables.models import turned
from steadfast.benchmarks.lifbench.tables.printed import LABELS, AskedCells, printed_rows
from steadfast.benchmarks.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.benchmarks.lifbench.tables.scores import ranks_by_value
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.cells import count_cell, interval_cell, p_cell
from steadfast.show.render import Printed, escape_csv, printed
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.roster import Display, Shown
from steadfast.show.table import Cell, Column, Section, Table, rounded
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.tidy import rows_of

NAME = "lifbench_reproduction"
TABLES = WORDS["reproduction"]["tables"]
PAGE = facts("lifbench/printed/notes.yaml")
NOTES = PAGE["notes"]
DIGITS = 3  # of the paper's numbers
RANKS = ", ranks"
Place = tuple[str, str, str]  # model, length (or "") and column
CLAIMS = "lifbench_claims"
Scores = Mapping[str, Mapping[str, float]]
"""What Table 3 prints: by column (a task, or Overall), the score of each label."""


def tables(
    frames: Frames,
    display: Display,
    weighting: str,
    rubric: str,
    released: Mapping[str, str],
    own: Mapping[str, Settings] | None = None,
    beyond: Beyond | None = None,
    same_prompts: bool = False,
) -> Iterator[Table | Printed]:
    """Yields all tables of LIFBench, the paper's printed cells beside ours, and its claims."""
    yield from own_tables(frames, display, weighting, rubric, own, beyond, same_prompts)
    by = Rubric(rubric, weighting, with_own(own))
    yield reproduction(compare(frames, released, by))
    yield claims_table(frames["comparisons"], _labels(released), _asked(frames, by))


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
    found = frames["coverage"]
    return AskedCells(set(found["length"]) - {""}, set(found["task"]) - {OVERALL}, rubric)


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
    known = {tuple(row.values())[:4]: (row["scores"], row["note"]) for row in differences}
    asked = _asked(frames, rubric)
    label, places = results.roster.label, {}
    if len(labels) == len(LABELS):
        places = {(label(m), column): n for (m, column), n in ranks_by_value(results).items()}
    cells = []
    for name, title in TABLES.items():
        shown = _shown(BUILDERS[name](results, name))
        found = (cell for cell in _printed(name, title, shown, places) if cell.model in labels)
        run = (cell for cell in found if asked.has(cell.length, cell.column))
        cells += [cell._replace(note=_note(cell, shown, known)) for cell in run]
    return cells


def _labels(released: Mapping[str, str]) -> dict[str, str]:
    """Returns the labels of the models of the paper, by the names that they have in the run."""
    known = {model: PAPER_MODELS[name] for model, name in released.items() if name in PAPER_MODELS}
    return {model: of.label for model, of in known.items() if not of.gold}


def _shown(table: Table) -> dict[Place, Cell]:
    """Returns the cells of a table as it would be shown."""
    lengths = int(table.columns[1].heading == "Length" and not table.columns[1].group)
    found: dict[Place, Cell] = {}
    for section in table.sections:
        for label, *rest in section.rows:
            length = rest[0].text if lengths else ""
            for column, cell in zip(table.columns[1 + lengths :], rest[lengths:], strict=True):
                found[label.text or "", length or "", column.heading] = cell
    return found


def _printed(
    name: str, title: str, shown: Mapping[Place, Cell], ranked: Mapping[tuple[str, str], int]
) -> list[PrintedCell]:
    values, places = [], []
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
        found = [cell for cell in cells if title in (cell.table, "All")]
        notes = [cell.note for cell in found if not cell.matches]
        counts = (len(found), len(found) - len(notes), len(notes))
        explained = sum(map(bool, notes))
        cells_of_row = map(count_cell, (*counts, explained, len(notes) - explained))
        rows.append((Cell(title), *cells_of_row))
    models = len({cell.model for cell in cells})
    return Table(
        NAME,
        WORDS["reproduction"]["caption"].format(models=models),
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
        WORDS["reproduction"]["differences"],
        columns,
        tuple(sections),
        tuple((None, f"{why[key]} {NOTES[key]['explanation']}") for key in notes),
    )


CLAIM_WORDS = WORDS["claims"]


class Claim(NamedTuple):
    """That one model is better than another: their labels, and the column of Table 3."""

    better: str
    other: str
    column: str = "Overall"


def claims(printed: Scores) -> Iterator[tuple[str, list[Claim]]]:
    """Yields the claims under their headings: neighbours, best models, what the text says."""
    overall = _ranked(printed["Overall"])
    yield CLAIM_WORDS["neighbours"], [Claim(*pair) for pair in pairwise(overall)]
    groups: dict[str, list[str]] = {}
    for known in PAPER_MODELS.values():
        groups.setdefault(known.group, []).append(known.label)
    firsts = ([label for label in overall if label in group][:2] for group in groups.values())
    yield CLAIM_WORDS["groups"], [Claim(pair[0], pair[1]) for pair in firsts if len(pair) == 2]
    tasks = ((task, _ranked(of)[:2]) for task, of in printed.items() if task != "Overall")
    yield CLAIM_WORDS["tasks"], [Claim(pair[0], pair[1], task) for task, pair in tasks]
    for said in facts("lifbench/claims.yaml"):
        yield said["heading"], [Claim(*pair) for pair in said["pairs"]]


def _ranked(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda label: -scores[label])


def claims_table(comparisons: pd.DataFrame, models: Mapping[str, str], asked: AskedCells) -> Table:
    """Returns each claim with the difference in scores, and whether the test supports it."""
    pairs = rows_of(comparisons, length="").replace({"model": models, "other": models})
    both = pd.concat([turned(pairs), pairs])
    found = {(row.model, row.other, row.task): row for row in both.itertuples()}
    printed, sections, notes = _printed_scores(), [], []
    for heading, of in claims(printed):
        about = [claim for claim in of if asked.has("", claim.column)]
        lines = [line for claim in about for line in _line(claim, printed, found)]
        if lines:
            supported = sum(line[-1].text == CLAIM_WORDS["yes"] for line in lines)
            slots = {"claims": heading, "n": supported, "of": len(lines)}
            notes.append(CLAIM_WORDS["supported"].format(**slots))
            sections.append(Section(tuple(lines), heading))
    if not sections:
        notes.append(CLAIM_WORDS["none"])
    labels = list(models.values())
    of_paper = pairs["model"].isin(labels) & pairs["other"].isin(labels)
    overall = rows_of(pairs[of_paper], task=OVERALL)
    told = int((overall["p_adjusted"] < SIGNIFICANT).sum())
    notes.append(CLAIM_WORDS["pairs"].format(told=told, pairs=len(overall)))
    columns = (
        *(Column(heading, align="l") for heading in CLAIM_WORDS["columns"]),
        *(Column(heading, "Difference") for heading in ("Printed", "Scores", SHARED["interval"])),
        *(Column(heading, "p-value") for heading in ("Single", "Corrected")),
        Column("Supported"),
    )
    remarks = tuple((None, note) for note in (CLAIM_WORDS["test"], *notes))
    return Table(
        CLAIMS, CLAIM_WORDS["caption"], columns, tuple(sections), remarks, rows_per_page=60
    )


def _line(
    claim: Claim, printed: Scores, found: Mapping[tuple[str, str, str], Any]
) -> Sequence[tuple[Cell, ...]]:
    """Returns the row of a claim; none where the two are not compared."""
    task = OVERALL if claim.column == "Overall" else claim.column
    row = found.get((claim.better, claim.other, task))
    if row is None:
        return []
    of = printed[claim.column]
    supported = row.difference > 0 and row.p_adjusted < SIGNIFICANT
    return [
        (
            *map(Cell, claim),
            Cell(str(rounded(of[claim.better] - of[claim.other], DIGITS))),
            Cell(str(rounded(row.difference, DIGITS))),
            interval_cell(row.low, row.high, DIGITS),
            p_cell(row.p, DIGITS),
            p_cell(row.p_adjusted, DIGITS),
            Cell(CLAIM_WORDS["yes"] if supported else CLAIM_WORDS["no"]),
        )
    ]


def _printed_scores() -> Scores:
    scores: dict[str, dict[str, float]] = {}
    for row in printed_rows("table3_ars"):
        scores.setdefault(row["column"], {})[row["model"]] = float(row["value"])
    return scores
