"""Power of a paired comparison, and the smallest difference that it tells apart."""

import math

import numpy as np
import pandas as pd
import pytest

from steadfast.contract.records import OVERALL
from steadfast.stats.intervals import SIGNIFICANT, Clusters
from steadfast.stats.pairs import compare_models
from steadfast.stats.power import (
    Stratum,
    degrees_of_freedom,
    smallest_difference,
    smallest_of_run,
    standard_error,
)


@pytest.mark.parametrize(("effect", "size"), [(0.2, 199), (0.1, 787)])
def test_with_many_clusters_the_smallest_difference_is_that_of_the_paired_t_test(effect, size):
    # The pairs that a paired t test needs for a power of .80 (G*Power 3.1; Cohen 1988).
    assert smallest_of_run([Stratum(1.0, 1.0, size)]) == pytest.approx(effect, rel=0.003)


def test_with_few_clusters_the_guard_against_skew_costs_power():
    # A plain t test would reach .80 with ten pairs and an effect of 1.
    assert 1.02 < smallest_of_run([Stratum(1.0, 1.0, 10)]) < 1.15


def test_many_degrees_of_freedom_give_the_normal_distribution_s_difference():
    # (1.95996 + 0.84162) standard errors
    assert smallest_difference(1.0, 1e7) == pytest.approx(2.80158, abs=1e-4)


def test_more_pairs_need_a_larger_difference():
    # By Holm's first step for ten pairs at .05: (2.80703 + 0.84162) standard errors
    assert smallest_difference(1.0, 1e7, pairs=10) == pytest.approx(3.64865, abs=1e-4)


@pytest.mark.parametrize("freedom", [0, float("nan")])
def test_without_a_degree_of_freedom_nothing_can_be_told(freedom):
    assert math.isnan(smallest_difference(0.1, freedom))


def test_a_stratum_of_one_cluster_tells_nothing():
    strata = [Stratum(0.5, 0.04, 1), Stratum(0.5, 0.04, 9)]
    assert math.isnan(smallest_of_run(strata))


def test_error_and_freedom_of_strata_that_differ():
    strata = [Stratum(0.5, 0.08, 2), Stratum(0.5, 0.04, 4)]
    # shares of the variance: .25·.08/2 = .01 and .25·.04/4 = .0025
    assert standard_error(strata) == pytest.approx(math.sqrt(0.0125))
    # .0125² / (.01²/1 + .0025²/3)
    assert degrees_of_freedom(strata) == pytest.approx(0.0125**2 / (1e-4 + 0.0025**2 / 3))


@pytest.mark.parametrize("clusters", [3, 8])
def test_the_project_s_comparison_has_the_power_that_is_promised(clusters):
    runs = 500  # each a task of its own
    difference = smallest_of_run([Stratum(0.5, 0.01, clusters)] * 2)
    gaps = np.random.default_rng(11).normal(difference, 0.1, (runs, 2, clusters))
    index = pd.MultiIndex.from_product(map(range, gaps.shape), names=["task", "stratum", "place"])
    frame = index.to_frame(index=False).astype(str)
    frame["cluster"] = frame["stratum"] + "/" + frame.pop("place")
    frame = frame.assign(length="4k", sample_id=frame["task"] + "/" + frame["cluster"])
    models = [frame.assign(model="a", total=0.5 + gaps.ravel()), frame.assign(model="b", total=0.5)]
    frame = pd.concat(models, ignore_index=True)
    rows = compare_models(frame, dict.fromkeys(frame["task"], 1.0), Clusters(frame, ["stratum"]))
    told = rows.loc[rows["task"] != OVERALL, "p"] < SIGNIFICANT
    assert len(told) == runs
    assert told.mean() == pytest.approx(0.8, abs=0.05)
