"""How often runs tell a difference apart that a certificate says they do: promised and simulated.

Each run's scores are drawn from the variances of LIFBench's released scores, and compared by the
project's own functions. Effects of contexts are normal, or skewed (exponential: a few contexts are
much harder). With several models the two that are compared are the first and the last, with the
wanted difference between them, and the others evenly in between.

Run: ``PYTHONPATH=scripts python benchmarks/power.py``
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb, log2

import numpy as np
import pandas as pd

from steadfast.benchmarks.lifbench.analyses import compared
from steadfast.benchmarks.lifbench.measures import bootstrap
from steadfast.contract.records import OVERALL
from steadfast.stats.certificate import TaskGroup, Wanted
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.pairs import compare_models
from steadfast.stats.variance_components import Components

RUNS = 500
LENGTHS = {"4k": 3072, "8k": 6144, "16k": 13312, "32k": 28672, "64k": 61440, "128k": 122880}
HOW = compared("rubric", "released")


@dataclass(frozen=True)
class Case:
    """Runs of one kind.

    Attributes:
        difference: between the first and the last model.
        contexts: at each length; None: those that the certificate asks for.
        models: how many.
        task: that is compared; by default all, overall.
        lengths: names of some.
        expressions: of each task; as many variables.
        skewed: whether contexts' effects are.
    """

    difference: float
    contexts: int | None = None
    models: int = 2
    task: str = OVERALL
    lengths: tuple[str, ...] = tuple(LENGTHS)
    expressions: int = 2
    skewed: bool = False

    @property
    def wanted(self) -> Wanted:
        """What is to be told apart, over all pairs of models."""
        return Wanted(self.difference, 0.8, comb(self.models, 2))

    @property
    def groups(self) -> list[TaskGroup]:
        """The groups of tasks, as a plan has them."""
        weights = {task: weight / sum(HOW.weights.values()) for task, weight in HOW.weights.items()}
        steps = tuple(log2(LENGTHS[length]) for length in self.lengths)
        found = [
            TaskGroup(
                of,
                np.array([weights[task] for task in of.tasks]),
                np.full(len(of.tasks), float(self.expressions**2)),
                steps,
            )
            for of in HOW.released.values()
        ]
        if self.task == OVERALL:
            return found
        return [group.of_task(self.task) for group in found if self.task in group.components.tasks]

    def run(self, contexts: int, rng: np.random.Generator) -> pd.DataFrame:
        """The scores of one run, a row an answer."""
        levels = np.linspace(self.difference / 2, -self.difference / 2, self.models)
        parts = [
            frame
            for scenario, of in HOW.released.items()
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

        def drawn(covariance: np.ndarray, *size: int) -> np.ndarray:
            """Half of the covariance of a difference, for each of two models."""
            values, vectors = np.linalg.eigh(covariance / 2)
            raw = (
                rng.exponential(1, (*size, tasks)) - 1
                if self.skewed
                else rng.normal(0, 1, (*size, tasks))
            )
            return raw * np.sqrt(np.maximum(values, 0)) @ vectors.T

        for number, level in enumerate(levels):
            context = drawn(of.context, many, contexts)
            slope = drawn(of.trend)
            for place, task in enumerate(of.tasks):
                shape = (many, contexts, self.expressions, self.expressions)
                means = level + steps[:, None] * slope[place] + context[:, :, place]
                chance = rng.normal(0, np.sqrt(of.residual[place] / 2), shape)
                kinds = rng.normal(0, np.sqrt(of.expression[place] / 2), self.expressions)
                total = means[:, :, None, None] + chance + (kinds - kinds.mean())[:, None]
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

    def measure(self, runs: int = RUNS, seed: int = 1) -> tuple[int, float, float]:
        """Contexts a length, the power that is promised, and the share of runs that reach it."""
        contexts = self.contexts or self.wanted.clusters(self.groups)
        rng = np.random.default_rng(seed)
        told = 0
        for _ in range(runs):
            frame = self.run(contexts, rng)
            rows = compare_models(frame, HOW.weights, bootstrap(frame, []))
            own = rows[rows["task"] == self.task]
            ends = own[(own["model"] == "m0") & (own["other"] == f"m{self.models - 1}")]
            told += bool(((ends["p_adjusted"] < SIGNIFICANT) & (ends["difference"] > 0)).all())
        return contexts, self.wanted.reached(self.groups, contexts), told / runs


CASES = (
    Case(0.03),
    Case(0.05),
    Case(0.05, expressions=5),
    Case(0.06, contexts=2),
    Case(0.1, contexts=1),
    Case(0.05, lengths=("4k", "8k", "16k")),
    Case(0.05, models=4),
    Case(0.1, task="MB"),
    Case(0.1, task="LSI"),
    Case(0.03, skewed=True),
    Case(0.1, task="MB", skewed=True),
)


HEAD = ("difference", "of", "models", "lengths", "samples", "contexts a length", "effects",
        "promised", "simulated")  # fmt: skip


def main() -> None:
    """Prints a table, a row a case."""
    print("|".join(["", *HEAD, ""]))
    print("|" + "---|" * len(HEAD))
    for case in CASES:
        contexts, promised, simulated = case.measure()
        effects = "skewed" if case.skewed else "normal"
        counts = (case.models, len(case.lengths), case.expressions**2, contexts)
        shares = (f"{promised:.3f}", f"{simulated:.3f}")
        cells = (case.difference, case.task, *counts, effects, *shares)
        print("|".join(["", *map(str, cells), ""]), flush=True)


if __name__ == "__main__":
    main()
