"""ComplexBench's tables, one module a family."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.complexbench.tables.account import coverage_table, judging_table
from steadfast.complexbench.tables.results import LAYOUT, PREFIX, Results
from steadfast.complexbench.tables.scores import (
    coherent_table,
    constraints_table,
    decomposition_table,
    dimensions_table,
    drfr_table,
    nesting_table,
    tasks_table,
)
from steadfast.metrics.tidy import read_csv
from steadfast.tables.agreement import agreement_table
from steadfast.tables.render import write_table

__all__ = ["BUILDERS", "LAYOUT", "Results", "build_tables"]

BUILDERS = {
    "drfr": drfr_table,
    "constraints": constraints_table,
    "dimensions_form": dimensions_table,
    "dimensions_meaning": dimensions_table,
    "tasks": tasks_table,
    "nesting": nesting_table,
    "coherent": coherent_table,
    "decomposition": decomposition_table,
    "judging": judging_table,
    "coverage": coverage_table,
}


def build_tables(
    metrics: Mapping[str, Path],
    display: Mapping[str, Any],
    settings: Mapping[str, Any],
    out_dir: Path,
) -> None:
    """Writes the tables that are wanted as .tex, .md and .csv.

    Args:
        metrics: the files of ``complexbench.metrics`` by name.
        display: digits, labels and groups by model, group_order, engines by model.
        settings: ``mode``, for the captions; ``languages``, the first of which orders models;
            ``names``, of the tables, which start with the benchmark's.
        out_dir: directory for the files.

    Raises:
        UserError: a file is missing or damaged.
    """
    results = Results(metrics, display, settings)
    for name in settings["names"]:
        table = name.removeprefix(PREFIX)
        if table == "agreement":
            rows = read_csv(metrics["agreement"])
            built = agreement_table(name, rows, display, "ComplexBench", "scoring question")
        else:
            built = BUILDERS[table](results, table)
        write_table(built, Path(out_dir))
