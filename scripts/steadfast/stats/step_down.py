"""Multiple testing of many paired differences, with a family-wise error rate of 5 % at most.

Step-down max-t by sign flipping (Romano and Wolf 2005). If all true differences were 0, all
differences of one cluster could as well have the opposite sign:

    |t|₍₁₎ ≤ … ≤ |t|₍ₘ₎             the statistics of the run, in ascending order
    M_j(s) = max over i ≤ j of |t|₍ᵢ₎ under the signs s of the clusters
    p_j    = share of the sign patterns s with M_j(s) ≥ |t|₍ⱼ₎,   then p_j = max over i ≥ j of p_i

The maximum takes account of correlation: the differences of one model from many others cost less
power than as many independent ones.
"""

from collections.abc import Iterable

import numpy as np

from steadfast.stats.intervals import SIGNIFICANT, Estimates

# Sign patterns: all possible ones, or so many sampled; fewer for very many differences.
PATTERNS = 2000
FEWEST_PATTERNS = 250
# Maximum statistics t in memory, as long as ``FEWEST_PATTERNS`` are left.
STATISTICS = 5 * 10**6
SEED = "signs"
# Minimum clusters for a significant difference: fewer have too few sign patterns.
FEWEST = int(np.ceil(1 - np.log2(SIGNIFICANT)))


def step_down(
    differences: Estimates, contributions: np.ndarray, families: Iterable[np.ndarray]
) -> list[np.ndarray]:
    """Adjusted p-values of the differences in each family of tests.

    Args:
        differences: a cell per difference.
        contributions: of each cluster (column) to each difference (row).
        families: indices of the cells that are tested together.

    Returns:
        For each family p in its order: a multiple of 1 ÷ the number of patterns; nan where the
        variance is unknown (``Estimates.rows``) or with fewer than ``FEWEST`` clusters.
    """
    statistics = _flipped_statistics(contributions, differences)
    enough = np.count_nonzero(differences.shares, axis=1) >= FEWEST
    tested = enough & ~np.isnan(differences.errors[0])
    return [_adjusted(statistics[family], tested[family]) for family in families]


def _adjusted(statistics: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Adjusted p-values of a family from |t| under each pattern (column 0: the run's own)."""
    ascending = np.flatnonzero(tested)
    ascending = ascending[np.argsort(statistics[ascending, 0], kind="stable")]
    # M_j(s): the maximum over the rows up to j
    maxima = np.maximum.accumulate(statistics[ascending], axis=0)
    p = np.full(len(tested), np.nan)
    # The factor forgives rounding errors: the run's own pattern always counts.
    p[ascending] = (maxima >= statistics[ascending, :1] * (1 - 1e-9)).mean(axis=1)
    # No difference has a smaller p than one with a larger statistic.
    descending = ascending[::-1]
    p[descending] = np.maximum.accumulate(p[descending])
    return p


def _signs(clusters: int, rows: int) -> np.ndarray:
    """Sign patterns as columns, that of the run first; a pattern and its opposite count once."""
    number = max(FEWEST_PATTERNS, min(PATTERNS, STATISTICS // rows))
    # All patterns, by the bits of 0, 1, 2, …: the last cluster's sign stays +.
    if 2 ** (clusters - 1) <= number:
        bits = np.arange(2 ** (clusters - 1)) >> np.arange(clusters)[:, None] & 1
        return 1.0 - 2.0 * bits
    rng = np.random.default_rng(list(SEED.encode()))
    signs = rng.choice([-1.0, 1.0], (clusters, number))
    signs[:, 0] = 1.0
    return signs


def _flipped_statistics(contributions: np.ndarray, differences: Estimates) -> np.ndarray:
    """|t| of each difference (row) under each sign pattern (column).

        t = Σ c s ÷ √V,   V = Σ (c s − h T)² w = Σ c²w − 2T Σ c s h w + T² Σ h²w

    V is the variance of ``Estimates.errors`` (CR2), a sum over strata, with the contributions c and
    signs s of a stratum's clusters, their leverages h, w = 1 ÷ (1 − h), and T = Σ c s.
    """
    present = (differences.shares > 0).any(axis=0)
    shares = differences.shares[:, present]
    strata = differences.strata[present]
    contributions = contributions[:, present]
    signs = _signs(len(strata), len(contributions))
    totals = contributions @ signs
    variance = np.zeros_like(totals)
    for stratum in np.unique(strata):
        columns = strata == stratum
        parts = contributions[:, columns]
        leverage = shares[:, columns]
        # The only cluster of a cell in its stratum deviates from the cell: it has no leverage.
        several = np.count_nonzero(leverage, axis=1)[:, None] > 1
        stratum_share = np.where(several, leverage.sum(axis=1, keepdims=True), 1.0)
        leverage = leverage / np.where(stratum_share > 0, stratum_share, 1.0)
        wider = 1 / np.where(several, 1 - leverage, 1.0)
        sums = np.where(several, parts @ signs[columns], totals)
        squares = (parts**2 * wider).sum(axis=1, keepdims=True)
        squares = squares - 2 * sums * ((parts * leverage * wider) @ signs[columns])
        squares += sums**2 * (leverage**2 * wider).sum(axis=1, keepdims=True)
        variance += np.maximum(squares, 0.0)
    # Where all clusters agree, the variance is 0 up to rounding errors.
    rounding_error = 1e-20 * (contributions**2).sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(totals) / np.sqrt(np.where(variance > rounding_error, variance, 0.0))
    return np.where(np.isnan(t), 0.0, t)  # 0 ÷ 0, as of two models with equal scores
