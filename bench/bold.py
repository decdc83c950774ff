"""How many models may be first of a column, and how many of them stand below one that may not.

The released scores of LIFBench's 20 models give each task's means, and what contexts add to them:
what a straight line over the lengths leaves, with its covariance between models. Contexts are drawn
from that; the test is written here again (changes of signs, step-down over a model's comparisons,
and the t test with Hall's cubic in log odds). ``stats.ties.FEWEST_FOR_BOLD`` is chosen by it.

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


def single_p(apart: np.ndarray) -> np.ndarray:
    """Returns the p-values of differences (rows) over contexts, corrected for nothing."""
    contexts = apart.shape[1]
    mean = apart.mean(axis=1)
    error = np.sqrt(np.maximum(apart.var(axis=1, ddof=1) / contexts, 1e-30))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.log((1 + mean) / (1 - mean)) / (error * 2 / (1 - mean**2))
    cubes = ((apart - mean[:, None]) ** 3).sum(axis=1)
    skewness = cubes / ((contexts - 1) * (contexts - 2) * contexts) / error**3
    cubic = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
    p = 2 * stats.t.sf(np.minimum(abs(t), abs(cubic)), contexts - 1)
    smaller: np.ndarray = np.minimum(p, 2 * stats.norm.sf(abs(mean) * np.sqrt(contexts)))
    return smaller


def may_be_first(scores: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """Returns which models (rows of scores) no comparison of their own tells to be worse."""
    models, contexts = scores.shape
    first = np.ones(models, bool)
    for model in range(models):
        apart = np.delete(scores[model] - scores, model, axis=0)
        means = apart @ signs.T / contexts
        squares = (apart**2).mean(axis=1, keepdims=True)
        error = np.sqrt(np.maximum(squares - means**2, 1e-30) / (contexts - 1))
        t = np.abs(means) / error
        order = np.argsort(t[:, 0])
        largest = np.maximum.accumulate(t[order], axis=0)
        p = (largest >= t[order, :1] * (1 - 1e-9)).mean(axis=1)
        p = np.maximum.accumulate(p[::-1])[::-1]
        p = np.maximum(p, single_p(apart)[order])
        first[model] = not ((means[order, 0] < 0) & (p < LEVEL)).any()
    return first


def below_others(first: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Returns which models may be first though one of a higher value may not."""
    best_of_others = values[~first].max(initial=-np.inf)
    below: np.ndarray = first & (values < best_of_others)
    return below


def main() -> None:
    """Prints what the released scores have, and what drawn contexts would."""
    directory = Path(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    tasks = list(released(directory))
    rng = np.random.default_rng(0)
    firsts = [may_be_first(task, changes_of_signs(LENGTHS, rng)) for task in tasks]
    below = [below_others(of, task.mean(axis=1)) for of, task in zip(firsts, tasks, strict=True)]
    print(f"released: {np.sum(firsts)} of {np.size(firsts)} may be first, {np.sum(below)} below")
    print("contexts  trend  first, a column  below, a column  share  columns that have some")
    for trend in (False, True):
        for contexts in CONTEXTS:
            signs = changes_of_signs(contexts, rng)
            counts = []
            for task in tasks:
                slope = task @ STEPS / (STEPS @ STEPS)
                mean = task.mean(axis=1, keepdims=True)
                residuals = (task - mean - np.outer(slope, STEPS)) / np.sqrt(LENGTHS - 2)
                along = np.resize(STEPS, contexts)
                for _ in range(runs):
                    scores = mean + residuals @ rng.normal(size=(LENGTHS, contexts))
                    if trend:  # lengths count as chance: one context of each
                        scores = scores + np.outer(slope, along)
                    first = may_be_first(scores, signs)
                    lower = below_others(first, scores.mean(axis=1))
                    counts.append((first.sum(), lower.sum(), lower.any()))
            first_mean, below_mean, columns = np.mean(counts, axis=0)
            numbers = f"{first_mean:15.1f}  {below_mean:15.2f}  {below_mean / first_mean:5.2f}"
            print(f"{contexts:8}  {trend:5}  {numbers}  {columns:22.2f}", flush=True)


if __name__ == "__main__":
    main()
