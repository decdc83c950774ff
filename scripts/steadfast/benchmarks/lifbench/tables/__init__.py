"""LIFBench's tables, laid out like the paper's; one module a family of tables."""

from collections.abc import Callable, Iterator
from functools import partial

from steadfast.benchmarks.lifbench import records, scored_tasks
from steadfast.benchmarks.lifbench.tables import data, further, models, printed, scores
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.contract.components import Frames
from steadfast.show import roster
from steadfast.show.effective_context_length import FRAME
from steadfast.show.table import Table

BUILDERS: dict[str, Callable[[LifbenchResults, str], Table]] = {
    "table2_data": data.data_table,
    "table3_ars": scores.ars_table,
    "table4_ifs": scores.ifs_table,
    "table6_rubric": data.rubric_table,
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
    "coverage": data.coverage_table,
}
# Tables that there are where there is a frame of their name.
OPTIONAL: dict[str, Callable[[LifbenchResults, str], Table]] = {
    "recs": further.recs_table,
    "sampling": further.sampling_table,
    FRAME: scores.effective_context_lengths,
}


def tables(
    frames: Frames,
    display: roster.Display,
    weighting: str,
    rubric: str,
    beyond: records.Beyond | None = None,
    same_prompts: bool = False,
) -> Iterator[Table]:
    """Yields all tables; with the paper's cells where the display wants them."""
    results = LifbenchResults(frames, display, scored_tasks.Rubric(rubric, weighting))
    cells = printed.AskedCells(results.lengths, results.tasks, results.rubric)
    optional = {name: build for name, build in OPTIONAL.items() if name in frames}
    for name, build in {**BUILDERS, **optional}.items():
        table = build(results, name)
        if display.published:
            table = printed.with_printed(table, name, results, cells, same_prompts)
        yield table
    for perspective, compared in (beyond or {}).items():
        yield further.beyond_table(results, perspective, compared)
