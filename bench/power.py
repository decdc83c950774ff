"""How often runs tell a difference apart that a certificate says they do: promised and simulated.

Each run's scores are drawn from the variances of LIFBench's released scores, and compared by the
project's own functions. Effects of contexts are normal, or skewed (exponential): a few contexts are
much harder for each model by itself, or the whole difference is skewed against the better model.
With several models the two that are compared are the first and the last, with the wanted difference
between them, and the others evenly in between.

Run: ``PYTHONPATH=scripts python bench/power.py``
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb, log2

import numpy as np
import pandas as pd

from steadfast.benchmarks.lifbench.analyses import compared
from steadfast.benchmarks.lifbench.measures import bootstrap
from steadfast.contract.records import OVERALL
from steadfast.stats.certificate import Compared, TaskGroup, clusters_needed, smallest
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.pairs import compare_models
from steadfast.stats.variance_components import Components

RUNS = 500  # ±.04 is chance
LENGTHS = {"4k": 3072, "8k": 6144, "16k": 13312, "32k": 28672, "64k": 61440, "128k": 122880}
HOW = {rubric: compared("rubric", rubric) for rubric in ("released", "corrected")}
NORMAL, SKEWED, AGAINST = "normal", "skewed", "against the better"


@dataclass(frozen=True)
class Case:
    """Runs of one kind.

    Attributes:
        difference: between the first and the last model; None: the smallest that is promised.
        contexts: at each length; None: those that the certificate asks for.
        models: how many.
        task: that is compared; by default all, overall.
        lengths: names of some.
        expressions: of each task; as many variables.
        effects: of contexts.
        rubric: whose variances they are.
    """

    difference: float | None
    contexts: int | None = None
    models: int = 2
    task: str = OVERALL
    lengths: tuple[str, ...] = tuple(LENGTHS)
    expressions: int = 2
    effects: str = NORMAL
    rubric: str = "released"

    @property
    def how(self) -> Compared:
        """How models are compared."""
        return HOW[self.rubric]

    @property
    def groups(self) -> list[TaskGroup]:
        """The groups of tasks, as a plan has them."""
        of_tasks = self.how.weights or {}
        weights = {task: weight / sum(of_tasks.values()) for task, weight in of_tasks.items()}
        steps = tuple(log2(LENGTHS[length]) for length in self.lengths)
        found = [
            TaskGroup(
                of,
                np.array([weights[task] for task in of.tasks]),
                np.full(len(of.tasks), float(self.expressions**2)),
                steps,
            )
            for of in self.how.released.values()
        ]
        if self.task == OVERALL:
            return found
        return [
            replace(group, weights=np.array(group.components.tasks) == self.task)
            for group in found
            if self.task in group.components.tasks
        ]

    def run(self, difference: float, contexts: int, rng: np.random.Generator) -> pd.DataFrame:
        """The scores of one run, a row an answer."""
        levels = np.linspace(difference / 2, -difference / 2, self.models)
        parts = [
            frame
            for scenario, of in self.how.released.items()
            if self.task in (OVERALL, *of.tasks)
            for frame in self._scenario(scenario, of, levels, contexts, rng)
        ]
        frame = pd.concat(parts, ignore_index=True)
        names = ["model", "length"]
        return frame.astype(dict.fromkeys(names, "category"))

    def _scenario(
        self,
        scenario: str,
        of: Components,
        levels: np.ndarray,
        contexts: int,
        rng: np.random.Generator,
    ) -> Iterator[pd.DataFrame]:
        many, tasks = len(self.lengths), len(of.tasks)
        steps = np.log2([LENGTHS[length] for length in self.lengths])
        steps -= steps.mean()

        def drawn(covariance: np.ndarray, best: bool, *size: int) -> np.ndarray:
            """Half of the covariance of a difference for each model, or all of it for the best."""
            share = float(best) if self.effects == AGAINST else 0.5
            values, vectors = np.linalg.eigh(covariance * share)
            if self.effects == NORMAL:
                raw = rng.normal(0, 1, (*size, tasks))
            else:
                raw = 1 - rng.exponential(1, (*size, tasks))
            # The symmetric root, so that the tasks of a context are skewed the same way.
            return raw @ (vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T)

        for number, level in enumerate(levels):
            context = drawn(of.context, number == 0, many, contexts)
            slope = drawn(of.trend, number == 0)
            for place, task in enumerate(of.tasks):
                shape = (many, contexts, self.expressions, self.expressions)
                means = level + steps[:, None] * slope[place] + context[:, :, place]
                chance = rng.normal(0, np.sqrt(of.residual[place] / 2), shape)
                total = means[:, :, None, None] + chance
                index = np.indices(shape).reshape(4, -1)
                length = np.array(self.lengths)[index[0]]
                cluster = [f"{scenario}-{a}/{b}" for a, b in zip(length, index[1], strict=True)]
                yield pd.DataFrame(
                    {
                        "model": f"m{number}",
                        "length": length,
                        "task": task,
                        "stratum": scenario,
                        "cluster": cluster,
                        "sample_id": [f"{task}/{i}" for i in range(index.shape[1])],
                        "total": total.ravel(),
                    }
                )

    def measure(self, runs: int = RUNS, seed: int = 1) -> tuple[float, int, float]:
        """Difference, contexts a length, and the share of runs in which it is told apart."""
        pairs = comb(self.models, 2)
        contexts, difference = self.contexts, self.difference
        if contexts is None:
            contexts = clusters_needed(self.groups, difference or 1.0, pairs) or 1
        if difference is None:
            difference = smallest(self.groups, contexts, pairs)
        rng = np.random.default_rng(seed)
        told = 0
        for _ in range(runs):
            frame = self.run(difference, contexts, rng)
            rows = compare_models(frame, self.how.weights or {}, bootstrap(frame, []))
            own = rows[rows["task"] == self.task]
            ends = own[(own["model"] == "m0") & (own["other"] == f"m{self.models - 1}")]
            told += bool(((ends["p_adjusted"] < SIGNIFICANT) & (ends["difference"] > 0)).all())
        return difference, contexts, told / runs


CASES = (
    Case(0.03),
    Case(0.05),
    Case(0.05, expressions=5),
    Case(None, contexts=2),
    Case(None, contexts=1),
    Case(0.05, lengths=("4k", "8k", "16k")),
    Case(0.05, models=4),
    Case(0.1, task="MB"),
    Case(0.1, task="LSI"),
    Case(0.03, effects=SKEWED),
    Case(0.1, task="MB", effects=SKEWED),
    Case(0.03, effects=AGAINST),
    Case(0.05, effects=AGAINST),
    Case(0.1, task="MB", effects=AGAINST),
    Case(0.1, task="LSI", effects=AGAINST),
    Case(0.1, task="OQ", rubric="corrected"),
    Case(0.1, task="OQ", rubric="corrected", effects=AGAINST),
)


HEAD = ("difference", "of", "models", "lengths", "samples", "contexts a length", "effects",
        "simulated")  # fmt: skip


def main() -> None:
    """Prints a table, a row a case; .80 is promised of each."""
    print("|".join(["", *HEAD, ""]))
    print("|" + "---|" * len(HEAD))
    for case in CASES:
        difference, contexts, simulated = case.measure()
        counts = (case.models, len(case.lengths), case.expressions**2, contexts)
        of = case.task if case.rubric == "released" else f"{case.task}, {case.rubric} rubric"
        cells = (f"{difference:.3g}", of, *counts, case.effects, f"{simulated:.3f}")
        print("|".join(["", *map(str, cells), ""]), flush=True)


if __name__ == "__main__":
    main()
