"""Rubrics compared, pairs of models compared, positions in the context, variance components."""

import pandas as pd

from steadfast.benchmarks.lifbench.analyses import LIST
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults, columns_of
from steadfast.benchmarks.lifbench.tables.scores import without_rounding_errors
from steadfast.contract.records import OVERALL
from steadfast.show import cells as show
from steadfast.show.cells import MODEL, CellsByModel, Values
from steadfast.show.results import Note, few_models_notes, range_text, values_by_model
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.table import Cell, Column, Section, Style, Table, rounded, shown_ranks
from steadfast.stats import intervals, tidy, ties, variance


def rubrics_table(results: LifbenchResults, name: str) -> Table:
    """Returns overall ARS, interval and rank by rubric; below, how well the ranks agree."""
    rows = tidy.rows_of(results.frames["rubrics"], task=OVERALL)
    scores = tidy.rows_of(rows, measure="ars")
    columns = [MODEL]
    parts: list[CellsByModel] = []
    models = results.roster.models
    for rubric, part in scores.groupby("rubric", sort=False):
        headings = ["ARS"]
        values = part.set_index("model")["value"].to_dict()
        parts.append(results.cells([results.values(values)]))
        if part["low"].notna().any():
            headings.append(SHARED["interval"])
            parts.append(show.interval_cells(part, models, results.digits))
        headings.append("Rank")
        rank_of = shown_ranks(without_rounding_errors(values), results.roster.contenders)
        parts.append({m: (Cell(str(rank_of[m]) if m in rank_of else None),) for m in models})
        columns += columns_of(headings, STRINGS["rubric_headings"][rubric])
    cells = show.joined_cells(parts, models)  # no column where nothing has a score
    sections = results.sections(results.groups(), cells.__getitem__)
    notes = [*results.notes, *_agreement(rows, results)]
    correlated = rows.loc[rows["measure"].isin(ties.CORRELATIONS), "n"]
    notes += few_models_notes(map(int, correlated))
    notes += [(None, STRINGS["notes"]["ranks_by_value"]), *results.sampling_notes()]
    return results.table(name, columns, sections, notes, intervals=interval_words(scores))


def interval_words(rows: pd.DataFrame) -> str:
    """Returns the part of a caption about intervals; empty where no row has one."""
    return str(STRINGS["intervals"]) if rows["low"].notna().any() else ""


def _agreement(rows: pd.DataFrame, results: LifbenchResults) -> list[Note]:
    """Returns a sentence on each rubric's ranks and the chosen one's."""
    texts = STRINGS["notes"]
    names = STRINGS["rubrics"]
    chosen = names[results.rubric.name]
    other_rubrics = set(rows["rubric"]) - {results.rubric.name}
    if not other_rubrics:
        return [(None, texts["one_rubric"].format(rubric=chosen))]
    notes: list[Note] = []
    for rubric in sorted(other_rubrics):
        correlations = rows[(rows["rubric"] == rubric) & rows["measure"].isin(ties.CORRELATIONS)]
        slots = {"rubric": names[rubric], "chosen": chosen}
        for row in correlations.itertuples():
            slots[row.measure] = rounded(row.value, results.digits)
        if len(correlations):
            slots["n"] = f"{correlations['n'].max():.0f}"
            notes.append((None, texts["agreement"].format(**slots)))
    return notes


