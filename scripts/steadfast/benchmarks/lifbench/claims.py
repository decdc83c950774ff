"""Which of the paper's rank claims its own released scores support, pair by pair."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.paper import PAPER_MODELS
from steadfast.benchmarks.lifbench.printed import Asked, printed_rows
from steadfast.benchmarks.lifbench.tables.results import WORDS
from steadfast.show.cells import interval_cell, p_cell
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.table import Cell, Column, Section, Table, rounded
from steadfast.stats.tidy import OVERALL, rows_of
from steadfast.stats.ties import SIGNIFICANT

NAME = "lifbench_claims"
DIGITS = 3  # of the paper's numbers
TEXTS = WORDS["claims"]
Scores = Mapping[str, Mapping[str, float]]
"""What Table 3 prints: by column (a task, or Overall), the score of each label."""


class Claim(NamedTuple):
    """That one model is better than another: their labels, and the column of Table 3."""

    better: str
    other: str
    column: str = "Overall"


def claims(printed: Scores) -> Iterator[tuple[str, list[Claim]]]:
    """Yields the claims under their headings.

    Neighbours in the ranking by overall ARS, the best model of each group and of each task before
    the next one, and what the paper's text says.
    """
    overall = _ranked(printed["Overall"])
    yield TEXTS["neighbours"], [Claim(*pair) for pair in pairwise(overall)]
    groups: dict[str, list[str]] = {}
    for known in PAPER_MODELS.values():
        groups.setdefault(known.group, []).append(known.label)
    firsts = ([label for label in overall if label in group][:2] for group in groups.values())
    yield TEXTS["groups"], [Claim(pair[0], pair[1]) for pair in firsts if len(pair) == 2]
    tasks = ((task, _ranked(of)[:2]) for task, of in printed.items() if task != "Overall")
    yield TEXTS["tasks"], [Claim(pair[0], pair[1], task) for task, pair in tasks]
    for said in facts("lifbench/claims.yaml"):
        yield said["heading"], [Claim(*pair) for pair in said["pairs"]]


def _ranked(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda label: -scores[label])


def claims_table(comparisons: pd.DataFrame, models: Mapping[str, str], asked: Asked) -> Table:
    """Returns each claim with the difference in scores, and whether the test supports it.

    Claims about models or cells that the run has not are left out.
    """
    pairs = rows_of(comparisons, length="").replace({"model": models, "other": models})
    found = {(row.model, row.other, row.task): row for row in pairs.itertuples()}
    printed, sections, notes = _printed(), [], []
    for heading, of in claims(printed):
        about = [claim for claim in of if asked.has("", claim.column)]
        lines = [line for claim in about for line in _line(claim, printed, found)]
        if lines:
            supported = sum(line[-1].text == TEXTS["yes"] for line in lines)
            slots = {"claims": heading, "n": supported, "of": len(lines)}
            notes.append(TEXTS["supported"].format(**slots))
            sections.append(Section(tuple(lines), heading))
    if not sections:
        notes.append(TEXTS["none"])
    labels = list(models.values())
    of_paper = pairs["model"].isin(labels) & pairs["other"].isin(labels)
    overall = rows_of(pairs[of_paper], task=OVERALL)
    told = int((overall["p_holm"] < SIGNIFICANT).sum())
    notes.append(TEXTS["pairs"].format(told=told, pairs=len(overall)))
    columns = (
        *(Column(heading, align="l") for heading in TEXTS["columns"]),
        *(Column(heading, "Difference") for heading in ("Printed", "Scores", SHARED["interval"])),
        *(Column(heading, "p-value") for heading in ("Single", "Corrected")),
        Column("Supported"),
    )
    remarks = tuple((None, note) for note in (TEXTS["test"], *notes))
    return Table(NAME, TEXTS["caption"], columns, tuple(sections), remarks, rows_per_page=60)


def _line(
    claim: Claim, printed: Scores, found: Mapping[tuple[str, str, str], Any]
) -> Sequence[tuple[Cell, ...]]:
    """Returns the row of a claim; none where the two are not compared."""
    task = OVERALL if claim.column == "Overall" else claim.column
    sign, row = 1, found.get((claim.better, claim.other, task))
    if row is None:
        sign, row = -1, found.get((claim.other, claim.better, task))
    if row is None:
        return []
    of = printed[claim.column]
    low, high = sorted([sign * row.low, sign * row.high])
    supported = sign * row.difference > 0 and row.p_holm < SIGNIFICANT
    return [
        (
            *map(Cell, claim),
            Cell(str(rounded(of[claim.better] - of[claim.other], DIGITS))),
            Cell(str(rounded(sign * row.difference, DIGITS))),
            interval_cell(low, high, DIGITS),
            p_cell(row.p, DIGITS),
            p_cell(row.p_holm, DIGITS),
            Cell(TEXTS["yes"] if supported else TEXTS["no"]),
        )
    ]


def _printed() -> Scores:
    scores: dict[str, dict[str, float]] = {}
    for row in printed_rows("table3_ars"):
        scores.setdefault(row["column"], {})[row["model"]] = float(row["value"])
    return scores
