"""Many paired differences tested together: any is wrongly told apart in at most 5 of 100 runs.

Were all differences 0 in truth, those of one cluster might as well have the other sign, all
together. So the largest of the run's statistics t is compared with the largest under such changes
of signs; then, without it, the next one (step-down max-t, Romano and Wolf 2005). Differences that
go together, as those of one model from many, count for less than as many independent ones.
"""

from collections.abc import Iterable

import numpy as np

from steadfast.stats.intervals import SIGNIFICANT, Estimates

PATTERNS = 2000
"""Changes of signs: all that there are, or so many drawn ones; of very many differences fewer."""
FEWEST_PATTERNS = 250
STATISTICS = 5 * 10**6
"""Numbers t in memory at a time, at most, as long as there are enough patterns."""
SEED = "signs"
FEWEST = int(np.ceil(1 - np.log2(SIGNIFICANT)))
"""Clusters from which on anything can be told apart: fewer have too few patterns of signs."""


def step_down(
    differences: Estimates, contributions: np.ndarray, families: Iterable[np.ndarray]
) -> list[np.ndarray]:
    """Returns for each family the p-values of its differences, corrected for all of that family.

    Args:
        differences: a cell a difference.
        contributions: what each cluster (column) adds to it.
        families: places of the cells that are tested together.

    Returns:
        p in the order of each family: a multiple of 1 ÷ the number of patterns, and nan where
        clusters cannot tell (see ``Estimates.rows``) or are fewer than ``FEWEST``.
    """
    under = _under_flips(contributions, differences)
    enough = np.count_nonzero(differences.shares, axis=1) >= FEWEST
    tested = enough & ~np.isnan(differences.errors()[0])
    return [_corrected(under[family], tested[family]) for family in families]


def _corrected(under: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """p-values of a family by its statistics (rows) under each pattern, the run's own first."""
    rows = np.flatnonzero(tested)
    rows = rows[np.argsort(under[rows, 0], kind="stable")]
    largest = np.maximum.accumulate(under[rows], axis=0)
    p = np.full(len(tested), np.nan)
    p[rows] = (largest >= under[rows, :1] * (1 - 1e-9)).mean(axis=1)
    falling = rows[::-1]
    p[falling] = np.maximum.accumulate(p[falling])
    return p


def _signs(clusters: int, rows: int) -> np.ndarray:
    """A column a pattern, the one of the run first; a pattern and its opposite count once."""
    wanted = max(FEWEST_PATTERNS, min(PATTERNS, STATISTICS // rows))
    if 2 ** (clusters - 1) <= wanted:
        bits = np.arange(2 ** (clusters - 1)) >> np.arange(clusters)[:, None] & 1
        return 1.0 - 2.0 * bits
    rng = np.random.default_rng(list(SEED.encode()))
    signs = rng.choice([-1.0, 1.0], (clusters, wanted))
    signs[:, 0] = 1.0
    return signs


def _under_flips(contributions: np.ndarray, differences: Estimates) -> np.ndarray:
    """Returns |t| of each difference (row) under each pattern of signs (column).

    The variance is that of ``Estimates.errors``. Of clusters i of a stratum with contributions c,
    signs s, shares h within the stratum, w = 1 ÷ (1 − h) and the total T = Σ cs it is
    Σ (cs − hT)² w = Σ c²w − 2T Σ cshw + T² Σ h²w.
    """
    present = (differences.shares > 0).any(axis=0)
    shares, strata = differences.shares[:, present], differences.strata[present]
    contributions = contributions[:, present]
    signs = _signs(len(strata), len(contributions))
    totals = contributions @ signs
    variance = np.zeros_like(totals)
    for stratum in np.unique(strata):
        columns = strata == stratum
        parts, leverage = contributions[:, columns], shares[:, columns]
        # One of several clusters alone deviates from the whole cell, and has no leverage.
        several = np.count_nonzero(leverage, axis=1)[:, None] > 1
        stratum_share = np.where(several, leverage.sum(axis=1, keepdims=True), 1.0)
        leverage = leverage / np.where(stratum_share > 0, stratum_share, 1.0)
        wider = 1 / np.where(several, 1 - leverage, 1.0)
        sums = np.where(several, parts @ signs[columns], totals)
        squares = (parts**2 * wider).sum(axis=1, keepdims=True)
        squares = squares - 2 * sums * ((parts * leverage * wider) @ signs[columns])
        squares += sums**2 * (leverage**2 * wider).sum(axis=1, keepdims=True)
        variance += np.maximum(squares, 0.0)
    # Where all clusters agree there is no variance, but for rounding errors.
    nothing = 1e-20 * (contributions**2).sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(totals) / np.sqrt(np.where(variance > nothing, variance, 0.0))
    return np.where(np.isnan(t), 0.0, t)
