"""LIFBench's tables, laid out like the paper's; one module a family of tables."""

from collections.abc import Callable, Iterator
from functools import partial

from steadfast.benchmarks.lifbench.records import Beyond
from steadfast.benchmarks.lifbench.scored_tasks import Rubric
from steadfast.benchmarks.lifbench.tables import models, scores
from steadfast.benchmarks.lifbench.tables.data import coverage_table, data_table, rubric_table
from steadfast.benchmarks.lifbench.tables.further import beyond_table, recs_table, sampling_table
from steadfast.benchmarks.lifbench.tables.printed import AskedCells, with_printed
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.contract.components import Frames
from steadfast.show.effective_context_length import FRAME
from steadfast.show.roster import Display
from steadfast.show.table import Table

BUILDERS: dict[str, Callable[[LifbenchResults, str], Table]] = {
    "table2_data": data_table,
    "table3_ars": scores.ars_table,
    "table4_ifs": scores.ifs_table,
    "table6_rubric": rubric_table,
    "table7_ars_by_length": scores.ars_by_length_table,
    "above_baseline": scores.above_baseline_table,
    "table8_ifp": scores.ifp_table,
    "table9_ifp_by_length": partial(scores.ifp_table, by_length=True),
    "table10_ifs_expression": partial(scores.ifs_by_length_table, perspective="expression"),
    "table11_ifs_variable": partial(scores.ifs_by_length_table, perspective="variable"),
    "success_by_position": models.position_table,
    "variance": models.variance_table,
    "rubrics": models.rubrics_table,
    "comparisons": models.comparisons_table,
    "coverage": coverage_table,
}


FURTHER: dict[str, Callable[[LifbenchResults, str], Table]] = {
    "recs": recs_table,
    "sampling": sampling_table,
    FRAME: scores.effective_context_lengths,
}
"""Tables that there are where there is a frame of their name."""


def tables(
    frames: Frames,
    display: Display,
    weighting: str,
    rubric: str,
    beyond: Beyond | None = None,
    same_prompts: bool = False,
) -> Iterator[Table]:
    """Yields all tables; with the paper's cells where the display wants them."""
    results = LifbenchResults(frames, display, Rubric(rubric, weighting))
    cells = AskedCells(results.lengths, results.tasks, results.rubric)
    further = {name: build for name, build in FURTHER.items() if name in frames}
    for name, build in {**BUILDERS, **further}.items():
        table = build(results, name)
        if display.published:
            table = with_printed(table, name, results, cells, same_prompts)
        yield table
    for perspective, compared in (beyond or {}).items():
        yield beyond_table(results, perspective, compared)
