"""The paper's printed tables, and which of their cells a run has too."""

import csv
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from steadfast.base.files import Settings, read_text
from steadfast.base.resources import resource
from steadfast.benchmarks.lifbench.released_files import released_lengths
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS, with_own

LENGTHS = tuple(released_lengths())
WEIGHTED = ("Overall", "ARS")  # columns of the overall score


@dataclass(frozen=True)
class Asked:
    """What a run asked of its models, as far as the paper's cells depend on it."""

    lengths: Collection[str]  # their names
    tasks: Collection[str]  # keys of SCORED_TASKS
    weighting: str = "rubric"  # of the tasks in the overall ARS
    others: bool = False  # whether tasks that are not the paper's count in overall values

    @classmethod
    def of(
        cls,
        lengths: Collection[str],
        tasks: Collection[str],
        weighting: str,
        own: Mapping[str, Settings] | None,
    ) -> "Asked":
        """Returns what a run asked, of all its tasks, and of the facts of the user's own."""
        known = with_own(own)
        others = any(known[task].counts for task in tasks if task not in SCORED_TASKS)
        return cls(lengths, [task for task in tasks if task in SCORED_TASKS], weighting, others)

    def has(self, length: str, column: str) -> bool:
        """Tells whether the run has a cell of the paper: made of the same lengths and tasks, alike.

        ``length`` is "" where the table has no rows by length; ``column`` may be a length.

        >>> Asked(["4k"], ["OR"]).has("4k", "OR"), Asked(["4k"], ["OR"]).has("", "OR")
        (True, False)
        """
        at = length or (column if column in LENGTHS else "")
        if not (at in self.lengths if at else set(self.lengths) == set(LENGTHS)):
            return False
        if column in SCORED_TASKS:
            return column in self.tasks
        alike = set(self.tasks) == set(SCORED_TASKS) and not self.others
        return alike and (column not in WEIGHTED or self.weighting == "rubric")


def printed_rows(name: str) -> Iterator[Mapping[str, str]]:
    """Yields the cells of a printed table: model (label), column, value; some length and rank."""
    path = resource("lifbench/printed") / f"{name}.csv"
    yield from csv.DictReader(read_text(path).splitlines())
