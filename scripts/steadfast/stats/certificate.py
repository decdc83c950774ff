"""How many contexts tell a wanted difference apart: what ``plan`` certifies beforehand.

Expressions and variables are the benchmark's own, alike in every context: what they add is part of
the difference that is asked about. More of them take chance out of a context; more contexts take
out both. What is promised holds for contexts that are skewed against the better model, too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from steadfast.contract.components import Scored
from steadfast.contract.records import OVERALL
from steadfast.stats.power import Stratum, smallest_of_run, standard_error
from steadfast.stats.scores import prompts_of
from steadfast.stats.step_down import FEWEST
from steadfast.stats.variance_components import CELL, Components

MOST = 10**6
"""Contexts beyond which no number is given."""


@dataclass(frozen=True)
class Compared:
    """How a benchmark compares models, as far as its score records do not say it.

    Attributes:
        unit: what is drawn, in the plural, such as contexts.
        weights: of each task in the overall difference, others are in none; None: samples count
            alike, whatever their task.
        groups: of each task the group of tasks with which it shares contexts; of others, each task
            is a group.
        lengths: whether parts are lengths of contexts, of which there is one overall difference;
            otherwise each part has its own.
        rubric: by which totals were given, where there are several.
        released: components of the benchmark's released scores, by group, where it has some.
        source: what they are of, for people.
        spread: standard deviation of those models' overall scores.
        apart: field of prompts and scores that marks those that are in no comparison.
    """

    unit: str
    weights: Mapping[str, float] | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    lengths: bool = False
    rubric: str | None = None
    released: Mapping[str, Components] = field(default_factory=dict)
    source: str = ""
    spread: float | None = None
    apart: str = ""

    def counts(self, name: str) -> bool:
        """Whether a task, by its name, is in the overall difference."""
        return self.weights is None or name in self.weights

    def task(self, name: str) -> str:
        """A task by its name, or what stands for all of them where they count alike."""
        return name if self.weights else OVERALL

    def group(self, name: str) -> str:
        """The group of a task."""
        return self.groups.get(name, self.task(name))


@dataclass(frozen=True)
class TaskGroup:
    """A group of tasks in a run.

    Attributes:
        components: of the paired differences.
        weights: of its tasks in the difference.
        samples: of its tasks in a context: expressions × variables.
        steps: the lengths that it is asked at, in doublings; one where parts have no order.
        share: of all clusters, where groups differ in how many they have; None: as many each.
    """

    components: Components
    weights: np.ndarray
    samples: np.ndarray
    steps: tuple[float, ...] = (0.0,)
    share: float | None = None

    def strata(self, clusters: int) -> list[Stratum]:
        """Returns what clusters are drawn within: the lengths, or all together where each has one.

        ``clusters`` are those at each length, or of all groups where these have shares.
        """
        variance = self.components.variance(self.weights, self.samples)
        lengths = len(self.steps)
        if self.share is not None:
            return [Stratum(1.0, variance, int(clusters * self.share + 1e-9))]
        if clusters == 1 and lengths > 1:
            trend = self.components.slope(self.weights) * float(np.var(self.steps, ddof=1))
            return [Stratum(1.0, variance + trend, lengths)]
        return [Stratum(1 / lengths, variance, clusters)] * lengths


def strata_of(groups: Sequence[TaskGroup], clusters: int) -> list[Stratum]:
    """Returns those of a run with so many clusters, see ``TaskGroup.strata``."""
    return [stratum for group in groups for stratum in group.strata(clusters)]


def smallest(groups: Sequence[TaskGroup], clusters: int, pairs: int = 1) -> float:
    """Returns the smallest difference told apart with power ``POWER``; nan by too few clusters.

    ``pairs`` of models are compared (``power.smallest_of_run``).
    """
    strata = strata_of(groups, clusters)
    if sum(stratum.clusters for stratum in strata) < FEWEST:
        return float("nan")
    return smallest_of_run(strata, pairs, skewed=True) if standard_error(strata) else 0.0


def clusters_needed(groups: Sequence[TaskGroup], difference: float, pairs: int = 1) -> int | None:
    """Returns the fewest clusters that tell a difference apart; None beyond ``MOST``."""
    most = 1
    while not smallest(groups, most, pairs) <= difference:
        most *= 2
        if most > MOST:
            return None
    least = most // 2
    while most - least > 1:
        middle = (most + least) // 2
        enough = smallest(groups, middle, pairs) <= difference
        least, most = (least, middle) if enough else (middle, most)
    return most


def pilot_rows(scores: Iterable[Scored], compared: Compared) -> pd.DataFrame:
    """Returns scores of several models as ``variance_components.differences`` takes them."""
    rows = [
        (
            compared.group(record["task"]),
            part,
            f"{prompts_of(record)}/{part}/{record['context_id']}",
            compared.task(record["task"]),
            record.get("expression_id", 0),
            record.get("variable_id", 0),
            record["sample_id"],
            model,
            record["total"],
        )
        for model, part, record in scores
        if (compared.rubric is None or record.get("rubric") == compared.rubric)
        and compared.counts(record["task"])
        and compared.apart not in record
    ]
    frame = pd.DataFrame(rows, columns=[*CELL, "sample_id", "model", "total"])
    return frame.astype({"total": float})
