"""Power of a paired comparison, and its minimum detectable difference."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from steadfast.stats.intervals import SIGNIFICANT, Clusters
from steadfast.stats.power import Pilot, minimum_detectable_difference


@pytest.mark.parametrize(("effect", "size"), [(0.2, 199), (0.1, 787)])
def test_detectable_difference_matches_the_paired_t_test(effect, size):
    # The pairs that a paired t test needs for a power of .80 (G*Power 3.1; Cohen 1988).
    assert minimum_detectable_difference(size**-0.5, size - 1) == pytest.approx(effect, rel=0.003)


@pytest.mark.parametrize("pairs", [1, 3])
def test_noncentral_t_has_80_percent_power_at_the_detectable_difference(pairs):
    limit = stats.t.isf(0.05 / 2 / pairs, 60)
    difference = minimum_detectable_difference(1.0, 60, pairs)
    assert stats.nct.sf(limit, 60, difference) == pytest.approx(0.8, abs=1e-6)


def test_detectable_difference_by_hand():
    # (1.95996 + 0.84162) standard errors
    assert minimum_detectable_difference(1.0, 1e7) == pytest.approx(2.80158, abs=1e-4)
    # By Holm's first step for ten pairs at .05: (2.80703 + 0.84162) standard errors
    assert minimum_detectable_difference(1.0, 1e7, pairs=10) == pytest.approx(3.64865, abs=1e-4)
    # A plain t test would reach .80 with ten pairs and an effect of 1.
    assert 1.02 < minimum_detectable_difference(10**-0.5, 9) < 1.15
    # Of ten pairs it would be 1.484.
    assert 1.5 < minimum_detectable_difference(10**-0.5, 9, pairs=10) < 1.9
    for degrees_of_freedom in (0, math.nan):
        assert math.isnan(minimum_detectable_difference(0.1, degrees_of_freedom))


@pytest.mark.parametrize("clusters", [8, 120])
@pytest.mark.parametrize("skewed", [False, True])
def test_detectable_difference_has_80_percent_power(clusters, skewed):
    rng = np.random.default_rng(4)
    size = (1000, clusters)
    # Of variance 1; the mean is low where the better model fails in a few contexts.
    differences = 1 - rng.exponential(size=size) if skewed else rng.normal(size=size)
    differences += minimum_detectable_difference(clusters**-0.5, clusters - 1, skewed=skewed)
    names = [f"c{number:03}" for number in range(clusters)]
    sums = pd.DataFrame(differences, columns=names)
    contexts = Clusters(pd.DataFrame({"cluster": names}), [])
    ones = pd.DataFrame(1, sums.index, sums.columns)
    p = contexts.ratios(sums, ones, (-np.inf, np.inf)).p_values()
    assert (p < SIGNIFICANT).mean() == pytest.approx(0.8, abs=0.05)


PILOT = Pilot(0.1, 99, 100, skewed=True)  # of variance 1


def test_needed_contexts_allow_for_skewness():
    # (1.960 + .842)² ÷ .1² = 785 normal contexts. Skewed against the better model (γ = −2/√n) it
    # takes more: t of 1.963 where Hall's cubic is, and √(1 + t · 2/√n + t² · 2/n) times as spread.
    n = PILOT.clusters_needed(0.1)
    skewness = 2 / n**0.5
    t = 3 * ((1 - skewness * (1.963 + skewness / 6)) ** (1 / 3) - 1) / -skewness
    spread = (1 + t * skewness + t**2 * 2 / n) ** 0.5
    assert (t + 0.8416 * spread) ** 2 / 0.1**2 == pytest.approx(n, abs=2)
    assert 785 < n < 950
    # Bonferroni for ten pairs: (2.807 + .842)² ÷ (1.960 + .842)² = 1.7 times as many.
    assert PILOT.clusters_needed(0.1, pairs=10) == pytest.approx(1.7 * n, rel=0.05)


def test_run_too_large_or_too_small_has_no_number():
    assert PILOT.clusters_needed(1e-6) is None
    # The signs of five differences cannot reach p = .05.
    assert math.isnan(PILOT.detectable_difference(5))
    assert not math.isnan(PILOT.detectable_difference(6))
