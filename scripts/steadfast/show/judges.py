"""Tables that judged benchmarks share: raters that agree, and what people correct."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from steadfast.base.resources import facts
from steadfast.show.cells import (
    PERCENT_DIGITS,
    count_cell,
    interval_cell,
    number_cell,
)
from steadfast.show.results import Results, listed
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.roster import Display, Roster
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.agreement import ITSELF, KINDS, RATES, RULES
from steadfast.stats.corrected import FEWEST

AGREEMENT, CORRECTED = facts("agreement.yaml"), facts("corrected.yaml")


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
            sections.append(Section(tuple(lines), AGREEMENT["kinds"][kind]))
    intervals = AGREEMENT["intervals"] if has_interval else ""
    caption = AGREEMENT["caption"].format(benchmark=benchmark, item=item, intervals=intervals)
    notes = tuple((None, AGREEMENT["notes"][note]) for note in _agreement_notes(shown))
    return Table(name, caption, _agreement_columns(has_interval, against), tuple(sections), notes)


def _agreement_columns(has_interval: bool, against: Sequence[str]) -> tuple[Column, ...]:
    interval = [SHARED["interval"]] if has_interval else []
    return (
        *(Column(heading, align="l") for heading in ("First", "Second", "Model")),
        Column("Items", align="r"),
        *(Column(heading, "Raw (%)") for heading in ("Value", *interval)),
        *(Column(heading, "Kappa") for heading in ("Value", *interval)),
        *(Column(heading, AGREEMENT[rate]) for rate in against for heading in ("Value", *interval)),
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
            Cell(roster.label(row.model) if row.model else AGREEMENT["all"]),
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


def _agreement_notes(rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return ["empty"]
    notes = ["alone"] if (rows[["only_first", "only_second"]] > 0).any(axis=None) else []
    notes += ["rules"] if (rows["kind"] == RULES).any() else []
    notes += ["rates"] if "sensitivity" in rows and rows["sensitivity"].notna().any() else []
    notes += ["itself"] if (rows["kind"] == ITSELF).any() else []
    return [*notes, *(["undefined"] if (rows["kappa"].isna() & (rows["n"] > 0)).any() else [])]


def corrected_table(
    results: Results, name: str, benchmark: str, unit: str, digits: Mapping[str, int]
) -> Table:
    """Returns ``stats.corrected.corrected_rows`` as a table; digits: of each measure."""
    rows = results.frames["corrected"]
    headings, interval = CORRECTED["headings"], SHARED["interval"]
    columns = [Column(heading, align="l") for heading in ("Model", "Other", "Measure")]
    columns += [
        Column(text, headings[group])
        for group in ("judge", "corrected")
        for text in ("Value", interval)
    ]
    columns += [Column(text, headings["labelled"], "r") for text in (unit.capitalize(), "Verdicts")]

    def row(of: Any) -> tuple[Cell, ...]:
        places = digits[of.measure]
        return (
            Cell(results.roster.label(of.model)),
            Cell(results.roster.label(of.other) if of.other else None),
            Cell(of.measure),
            number_cell(of.raw, places),
            interval_cell(of.raw_low, of.raw_high, places),
            number_cell(of.value, places),
            interval_cell(of.low, of.high, places),
            count_cell(of.clusters),
            count_cell(of.units),
        )

    apart = rows["other"] != ""
    sections = [
        Section(tuple(map(row, part.itertuples())), CORRECTED[heading])
        for heading, part in (("values", rows[~apart]), ("differences", rows[apart]))
        if not part.empty
    ]
    notes = [CORRECTED["notes"]["meaning"]]
    if rows["value"].isna().any():
        notes.append(CORRECTED["notes"]["few"].format(fewest=FEWEST, unit=unit))
    notes += turned_note(rows, results.roster)
    caption = CORRECTED["caption"].format(benchmark=benchmark)
    shared = results.shared_notes(judged=True)
    return Table(
        f"{results.prefix}{name}",
        caption,
        tuple(columns),
        tuple(sections),
        (*shared, *((None, note) for note in notes)),
    )


def turned_note(rows: pd.DataFrame, roster: Roster) -> list[str]:
    """Which pairs judge and people order differently, by ``stats.corrected.corrected_rows``.

    Returns one sentence, or none where the two agree on all pairs.
    """
    pairs = [
        CORRECTED["pair"].format(
            model=roster.label(row.model), other=roster.label(row.other), measure=row.measure
        )
        for row in rows[rows["other"] != ""].itertuples()
        if row.raw * row.value < 0
    ]
    return [CORRECTED["notes"]["turned"].format(pairs=listed(pairs))] if pairs else []
