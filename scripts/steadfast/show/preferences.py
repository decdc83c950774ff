"""Which of two models answered better, as a table that judged benchmarks may share."""

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.show.cells import (
    PERCENT_DIGITS,
    count_cell,
    incomplete_mark,
    interval_cell,
    number_cell,
)
from steadfast.show.results import Note
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.roster import Roster
from steadfast.show.table import Cell, Column, Section, Table

WORDS = facts("preferences.yaml")


def preference_table(
    name: str,
    rows: pd.DataFrame,
    roster: Roster,
    digits: int,
    benchmark: str,
    total: str,
    notes: Iterable[Note] = (),
) -> Table:
    """Returns the table of ``stats.preferences.preferences``: a row every two models.

    Each pair stands by the first judge that judged both models. ``total`` is what an answer wins
    with, for the caption; ``notes`` stand before the table's own.
    """
    pairs = rows[rows["model"] != ""]
    pairs = pairs.drop_duplicates(["model", "other"])
    people = bool((pairs["labelled"] > 0).any())
    shown = pairs.to_dict("records")
    if people:
        judge = pairs.groupby("judge", sort=False)["labelled"].sum().idxmax()
        shown += rows[(rows["judge"] == judge) & (rows["model"] == "")].to_dict("records")
    body = [
        (*_names(row, roster), *_counts(row), *(_people(row, digits) if people else ()))
        for row in shown
    ]
    caption = WORDS["caption"].format(
        benchmark=benchmark, total=total, people=WORDS["people"] if people else ""
    )
    own = WORDS["notes"]["counted" if shown else "empty"]
    table = Table(name, caption, _columns(people), (Section(tuple(body)),), (*notes, (None, own)))
    return replace(table, rows_per_page=WORDS["rows_per_page"])


def _columns(people: bool) -> tuple[Column, ...]:
    groups = WORDS["groups"]
    columns = [Column(WORDS[side], align="l") for side in ("first", "second")]
    columns += [Column(text, groups["counts"], "r") for text in WORDS["counts"].values()]
    if people:
        columns += [Column(text, groups["people"], "r") for text in WORDS["people_counts"].values()]
        headings = (*WORDS["agreement"].values(), SHARED["interval"])
        columns += [Column(heading, groups["agreement"]) for heading in headings]
    return tuple(columns)


def _names(row: Record, roster: Roster) -> tuple[Cell, Cell]:
    if not row["model"]:
        return Cell(WORDS["all"]), Cell(None)
    return Cell(roster.label(row["model"])), Cell(roster.label(row["other"]))


def _counts(row: Record) -> list[Cell]:
    *counts, total = [count_cell(row[key]) for key in WORDS["counts"]]
    return [*counts, replace(total, marks=incomplete_mark(row["n"] < row["expected"]))]


def _people(row: Record, digits: int) -> list[Cell]:
    """Returns what people prefer, and how well the scores agree; nothing where nobody compared."""
    compared = bool(row["labelled"])
    return [
        *(count_cell(row[key]) if compared else Cell(None) for key in WORDS["people_counts"]),
        number_cell(row["raw"], PERCENT_DIGITS, 100),
        number_cell(row["kappa"], digits),
        interval_cell(row["kappa_low"], row["kappa_high"], digits),
    ]
