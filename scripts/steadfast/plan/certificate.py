"""The certificate of a plan: what a run needs to tell a wanted difference apart, and what it costs.

Variances come from a pilot run, which is whatever scores the results folder holds, where there are
enough; else from the benchmark's released scores.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, comb, log2
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steadfast.base.files import Record, Settings
from steadfast.contract.components import Sample, component
from steadfast.contract.records import OVERALL
from steadfast.engines.cost.forecast import COSTS
from steadfast.stats.certificate import Compared, TaskGroup, Wanted, pilot_rows
from steadfast.stats.scores import read_scores
from steadfast.stats.variance_components import (
    Components,
    components_of,
    differences,
    mean_components,
)

COLUMNS = (
    "part", "model", "other", "task", "clusters_now", "smallest_now", "smallest_now_all",
    "clusters", "clusters_all",
)  # fmt: skip
LEAST = 3
"""Degrees of freedom that the contexts of each group must have in a pilot run."""
SHOWN = 10
Pair = tuple[str, str]
TYPICAL: Pair = ("", "")


class AskedOfTask(NamedTuple):
    """What is asked of a task in a part."""

    clusters: int
    expressions: int
    variables: int
    samples: float


@dataclass(frozen=True)
class PilotCertificate:
    """What a wanted difference needs: how models are compared, the parts, a pilot's scores."""

    compared: Sequence[Any]
    difference: float
    power: float
    models: Sequence[str]
    tokens: Mapping[str, int]
    scores: Mapping[tuple[str, str], Path]

    @cached_property
    def how(self) -> Compared:
        """How the benchmark compares models."""
        made: Compared = component(self.compared).make()
        return made

    @cached_property
    def steps(self) -> dict[str, float] | None:
        """Each length in doublings; None where parts are no lengths, and may have no text."""
        return {part: log2(n) for part, n in self.tokens.items()} if self.how.lengths else None

    @property
    def pairs(self) -> int:
        """Pairs of models that are compared."""
        return max(1, comb(len(self.models), 2))

    def of(self, samples: Mapping[str, Sequence[Sample]]) -> list["PartCertificate"]:
        """Returns the certificate of all lengths, or of each part, by one draw of each sample."""
        there = {cell: path for cell, path in self.scores.items() if path.exists()}
        rows = pilot_rows(read_scores(there), self.how)
        units = [list(samples)] if self.how.lengths else [[part] for part in samples]
        return [
            PartCertificate(
                self,
                {part: _asked(samples[part], self.how) for part in parts},
                {
                    (first, second): components_of(pair, self.steps)
                    for first, second, pair in differences(rows[rows["part"].isin(parts)])
                },
            )
            for parts in units
        ]


def _asked(samples: Sequence[Sample], how: Compared) -> dict[str, AskedOfTask]:
    prompts: dict[str, list[Settings]] = defaultdict(list)
    for prompt in (sample.prompt for sample in samples if how.apart not in sample.prompt):
        if how.counts(prompt["task"]):
            prompts[how.task(prompt["task"])].append(prompt)

    def levels(of: list[Settings], name: str) -> int:
        return len({prompt.get(name) for prompt in of})

    return {
        task: AskedOfTask(
            clusters := levels(of, "context_id"),
            levels(of, "expression_id"),
            levels(of, "variable_id"),
            len(of) / clusters,
        )
        for task, of in prompts.items()
    }


