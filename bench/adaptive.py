"""Requests and errors of adaptive runs, against runs that evaluate every model on everything.

Populations are built from LIFBench's released scores: the models' means of each scenario and
length, and the effects of contexts, with the models' covariances (the residuals of a straight line
over the lengths). So the truth is known. A round is one context of each scenario and length. Looks
and decisions are those of the project's own functions; the tests are of all 190 pairs.

Requests are a share of the full run's. Left open are models beside the best one. An error is any
pair with a wrong decision.

Run: ``PYTHONPATH=scripts python bench/adaptive.py [DIRECTORY]``, the directory that holds
scores/*.csv; without one the pinned files are fetched.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.analyses import SCENARIO_OF
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS, released_scores
from steadfast.benchmarks.lifbench.scored_tasks import Rubric
from steadfast.benchmarks.lifbench.tasks import PAPER_TASKS
from steadfast.stats import FIRST_LOOK as FIRST
from steadfast.stats.adaptive import Course, Design, Differences
from steadfast.stats.intervals import SIGNIFICANT, Estimates
from steadfast.stats.pairs import holm

RUNS = 200
BATCH = 10
HEAD = ("contexts", "effects", "requests", "left open", "runs with an error",
        "pairs as in the full run", "bias of a stopped difference")  # fmt: skip


@dataclass(frozen=True)
class Population:
    """Models, and the effects of contexts.

    Attributes:
        means: of each model (row), scenario and length.
        effects: of each model, scenario and of as many independent sources: of variance 1 each.
        weights: of each scenario in the overall mean.
    """

    means: np.ndarray
    effects: np.ndarray
    weights: np.ndarray

    @property
    def truth(self) -> np.ndarray:
        """The overall mean of each model."""
        return self.means.mean(axis=2) @ self.weights

    @property
    def null(self) -> "Population":
        """The same without differences."""
        return replace(self, means=np.broadcast_to(self.means[:1], self.means.shape))

    def contexts(self, rng: np.random.Generator, contexts: int, skewed: bool) -> np.ndarray:
        """Scores of a run: model, scenario, length, context."""
        _, scenarios, lengths = self.means.shape
        size = (scenarios, self.effects.shape[2], lengths, contexts)
        sources = rng.exponential(1, size) - 1 if skewed else rng.normal(0, 1, size)
        return self.means[..., None] + np.einsum("msi,silc->mslc", self.effects, sources)


def released_population(directory: str | None) -> Population:
    """The population of the released scores."""
    rows = released_rows(directory)
    weights = pd.Series(Rubric("released", "rubric").weights)
    groups = pd.Series(SCENARIO_OF)
    means = rows.groupby(["model", "group", "part", "task"])["total"].mean().reset_index()
    means["weight"] = means["task"].map(weights)
    means["total"] *= means["weight"]
    sums = means.groupby(["model", "group", "part"])[["total", "weight"]].sum()
    cells = (sums["total"] / sums["weight"]).unstack(["group", "part"])
    scenarios = list(dict.fromkeys(groups))
    lengths = sorted(rows["part"].unique(), key=lambda name: int(name[:-1]))
    values = np.stack([cells[name][lengths].to_numpy() for name in scenarios], axis=1)
    line = np.column_stack([np.ones(len(lengths)), np.arange(len(lengths))])
    residuals = values - values @ line @ np.linalg.pinv(line)
    shares = weights.groupby(groups).sum()[scenarios].to_numpy()
    return Population(values, residuals / np.sqrt(len(lengths) - 2), shares / shares.sum())


def released_rows(directory: str | None) -> pd.DataFrame:
    """The released totals of the paper's models; group is the scenario, part the length."""
    models = {name: name for name, model in PAPER_MODELS.items() if not model.is_reference}
    lengths = facts("lifbench/released.yaml")["lengths"].values()
    cells = [(model, length) for model in models for length in lengths]
    records_by_cell = released_scores(models, cells, directory, PAPER_TASKS)
    rows = []
    for (model, length), records in records_by_cell.items():
        for record in records:
            task = record["task"]
            rows.append((model, SCENARIO_OF[task], length, task, record["total"]))
    return pd.DataFrame(rows, columns=["model", "group", "part", "task", "total"])


