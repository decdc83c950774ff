"""LIFBench's tables, laid out like the paper's; one module a family of tables."""

from collections.abc import Callable, Iterator, Mapping

from steadfast.benchmarks.lifbench import records, scored_tasks
from steadfast.benchmarks.lifbench.tables import (
    data,
    further,
    models,
    printed,
    reproduction,
    scores,
)
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults
from steadfast.contract.components import Frames
from steadfast.show import roster
from steadfast.show.effective_context_length import FRAME
from steadfast.show.render import Printed
from steadfast.show.table import Table

BUILDERS: dict[str, Callable[[LifbenchResults, str], Table]] = {
    "table2_data": data.data_table,
    "table6_rubric": data.rubric_table,
    **scores.PRINTED,
    "above_baseline": scores.above_baseline_table,
    "success_by_position": models.position_table,
    "variance": models.variance_table,
    "rubrics": models.rubrics_table,
    "comparisons": models.comparisons_table,
    "coverage": data.coverage_table,
    "recs": further.recs_table,
    "sampling": further.sampling_table,
    "rubric_stability": further.rubric_stability_table,
    FRAME: scores.effective_context_lengths,
}
# Tables that exist where there is a frame of the name.
OPTIONAL = ("recs", "sampling", "rubric_stability", FRAME)


def tables(
    frames: Frames,
    display: roster.Display,
    weighting: str,
    rubric: str,
    beyond: records.Beyond | None = None,
    same_prompts: bool = False,
    released: Mapping[str, str] | None = None,
) -> Iterator[Table | Printed]:
    """Yields all tables; with the paper's cells where the display wants them.

    With ``released`` scores (their models' names in the paper by names in the config) the paper's
    cells stand beside theirs in a table of its own.
    """
    chosen = scored_tasks.Rubric(rubric, weighting)
    results = LifbenchResults(frames, display, chosen)
    optional = [name for name in OPTIONAL if name in frames]
    for name in [*STRINGS["captions"], *optional]:
        table = BUILDERS[name](results, name)
        if display.published:
            table = printed.with_printed(table, name, results, same_prompts)
        yield table
    for perspective, compared in (beyond or {}).items():
        yield further.beyond_table(results, perspective, compared)
    if released:
        yield reproduction.reproduction(reproduction.compare(frames, released, chosen))
