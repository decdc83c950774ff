"""ARS, IFP and IFS over all lengths and at each; ARS above the baseline (Tables 3, 4, 7 to 11)."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import mean

from steadfast.benchmarks.lifbench.records import AVERAGE, PERSPECTIVES
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults, columns_of
from steadfast.contract.records import OVERALL
from steadfast.show.cells import MODEL, CellsByModel, Values, joined_cells, rank_cells, rank_texts
from steadfast.show.effective_context_length import Effective, effective_table
from steadfast.show.results import Note
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.table import Column, Section, Table, ranks

CellsAt = Callable[[str], CellsByModel]  # the cells of each model at a length ("": over all)


def values_table(
    results: LifbenchResults,
    name: str,
    headings: Sequence[Column],
    cells: CellsAt,
    notes: Sequence[Note],
    by_length: bool = False,
) -> Table:
    """Returns a table with a row a model, or a model and length; notes besides the shared."""
    notes = [*results.notes, *notes]
    if not by_length:
        sections = results.sections(results.groups(), cells("").__getitem__)
        return results.table(name, (MODEL, *headings), sections, notes)
    cells_by_length = {length: cells(length) for length in results.lengths}
    parts = []
    for group in results.groups():
        for i, model in enumerate(group.models):
            rows = results.rows_by_length(model, cells_by_length)
            headed = group.unranked and i == 0
            parts.append(Section(rows, group.full_heading if headed else "", headed))
    return results.table(name, (MODEL, Column("Length", align="l"), *headings), parts, notes)


def without_rounding_errors(values: Mapping[str, float]) -> dict[str, float]:
    """Returns values without rounding errors, so that those that are equal share a rank.

    >>> without_rounding_errors({"a": 0.1 + 0.2, "b": 0.3})
    {'a': 0.3, 'b': 0.3}
    """
    return {model: float(f"{value:.12g}") for model, value in values.items()}


def ars_table(results: LifbenchResults, name: str) -> Table:
    """Returns ARS per task and overall, and the ranks that a model may have (Table 3)."""

    def cells(length: str) -> CellsByModel:
        ranks = rank_cells(results.roster, results.ties(), results.ars[OVERALL, ""])
        return joined_cells([_ars(results, length), ranks])

    headings = [*_tasks(results), Column(SHARED["ranks"])]
    notes = [*results.baseline_notes(), *results.tie_notes(), *results.ranking_notes()]
    return values_table(results, name, headings, cells, notes)


def ars_by_length_table(results: LifbenchResults, name: str) -> Table:
    """Returns ARS per task and overall at each length (Table 7)."""
    notes = [*results.baseline_notes(), *results.tie_notes()]
    return values_table(results, name, _tasks(results), lambda at: _ars(results, at), notes, True)


def _tasks(results: LifbenchResults, baseline: bool = True) -> list[Column]:
    tasks = [Column(t, STRINGS["scenarios"][SCORED_TASKS[t].scenario]) for t in results.tasks]
    above = [STRINGS["above_baseline"]] if baseline and results.has_baseline else []
    return [*tasks, *columns_of(["Overall", *above])]


def _ars(results: LifbenchResults, length: str) -> CellsByModel:
    values = []
    for task in (*results.tasks, OVERALL):
        ties = results.ties(task, length)
        values.append(results.values(results.ars[task, length], task, length, ties))
    if results.has_baseline:
        values.append(results.values(results.above_baseline[OVERALL, length], length=length))
    return results.cells(values)


def effective_context_lengths(results: LifbenchResults, name: str) -> Table:
    """Returns how far each model keeps its overall ARS as contexts get longer."""

    def filled(values: Mapping[str, float], length: str) -> Values:
        return results.values(values, length=length)

    effective = Effective(results, STRINGS["ranked"])
    return effective_table(effective, results.groups(), results.notes, filled)


def ifp_table(results: LifbenchResults, name: str, by_length: bool = False) -> Table:
    """Returns performance in each capability (Table 8), or by length too (Table 9)."""
    headings = STRINGS["capabilities"]

    def cells(length: str) -> CellsByModel:
        by_capability = [results.ifp[capability, length] for capability in headings]
        return results.cells(results.values(values, length=length) for values in by_capability)

    notes = results.untested_notes()
    return values_table(results, name, columns_of(headings.values()), cells, notes, by_length)


def above_baseline_table(results: LifbenchResults, name: str) -> Table:
    """Returns the share of what the baseline leaves open that each model gains, by task."""

    def cells(length: str) -> CellsByModel:
        values = []
        for task in (*results.tasks, OVERALL):
            values.append(results.values(results.above_baseline[task, length], task, length))
        return results.cells(values)

    notes = results.baseline_notes() or [(None, STRINGS["notes"]["no_baseline"])]
    return values_table(results, name, _tasks(results, baseline=False), cells, notes, True)


def ifs_table(results: LifbenchResults, name: str) -> Table:
    """Returns IFS in three perspectives, by mean rank as in the paper, and ARS (Table 4)."""
    overall = results.ars[OVERALL, ""]
    ties = results.ties()
    headings = []
    values = []
    for perspective, heading in STRINGS["perspectives"].items():
        headings.append(heading)
        values.append(results.values(results.ifs[perspective, ""]))
        if perspective in results.chance:
            headings.append(STRINGS["by_chance"].format(perspective=heading))
            values.append(results.values(results.chance[perspective]))
    cells = results.cells([*values, results.values(overall, ties=ties)])
    rank_ranges = rank_texts(results.roster, ties, overall)
    for model, text in rank_ranges.items():
        *stability, score = cells[model]
        cells[model] = (*stability, replace(score, suffix=f"({text})"))
    notes = [*results.notes, *results.tie_notes()]
    notes += [(None, STRINGS["notes"]["ifs_ranks"])] if rank_ranges else []
    notes += [(None, STRINGS["notes"]["ifs_chance"])] if results.chance else []
    in_order = results.roster.groups(_steadiness(results))
    sections = results.sections(in_order, cells.__getitem__)
    columns = (MODEL, *columns_of(headings, "IFS"), Column("ARS"))
    return results.table(name, columns, sections, notes)


def ranks_by_value(results: LifbenchResults) -> dict[tuple[str, str], int]:
    """Returns the ranks of Table 4 as the paper has them, by model and heading."""
    rank_of: dict[tuple[str, str], int] = {}
    by_heading = {"ARS": results.ars[OVERALL, ""]}
    for perspective, heading in STRINGS["perspectives"].items():
        by_heading[heading] = results.ifs[perspective, ""]
    for heading, values in by_heading.items():
        exact = without_rounding_errors(values)
        by_model = ranks(exact, results.roster.contenders, smaller=heading != "ARS")
        rank_of |= {(model, heading): rank for model, rank in by_model.items()}
    return rank_of


def _steadiness(results: LifbenchResults) -> Mapping[str, float]:
    """Returns how steady each model is: 0 for the best mean rank by IFS, then -1, -2 …"""
    model_ranks: dict[str, list[int]] = defaultdict(list)
    for perspective in PERSPECTIVES:
        values = without_rounding_errors(results.ifs[perspective, ""])
        for model, rank in ranks(values, results.roster.models, smaller=True).items():
            model_ranks[model].append(rank)
    average = results.ifs[AVERAGE, ""]
    order = sorted(model_ranks, key=lambda m: (mean(model_ranks[m]), average.get(m, 0.0), m))
    return {model: -position for position, model in enumerate(order)}


def ifs_by_length_table(results: LifbenchResults, name: str, perspective: str) -> Table:
    """Returns stability between expressions (Table 10) or variables (11) at each length."""
    values = []
    for length in results.lengths:
        by_model = results.ifs[perspective, length]
        values.append(results.values(by_model, length=length))
    cells = results.cells(values)
    notes = results.untested_notes()
    return values_table(results, name, columns_of(results.lengths), lambda _: cells, notes)


# Tables of which the paper prints cells.
PRINTED: dict[str, Callable[[LifbenchResults, str], Table]] = {
    "table3_ars": ars_table,
    "table4_ifs": ifs_table,
    "table7_ars_by_length": ars_by_length_table,
    "table8_ifp": ifp_table,
    "table9_ifp_by_length": partial(ifp_table, by_length=True),
    "table10_ifs_expression": partial(ifs_by_length_table, perspective="expression"),
    "table11_ifs_variable": partial(ifs_by_length_table, perspective="variable"),
}
