"""What the tables show, looked up from the metrics files."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from steadfast.lifbench.metrics import Weighting
from steadfast.lifbench.tasks import RESOURCES, TASKS
from steadfast.metrics.tidy import OVERALL, read_csv
from steadfast.tables.roster import Group, Roster
from steadfast.tables.table import Cell, Mark

LAYOUT: dict[str, Any] = yaml.safe_load((RESOURCES / "tables.yaml").read_text(encoding="utf-8"))
COUNTS = ("expected", "scored", "truncated")

Columns = Mapping[tuple[str, ...], Mapping[str, float]]
"""Values by model, under the other keys of a metrics file."""


class Results:
    """Metrics of the models, and how they are shown.

    Args:
        metrics: the files of ``lifbench.metrics`` by name.
        samples: for each length, shortest first, a file with a record a sample.
        display: digits, labels and groups by model, group_order, engines by model.
        weighting: how the overall ARS was computed, for the captions.
        rubric: by which the scores were given, for the captions.
        models: those that are shown; by default all that have results.

    Raises:
        UserError: a file is missing or damaged.
    """

    def __init__(
        self,
        metrics: Mapping[str, Path],
        samples: Mapping[str, Path],
        display: Mapping[str, Any],
        weighting: Weighting = "rubric",
        rubric: str = "released",
        models: Collection[str] | None = None,
    ):
        self._metrics = metrics
        self._models = models
        self.samples = samples
        self.lengths = list(samples)
        self.digits: int = display.get("digits", 3)
        self.rubric = rubric
        self._words = {
            "rubric": LAYOUT["rubrics"][rubric],
            "weighting": LAYOUT["weighting"][weighting],
            "lengths": ", ".join(self.lengths),
        }
        coverage = self.read("coverage").set_index(["model", "task", "length"])
        self._counts = coverage[list(COUNTS)].to_dict("index")
        found = set(coverage.index.get_level_values("task"))
        self.tasks = [
            task
            for scenario in LAYOUT["score_order"]
            for task in TASKS
            if TASKS[task].scenario == scenario and task in found
        ]
        self.roster = Roster(set(coverage.index.get_level_values("model")), display)

    def read(self, name: str) -> pd.DataFrame:
        """A metrics file, its rows of the models that are shown."""
        rows = read_csv(self._metrics[name])
        if self._models is None:
            return rows
        # A row may stand for no model, such as a correlation.
        return rows[rows["model"].isin({*self._models, ""})]

    @cached_property
    def ars(self) -> Columns:
        """Automated rubric-based scores by task (or overall) and length (or "")."""
        return columns(self.read("ars"), ["task", "length"])

    @cached_property
    def ifp(self) -> Columns:
        """Instruction following performance by capability and length (or "")."""
        return columns(self.read("ifp"), ["capability", "length"])

    @cached_property
    def ifs(self) -> Columns:
        """Instruction following stability over the tasks by perspective and length (or "")."""
        rows = self.read("ifs")
        return columns(rows[rows["task"] == OVERALL], ["perspective", "length"])

    def caption(self, name: str) -> str:
        """A table's caption, with the rubric, the weighting and the lengths filled in."""
        return LAYOUT["captions"][name].format(**self._words)

    def counts(self, model: str, task: str, length: str) -> dict[str, int]:
        """Expected, scored and truncated samples."""
        return self._counts.get((model, task, length), dict.fromkeys(COUNTS, 0))

    def marks(self, model: str, task: str, length: str) -> tuple[Mark, ...]:
        """The mark of a value that lacks some of its samples."""
        counts = self.counts(model, task, length)
        return ("incomplete",) if counts["scored"] < counts["expected"] else ()

    def label(self, model: str, repeated: bool = False) -> Cell:
        """A model's name, with the dagger where any of its samples was truncated."""
        truncated = self.counts(model, OVERALL, "")["truncated"] > 0
        return Cell(
            self.roster.label(model), marks=("dagger",) if truncated else (), repeated=repeated
        )

    def groups(self, value: Mapping[str, float] | None = None) -> list[Group]:
        """The roster's groups, by falling overall ARS if not told otherwise."""
        return self.roster.groups(self.ars[OVERALL, ""] if value is None else value)

    @cached_property
    def notes(self) -> tuple[tuple[Mark | None, str], ...]:
        """Explanations of the marks that occur."""
        texts, notes = LAYOUT["notes"], []
        totals = {model: self.counts(model, OVERALL, "") for model in self.roster.models}
        if any(counts["truncated"] for counts in totals.values()):
            notes.append(("dagger", texts["dagger"]))
        incomplete = [
            texts["incomplete_model"].format(
                model=self.roster.label(model),
                scored=f"{counts['scored']:,}",
                expected=f"{counts['expected']:,}",
            )
            for model, counts in totals.items()
            if counts["scored"] < counts["expected"]
        ]
        if incomplete:
            notes.append(("incomplete", texts["incomplete"].format(models="; ".join(incomplete))))
        if {self.roster.kind(model) for model in self.roster.contenders} == {"simulated"}:
            notes.append((None, texts["simulated"]))
        return tuple(notes)


def columns(rows: pd.DataFrame, keys: list[str]) -> Columns:
    """The values of tidy rows, by the keys and then by model."""
    found: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for key, model, value in zip(
        rows[keys].itertuples(index=False, name=None), rows["model"], rows["value"], strict=True
    ):
        found[key][model] = value
    return found
