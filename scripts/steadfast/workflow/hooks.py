"""What this project has Snakemake do that its documented interface has no place for."""

from collections.abc import Callable
from typing import Any


def when_prepared(workflow: Any, call: Callable[[Any], None]) -> None:
    """Calls a function when Snakemake has made its DAG, which has no jobs yet.

    Relies on ``Workflow._prepare_dag``, which each of Snakemake's commands calls before it builds
    the DAG.

    Args:
        workflow: Snakemake's.
        call: takes the workflow.
    """
    prepare = workflow._prepare_dag

    def prepare_dag(*args: Any, **options: Any) -> None:
        prepare(*args, **options)
        call(workflow)

    workflow._prepare_dag = prepare_dag


def when_jobs_are_known(dag: Any, call: Callable[[Any], None]) -> None:
    """Calls a function when a DAG has its jobs, and before it is decided which of them run.

    Relies on ``DAG.update_needrun``, which is called with ``create_inventory`` for the first time.

    Args:
        dag: Snakemake's.
        call: takes the DAG.
    """
    update = dag.update_needrun

    async def update_needrun(create_inventory: bool = False) -> None:
        if create_inventory:
            call(dag)
        await update(create_inventory=create_inventory)

    dag.update_needrun = update_needrun
