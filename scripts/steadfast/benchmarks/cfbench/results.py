"""What CFBench's tables and figures show, looked up in its metrics."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench.facts import FULL, Mode
from steadfast.contract.components import Frames
from steadfast.show.one_score import ModelsAcross
from steadfast.show.results import Note, values_by_model
from steadfast.show.roster import Display
from steadfast.stats.tidy import rows_of


class CfbenchResults(ModelsAcross):
    """CFBench's metrics, and how they are shown."""

    prefix = "cfbench_"

    def __init__(
        self, frames: Frames, display: Display, mode: Mode = "strict", otherwise: str = ""
    ):
        words = facts("cfbench/tables.yaml")
        super().__init__(frames, display, words, {"mode": words["modes"][mode]}, otherwise)
        self.mode = mode
        self.coverage = frames["coverage"].set_index(["split", "model"])

    def values(self, split: str, measure: str) -> dict[str, float]:
        """Value of each model that has one."""
        return values_by_model(rows_of(self.frames["results"], split=split, measure=measure))

    def pairs(self, split: str, measure: str) -> pd.DataFrame:
        """Returns the comparisons of every two models."""
        return rows_of(self.frames["comparisons"], split=split, measure=measure)

    @cached_property
    def ranking(self) -> Mapping[str, float]:
        """The PSR on all records."""
        return self.values(FULL, "PSR")

    def incomplete(self, split: str = FULL) -> set[str]:
        """Returns the models of which fewer records have a score than are expected."""
        counts = self.coverage.loc[split]
        return set(counts.index[counts["scored"] < counts["expected"]])

    def notes(self, models: Sequence[str]) -> list[Note]:
        """Explanations of the marks that occur among some models, and of what all tables need."""
        incomplete = self.incomplete_model_notes(self.coverage.loc[FULL].loc[list(models)])
        return [*incomplete, *self.shared_notes(judged=True)]
