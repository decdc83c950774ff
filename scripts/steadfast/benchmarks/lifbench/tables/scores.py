"""ARS by task and IFP by capability, over all lengths and at each (Tables 3, 7, 8 and 9)."""

from steadfast.benchmarks.lifbench.tables.layout import Rows, by_length, by_model
from steadfast.benchmarks.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.show.cells import CellsByModel, joined_cells, rank_cells
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.table import Column, Table
from steadfast.stats.tidy import OVERALL


def ars_table(results: LifbenchResults, name: str) -> Table:
    """Returns ARS per task and overall, and the ranks that a model may have (Table 3)."""

    def cells(length: str) -> CellsByModel:
        ranks = rank_cells(results.roster, results.ties(), results.ars[OVERALL, ""])
        return joined_cells([_ars(results, length), ranks])

    columns = [*_tasks(results), Column(SHARED["ranks"])]
    notes = [*results.floor_notes(), *results.tie_notes(), *results.ranking_notes()]
    return by_model(results, name, columns, cells, notes)


def ars_by_length_table(results: LifbenchResults, name: str) -> Table:
    """Returns ARS per task and overall at each length (Table 7)."""
    notes = [*results.floor_notes(), *results.tie_notes()]
    return by_length(results, name, _tasks(results), lambda at: _ars(results, at), notes)


def _tasks(results: LifbenchResults) -> list[Column]:
    tasks = (Column(t, WORDS["scenarios"][results.known[t].scenario]) for t in results.tasks)
    above = [Column(WORDS["above_floor"])] if results.has_floor else []
    return [*tasks, Column("Overall"), *above]


def _ars(results: LifbenchResults, length: str) -> CellsByModel:
    values = [
        results.values(results.ars[task, length], task, length, ties=results.ties(task, length))
        for task in (*results.tasks, OVERALL)
    ]
    if results.has_floor:
        values.append(results.values(results.above_floor[OVERALL, length], length=length))
    return results.cells(values)


def ifp_table(results: LifbenchResults, name: str, rows: Rows) -> Table:
    """Returns performance in each capability (Table 8), or by length too (Table 9)."""
    headings = WORDS["capabilities"]

    def cells(length: str) -> CellsByModel:
        found = (results.ifp[capability, length] for capability in headings)
        return results.cells(results.values(values, length=length) for values in found)

    columns = [Column(heading) for heading in headings.values()]
    return rows(results, name, columns, cells, results.untested_notes())
