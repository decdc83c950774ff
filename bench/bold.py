"""How many models may be best in a column, and how many of them are below one that may not.

The released scores of LIFBench's 20 models give each task's means, and the effects of contexts: the
residuals of a straight line over the lengths, with their covariance between models. Contexts are
sampled from these; the test is implemented here again (changes of signs, step-down over a model's
comparisons, and the t test with Hall's cubic in log odds). ``stats.ties.FEWEST_FOR_BOLD`` follows
from it.

Run: ``python bench/bold.py DIRECTORY [RUNS]``; the released scores are DIRECTORY/scores/*.csv.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import stats

CONTEXTS = (6, 8, 10, 12, 15, 20, 30, 60)
LENGTHS = 6
LEVEL = 0.05
STEPS = np.arange(LENGTHS) - (LENGTHS - 1) / 2


def released(directory: Path) -> Iterator[np.ndarray]:
    """Yields each task's mean score of every model (row) at every length."""
    for path in sorted((directory / "scores").glob("*.csv")):
        cells: dict[tuple[str, int], list[float]] = defaultdict(list)
        for row in csv.DictReader(path.open()):
            if row["model"] != "standard":  # the reference answers
                cells[row["model"], int(row["length"])].append(float(row["total_score"]))
        models = sorted({model for model, _ in cells})
        lengths = sorted({length for _, length in cells})
        yield np.array([[np.mean(cells[m, length]) for length in lengths] for m in models])


def changes_of_signs(contexts: int, rng: np.random.Generator) -> np.ndarray:
    """Returns the signs of each context (column), unchanged first; all there are, or 1,000."""
    if contexts <= 11:
        bits = np.arange(2 ** (contexts - 1))[:, None] >> np.arange(contexts) & 1
        return 1.0 - 2.0 * bits
    signs = rng.choice([-1.0, 1.0], (1000, contexts))
    signs[0] = 1
    return signs


def single_p(differences: np.ndarray) -> np.ndarray:
    """Returns the uncorrected p-values of differences (rows) over contexts."""
    contexts = differences.shape[1]
    mean = differences.mean(axis=1)
    error = np.sqrt(np.maximum(differences.var(axis=1, ddof=1) / contexts, 1e-30))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.log((1 + mean) / (1 - mean)) / (error * 2 / (1 - mean**2))
    cubes = ((differences - mean[:, None]) ** 3).sum(axis=1)
    skewness = cubes / ((contexts - 1) * (contexts - 2) * contexts) / error**3
    cubic = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
    p = 2 * stats.t.sf(np.minimum(abs(t), abs(cubic)), contexts - 1)
    smaller: np.ndarray = np.minimum(p, 2 * stats.norm.sf(abs(mean) * np.sqrt(contexts)))
    return smaller


def may_be_best(scores: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Returns which models (rows of scores) are not significantly worse than any other."""
    models, contexts = scores.shape
    best = np.ones(models, bool)
    for model in range(models):
        differences = np.delete(scores[model] - scores, model, axis=0)
        means = differences @ signs.T / contexts
        squares = (differences**2).mean(axis=1, keepdims=True)
        error = np.sqrt(np.maximum(squares - means**2, 1e-30) / (contexts - 1))
        t = np.abs(means) / error
        order = np.argsort(t[:, 0])
        largest = np.maximum.accumulate(t[order], axis=0)
        p = (largest >= t[order, :1] * (1 - 1e-9)).mean(axis=1)
        p = np.maximum.accumulate(p[::-1])[::-1]
        p = np.maximum(p, single_p(differences)[order])
        best[model] = not ((means[order, 0] < 0) & (p < LEVEL)).any()
    return best


def below_excluded(best: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Returns which models may be best though one of a higher value may not."""
    highest_excluded = values[~best].max(initial=-np.inf)
    below: np.ndarray = best & (values < highest_excluded)
    return below


def main() -> None:
    """Prints the numbers for the released scores, and for sampled contexts."""
    directory = Path(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    tasks = list(released(directory))
    rng = np.random.default_rng(0)
    best_by_task = []
    below_by_task = []
    for task in tasks:
        best = may_be_best(task, changes_of_signs(LENGTHS, rng))
        best_by_task.append(best)
        below_by_task.append(below_excluded(best, task.mean(axis=1)))
    models = np.size(best_by_task)
    below = np.sum(below_by_task)
    print(f"released: {np.sum(best_by_task)} of {models} may be first, {below} below")
    print("contexts  trend  first, a column  below, a column  share  columns that have some")
    for trend in (False, True):
        for contexts in CONTEXTS:
            signs = changes_of_signs(contexts, rng)
            counts = []
            for task in tasks:
                slope = task @ STEPS / (STEPS @ STEPS)
                mean = task.mean(axis=1, keepdims=True)
                residuals = (task - mean - np.outer(slope, STEPS)) / np.sqrt(LENGTHS - 2)
                context_steps = np.resize(STEPS, contexts)
                for _ in range(runs):
                    scores = mean + residuals @ rng.normal(size=(LENGTHS, contexts))
                    if trend:  # lengths count as chance: one context of each
                        scores = scores + np.outer(slope, context_steps)
                    best = may_be_best(scores, signs)
                    lower = below_excluded(best, scores.mean(axis=1))
                    counts.append((best.sum(), lower.sum(), lower.any()))
            best_mean, below_mean, columns = np.mean(counts, axis=0)
            numbers = f"{best_mean:15.1f}  {below_mean:15.2f}  {below_mean / best_mean:5.2f}"
            print(f"{contexts:8}  {trend:5}  {numbers}  {columns:22.2f}", flush=True)


if __name__ == "__main__":
    main()
