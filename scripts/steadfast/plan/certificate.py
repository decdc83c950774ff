"""The certificate of a plan: how many contexts tell models apart, by the difference between them.

Variances come from the scores that the results folder holds, where there are enough; else from the
benchmark's released scores.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, log2
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steadfast.base.files import Record, Settings
from steadfast.base.markdown import markdown_table
from steadfast.contract.components import Sample, component
from steadfast.contract.records import OVERALL
from steadfast.show.results import unseen
from steadfast.stats.certificate import (
    Compared,
    TaskGroup,
    clusters_needed,
    pilot_rows,
    smallest,
    strata_of,
)
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.power import POWER, standard_error
from steadfast.stats.scores import read_scores
from steadfast.stats.variance_components import Components, components_of, differences

COLUMNS = ("part", "difference", "clusters", "clusters_all", "factor", "unseen")
LEAST = 3
"""Degrees of freedom that the contexts of each group must have in the run."""


class AskedOfTask(NamedTuple):
    """What is asked of a task in a part: clusters, and prompts of each."""

    clusters: int
    samples: float


@dataclass(frozen=True)
class Comparison:
    """One overall difference between models: of all lengths, or of one part.

    Attributes:
        how: the benchmark compares models.
        steps: the lengths in doublings; of other parts one, 0.
        part: its name; empty for all lengths.
        tasks: what is asked of each in a part.
        variances: components of each pair of models whose variances are known, by group of tasks.
        source: what they are of, for people.
    """

    how: Compared
    steps: Sequence[float]
    part: str
    tasks: Mapping[str, AskedOfTask]
    variances: Sequence[Mapping[str, Components]]
    source: str

    @property
    def now(self) -> int:
        """Clusters as configured: at each length, or in all."""
        counts = [asked.clusters for asked in self.tasks.values()]
        return min(counts) if self.how.lengths else sum(counts)

    def groups(self, components: Mapping[str, Components]) -> list[TaskGroup]:
        """Returns the groups of tasks of this run, by the components of one pair."""
        weights = {task: (self.how.weights or {OVERALL: 1.0})[task] for task in self.tasks}
        found = []
        for name in dict.fromkeys(map(self.how.group, self.tasks)):
            of = components[name]
            asked = [self.tasks.get(task, AskedOfTask(0, 1.0)) for task in of.tasks]
            weight = [weights.get(task, 0.0) / sum(weights.values()) for task in of.tasks]
            size = np.array([one.samples for one in asked])
            share = None if self.how.lengths else sum(one.clusters for one in asked) / self.now
            found.append(TaskGroup(of, np.array(weight), size, tuple(self.steps), share))
        return found

    @property
    def widest(self) -> list[TaskGroup]:
        """The groups of the pair whose difference varies most, and so needs most."""
        pairs = [self.groups(components) for components in self.variances]
        return max(pairs, key=lambda groups: standard_error(strata_of(groups, self.now)))

    def needs(self, difference: float, pairs: int) -> Record:
        """The clusters that tell such a difference apart: a row of ``COLUMNS``."""
        alone, every = (clusters_needed(self.widest, difference, of) for of in (1, pairs))
        drawn = every and sum(stratum.clusters for stratum in strata_of(self.widest, every))
        return {
            "part": self.part,
            "difference": difference,
            "clusters": alone,
            "clusters_all": every,
            "factor": every and every / self.now,
            "unseen": drawn and unseen(drawn),
        }


def comparisons(
    compared: Sequence[Any],
    tokens: Mapping[str, int],
    samples: Mapping[str, Sequence[Sample]],
    scores: Mapping[tuple[str, str], Path],
) -> list[Comparison]:
    """Returns the overall difference of all lengths, or that of each part.

    Args:
        compared: the component that says how the benchmark compares models.
        tokens: of a context, by part.
        samples: of each part, one draw.
        scores: files by model and part, as far as they are there.
    """
    how: Compared = component(compared).make()
    steps = {part: log2(number) for part, number in tokens.items()} if how.lengths else None
    there = {cell: path for cell, path in scores.items() if path.exists()}
    rows = pilot_rows(read_scores(there), how)
    found = []
    for parts in [list(samples)] if how.lengths else [[part] for part in samples]:
        own = rows[rows["part"].isin(parts)]
        tasks = _asked(samples[parts[0]], how)
        pairs = (components_of(pair, steps) for _, _, pair in differences(own))
        variances: list[Mapping[str, Components]] = [of for of in pairs if _enough(of, tasks)]
        source = f"the run in the results folder (pairs of its models: {len(variances)})"
        if not variances and how.released:
            variances, source = [how.released], how.source
        part, doublings = ("", list(steps.values())) if steps else (parts[0], [0.0])
        found.append(Comparison(how, doublings, part, tasks, variances, source))
    return found


def _asked(samples: Sequence[Sample], how: Compared) -> dict[str, AskedOfTask]:
    contexts: dict[str, list[str]] = defaultdict(list)
    for prompt in (sample.prompt for sample in samples if how.apart not in sample.prompt):
        if how.counts(prompt["task"]):
            contexts[how.task(prompt["task"])].append(prompt["context_id"])
    return {
        task: AskedOfTask(len(set(of)), len(of) / len(set(of))) for task, of in contexts.items()
    }


def _enough(components: Mapping[str, Components], tasks: Mapping[str, AskedOfTask]) -> bool:
    known = {task for of in components.values() for task in of.tasks if of.freedom >= LEAST}
    return known >= tasks.keys()


def certificate(
    settings: Settings,
    samples: Mapping[str, Sequence[Sample]],
    scores: Mapping[tuple[str, str], Path],
) -> tuple[list[Record], list[str]]:
    """Returns a benchmark's certificate as rows of ``COLUMNS``, and as lines of its page.

    ``settings`` are the wanted differences, the models, and what ``comparisons`` takes.
    """
    pairs = max(1, comb(len(settings["models"]), 2))
    rows: list[Record] = []
    lines: list[str] = []
    for of in comparisons(settings["compared"], settings["tokens"], samples, scores):
        own = [of.needs(size, pairs) for size in settings["differences"] if of.variances]
        rows += own
        lines += _page(of, own, pairs)
    return rows, lines


def _page(of: Comparison, rows: Sequence[Record], pairs: int) -> Iterator[str]:
    unit = of.how.unit
    yield from ("", f"## Certificate{f' ({of.part})' if of.part else ''}", "")
    if not rows:
        yield (
            "None yet: no variances are known. Run two models or more with four "
            f"{unit} or more of each task, and plan again."
        )
        return
    head = ["difference", f"{unit}, one pair", f"{unit}, all {pairs} pairs", "times as configured"]
    head.append("failures that may go unseen")
    cells = [
        [
            f"{row['difference']:g}",
            *map(_count, (row["clusters"], row["clusters_all"])),
            f"{row['factor']:.1f}" if row["factor"] else "",
            f"rarer than {row['unseen']:.1%}" if row["unseen"] else "",
        ]
        for row in rows
    ]
    yield from (
        f"{unit.capitalize()} that tell two models apart in {POWER:.0%} of runs, by the paired "
        f"test at {SIGNIFICANT:.0%}: where one pair is compared, and for each of all pairs of the "
        "config (Bonferroni). Failures of whole contexts that are rarer than is said may strike "
        "none of so many, and are in no promise.",
        "",
        markdown_table(head, cells, padded=False),
        "",
        f"Configured: {of.now:,}. The smallest difference that they tell apart: "
        f"{_difference(smallest(of.widest, of.now))} of one pair, "
        f"{_difference(smallest(of.widest, of.now, pairs))} of each of all pairs.",
        f"Variances are those of {of.source}, of the pair that needs most; "
        f"{unit.split()[0]} are taken to be skewed against the better model (docs/metrics.md).",
    )


def _count(count: int | None) -> str:
    return "over a million" if count is None else f"{count:,}"


def _difference(value: float) -> str:
    return f"{value:.3f}" if value <= 1 else "none"
