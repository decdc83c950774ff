"""What the tables show, looked up from the metrics."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.frames import sampled
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS, Rubric
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.cells import CellsByModel, Values
from steadfast.show.results import ANSWERS, Note, Results, values_by_model
from steadfast.show.roster import Display, Group
from steadfast.show.table import Cell, Column, Mark
from steadfast.stats.tidy import rows_of
from steadfast.stats.ties import NO_TIES, Ties

STRINGS = facts("lifbench/tables.yaml")
CAPTIONS = {**STRINGS["captions"], **STRINGS["further_captions"]}
COUNTS: tuple[str, ...] = ("expected", "scored", "prompt_truncated", *STRINGS["coverage"], *ANSWERS)

Rows = tuple[tuple[Cell, ...], ...]
# Values by model, under the other keys of a metric's rows.
ValuesByModel = Mapping[tuple[str, ...], Mapping[str, float]]


class LifbenchResults(Results):
    """Metrics of the models, and how they are shown; made of what ``tables`` takes."""

    prefix = "lifbench_"

    def __init__(self, frames: Frames, display: Display, rubric: Rubric):
        self.rubric = rubric
        coverage = frames["coverage"].set_index(["model", "task", "length"])
        self._overall = rows_of(frames["coverage"], task=OVERALL, length="").set_index("model")
        # Models some of whose samples were truncated.
        self.truncated = set(self._overall.index[self._overall["prompt_truncated"] > 0])
        self._counts: dict[Any, dict[str, int]] = coverage[list(COUNTS)].to_dict("index")
        self.lengths = list(filter(None, coverage.index.unique("length")))
        tasks = coverage.index.unique("task")
        self.tasks = [task for task in by_scenario(STRINGS["score_order"]) if task in tasks]
        slots = {
            "rubric": STRINGS["rubrics"][rubric.name],
            "weighting": STRINGS["weighting"][rubric.weighting],
            "lengths": ", ".join(self.lengths),
        }
        words = {**STRINGS, "captions": CAPTIONS}
        units, families = sampled(frames["sampling_units"])
        if families:
            words["sampling_unit"] = STRINGS["families"]
        super().__init__({**frames, "sampling_units": units}, display, words, slots)
        # By task (or overall), capability or perspective, and length (or ""); IFS over the tasks.
        self.ars = _by_model(frames["ars"], ["task", "length"])
        self.above_baseline = _by_model(frames["baseline"], ["task", "length"])
        self.has_baseline = not frames["baseline"].empty
        ifp = frames["ifp"]
        ifs = frames["ifs"]
        self.ifp = _by_model(ifp[ifp["task"] == OVERALL], ["capability", "length"])
        self.ifs = _by_model(ifs[ifs["task"] == OVERALL], ["perspective", "length"])
        with_chance = rows_of(ifs, task=OVERALL, length="").dropna(subset="chance")
        by_chance = with_chance.groupby("perspective")
        self.chance = {str(key): values_by_model(rows, "chance") for key, rows in by_chance}

    def counts(self, model: str, task: str = OVERALL, length: str = "") -> Mapping[str, int]:
        """Returns expected, scored, truncated samples of a task (or all) and length (or all)."""
        return self._counts.get((model, task, length), dict.fromkeys(COUNTS, 0))

    def values(
        self,
        by_model: Mapping[str, float],
        task: str = OVERALL,
        length: str = "",
        ties: Ties = NO_TIES,
    ) -> Values:
        """Returns a column of values, which rest on the samples of a task and length (or all)."""
        counts = {model: self.counts(model, task, length) for model in self.roster.models}
        incomplete = [model for model, n in counts.items() if n["scored"] < n["expected"]]
        return Values(by_model, incomplete, ties)

    def ties(self, task: str = OVERALL, length: str = "") -> Ties:
        """Returns which models' ARS the corrected test distinguishes, of a task and length."""
        return Ties.of(self._compared.get((task, length), self.frames["comparisons"][:0]))

    @cached_property
    def _compared(self) -> dict[Any, pd.DataFrame]:
        """Comparisons by task and length, grouped once, since many models have many."""
        return dict(iter(self.frames["comparisons"].groupby(["task", "length"])))

    def rows_by_length(self, model: str, cells: Mapping[str, CellsByModel]) -> Rows:
        """Returns a model's rows, one for each length that has cells ("": all lengths)."""
        rows: list[tuple[Cell, ...]] = []
        for length, by_model in cells.items():
            label = self.label(model, repeated=bool(rows))
            rows.append((label, Cell(length or STRINGS["notes"]["all_lengths"]), *by_model[model]))
        return tuple(rows)

    def label(self, model: str, repeated: bool = False) -> Cell:
        """Returns a model's name, with the dagger where any of its samples was truncated."""
        marks: tuple[Mark, ...] = ("dagger",) if model in self.truncated else ()
        return Cell(self.roster.label(model), marks=marks, repeated=repeated)

    def ranking_notes(self) -> list[Note]:
        """Returns the notes on the ranges of ranks by overall ARS."""
        rows = rows_of(self.frames["comparisons"], task=OVERALL, length="")
        return self.rank_notes(STRINGS["ranked"], rows)

    def baseline_notes(self) -> list[Note]:
        """Returns the explanation of above baseline, where there is a baseline."""
        return [(None, STRINGS["notes"]["above_baseline"])] if self.has_baseline else []

    def sampling_notes(self) -> list[Note]:
        """Returns the sampling units; of nested contexts also how many pairs differ."""
        notes = super().sampling_notes()
        if "nested" not in self.frames:
            return notes
        notes.append(("sampling", STRINGS["notes"]["nested"]))
        rows = self.frames["nested"].set_index("unit")
        if pairs := int(rows["pairs"].max()):
            slots = {unit: f"{count:,}" for unit, count in rows["told_apart"].items()}
            told_apart = STRINGS["notes"]["nested_pairs"].format(pairs=f"{pairs:,}", **slots)
            notes.append(("sampling", told_apart))
        return notes

    def groups(self) -> list[Group]:
        """Returns the roster's groups, by falling overall ARS."""
        return self.roster.groups(self.ars[OVERALL, ""])

    @cached_property
    def notes(self) -> list[Note]:
        """Explanations of the marks that occur."""
        notes: list[Note] = [("dagger", STRINGS["notes"]["dagger"])] if self.truncated else []
        notes += self.incomplete_model_notes(self._overall)
        if "recs" in self.frames:
            rows = self.frames["recs"]
            unread = ", ".join(dict.fromkeys(rows.loc[rows["reviewed"] == 0, "task"]))
            if unread:
                notes.append(("data", STRINGS["notes"]["unreviewed"].format(tasks=unread)))
        return [*notes, *self.shared_notes(judged=False)]


def columns_of(
    headings: Iterable[str], group: str = "", align: Literal["l", "c", "r"] = "c"
) -> list[Column]:
    """Returns columns that differ in their heading alone."""
    return [Column(heading, group, align) for heading in headings]


def by_scenario(order: Sequence[str]) -> list[str]:
    """Returns all tasks, in an order of their scenarios."""
    return sorted(SCORED_TASKS, key=lambda task: order.index(SCORED_TASKS[task].scenario))


def _by_model(rows: pd.DataFrame, keys: list[str]) -> ValuesByModel:
    values = {key: values_by_model(part) for key, part in rows.groupby(keys)}
    return defaultdict(dict, values)
