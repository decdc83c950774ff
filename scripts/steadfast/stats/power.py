"""What a comparison of two models can tell apart: its power, and the smallest difference.

The test is of the paired differences of clusters, drawn within strata. Its estimate is a weighted
mean of the strata's means; its degrees of freedom are Satterthwaite's (1946). Were the true
difference 0, the difference over its standard error would have a t distribution; else it has a
noncentral one, whose tails beyond the test's limits are the power (Cohen 1988, chapter 2).

With few clusters the test is stricter than t: it guards against skewed differences, and must
estimate both skewness and degrees of freedom (``intervals``). There its power comes from
seeded runs of normal clusters, each of which has a smallest difference that it tells apart.

What is promised beforehand takes clusters for skewed against the better model: a few in which it
fails, exponentially distributed. Such a run tells less apart, since a mean that lies high comes
with a variance that lies low.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

from steadfast.stats.intervals import SIGNIFICANT, Estimates, uncurved

POWER = 0.8
RUNS = 2000
FEW = 60
"""Clusters up to which power is simulated."""
SEED = "power"


@dataclass(frozen=True)
class Stratum:
    """Clusters of one kind, such as the contexts of a scenario and length.

    Attributes:
        weight: of their mean in the difference; those of all strata sum to 1.
        variance: of a cluster's paired difference between two models, within the stratum.
        clusters: how many there are, or will be.
    """

    weight: float
    variance: float
    clusters: int

    @property
    def _share(self) -> float:
        """What it adds to the variance of the difference."""
        return self.weight**2 * self.variance / self.clusters


def standard_error(strata: Sequence[Stratum]) -> float:
    """Returns the standard error of a difference, in its own unit."""
    return float(np.sqrt(sum(stratum._share for stratum in strata)))


def degrees_of_freedom(strata: Sequence[Stratum]) -> float:
    """Returns Satterthwaite's of a difference; 0 where a stratum has fewer than two clusters."""
    if min(stratum.clusters for stratum in strata) < 2:
        return 0.0
    shares = [stratum._share for stratum in strata]
    if not sum(shares):
        return float(sum(stratum.clusters - 1 for stratum in strata))
    of = zip(shares, strata, strict=True)
    return float(sum(shares) ** 2 / sum(one**2 / (stratum.clusters - 1) for one, stratum in of))


def smallest_of_run(
    strata: Sequence[Stratum], pairs: int = 1, power: float = POWER, skewed: bool = False
) -> float:
    """Returns the smallest difference told apart with the wanted power; nan without freedom.

    Args:
        strata: the run's clusters.
        pairs: of models that are compared. The test is held to ``SIGNIFICANT`` ÷ pairs
            (Bonferroni); the step-down correction asks for less, and tells pairs apart more often.
        power: in how many of runs.
        skewed: whether clusters are, against the better model, in place of normal.
    """
    freedom = degrees_of_freedom(strata)
    if freedom <= 0:
        return float("nan")
    if sum(stratum.clusters for stratum in strata) <= FEW:
        return float(np.quantile(_told_from(strata, pairs, skewed), power))
    limit = float(scipy.special.stdtrit(freedom, 1 - SIGNIFICANT / (2 * pairs)))
    if skewed:
        reach, spread = _reach(strata, limit)
        return standard_error(strata) * (reach + spread * float(scipy.special.ndtri(power)))
    # The other tail of the noncentral t is next to nothing where power is worth having.
    shift = scipy.special.nctdtrinc(freedom, 1 - power, limit)
    return float(standard_error(strata) * shift)


def smallest_difference(error: float, freedom: float, pairs: int = 1) -> float:
    """Returns ``smallest_of_run`` where only a comparison's error and freedom are known."""
    if not freedom >= 1:
        return float("nan")
    clusters = round(freedom) + 1
    return smallest_of_run([Stratum(1.0, error**2 * clusters, clusters)], pairs)


def _reach(strata: Sequence[Stratum], limit: float) -> tuple[float, float]:
    """How far the mean of many skewed clusters must lie from 0, and how much that varies.

    In standard errors. The limit is where Hall's cubic has it. The estimated standard error varies,
    and goes with the mean: an exponential distribution has skewness 2 and fourth cumulant 6.
    """
    shares = np.array([stratum._share for stratum in strata])
    number = np.array([stratum.clusters for stratum in strata])
    shares = shares / shares.sum()
    skewness = -2 * float(np.sum(shares**1.5 / np.sqrt(number)))
    reach = float(uncurved(np.array(limit), np.array(skewness)))
    variance = 1 - reach * skewness + reach**2 / 4 * float(np.sum(shares**2 * 8 / number))
    return reach, float(np.sqrt(variance))


def _told_from(strata: Sequence[Stratum], pairs: int, skewed: bool) -> np.ndarray:
    """Returns of each of ``RUNS`` runs the smallest true difference that is significant in it."""
    counts = [stratum.clusters for stratum in strata]
    numbers = np.repeat(np.arange(len(strata)), counts)
    rng = np.random.default_rng(list(SEED.encode()))
    size = (RUNS, len(numbers))
    drawn = 1 - rng.exponential(size=size) if skewed else rng.normal(size=size)
    drawn *= np.repeat([s.weight * np.sqrt(s.variance) / s.clusters for s in strata], counts)
    shares = np.repeat([s.weight / s.clusters for s in strata], counts)
    starts = np.cumsum([0, *counts[:-1]])
    means = np.add.reduceat(drawn, starts, axis=1) / counts
    of = Estimates(
        pd.DataFrame(index=range(RUNS)),
        drawn - np.repeat(means, counts, axis=1),
        np.broadcast_to(shares, drawn.shape),
        numbers,
    )
    error, freedom, skewness = of.errors()
    limit: np.ndarray = scipy.special.stdtrit(freedom, 1 - SIGNIFICANT / (2 * pairs))
    # Hall's cubic (``Estimates.p_values``) reaches the limit where its inverse of it is.
    cubic = uncurved(limit, skewness)
    smallest: np.ndarray = np.maximum(limit, cubic) * error - drawn.sum(axis=1)
    return smallest
