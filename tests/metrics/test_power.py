"""Power of a paired comparison, and the smallest difference that it tells apart."""

import math

import numpy as np
import pandas as pd
import pytest

from steadfast.stats.intervals import SIGNIFICANT, Clusters
from steadfast.stats.power import Pilot, smallest_difference


@pytest.mark.parametrize(("effect", "size"), [(0.2, 199), (0.1, 787)])
def test_with_many_clusters_the_smallest_difference_is_that_of_the_paired_t_test(effect, size):
    # The pairs that a paired t test needs for a power of .80 (G*Power 3.1; Cohen 1988).
    assert smallest_difference(size**-0.5, size - 1) == pytest.approx(effect, rel=0.003)


def test_the_smallest_difference_by_hand_for_many_and_few_clusters():
    # (1.95996 + 0.84162) standard errors
    assert smallest_difference(1.0, 1e7) == pytest.approx(2.80158, abs=1e-4)
    # By Holm's first step for ten pairs at .05: (2.80703 + 0.84162) standard errors
    assert smallest_difference(1.0, 1e7, pairs=10) == pytest.approx(3.64865, abs=1e-4)
    # A plain t test would reach .80 with ten pairs and an effect of 1.
    assert 1.02 < smallest_difference(10**-0.5, 9) < 1.15


@pytest.mark.parametrize("degrees_of_freedom", [0, float("nan")])
def test_without_a_degree_of_freedom_nothing_can_be_told(degrees_of_freedom):
    assert math.isnan(smallest_difference(0.1, degrees_of_freedom))


@pytest.mark.parametrize("clusters", [8, 120])
@pytest.mark.parametrize("skewed", [False, True])
def test_the_project_s_test_has_the_power_that_is_promised(clusters, skewed):
    rng = np.random.default_rng(4)
    size = (1000, clusters)
    # Of variance 1; the mean lies low where few contexts fail of the better model.
    gaps = 1 - rng.exponential(size=size) if skewed else rng.normal(size=size)
    gaps += smallest_difference(clusters**-0.5, clusters - 1, skewed=skewed)
    names = [f"c{number}" for number in range(clusters)]
    contexts = Clusters(pd.DataFrame({"cluster": names}), [])
    ones = pd.DataFrame(1, range(len(gaps)), contexts.clusters)
    sums = pd.DataFrame(gaps, columns=contexts.clusters)
    found = contexts.ratios(sums, ones, (-np.inf, np.inf))
    assert (found.p_values() < SIGNIFICANT).mean() == pytest.approx(0.8, abs=0.05)


PILOT = Pilot(0.1, 99, 100, skewed=True)  # of variance 1


def test_as_many_contexts_as_a_skewed_normal_deviate_needs():
    # (1.960 + .842)² ÷ .1² = 785 normal contexts. Skewed against the better model (γ = −2/√n) it
    # takes more: t of 1.963 where Hall's cubic is, and √(1 + t · 2/√n + t² · 2/n) times as spread.
    n = PILOT.needed(0.1)
    skew = 2 / n**0.5
    reach = 3 * ((1 - skew * (1.963 + skew / 6)) ** (1 / 3) - 1) / -skew
    spread = (1 + reach * skew + reach**2 * 2 / n) ** 0.5
    assert (reach + 0.8416 * spread) ** 2 / 0.1**2 == pytest.approx(n, abs=2)
    assert 785 < n < 950
    # Bonferroni for ten pairs: (2.807 + .842)² ÷ (1.960 + .842)² = 1.7 times as many.
    assert PILOT.needed(0.1, pairs=10) == pytest.approx(1.7 * n, rel=0.05)


def test_a_run_too_large_or_too_small_has_no_number():
    assert PILOT.needed(1e-6) is None
    # The signs of five differences cannot reach p = .05.
    assert math.isnan(PILOT.smallest(5)) and not math.isnan(PILOT.smallest(6))
