"""ARS, IFP and IFS over all lengths and at each; ARS above the baseline (Tables 3, 4, 7 to 11)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from steadfast.benchmarks.lifbench.records import AVERAGE, PERSPECTIVES
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults
from steadfast.contract.records import OVERALL
from steadfast.show.cells import MODEL, CellsByModel, Values, joined_cells, rank_cells, rank_texts
from steadfast.show.effective_context_length import Effective, effective_table
from steadfast.show.results import Note
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.table import Cell, Column, Section, Table, ranks

CellsAt = Callable[[str], CellsByModel]  # the cells of each model at a length ("": over all)


def values_table(
    results: LifbenchResults,
    name: str,
    columns: Sequence[Column],
    cells: CellsAt,
    notes: Sequence[Note],
    by_length: bool = False,
) -> Table:
    """Returns a table with a row a model, or a model and length; notes besides the shared."""
    notes = [*results.notes, *notes]
    if not by_length:
        sections = results.sections(results.groups(), cells("").__getitem__)
        return results.table(name, (MODEL, *columns), sections, notes)
    cells_by_length = {length: cells(length) for length in results.lengths}
    parts = []
    for group in results.groups():
        for i, model in enumerate(group.models):
            rows = tuple(
                (
                    results.label(model, repeated=j > 0),
                    Cell(length),
                    *cells_by_length[length][model],
                )
                for j, length in enumerate(results.lengths)
            )
            headed = group.unranked and i == 0
            parts.append(Section(rows, group.full_heading if headed else "", headed))
    return results.table(name, (MODEL, Column("Length", align="l"), *columns), parts, notes)


def exact(values: Mapping[str, float]) -> dict[str, float]:
    """Returns values without rounding errors, so that those that are equal share a rank.

    >>> exact({"a": 0.1 + 0.2, "b": 0.3})
    {'a': 0.3, 'b': 0.3}
    """
    return {model: float(f"{value:.12g}") for model, value in values.items()}


def ars_table(results: LifbenchResults, name: str) -> Table:
    """Returns ARS per task and overall, and the ranks that a model may have (Table 3)."""

    def cells(length: str) -> CellsByModel:
        ranks = rank_cells(results.roster, results.ties(), results.ars[OVERALL, ""])
        return joined_cells([_ars(results, length), ranks])

    columns = [*_tasks(results), Column(SHARED["ranks"])]
    notes = [*results.baseline_notes(), *results.tie_notes(), *results.ranking_notes()]
    return values_table(results, name, columns, cells, notes)


def ars_by_length_table(results: LifbenchResults, name: str) -> Table:
    """Returns ARS per task and overall at each length (Table 7)."""
    notes = [*results.baseline_notes(), *results.tie_notes()]
    return values_table(results, name, _tasks(results), lambda at: _ars(results, at), notes, True)


def _tasks(results: LifbenchResults, baseline: bool = True) -> list[Column]:
    tasks = (Column(t, STRINGS["scenarios"][SCORED_TASKS[t].scenario]) for t in results.tasks)
    above = [Column(STRINGS["above_baseline"])] if baseline and results.has_baseline else []
    return [*tasks, Column("Overall"), *above]


def _ars(results: LifbenchResults, length: str) -> CellsByModel:
    values = [
        results.values(results.ars[task, length], task, length, ties=results.ties(task, length))
        for task in (*results.tasks, OVERALL)
    ]
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
        values = (results.ifp[capability, length] for capability in headings)
        return results.cells(results.values(values, length=length) for values in values)

    columns = [Column(heading) for heading in headings.values()]
    return values_table(results, name, columns, cells, results.untested_notes(), by_length)


def above_baseline_table(results: LifbenchResults, name: str) -> Table:
    """Returns the share of what the baseline leaves open that each model gains, by task."""

    def cells(length: str) -> CellsByModel:
        tasks = (*results.tasks, OVERALL)
        return results.cells(
            results.values(results.above_baseline[task, length], task, length) for task in tasks
        )

    notes = results.baseline_notes() or [(None, STRINGS["notes"]["no_baseline"])]
    return values_table(results, name, _tasks(results, baseline=False), cells, notes, True)


def ifs_table(results: LifbenchResults, name: str) -> Table:
    """Returns IFS in three perspectives, by mean rank as in the paper, and ARS (Table 4)."""
    stabilities = _stabilities(results)
    columns = [results.values(values, better="smaller") for values in stabilities.values()]
    overall = results.ars[OVERALL, ""]
    ties = results.ties()
    cells = results.cells([*columns, results.values(overall, ties=ties)])
    in_order = results.roster.groups(_steadiness(results))
    if results.roster.as_printed:
        # The paper prints the rank by value behind each value.
        places = ranks_by_value(results)
        note = "ifs_ranks_as_printed"
        headings = [*stabilities, "ARS"]
        for model in results.roster.contenders:
            ranked = zip(cells[model], headings, strict=True)
            cells[model] = tuple(
                replace(cell, suffix=f"({places[model, heading]})")
                if (model, heading) in places
                else cell
                for cell, heading in ranked
            )
    else:
        texts = rank_texts(results.roster, ties, overall)
        note = "ifs_ranks" if texts else ""
        for model, text in texts.items():
            *other_cells, ars = cells[model]
            cells[model] = (*other_cells, replace(ars, suffix=f"({text})"))
    notes = [*results.notes, *results.tie_notes()]
    notes += [(None, STRINGS["notes"][note])] if note else []
    # Marks as in print are for tables as the paper has them.
    chance = {} if results.roster.as_printed else results.chance
    notes += [(None, STRINGS["notes"]["ifs_chance"])] if chance else []
    cells, ifs = _beside_chance(results, cells, chance)
    sections = results.sections(in_order, cells.__getitem__)
    return results.table(name, (MODEL, *ifs, Column("ARS")), sections, notes)


def _beside_chance(
    results: LifbenchResults, cells: CellsByModel, chance: Mapping[str, Mapping[str, float]]
) -> tuple[CellsByModel, list[Column]]:
    """Returns Table 4's cells, and behind those of each perspective what chance would give."""
    columns: list[Column] = []
    parts: list[CellsByModel] = []
    for place, (key, heading) in enumerate(STRINGS["perspectives"].items()):
        columns.append(Column(heading, "IFS"))
        parts.append(
            {model: model_cells[place : place + 1] for model, model_cells in cells.items()}
        )
        if key in chance:
            columns.append(Column(STRINGS["by_chance"].format(perspective=heading), "IFS"))
            parts.append(results.cells([results.values(chance[key])]))
    parts.append(
        {model: model_cells[len(STRINGS["perspectives"]) :] for model, model_cells in cells.items()}
    )
    return joined_cells(parts), columns