def looks(
    population: Population, contexts: int, skewed: bool, pairs: np.ndarray, seed: int
) -> Iterator[list[Differences]]:
    """The differences after each round from the second on, a list a run."""
    rng = np.random.default_rng([contexts, skewed, seed])
    first, second = pairs.T
    for _ in range(0, RUNS, BATCH):
        scores = np.stack([population.contexts(rng, contexts, skewed) for _ in range(BATCH)])
        gaps = (scores[:, first] - scores[:, second]).reshape(-1, *scores.shape[2:])
        batch_looks = []
        for rounds in range(FIRST, contexts + 1):
            batch_looks.append(_compared(gaps[..., :rounds], population))
        for run in np.arange(len(gaps)).reshape(BATCH, -1):
            run_looks = []
            for look in batch_looks:
                difference = look.difference[run]
                error = look.error[run]
                run_looks.append(
                    Differences(difference, error, look.degrees_of_freedom[run], look.p[run])
                )
            yield run_looks


def differences(gaps: np.ndarray, weights: np.ndarray) -> Differences:
    """Returns the differences of pairs from the differences in each context.

    Args:
        gaps: of each pair (row), stratum and context, between -1 and 1.
        weights: of the strata in the overall difference; their sum is 1.
    """
    rows, strata, contexts = gaps.shape
    means = gaps.mean(axis=2)
    share = np.repeat(weights / contexts, contexts)
    value = means @ weights
    estimates = Estimates(
        pd.DataFrame({"value": value, "n": contexts, "lowest": -1.0, "highest": 1.0}),
        (gaps - means[:, :, None]).reshape(rows, -1) * share,
        np.broadcast_to(share, (rows, strata * contexts)),
        np.repeat(np.arange(strata), contexts),
    )
    error, degrees_of_freedom, _ = estimates.errors
    return Differences(value, error, degrees_of_freedom, estimates.p_values())


def _compared(gaps: np.ndarray, population: Population) -> Differences:
    """By the test of the project: pairs' differences of each scenario, length and context."""
    rows, scenarios, lengths, contexts = gaps.shape
    weights = np.repeat(population.weights / lengths, lengths)
    return differences(gaps.reshape(rows, scenarios * lengths, contexts), weights)


def replayed(design: Design, run: list[Differences], models: int) -> Course:
    """A run of a design to its end."""
    course = Course(models, design)
    for look in run:
        course.look(look)
        if not course.continuing.any():
            break
    return course


def measure(population: Population, design: Design, runs: list[list[Differences]]) -> np.ndarray:
    """The values of ``HEAD`` from requests on: means over the runs."""
    models = len(population.truth)
    truth = population.truth
    measurements = []
    for run in runs:
        course = replayed(design, run, models)
        first, second = course.pairs.T
        true_gaps = truth[first] - truth[second]
        full_run = np.where(holm(run[-1].p) < SIGNIFICANT, np.sign(run[-1].difference), 0)
        may_be_best = np.ones(models, bool)
        may_be_best[np.where(course.outcomes > 0, second, first)[course.outcomes != 0]] = False
        bias = np.sign(true_gaps) * (course.last.difference - true_gaps)
        measurements.append(
            (
                course.rounds.sum() / (models * design.contexts),
                may_be_best.sum() - 1.0,
                ((course.outcomes != 0) & (course.outcomes * true_gaps <= 0)).any(),
                (course.outcomes == full_run).mean(),
                bias.mean(),
            )
        )
    return np.mean(measurements, axis=0)


def main() -> None:
    """Prints a table with a row for each design and population."""
    try:
        released = released_population(sys.argv[1] if len(sys.argv) > 1 else None)
    except UserError as error:
        print(f"bench/adaptive.py is left out: {error}")
        return
    pairs = Course(len(released.truth), Design(FIRST)).pairs
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    null = released.null
    cases = [(released, "normal", 8), (released, "skewed", 8), (released, "normal", 4)]
    cases += [(released, "normal", 16), (null, "null", 8), (null, "null, skewed", 8)]
    for population, name, contexts in cases:
        runs = list(looks(population, contexts, "skewed" in name, pairs, 1))
        values = [f"{value:.3f}" for value in measure(population, Design(contexts), runs)]
        print("| " + " | ".join([str(contexts), name, *values]) + " |", flush=True)


if __name__ == "__main__":
    main()
