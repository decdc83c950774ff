"""An adaptive run's decision after a round, and its metrics by that decision."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from steadfast.base.files import Record, Settings
from steadfast.contract.components import Frames
from steadfast.stats.adaptive import Course, Design, Differences
from steadfast.stats.tidy import TEXT, rows_of
from steadfast.stats.ties import COLUMNS as TIES
from steadfast.stats.ties import Ties, with_ties

NUMBERS = ("difference", "error", "degrees_of_freedom", "p")
# Columns of comparisons that are not valid at several looks.
TESTED = ("low", "high", "p", "p_adjusted", "p_model", "p_other", "error", "degrees_of_freedom")
# Columns that identify a row of metrics.
KEYS = frozenset(TEXT) - {*TIES, "sampled"}
# ``NUMBERS`` of each pair of models; None without a comparison.
Look = Sequence[Sequence[float] | None]


def with_expected_by_rounds(
    frames: Frames, rounds: Mapping[str, int], measured: Callable[[Collection[str]], Frames]
) -> Frames:
    """The metrics with the expected number of responses of each model by its rounds.

    ``measured`` returns the metrics of some models only.
    """
    numbers = sorted(set(rounds.values()))
    if len(numbers) == 1:
        return frames
    # Models with the same number of rounds are measured together, as if no others ran.
    by_rounds = []
    for number in numbers:
        by_rounds.append(measured([model for model in rounds if rounds[model] == number]))
    evaluated = dict(frames)
    for name, frame in frames.items():
        if {"model", "expected"} <= set(frame):
            keys = [column for column in frame if column in KEYS]
            expected = [separate[name][[*keys, "expected"]] for separate in by_rounds]
            rows = frame.drop(columns="expected").merge(pd.concat(expected), "left", keys)
            evaluated[name] = rows.fillna({"expected": 0}).astype({"expected": int})[frame.columns]
    return evaluated


class LookResult:
    """A look at the comparisons of an adaptive run, and the decision by it.

    Args:
        frames: the run's metrics, with comparisons and summary.
        previous_looks: the previous looks.
        design: the arguments of ``Design``.
        measure: the summary's measure whose comparisons decide.
        compared: keys and values that select its rows in the metric comparisons.
        models: the compared models.
        rounds: in which each model was evaluated, by model.
        decided_by: further settings that the decision depends on, to check that they stay.
    """

    def __init__(
        self,
        frames: Frames,
        previous_looks: Sequence[Look],
        design: Settings,
        measure: str,
        compared: Mapping[str, str],
        models: Sequence[str],
        rounds: Mapping[str, int],
        decided_by: Settings,
    ):
        self._frames = frames
        self._design = design
        self._measure = measure
        self._models = list(models)
        self._rounds = rounds
        self._decided_by = decided_by
        rows = rows_of(frames["comparisons"], **compared)
        self._rows = rows.drop_duplicates(["model", "other"])  # the first of several languages
        self._pairs = pd.MultiIndex.from_tuples(combinations(models, 2), names=["model", "other"])
        self.looks = [*previous_looks, self._look()]
        self._course = Course(len(models), Design(**design))
        # The course is not stored: it is computed again from all looks.
        for look in self.looks:
            numbers = [row or [np.nan] * len(NUMBERS) for row in look]
            self._course.look(Differences(*np.array(numbers, float).T))

    def _look(self) -> Look:
        rows = self._rows.set_index(["model", "other"])[list(NUMBERS)]
        turned = rows.assign(difference=-rows["difference"]).swaplevel()
        look: list[list[float] | None] = []
        for values in pd.concat([rows, turned]).reindex(self._pairs).to_numpy():
            # 12 digits, as in files of ``tidy.write_csv``; nothing compares the two where unknown.
            rounded = [float(f"{value:.12g}") for value in values]
            look.append(None if np.isnan(rounded).any() else rounded)
        return look

    @property
    def record(self) -> Record:
        """The models that go on, the reasons, and the looks so far, as plain values."""
        course = self._course
        labels = {1: "better than", -1: "worse than", 0: "open"}
        models: dict[str, Record] = {}
        for model in self._models:
            models[model] = {"rounds": self._rounds[model]}
            models[model] |= {label: [] for label in labels.values()}
        for (first, second), sign in zip(self._pairs, course.outcomes, strict=True):
            models[first][labels[int(sign)]].append(second)
            models[second][labels[-int(sign)]].append(first)
        return {
            "design": dict(self._design),
            "decided_by": dict(self._decided_by),
            "measure": self._measure,
            "models": models,
            "rounds": max(self._rounds.values()),
            "goes_on": np.array(self._models)[course.continuing].tolist(),
            "boundary": round(course.boundary, 4),
            "looks": self.looks,
        }

    @property
    def frames(self) -> Frames:
        """The metrics with tests and intervals that are valid at every look, and no others."""
        course = self._course
        low, high = course.intervals()
        # The three adjusted p-values are equal: one correction for all pairs and looks.
        adjusted = dict.fromkeys(("p_adjusted", "p_model", "p_other"), course.adjusted)
        numbers = {"low": low, "high": high, "p": course.p, **adjusted}
        tests = pd.DataFrame(numbers, self._pairs)
        turned = tests.assign(low=-tests["high"], high=-tests["low"]).swaplevel()
        compared = self._frames["comparisons"].copy()
        compared[list(TESTED)] = np.nan
        rows = pd.MultiIndex.from_frame(self._rows[["model", "other"]])
        tested = pd.concat([tests, turned]).reindex(rows)
        compared.loc[self._rows.index, list(tests)] = tested.to_numpy()
        ties = Ties.of(compared.loc[self._rows.index])
        summary = with_ties(self._frames["summary"], {self._measure: ties})
        summary = summary.assign(minimum_detectable_difference=np.nan)
        untested = {name: _untested(frame) for name, frame in self._frames.items()}
        return {**untested, "comparisons": compared, "summary": summary}


def _untested(frame: pd.DataFrame) -> pd.DataFrame:
    """Metrics in which no two models are tested."""
    if "other" not in frame:
        return frame
    is_single = frame["other"].fillna("") == ""
    tested = [name for name in frame if name in {*TESTED, "raw_low", "raw_high"}]
    return frame.assign(**frame[tested].where(is_single))