def _stabilities(results: LifbenchResults) -> dict[str, Mapping[str, float]]:
    """Returns IFS by model, by the heading of its column."""
    return {heading: results.ifs[key, ""] for key, heading in STRINGS["perspectives"].items()}


def ranks_by_value(results: LifbenchResults) -> dict[tuple[str, str], int]:
    """Returns the ranks of Table 4 as the paper has them, by model and heading."""
    columns = [(heading, values, True) for heading, values in _stabilities(results).items()]
    return {
        (model, heading): place
        for heading, values, smaller in [*columns, ("ARS", results.ars[OVERALL, ""], False)]
        for model, place in ranks(exact(values), results.roster.contenders, smaller).items()
    }


def _steadiness(results: LifbenchResults) -> dict[str, float]:
    """Returns minus the mean rank of each model in its perspectives; ties by the average."""
    values = [exact(results.ifs[key, ""]) for key in PERSPECTIVES]
    places = [ranks(column, results.roster.models, smaller=True) for column in values]
    average = results.ifs[AVERAGE, ""]
    found = {m: [p[m] for p in places if m in p] for m in results.roster.models}
    keys = {m: (sum(p) / len(p), average.get(m, 0.0), m) for m, p in found.items() if p}
    return {model: -i for i, model in enumerate(sorted(keys, key=keys.__getitem__))}


def ifs_by_length_table(results: LifbenchResults, name: str, perspective: str) -> Table:
    """Returns stability between expressions (Table 10) or variables (11) at each length."""
    columns = [
        results.values(results.ifs[perspective, length], length=length, better="smaller")
        for length in results.lengths
    ]
    headings = [Column(length) for length in results.lengths]
    notes = results.untested_notes()
    return values_table(results, name, headings, lambda _: results.cells(columns), notes)
