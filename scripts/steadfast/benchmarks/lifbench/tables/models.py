"""How far the order of the models can be trusted: both rubrics, and pairs compared."""

import pandas as pd

from steadfast.benchmarks.lifbench.tables.layout import exact
from steadfast.benchmarks.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.show.cells import (
    MODEL,
    count_cell,
    interval_cell,
    interval_cells,
    joined_cells,
    p_cell,
)
from steadfast.show.results import Note, few_models_notes
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.table import Cell, Column, Section, Table, rounded, shown_ranks
from steadfast.stats.ranks import CORRELATIONS
from steadfast.stats.tidy import OVERALL, rows_of
from steadfast.stats.ties import SIGNIFICANT


def rubrics_table(results: LifbenchResults, name: str) -> Table:
    """Returns overall ARS, interval and rank by rubric; below, how well the ranks agree."""
    rows = results.frames["rubrics"]
    rows = rows[rows["task"] == OVERALL]
    columns, parts, models = [MODEL], [], results.roster.models
    for rubric, part in rows[rows["measure"] == "ars"].groupby("rubric", sort=False):
        ars, headings = part.set_index("model"), ["ARS"]
        values = ars["value"].to_dict()
        parts.append(results.cells([results.values(values)]))
        if ars["low"].notna().any():
            headings.append(SHARED["interval"])
            parts.append(interval_cells(part, models, results.digits))
        headings.append("Rank")
        places = shown_ranks(exact(values), results.roster.contenders)
        parts.append({m: (Cell(str(places[m]) if m in places else None),) for m in models})
        columns += [Column(heading, WORDS["rubric_headings"][rubric]) for heading in headings]
    sections = results.sections(results.groups(), joined_cells(parts).__getitem__)
    notes = [*results.notes, *((None, text) for text in _agreement(rows, results))]
    correlated = rows.loc[rows["measure"].isin(CORRELATIONS), "n"]
    notes += few_models_notes(int(n) for n in correlated)
    notes += [(None, WORDS["notes"]["ranks_by_value"]), *results.drawn_notes()]
    return results.table(name, columns, sections, notes)


def _agreement(rows: pd.DataFrame, results: LifbenchResults) -> list[str]:
    """Returns a sentence on each rubric's ranks and the chosen one's."""
    texts, names = WORDS["notes"], WORDS["rubrics"]
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


def comparisons_table(results: LifbenchResults, name: str) -> Table:
    """Returns the difference in overall ARS of every two models, with corrected p-values."""
    rows = results.frames["comparisons"]
    overall = results.ars[OVERALL, ""]
    rows = rows_of(rows, task=OVERALL, length="")
    rows = _best_first(rows, sorted(overall, key=lambda m: -overall[m]))
    digits, sections = results.digits, []
    for first, pairs in rows.groupby("model", sort=False):
        cells = tuple(
            (
                results.label(first, repeated=i > 0),
                results.label(pair.other),
                Cell(str(rounded(pair.difference, digits))),
                interval_cell(pair.low, pair.high, digits),
                p_cell(pair.p, digits),
                p_cell(pair.p_holm, digits, "best" if pair.p_holm < SIGNIFICANT else ""),
                count_cell(pair.n),
            )
            for i, pair in enumerate(pairs.itertuples())
        )
        sections.append(Section(cells))
    columns = (
        MODEL,
        Column("Other", align="l"),
        *(Column(heading, "Difference in ARS") for heading in ("Value", SHARED["interval"])),
        *(Column(heading, "p-value") for heading in ("Single", "Corrected")),
        Column("Samples", align="r"),
    )
    notes: list[Note] = [*results.notes] if sections else [(None, WORDS["notes"]["no_pair"])]
    notes += results.drawn_notes()
    if results.roster.apart:
        notes.append((None, WORDS["notes"]["apart"]))
    return results.table(name, columns, sections, notes)


def _best_first(rows: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """Returns each pair with the earlier model of an order first, and the pairs in that order."""
    place = {model: i for i, model in enumerate(order)}
    turned = rows["model"].map(place) > rows["other"].map(place)
    negated = {"difference": -rows["difference"], "low": -rows["high"], "high": -rows["low"]}
    back = rows.assign(model=rows["other"], other=rows["model"], **negated)
    rows = rows.where(~turned, back)
    return rows.sort_values(["model", "other"], key=lambda model: model.map(place))
