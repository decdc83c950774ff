"""ARS by task and IFP by capability, over all lengths and at each (Tables 3, 7, 8 and 9)."""

from steadfast.lifbench.tables.layout import Measure, by_length, by_model
from steadfast.lifbench.tables.results import LAYOUT, Results
from steadfast.lifbench.tasks import TASKS
from steadfast.metrics.tidy import OVERALL
from steadfast.tables.table import Column, Table


def ars_table(results: Results, name: str) -> Table:
    """ARS per task and overall (Table 3)."""
    return by_model(results, name, _task_columns(results), _ars(results, ""))


def ars_by_length_table(results: Results, name: str) -> Table:
    """ARS per task and overall at each length (Table 7)."""
    columns = _task_columns(results)
    return by_length(results, name, columns, lambda length: _ars(results, length))


def ifp_table(results: Results, name: str) -> Table:
    """Instruction following performance in each capability (Table 8)."""
    return by_model(results, name, _capability_columns(), _ifp(results, ""))


def ifp_by_length_table(results: Results, name: str) -> Table:
    """Instruction following performance in each capability at each length (Table 9)."""
    columns = _capability_columns()
    return by_length(results, name, columns, lambda length: _ifp(results, length))


def _task_columns(results: Results) -> list[Column]:
    scenarios = LAYOUT["scenarios"]
    tasks = [Column(task, scenarios[TASKS[task].scenario]) for task in results.tasks]
    return [*tasks, Column("Overall")]


def _ars(results: Results, length: str) -> list[Measure]:
    tasks = [*results.tasks, OVERALL]
    return [Measure(results.ars[task, length], task, length) for task in tasks]


def _capability_columns() -> list[Column]:
    return [Column(heading) for heading in LAYOUT["capabilities"].values()]


def _ifp(results: Results, length: str) -> list[Measure]:
    capabilities = LAYOUT["capabilities"]
    return [Measure(results.ifp[name, length], length=length) for name in capabilities]
