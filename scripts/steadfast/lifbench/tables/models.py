"""How far the order of the models can be trusted: both rubrics, and pairs compared."""

import math
from decimal import Decimal

import pandas as pd

from steadfast.lifbench.tables.layout import MODEL, Measure, exact, score_cells, sections_of
from steadfast.lifbench.tables.results import LAYOUT, Results
from steadfast.metrics.ranks import CORRELATIONS
from steadfast.metrics.tidy import OVERALL
from steadfast.tables.table import Cell, Column, Section, Table, ranks, rounded

INTERVAL = "95 % interval"
SIGNIFICANT = 0.05


def rubrics_table(results: Results, name: str) -> Table:
    """Overall ARS, its interval and rank by each rubric; below, how well the ranks agree."""
    rows = results.read("rubrics")
    rows = rows[rows["task"] == OVERALL]
    columns, cells = [MODEL], dict.fromkeys(results.roster.models, ())
    for rubric, part in rows[rows["measure"] == "ars"].groupby("rubric", sort=False):
        ars = part.set_index("model")
        told = ars["low"].notna().any()
        headings = ["ARS", *([INTERVAL] if told else []), "Rank"]
        columns += [Column(heading, LAYOUT["rubric_headings"][rubric]) for heading in headings]
        scores = score_cells(results, [Measure(ars["value"].to_dict())])
        places = ranks(exact(ars["value"].to_dict()), results.roster.contenders)
        ends = ars[["low", "high"]].reindex(list(cells))
        for model in cells:
            interval = [_interval(*ends.loc[model], results.digits)] if told else []
            rank = Cell(str(places[model]) if model in places else None)
            cells[model] += (*scores[model], *interval, rank)
    sections = sections_of(results.groups(), lambda m: (results.label(m), *cells[m]))
    notes = (*results.notes, *((None, text) for text in _agreement(rows, results)))
    return Table(name, results.caption(name), tuple(columns), sections, notes)


def _agreement(rows: pd.DataFrame, results: Results) -> list[str]:
    """A sentence on each rubric's ranks and the chosen one's."""
    texts, names = LAYOUT["notes"], LAYOUT["rubrics"]
    chosen, others = names[results.rubric], set(rows["rubric"]) - {results.rubric}
    sentences = [] if others else [texts["one_rubric"].format(rubric=chosen)]
    for rubric in sorted(others):
        found = rows[(rows["rubric"] == rubric) & rows["measure"].isin(CORRELATIONS)]
        values = {row.measure: rounded(row.value, results.digits) for row in found.itertuples()}
        if values:
            n = f"{found['n'].max():.0f}"
            sentences.append(
                texts["agreement"].format(rubric=names[rubric], chosen=chosen, n=n, **values)
            )
    return sentences


def comparisons_table(results: Results, name: str) -> Table:
    """Difference in overall ARS of every two models, with the corrected p-value."""
    rows = results.read("comparisons")
    overall = results.ars[OVERALL, ""]
    rows = _best_first(rows[rows["task"] == OVERALL], sorted(overall, key=lambda m: -overall[m]))
    sections = []
    for first, pairs in rows.groupby("model", sort=False):
        cells = tuple(
            (
                results.label(first, repeated=i > 0),
                results.label(pair.other),
                Cell(str(rounded(pair.difference, results.digits))),
                _interval(pair.low, pair.high, results.digits),
                _p(pair.p, results.digits),
                _p(pair.p_holm, results.digits, "best" if pair.p_holm < SIGNIFICANT else ""),
                Cell(f"{pair.n:,.0f}"),
            )
            for i, pair in enumerate(pairs.itertuples())
        )
        sections.append(Section(cells))
    columns = (
        MODEL,
        Column("Other", align="l"),
        *(Column(heading, "Difference in ARS") for heading in ("Value", INTERVAL)),
        *(Column(heading, "p-value") for heading in ("Single", "Corrected")),
        Column("Samples", align="r"),
    )
    notes = results.notes if sections else ((None, LAYOUT["notes"]["no_pair"]),)
    return Table(name, results.caption(name), columns, tuple(sections), notes)


def _best_first(rows: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """Each pair with the earlier model of an order first, and the pairs in that order."""
    place = {model: i for i, model in enumerate(order)}
    turned = rows["model"].map(place) > rows["other"].map(place)
    changed = {
        "model": rows["model"].where(~turned, rows["other"]),
        "other": rows["other"].where(~turned, rows["model"]),
        "difference": rows["difference"].where(~turned, -rows["difference"]),
        "low": rows["low"].where(~turned, -rows["high"]),
        "high": rows["high"].where(~turned, -rows["low"]),
    }
    return rows.assign(**changed).sort_values(["model", "other"], key=lambda m: m.map(place))


def _interval(low: float, high: float, digits: int) -> Cell:
    if math.isnan(low):
        return Cell(None)
    return Cell(f"{rounded(low, digits)} to {rounded(high, digits)}")


def _p(value: float, digits: int, style: str = "") -> Cell:
    least = Decimal(1).scaleb(-digits)
    text = f"< {least}" if value < least else str(rounded(value, digits))
    return Cell(text, style)