@dataclass(frozen=True)
class PartCertificate:
    """One overall difference: what is asked, and the variances of each pair in a pilot."""

    whole: PilotCertificate
    asked: Mapping[str, Mapping[str, AskedOfTask]]
    pilots: Mapping[Pair, Mapping[str, Components]]

    @property
    def tasks(self) -> dict[str, AskedOfTask]:
        """What is asked of each task, in the first part."""
        return dict(next(iter(self.asked.values())))

    @property
    def part(self) -> str:
        """The part's name; empty for all lengths."""
        return "" if self.whole.how.lengths else next(iter(self.asked))

    @property
    def now(self) -> int:
        """Clusters as configured: at each length, or in all."""
        counts = [asked.clusters for asked in self.tasks.values()]
        return min(counts) if self.whole.how.lengths else sum(counts)

    @cached_property
    def known(self) -> dict[Pair, Mapping[str, Components]]:
        """Components of each pair; without a pilot of the released scores' typical one, or none."""
        enough = {pair: of for pair, of in self.pilots.items() if self._enough(of)}
        if enough or not self.whole.how.released:
            return enough
        return {TYPICAL: self.whole.how.released}

    def _enough(self, of: Mapping[str, Components]) -> bool:
        tasks = {task for one in of.values() for task in one.tasks if one.freedom >= LEAST}
        return tasks >= set(self.tasks)

    @property
    def source(self) -> str:
        """What the variances are of."""
        if list(self.known) == [TYPICAL]:
            return self.whole.how.source
        return f"the pilot run in the results folder (pairs of its models: {len(self.known)})"

    def groups(
        self, components: Mapping[str, Components], samples: Mapping[str, float] | None = None
    ) -> list[TaskGroup]:
        """Returns the groups of tasks of this run, by the components of one pair."""
        how, tasks = self.whole.how, self.tasks
        weights = {task: (how.weights or {OVERALL: 1.0})[task] for task in tasks}
        sizes = samples or {task: asked.samples for task, asked in tasks.items()}
        doublings = self.whole.steps
        steps = tuple(doublings[part] for part in self.asked) if doublings else (0.0,)
        found = []
        for name in dict.fromkeys(map(how.group, tasks)):
            of = components[name]
            weight = [weights.get(task, 0.0) / sum(weights.values()) for task in of.tasks]
            share = None
            if not how.lengths:
                share = sum(tasks[task].clusters for task in of.tasks if task in tasks) / self.now
            size = np.array([sizes.get(task, 1.0) for task in of.tasks])
            found.append(TaskGroup(of, np.array(weight), size, steps, share))
        return found

    @cached_property
    def rows(self) -> list[Record]:
        """What each pair needs overall, and the mean of them by task: columns of ``COLUMNS``."""
        found = []
        for (model, other), components in self.known.items():
            names = {"part": self.part, "model": model, "other": other, "task": OVERALL}
            found.append({**names, **self._needs(self.groups(components), self.now)})
        pairs = list(self.known.values())
        if len(self.tasks) > 1 and pairs:
            typical = {
                group: mean_components([pair[group] for pair in pairs]) for group in pairs[0]
            }
            for task, asked in self.tasks.items():
                groups = [
                    g.of_task(task) for g in self.groups(typical) if task in g.components.tasks
                ]
                names = {"part": self.part, "model": "", "other": "", "task": task}
                found.append({**names, **self._needs(groups, asked.clusters)})
        return found

    def _needs(self, groups: Sequence[TaskGroup], now: int) -> Record:
        one = Wanted(self.whole.difference, self.whole.power)
        every = replace(one, pairs=self.whole.pairs)
        return {
            "clusters_now": now,
            "smallest_now": one.smallest(groups, now),
            "smallest_now_all": every.smallest(groups, now),
            "clusters": one.clusters(groups),
            "clusters_all": every.clusters(groups),
        }

    def designs(self) -> Iterator[tuple[str, float, int | None]]:
        """Yields what fewer expressions and variables would need: prompts and clusters."""
        wanted = Wanted(self.whole.difference, self.whole.power, self.whole.pairs)
        shares = {"all": 1.0, "half the": 0.5, "one of the": 0.0}
        for expressions, e in shares.items():
            for variables, v in shares.items():
                sizes = {
                    task: float(max(1, ceil(of.expressions * e)) * max(1, ceil(of.variables * v)))
                    for task, of in self.tasks.items()
                }
                needs = [wanted.clusters(self.groups(of, sizes)) for of in self.known.values()]
                most = None if None in needs else max(n for n in needs if n is not None)
                yield f"{expressions} expressions, {variables} variables", sum(sizes.values()), most


def costs(rows: Sequence[Settings], part: str, factor: float) -> Iterator[Record]:
    """Yields what so many times the clusters take of each model, in one part or (empty) all."""
    own = [row for row in rows if part in ("", row["part"])]
    for model, judges in dict.fromkeys((row["model"], row["judges"]) for row in own):
        of = [row for row in own if (row["model"], row["judges"]) == (model, judges)]
        names = ("requests", "prompt_tokens", "distinct_tokens", "output_budget")
        sums = {
            name: total(of, name)
            for name in (*names, *(f"whole_{one}" for one in ("gpu_hours", *COSTS)))
        }
        grown = {name: None if value is None else value * factor for name, value in sums.items()}
        yield {
            "model": f"{model} (judges)" if judges else model,
            **{name: round(grown[name] or 0) for name in names},
            **{name: grown[f"whole_{name}"] for name in ("gpu_hours", *COSTS)},
            "currency": of[0]["currency"],
        }


def total(rows: Sequence[Settings], column: str) -> Any:
    """A column's sum over the rows that have a value; None where none has."""
    values = [row[column] for row in rows if row[column] is not None]
    return sum(values) if values else None
