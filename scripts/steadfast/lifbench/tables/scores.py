"""ARS by task and IFP by capability, over all lengths and at each (Tables 3, 7, 8 and 9)."""

from steadfast.lifbench.tables.layout import Rows
from steadfast.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.lifbench.tasks import TASKS
from steadfast.metrics.tidy import OVERALL
from steadfast.show.cells import Values
from steadfast.tables.table import Column, Table


def ars_table(results: LifbenchResults, name: str, rows: Rows) -> Table:
    """ARS per task and overall (Table 3), or at each length (Table 7)."""
    columns = [Column(t, WORDS["scenarios"][TASKS[t].scenario]) for t in results.tasks]

    def values(length: str) -> list[Values]:
        tasks = [*results.tasks, OVERALL]
        return [results.values(results.ars[task, length], task, length) for task in tasks]

    return rows(results, name, [*columns, Column("Overall")], values)


def ifp_table(results: LifbenchResults, name: str, rows: Rows) -> Table:
    """Instruction following performance in each capability (Table 8), or by length (Table 9)."""
    headings = WORDS["capabilities"]

    def values(length: str) -> list[Values]:
        return [results.values(results.ifp[name, length], length=length) for name in headings]

    return rows(results, name, [Column(heading) for heading in headings.values()], values)
