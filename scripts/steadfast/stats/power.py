"""The minimum detectable difference of a comparison of two models, with a power of .80.

The test is of the paired differences of clusters. Were the true difference 0, the difference over
its standard error would have a t distribution; else it has a noncentral one, whose tails beyond
the test's limits are the power (Cohen 1988, chapter 2).

With few clusters the test is stricter than t: it guards against skewed differences, and must
estimate both skewness and degrees of freedom (``intervals``). There its power is simulated by
seeded runs of normal clusters, each of which has a smallest significant difference.

Before a run, clusters are assumed to be skewed against the better model: exponentially distributed,
with a few in which it fails. Such runs detect less, since a high mean comes with a low variance.
"""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

from steadfast.stats.intervals import SIGNIFICANT, Estimates, inverse_hall_cubic
from steadfast.stats.step_down import FEWEST

POWER = 0.8
RUNS = 2000
# Clusters up to which power is simulated.
FEW = 60
# Clusters beyond which no number is given.
MOST = 10**6
SEED = "power"


def minimum_detectable_difference(
    error: float, degrees_of_freedom: float, pairs: int = 1, *, skewed: bool = False
) -> float:
    """The minimum detectable difference with power ``POWER``; nan without degrees of freedom.

    With more than ``FEW`` normal clusters it is the error times the noncentrality δ of a t'
    distribution for which the test's limit t* gives

        P(t' > t*) = power

    Args:
        error: standard error of the difference.
        degrees_of_freedom: its degrees of freedom.
        pairs: number of compared pairs of models. The test is at ``SIGNIFICANT`` ÷ pairs
            (Bonferroni); the step-down correction is less strict, and has more power.
        skewed: whether clusters are skewed against the better model, in place of normal.
    """
    if not degrees_of_freedom >= 1:
        return float("nan")
    clusters = round(degrees_of_freedom) + 1
    if clusters <= FEW:
        # A quantile over runs: in a share POWER of them, this or a smaller one is significant.
        return float(np.quantile(_smallest_significant(error, clusters, pairs, skewed), POWER))
    limit = float(scipy.special.stdtrit(clusters - 1, 1 - SIGNIFICANT / (2 * pairs)))
    if skewed:
        threshold, spread = _skewed_threshold(clusters, limit)
        return error * (threshold + spread * float(scipy.special.ndtri(POWER)))
    # The other tail of the noncentral t is negligible at this power.
    return float(error * scipy.special.nctdtrinc(clusters - 1, 1 - POWER, limit))


@dataclass(frozen=True)
class Pilot:
    """A measured difference, by which the precision with more clusters is predicted.

    Where c clusters gave a standard error s and f degrees of freedom, k clusters are expected to
    give

        s · √(c/k)   and   f · k/c.

    Attributes:
        error: standard error of the difference.
        degrees_of_freedom: its degrees of freedom.
        clusters: number of clusters.
        skewed: as in ``minimum_detectable_difference``.
    """

    error: float
    degrees_of_freedom: float
    clusters: int
    skewed: bool = False

    def detectable_difference(self, clusters: int, pairs: int = 1) -> float:
        """The minimum detectable difference with so many clusters."""
        if clusters < FEWEST:
            return float("nan")
        times = clusters / self.clusters
        error = self.error / np.sqrt(times)
        return minimum_detectable_difference(
            error, self.degrees_of_freedom * times, pairs, skewed=self.skewed
        )

    def clusters_needed(self, difference: float, pairs: int = 1) -> int | None:
        """The fewest clusters that detect a difference; None beyond ``MOST``."""

        def is_enough(clusters: int) -> bool:
            return self.detectable_difference(clusters, pairs) <= difference

        enough = 1
        while not is_enough(enough):
            enough *= 2
            if enough > MOST:
                return None
        # Half as many were too few.
        return bisect_left(range(enough), True, lo=enough // 2 + 1, key=is_enough)


def _skewed_threshold(clusters: int, limit: float) -> tuple[float, float]:
    """The significant mean of many skewed clusters and its deviation, in standard errors.

    It is where Hall's cubic is at the limit. The estimated standard error varies with the mean: an
    exponential distribution has skewness 2 and fourth cumulant 6.
    """
    skewness = -2 / np.sqrt(clusters)
    threshold = float(inverse_hall_cubic(np.array(limit), np.array(skewness)))
    # Of x̄ − h · s, with the threshold h, cov(x̄, s) = skewness ÷ 2, var(s) = (6 + 2) ÷ 4k:
    #   1 − h · skewness + h² · 8 ÷ 4k
    variance = 1 - threshold * skewness + threshold**2 / 4 * 8 / clusters
    return threshold, float(np.sqrt(variance))


def _smallest_significant(error: float, clusters: int, pairs: int, skewed: bool) -> np.ndarray:
    """The smallest true difference that is significant in each of ``RUNS`` runs."""
    rng = np.random.default_rng(list(SEED.encode()))
    size = (RUNS, clusters)
    sample = 1 - rng.exponential(size=size) if skewed else rng.normal(size=size)
    # What each of k clusters adds to the mean, whose variance is error²:   x · error √k ÷ k
    sample *= np.sqrt(error**2 * clusters) / clusters
    shares = np.full(size, 1 / clusters)
    parts = sample - np.add.reduceat(sample, [0], axis=1) / clusters
    run = Estimates(pd.DataFrame(index=range(RUNS)), parts, shares, np.zeros(clusters, int))
    error_of_run, degrees_of_freedom, skewness = run.errors
    limit: np.ndarray = scipy.special.stdtrit(degrees_of_freedom, 1 - SIGNIFICANT / (2 * pairs))
    # Hall's cubic (``Estimates.p_values``) reaches the limit at its inverse.
    cubic = inverse_hall_cubic(limit, skewness)
    smallest: np.ndarray = np.maximum(limit, cubic) * error_of_run - sample.sum(axis=1)
    return smallest
