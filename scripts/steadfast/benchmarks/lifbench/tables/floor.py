"""What ARS is worth above the floor, by task and length."""

from steadfast.benchmarks.lifbench.tables.layout import by_length
from steadfast.benchmarks.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.show.table import Column, Table
from steadfast.stats.tidy import OVERALL


def above_floor_table(results: LifbenchResults, name: str) -> Table:
    """Returns the share of what the floor leaves open that each model gains, by task."""
    columns = [Column(t, WORDS["scenarios"][results.known[t].scenario]) for t in results.tasks]
    notes = results.floor_notes() or [(None, WORDS["notes"]["no_floor"])]
    return by_length(
        results,
        name,
        [*columns, Column("Overall")],
        lambda length: results.cells(
            results.values(results.above_floor[task, length], task, length)
            for task in (*results.tasks, OVERALL)
        ),
        notes,
    )
