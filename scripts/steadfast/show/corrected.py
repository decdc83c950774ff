"""What judges say and what people make of it, as a table that the judged benchmarks share."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from steadfast.base.resources import facts
from steadfast.show.cells import count_cell, interval_cell, number_cell
from steadfast.show.results import Results, listed
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.corrected import FEWEST

WORDS = facts("corrected.yaml")


def corrected_table(
    results: Results, name: str, benchmark: str, unit: str, digits: Mapping[str, int]
) -> Table:
    """Returns ``stats.corrected.corrected_rows`` as a table; digits: of each measure."""
    rows = results.frames["corrected"]
    headings, interval = WORDS["headings"], SHARED["interval"]
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
        Section(tuple(map(row, part.itertuples())), WORDS[heading])
        for heading, part in (("values", rows[~apart]), ("differences", rows[apart]))
        if not part.empty
    ]
    notes = [WORDS["notes"]["meaning"]]
    if rows["value"].isna().any():
        notes.append(WORDS["notes"]["few"].format(fewest=FEWEST, unit=unit))
    if pairs := _turned(rows[apart], results):
        notes.append(WORDS["notes"]["turned"].format(pairs=pairs))
    caption = WORDS["caption"].format(benchmark=benchmark)
    shared = results.shared_notes(judged=True)
    return Table(
        f"{results.prefix}{name}",
        caption,
        tuple(columns),
        tuple(sections),
        (*shared, *((None, note) for note in notes)),
    )


def _turned(rows: pd.DataFrame, results: Results) -> str:
    """The pairs of which the judge calls the one better, and its corrected word the other."""
    label = results.roster.label
    return listed(
        [
            WORDS["pair"].format(model=label(of.model), other=label(of.other), measure=of.measure)
            for of in rows.itertuples()
            if of.raw * of.value < 0
        ]
    )
