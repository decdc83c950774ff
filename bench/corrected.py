"""How often the intervals of values corrected by people's labels hold the truth.

Groups of items with a known share of what holds, a judge with known errors, and people's labels of
some groups, drawn here and corrected by ``stats.corrected``. *Plain* is the t interval of the same
estimate, without limits and skewness.

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
Sums = tuple[np.ndarray, np.ndarray]
"""Of each group the sums of what holds in truth and of what the judge says."""


def alike(rng: np.random.Generator, items: int, correlation: float) -> np.ndarray:
    """Standard normal numbers of each group's items, correlated within groups."""
    of_group = rng.normal(size=(GROUPS, 1))
    of_item = rng.normal(size=(GROUPS, items))
    numbers: np.ndarray = np.sqrt(correlation) * of_group + np.sqrt(1 - correlation) * of_item
    return numbers


def drawn(rng: np.random.Generator, kind: str, share: float) -> tuple[np.ndarray, np.ndarray]:
    """What holds of each group's items, and what the judge says of it."""
    items, of_truth, of_errors = KINDS[kind]
    true = alike(rng, items, of_truth) < stats.norm.ppf(share)
    error = stats.norm.cdf(alike(rng, items, of_errors))
    return true, np.where(true, error < SENSITIVITY, error >= SPECIFICITY)


def estimate(people: np.ndarray, said: np.ndarray, labelled: int) -> Corrected:
    """The corrected mean with the first groups labelled."""
    known = np.arange(GROUPS) < labelled
    items = people.shape[1]
    weights = np.column_stack([np.full(GROUPS, float(items)), items * known])
    judged = np.column_stack([said.sum(axis=1), said.sum(axis=1) * known])
    found = corrected(judged, weights, people.sum(axis=1), known)
    assert found is not None
    return found


def plain(found: Corrected) -> tuple[float, float]:
    """The t interval."""
    reach = stats.t.ppf(0.975, found.df) * np.sqrt(found.variance)
    return found.value - reach, found.value + reach


def coverage(kind: str, share: float, labelled: int, wrong: float = 0.0) -> str:
    """How often both intervals hold the share, and their mean width.

    ``wrong`` is the share of what fails that people take for fulfilled.
    """
    rng = np.random.default_rng([labelled, int(1000 * share)])
    ends = []
    for _ in range(RUNS):
        true, said = drawn(rng, kind, share)
        people = true | (rng.random(true.shape) < wrong)
        found = estimate(people.astype(float), said.astype(float), labelled)
        ends.append([plain(found), found.interval(0, 1, labelled)])
    low, high = np.clip(np.array(ends).T, 0, 1)
    covers = ((low <= share) & (share <= high)).mean(axis=1)
    width = (high - low).mean(axis=1)
    return f"{covers[0]:.3f} {width[0]:.3f}   {covers[1]:.3f} {width[1]:.3f}"


def differences(kind: str, shares: tuple[float, float], labelled: int) -> str:
    """How often the intervals of a difference hold it."""
    rng = np.random.default_rng([labelled, 7])
    covers = []
    for _ in range(RUNS):
        (true, said), (other, of_other) = (drawn(rng, kind, share) for share in shares)
        found = estimate(true * 1.0 - other, said * 1.0 - of_other, labelled)
        ends = plain(found), found.interval(-1, 1, labelled)
        covers.append([low <= shares[0] - shares[1] <= high for low, high in ends])
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
