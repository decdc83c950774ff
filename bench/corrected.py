"""Coverage of the intervals of values corrected by people's labels.

Groups of items with a known share of fulfilled ones, a judge with known errors, and people's labels
of some groups are simulated here and corrected by ``stats.corrected``. *Plain* is the t interval of
the same estimate, without limits and skewness.

Run: ``PYTHONPATH=scripts python bench/corrected.py``
"""

from itertools import product

import numpy as np
from scipy import stats

from steadfast.stats.corrected import Corrected, corrected

RUNS = 2000
GROUPS = 180
SENSITIVITY = 0.92
SPECIFICITY = 0.80
KINDS = {"one verdict": (1, 0.0, 0.0), "five, .5 alike": (5, 0.5, 0.3), "five, .7": (5, 0.7, 0.5)}
"""Items of a group, and how their truth and the judge's errors on them correlate."""


def correlated(rng: np.random.Generator, items: int, correlation: float) -> np.ndarray:
    """Standard normal numbers of each group's items, correlated within groups."""
    shared = rng.normal(size=(GROUPS, 1))
    independent = rng.normal(size=(GROUPS, items))
    numbers: np.ndarray = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * independent
    return numbers


def simulated(rng: np.random.Generator, kind: str, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Which of each group's items are fulfilled, and the judge's verdicts on them."""
    items, truth_correlation, error_correlation = KINDS[kind]
    truth = correlated(rng, items, truth_correlation) < stats.norm.ppf(share)
    error = stats.norm.cdf(correlated(rng, items, error_correlation))
    return truth, np.where(truth, error < SENSITIVITY, error >= SPECIFICITY)


def estimate(people: np.ndarray, verdicts: np.ndarray, labelled: int) -> Corrected:
    """The corrected mean with the first groups labelled."""
    is_labelled = np.arange(GROUPS) < labelled
    items = people.shape[1]
    weights = np.column_stack([np.full(GROUPS, float(items)), items * is_labelled])
    judged = np.column_stack([verdicts.sum(axis=1), verdicts.sum(axis=1) * is_labelled])
    corrected_mean = corrected(judged, weights, people.sum(axis=1), is_labelled)
    assert corrected_mean is not None
    return corrected_mean


def plain(mean: Corrected) -> tuple[float, float]:
    """The t interval."""
    half = stats.t.ppf(0.975, mean.df) * np.sqrt(mean.variance)
    return mean.value - half, mean.value + half


def coverage(kind: str, share: float, labelled: int, wrong: float = 0.0) -> str:
    """Coverage of both intervals, and their mean width.

    ``wrong`` is the share of items not fulfilled that people label as fulfilled.
    """
    rng = np.random.default_rng([labelled, int(1000 * share)])
    ends = []
    for _ in range(RUNS):
        truth, verdicts = simulated(rng, kind, share)
        people = truth | (rng.random(truth.shape) < wrong)
        mean = estimate(people.astype(float), verdicts.astype(float), labelled)
        ends.append([plain(mean), mean.interval(0, 1, labelled)])
    low, high = np.clip(np.array(ends).T, 0, 1)
    covers = ((low <= share) & (share <= high)).mean(axis=1)
    width = (high - low).mean(axis=1)
    return f"{covers[0]:.3f} {width[0]:.3f}   {covers[1]:.3f} {width[1]:.3f}"


def differences(kind: str, shares: tuple[float, float], labelled: int) -> str:
    """Coverage of the intervals of a difference."""
    rng = np.random.default_rng([labelled, 7])
    covers = []
    for _ in range(RUNS):
        first_truth, first_verdicts = simulated(rng, kind, shares[0])
        second_truth, second_verdicts = simulated(rng, kind, shares[1])
        truth = first_truth * 1.0 - second_truth
        difference = estimate(truth, first_verdicts * 1.0 - second_verdicts, labelled)
        intervals = [plain(difference), difference.interval(-1, 1, labelled)]
        covers.append([low <= shares[0] - shares[1] <= high for low, high in intervals])
    before, now = np.mean(covers, axis=0)
    return f"{before:.3f}         {now:.3f}"


if __name__ == "__main__":
    print("kind             share  labelled  plain: covers, width   now: covers, width")
    for kind, share, labelled in product(KINDS, (0.05, 0.5, 0.9, 0.95, 0.98), (30, 90, 150)):
        print(f"{kind:16} {share:5} {labelled:9}  ", coverage(kind, share, labelled), flush=True)
    print("\nlabels wrong for 15 % of what fails")
    for labelled in (30, 90, 150):
        print(f"{'five, .5 alike':16} {0.6:5} {labelled:9}  ", end=" ")
        print(coverage("five, .5 alike", 0.6, labelled, wrong=0.15), flush=True)
    print("\ndifferences")
    for shares, labelled in product(((0.6, 0.52), (0.95, 0.9)), (30, 90)):
        print(f"{shares!s:16} {labelled:9}  ", differences("five, .5 alike", shares, labelled))
