"""Whether the names that a benchmark's task gives can name files: known before anything runs."""

import re
from collections.abc import Mapping

from steadfast.base.errors import UserError
from steadfast.base.resources import HOME
from steadfast.contract.task import Task
from steadfast.schema.strict import check_names

REQUIRED = ("coverage", "headline")
"""Metrics that others read of every benchmark."""
RULE = re.compile(r"^rule (\w+):", re.M)
FOLDERS = ("corpora", "figures", "journal", "logs", "metrics", "report", "tables")
"""Folders of results that are of no benchmark and bear no rule's name."""


def check_benchmark_names(tasks: Mapping[str, Task]) -> None:
    """Raises UserError where a benchmark is called as a rule, or a folder of results, is."""
    files = [HOME / "Snakefile", *(HOME / "rules").glob("*.smk")]
    taken = {name for path in files for name in RULE.findall(path.read_text(encoding="utf-8"))}
    taken |= {*FOLDERS, *(file.step for task in tasks.values() for file in task.data)}
    taken |= {f"{name}_{of}" for name in tasks for of in ("metrics", "tables", "figures")}
    for name in tasks:
        if name.lower() in taken:
            raise UserError(
                f"benchmark {name}: a rule or a folder of the workflow is called so; choose "
                "another name"
            )


def checked_task(benchmark: str, task: Task) -> Task:
    """Returns the task of a benchmark, unless its names cannot name files or some are missing."""
    names = {"part": list(task.parts), "metric": task.metrics.names}
    names |= {"table": task.tables.names, "figure": task.figures.names}
    try:
        for kind, of in names.items():
            check_names(kind, of, dots=False)
        if not task.parts:
            raise ValueError("its task has no part; give it one at least")
        for name in REQUIRED:
            if name not in task.metrics.names:
                raise ValueError(f"its metrics lack {name!r}; every benchmark has it")
        for name in task.tables.names:
            if not name.startswith(f"{benchmark}_"):
                raise ValueError(
                    f"the table {name!r} lies in one folder with those of others; let its name "
                    f"begin with {benchmark}_"
                )
    except ValueError as error:
        raise UserError(f"benchmark {benchmark}: {error}") from None
    return task