def comparisons_table(results: LifbenchResults, name: str) -> Table:
    """Returns the difference in overall ARS of every two models, with corrected p-values."""
    rows = results.frames["comparisons"]
    overall = results.ars[OVERALL, ""]
    rows = tidy.rows_of(rows, task=OVERALL, length="")
    rows = _best_first(rows, sorted(overall, key=lambda m: -overall[m]))
    digits = results.digits
    sections = []
    for first, pairs in rows.groupby("model", sort=False):
        body: list[tuple[Cell, ...]] = []
        for pair in pairs.itertuples():
            style: Style = "best" if pair.p_adjusted < intervals.SIGNIFICANT else ""
            row = (
                results.label(first, repeated=bool(body)),
                results.label(pair.other),
                Cell(str(rounded(pair.difference, digits))),
                show.interval_cell(pair.low, pair.high, digits),
                show.p_cell(pair.p, digits),
                show.p_cell(pair.p_adjusted, digits, style),
                show.count_cell(pair.n),
            )
            body.append(row)
        sections.append(Section(tuple(body)))
    columns = [MODEL, Column("Other", align="l")]
    columns += columns_of(["Value", SHARED["interval"]], "Difference in ARS")
    columns += [*columns_of(["p", "p (corrected)"]), Column("Samples", align="r")]
    notes: list[Note] = [*results.notes] if sections else [(None, STRINGS["notes"]["no_pair"])]
    if (rows["p_adjusted"] < intervals.SIGNIFICANT).any():
        notes.append((None, STRINGS["notes"]["p_bold"]))
    notes += results.sampling_notes()
    if results.roster.apart:
        notes.append(("data", STRINGS["notes"]["apart"]))
    return results.table(name, columns, sections, notes, intervals=interval_words(rows))


def _best_first(rows: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """Returns each pair with the earlier model of an order first, and the pairs in that order."""
    index = {model: number for number, model in enumerate(order)}
    negated = {"difference": -rows["difference"], "low": -rows["high"], "high": -rows["low"]}
    swapped = rows.assign(model=rows["other"], other=rows["model"], **negated)
    is_later = rows["model"].map(index) > rows["other"].map(index)
    rows = rows.where(~is_later, swapped)
    return rows.sort_values(["model", "other"], key=lambda model: model.map(index))


def position_table(results: LifbenchResults, name: str) -> Table:
    """Returns success in the list scenario by position, a row a model and length."""
    rows = tidy.rows_of(results.frames["depth"], task=LIST)
    columns = [MODEL, Column("Length", align="l")]
    if rows.empty:
        return results.table(name, columns, [], [(None, STRINGS["notes"]["no_position"])])
    # All lengths together may have more bins than each; a table has one kind of columns.
    rows = rows[rows["bins"] == rows["bins"].min()]
    bins = rows[["bin", "start", "end"]].drop_duplicates().sort_values("bin")
    cells = {}
    lengths = [length for length in ("", *results.lengths) if length in set(rows["length"])]
    for length in lengths:
        values = []
        for number in bins["bin"]:
            values.append(Values(values_by_model(tidy.rows_of(rows, length=length, bin=number))))
        cells[length] = results.cells(values)
    sections = []
    for group in results.groups():
        for number, model in enumerate(group.models):
            body = results.rows_by_length(model, cells)
            heading = group.full_heading if number == 0 else ""
            sections.append(Section(body, heading, group.unranked))
    columns += [Column(f"{start:.2g}\u2013{end:.2g}", "Position") for _, start, end in bins.values]
    return results.table(name, columns, sections, [*results.notes, *results.untested_notes()])


def variance_table(results: LifbenchResults, name: str) -> Table:
    """Returns shares of the variance between contexts, expressions, variables and repeats."""
    rows = tidy.rows_of(results.frames["variance"], task=OVERALL)
    headings: dict[str, str] = dict(STRINGS["variance"])
    has_repeats = variance.REPEAT in set(rows["perspective"])
    if not has_repeats:
        del headings[variance.REPEAT]
    columns = [Values(values_by_model(tidy.rows_of(rows, perspective=key))) for key in headings]
    sections = results.sections(results.groups(), results.cells(columns).__getitem__)
    notes: list[Note] = [*results.notes]
    if len(rows):
        levels = []
        for key, heading in headings.items():
            chances = tidy.rows_of(rows, perspective=key)["chance"]
            if len(chances):
                levels.append(f"{heading.lower()} {range_text(chances, results.digits)}")
        slots = {"tasks": range_text(rows["n"]), "levels": ", ".join(levels)}
        notes.append((None, STRINGS["notes"]["variance"].format(**slots)))
    shares = [MODEL, *columns_of(headings.values(), "Share of the variance")]
    repeats = STRINGS["variance_repeats"] if has_repeats else ""
    return results.table(name, shares, sections, notes, repeats=repeats)
