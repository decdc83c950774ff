"""How well raters agree, as a table that the judged benchmarks share."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from steadfast.metrics.agreement import KINDS
from steadfast.tables.roster import Roster
from steadfast.tables.table import Cell, Column, Section, Table, rounded

FACTS = Path(__file__).resolve().parents[3] / "resources/agreement.yaml"
PERCENT_DIGITS = 1


def agreement_table(
    name: str, rows: pd.DataFrame, display: Mapping[str, Any], benchmark: str, item: str
) -> Table:
    """The table of ``metrics.agreement.agreement_rows``: a section a kind, a row a pair and model.

    Args:
        name: stem of the table's files.
        rows: as ``agreement_rows`` gives them.
        display: digits, labels and engines by model.
        benchmark: its title, for the caption.
        item: what is judged, in the singular, such as constraint.
    """
    words = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    told = bool(rows["raw_low"].notna().any())
    digits = display.get("digits", 3)
    roster = Roster(set(rows["model"]) - {""}, display)
    sections = []
    for kind in KINDS:
        pairs = rows[rows["kind"] == kind].groupby(["first", "second"], sort=False)
        lines = [
            line for _, pair in pairs for line in _pair_rows(pair, roster, digits, told, words)
        ]
        if lines:
            sections.append(Section(tuple(lines), words["kinds"][kind]))
    intervals = words["intervals"] if told else ""
    caption = words["caption"].format(benchmark=benchmark, item=item, intervals=intervals)
    notes = tuple((None, words["notes"][note]) for note in _notes(rows))
    return Table(name, caption, _columns(told, words), tuple(sections), notes)


def _columns(told: bool, words: Mapping[str, Any]) -> tuple[Column, ...]:
    interval = [words["interval"]] if told else []
    return (
        *(Column(heading, align="l") for heading in ("First", "Second", "Model")),
        Column("Items", align="r"),
        *(Column(heading, "Raw (%)") for heading in ("Value", *interval)),
        *(Column(heading, "Kappa") for heading in ("Value", *interval)),
        *(Column(heading, "Single", "r") for heading in ("First", "Second")),
    )


def _pair_rows(
    pair: pd.DataFrame, roster: Roster, digits: int, told: bool, words: Mapping[str, Any]
) -> list[tuple[Cell, ...]]:
    """All models together, then each by itself."""
    ordered = pair.sort_values("model", key=lambda model: model != "", kind="stable")
    return [
        (
            Cell(roster.label(row.first), repeated=i > 0),
            Cell(roster.label(row.second), repeated=i > 0),
            Cell(roster.label(row.model) if row.model else words["all"]),
            Cell(f"{row.n:,.0f}"),
            *_value(row.raw, row.raw_low, row.raw_high, 100, PERCENT_DIGITS, told),
            *_value(row.kappa, row.kappa_low, row.kappa_high, 1, digits, told),
            Cell(f"{row.only_first:,.0f}"),
            Cell(f"{row.only_second:,.0f}"),
        )
        for i, row in enumerate(ordered.itertuples())
    ]


def _value(
    value: float, low: float, high: float, factor: int, digits: int, told: bool
) -> list[Cell]:
    def shown(number: float) -> str:
        return str(rounded(factor * number, digits))

    cells = [Cell(None if math.isnan(value) else shown(value))]
    if told:
        cells.append(Cell(None if math.isnan(low) else f"{shown(low)} to {shown(high)}"))
    return cells


def _notes(rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return ["empty"]
    notes = ["alone"] if (rows[["only_first", "only_second"]] > 0).any(axis=None) else []
    return [*notes, *(["undefined"] if (rows["kappa"].isna() & (rows["n"] > 0)).any() else [])]
