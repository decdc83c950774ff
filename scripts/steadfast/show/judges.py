"""Tables that judged benchmarks share: raters that agree, and what people correct."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from steadfast.base.resources import facts
from steadfast.show.cells import PERCENT_DIGITS, count_cell, interval_cell, number_cell
from steadfast.show.results import Results, listed_names
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.roster import Roster
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.agreement import ITSELF, KINDS, RATES, RULES
from steadfast.stats.corrected import FEWEST

AGREEMENT = facts("agreement.yaml")
CORRECTED = facts("corrected.yaml")


class Rate(NamedTuple):
    """A number of each row with its interval: its column, heading, factor and digits."""

    name: str
    heading: str
    factor: int
    digits: int

    def cells(self, row: Any, has_interval: bool) -> list[Cell]:
        """Returns the value and, where the table has some, its interval."""
        cells = [number_cell(getattr(row, self.name), self.digits, self.factor)]
        if has_interval:
            low = getattr(row, f"{self.name}_low")
            high = getattr(row, f"{self.name}_high")
            cells.append(interval_cell(low, high, self.digits, self.factor))
        return cells


def agreement_table(results: Results, name: str, benchmark: str, item: str) -> Table:
    """Returns the metric ``agreement`` as a table, a section for each kind of pair.

    Its rows are those of ``stats.agreement.agreement_rows``; a column measure names their item's
    first word.
    """
    rows = results.frames["agreement"]
    display = results.display
    if "measure" in rows:
        rows = rows[rows["measure"] == item.partition(" ")[0]]
    has_interval = bool(rows["raw_low"].notna().any())
    rates = [Rate("raw", "Raw (%)", 100, PERCENT_DIGITS), Rate("kappa", "Kappa", 1, display.digits)]
    rates += [Rate(name, AGREEMENT[name], 100, PERCENT_DIGITS) for name in RATES if name in rows]
    roster = Roster(set(rows["model"]) - {""}, display)
    # Simulated judges judge no real model, so that they share no items with other raters.
    apart = rows["n"].groupby([rows["first"], rows["second"]]).transform("max") == 0
    simulators = rows[["first", "second"]].map(roster.is_simulated).any(axis=1)
    shown_rows = rows[~(apart & simulators)]
    sections = []
    for kind in KINDS:
        lines = []
        rows_of_kind = shown_rows[shown_rows["kind"] == kind]
        for _, pair in rows_of_kind.groupby(["first", "second"], sort=False):
            # False sorts before true: the row of all models, whose model is empty, comes first.
            ordered = pair.sort_values("model", key=lambda model: model != "", kind="stable")
            for number, row in enumerate(ordered.itertuples()):
                line = [
                    Cell(roster.label(row.first), repeated=number > 0),
                    Cell(roster.label(row.second), repeated=number > 0),
                    Cell(roster.label(row.model) if row.model else AGREEMENT["all"]),
                    count_cell(row.n),
                ]
                for rate in rates:
                    line += rate.cells(row, has_interval)
                line += [count_cell(row.only_first), count_cell(row.only_second)]
                lines.append(tuple(line))
        if lines:
            sections.append(Section(tuple(lines), AGREEMENT["kinds"][kind]))
    columns = [Column(heading, align="l") for heading in ("First", "Second", "Model")]
    columns.append(Column("Items", align="r"))
    for rate in rates:
        columns.append(Column("Value", rate.heading))
        if has_interval:
            columns.append(Column(SHARED["interval"], rate.heading))
    columns += [Column(heading, AGREEMENT["unpaired"], "r") for heading in ("First", "Second")]
    intervals = AGREEMENT["intervals"] if has_interval else ""
    caption = AGREEMENT["caption"].format(benchmark=benchmark, item=item, intervals=intervals)
    notes = tuple((None, AGREEMENT["notes"][note]) for note in _agreement_notes(shown_rows))
    return Table(results.prefix + name, caption, tuple(columns), tuple(sections), notes)


def _agreement_notes(rows: pd.DataFrame) -> list[str]:
    if rows.empty:
        return ["empty"]
    applies = {
        "alone": (rows[["only_first", "only_second"]] > 0).any(axis=None),
        "rules": (rows["kind"] == RULES).any(),
        "rates": "sensitivity" in rows and rows["sensitivity"].notna().any(),
        "itself": (rows["kind"] == ITSELF).any(),
        # Kappa has no value where all verdicts of both raters are the same.
        "undefined": (rows["kappa"].isna() & (rows["n"] > 0)).any(),
    }
    return [note for note in applies if applies[note]]


def corrected_table(
    results: Results,
    name: str,
    benchmark: str,
    unit: str,
    digits: Mapping[str, int] | None = None,
) -> Table:
    """Returns ``stats.corrected.corrected_rows`` as a table; digits: by measure, if it varies."""
    rows = results.frames["corrected"]
    headings = CORRECTED["headings"]
    interval = SHARED["interval"]
    columns = [Column(heading, align="l") for heading in ("Model", "Other", "Measure")]
    for group in ("judge", "corrected"):
        columns += [Column(heading, headings[group]) for heading in ("Value", interval)]
    columns += [Column(text, headings["labelled"], "r") for text in (unit.capitalize(), "Verdicts")]

    def cells(row: Any) -> tuple[Cell, ...]:
        decimals = digits[row.measure] if digits else results.digits
        return (
            Cell(results.roster.label(row.model)),
            Cell(results.roster.label(row.other) if row.other else None),
            Cell(row.measure),
            number_cell(row.raw, decimals),
            interval_cell(row.raw_low, row.raw_high, decimals),
            number_cell(row.value, decimals),
            interval_cell(row.low, row.high, decimals),
            count_cell(row.clusters),
            count_cell(row.units),
        )

    is_difference = rows["other"] != ""
    sections = []
    for heading, part in (("values", rows[~is_difference]), ("differences", rows[is_difference])):
        if not part.empty:
            sections.append(Section(tuple(map(cells, part.itertuples())), CORRECTED[heading]))
    notes = [CORRECTED["notes"]["meaning"]]
    if rows["value"].isna().any():
        notes.append(CORRECTED["notes"]["few"].format(fewest=FEWEST, unit=unit))
    notes += reversed_pairs_note(rows, results.roster)
    caption = CORRECTED["caption"].format(benchmark=benchmark)
    all_notes = (*results.shared_notes(judged=True), *((None, note) for note in notes))
    return Table(f"{results.prefix}{name}", caption, tuple(columns), tuple(sections), all_notes)


def reversed_pairs_note(rows: pd.DataFrame, roster: Roster) -> list[str]:
    """Returns a sentence on the pairs of models that judge and people order differently, if any."""
    # A difference by the judge and the corrected one have other signs: their product is below 0.
    turned_rows = rows[(rows["other"] != "") & (rows["raw"] * rows["value"] < 0)]
    pairs = []
    for row in turned_rows.itertuples():
        slots = {"model": roster.label(row.model), "other": roster.label(row.other)}
        pairs.append(CORRECTED["pair"].format(measure=row.measure, **slots))
    return [CORRECTED["notes"]["turned"].format(pairs=listed_names(pairs))] if pairs else []
