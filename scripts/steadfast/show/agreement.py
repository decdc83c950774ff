"""How well raters agree, as a table that the judged benchmarks share."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from steadfast.base.resources import facts
from steadfast.show.cells import PERCENT_DIGITS, count_cell, interval_cell, number_cell
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.roster import Display, Roster
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.agreement import ITSELF, KINDS, RATES, RULES

WORDS = facts("agreement.yaml")


def agreement_table(
    name: str, rows: pd.DataFrame, display: Display, benchmark: str, item: str
) -> Table:
    """Returns ``stats.agreement.agreement_rows`` as a table, a section for each kind of pair."""
    has_interval = bool(rows["raw_low"].notna().any())
    against = [rate for rate in RATES if rate in rows]
    roster = Roster(set(rows["model"]) - {""}, display)
    # Stand-ins judge no model's answers, so that they have nothing in common with other raters.
    apart = rows["n"].groupby([rows["first"], rows["second"]]).transform("max") == 0
    stand_ins = rows[["first", "second"]].map(roster.is_stand_in).any(axis=1)
    shown = rows[~(apart & stand_ins)]
    sections = []
    for kind in KINDS:
        pairs = shown[shown["kind"] == kind].groupby(["first", "second"], sort=False)
        lines = [
            line
            for _, pair in pairs
            for line in _pair_rows(pair, roster, display.digits, has_interval, against)
        ]
        if lines:
            sections.append(Section(tuple(lines), WORDS["kinds"][kind]))
    intervals = WORDS["intervals"] if has_interval else ""
    caption = WORDS["caption"].format(benchmark=benchmark, item=item, intervals=intervals)
    notes = tuple((None, WORDS["notes"][note]) for note in _notes(shown))
    return Table(name, caption, _columns(has_interval, against), tuple(sections), notes)


def _columns(has_interval: bool, against: Sequence[str]) -> tuple[Column, ...]:
    interval = [SHARED["interval"]] if has_interval else []
    return (
        *(Column(heading, align="l") for heading in ("First", "Second", "Model")),
        Column("Items", align="r"),
        *(Column(heading, "Raw (%)") for heading in ("Value", *interval)),
        *(Column(heading, "Kappa") for heading in ("Value", *interval)),
        *(Column(heading, WORDS[rate]) for rate in against for heading in ("Value", *interval)),
        *(Column(heading, "Single", "r") for heading in ("First", "Second")),
    )


def _pair_rows(
    pair: pd.DataFrame,
    roster: Roster,
    digits: int,
    has_interval: bool,
    against: Sequence[str],
) -> list[tuple[Cell, ...]]:
    """Returns the row of all models together, then each one's."""
    ordered = pair.sort_values("model", key=lambda model: model != "", kind="stable")
    return [
        (
            Cell(roster.label(row.first), repeated=i > 0),
            Cell(roster.label(row.second), repeated=i > 0),
            Cell(roster.label(row.model) if row.model else WORDS["all"]),
            count_cell(row.n),
            *_value(row, "raw", 100, PERCENT_DIGITS, has_interval),
            *_value(row, "kappa", 1, digits, has_interval),
            *(
                cell
                for of in against
                for cell in _value(row, of, 100, PERCENT_DIGITS, has_interval)
            ),
            count_cell(row.only_first),
            count_cell(row.only_second),
        )
        for i, row in enumerate(ordered.itertuples())
    ]


def _value(row: Any, name: str, factor: int, digits: int, has_interval: bool) -> list[Cell]:
    value, low, high = (getattr(row, column) for column in (name, f"{name}_low", f"{name}_high"))
    interval = [interval_cell(low, high, digits, factor)] if has_interval else []
    return [number_cell(value, digits, factor), *interval]


def _notes(rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return ["empty"]
    notes = ["alone"] if (rows[["only_first", "only_second"]] > 0).any(axis=None) else []
    notes += ["rules"] if (rows["kind"] == RULES).any() else []
    notes += ["rates"] if "sensitivity" in rows and rows["sensitivity"].notna().any() else []
    notes += ["itself"] if (rows["kind"] == ITSELF).any() else []
    return [*notes, *(["undefined"] if (rows["kappa"].isna() & (rows["n"] > 0)).any() else [])]
