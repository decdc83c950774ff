"""LIFBench's tables, laid out like the paper's; one module a family of tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.lifbench.metrics import Weighting
from steadfast.lifbench.tables.data import coverage_table, data_table, rubric_table
from steadfast.lifbench.tables.models import comparisons_table, rubrics_table
from steadfast.lifbench.tables.results import LAYOUT, Results
from steadfast.lifbench.tables.scores import (
    ars_by_length_table,
    ars_table,
    ifp_by_length_table,
    ifp_table,
)
from steadfast.lifbench.tables.stability import expression_table, ifs_table, variable_table
from steadfast.tables.render import write_table

__all__ = ["BUILDERS", "LAYOUT", "NAMES", "Results", "build_tables"]

BUILDERS = {
    "table2_data": data_table,
    "table3_ars": ars_table,
    "table4_ifs": ifs_table,
    "table6_rubric": rubric_table,
    "table7_ars_by_length": ars_by_length_table,
    "table8_ifp": ifp_table,
    "table9_ifp_by_length": ifp_by_length_table,
    "table10_ifs_expression": expression_table,
    "table11_ifs_variable": variable_table,
    "rubrics": rubrics_table,
    "comparisons": comparisons_table,
    "coverage": coverage_table,
}
NAMES = tuple(BUILDERS)


def build_tables(
    metrics: Mapping[str, Path],
    samples: Mapping[str, Path],
    display: Mapping[str, Any],
    out_dir: Path,
    weighting: Weighting = "rubric",
    rubric: str = "released",
) -> None:
    """Writes each table of ``NAMES`` as .tex, .md and .csv.

    Args:
        metrics: the files of ``lifbench.metrics`` by name: ars, ifp, ifs, rubrics, comparisons
            and coverage.
        samples: for each length, in ascending order, a file with a record a sample, such as a
            model's scores.
        display: digits, labels and groups by model, group_order, engines by model.
        out_dir: directory for the files.
        weighting: how the overall ARS was computed, for the captions.
        rubric: by which the scores were given, for the captions.

    Raises:
        UserError: a file is missing or damaged.
    """
    results = Results(metrics, samples, display, weighting, rubric)
    for name, build in BUILDERS.items():
        write_table(build(results, name), Path(out_dir))
