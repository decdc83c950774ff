"""Intervals of means over clusters: calculated by hand, their limits, and their coverage."""

import math

import numpy as np
import pandas as pd
import pytest
from cluster_scores import cluster_scores, populations
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import binomtest, norm, t

from steadfast.stats.intervals import Clusters, Estimates, joined

T2 = 4.302653  # Student's t, 97.5 %, of 2 degrees of freedom (tables)
NO_LIMITS = (-1e6, 1e6)  # too far off to have an effect


def estimates(frame: pd.DataFrame, **options) -> Estimates:
    return Clusters(frame, ["stratum"]).means(frame, ["task"], **options)


def interval(frame: pd.DataFrame, **options) -> list[float]:
    (row,) = estimates(frame, **options).rows().to_dict("records")
    return [row["low"], row["high"]]


def test_interval_is_a_t_interval_of_clusters_by_stratum():
    # Means .3, .5 and .7: standard error .2 / √3.
    frame = cluster_scores({"a": [0.2, 0.4], "b": [0.5, 0.5], "c": [0.7, 0.7]})
    half = T2 * 0.2 / math.sqrt(3)
    assert interval(frame, limits=NO_LIMITS) == pytest.approx([0.5 - half, 0.5 + half], rel=1e-4)
    # Equal differences in both strata: Welch's 2²/(2/3) − 2 = 4, no more than the 2 that there are.
    second_stratum = cluster_scores({"c": [0.6], "d": [0.7]}, stratum="t")
    frame = pd.concat([cluster_scores({"a": [0.1], "b": [0.2]}), second_stratum])
    half = T2 * math.sqrt(2 * (0.5 * 0.05) ** 2)
    assert interval(frame, limits=NO_LIMITS) == pytest.approx([0.4 - half, 0.4 + half], rel=1e-4)


def test_interval_is_of_log_odds_between_the_limits():
    # .9 is log 9, with the standard error .1/√3 over .9·.1. Clusters are not skewed.
    frame = cluster_scores({"a": [1.0], "b": [0.9], "c": [0.8]})
    half = T2 * 0.1 / math.sqrt(3) / 0.09
    expected = expit([math.log(9) - half, math.log(9) + half])
    assert interval(frame) == pytest.approx(expected, rel=1e-4)
    # values beyond a limit have none on that side
    frame = cluster_scores({"a": [1.3], "b": [0.9], "c": [1.1]})
    half = T2 * 0.2 / math.sqrt(3)
    assert interval(frame) == pytest.approx([1.1 - half, 1.1 + half], rel=1e-4)


@pytest.mark.parametrize("clusters", [2, 5, 20])
def test_clusters_without_failure_have_a_clopper_pearson_interval(clusters):
    frame = cluster_scores({f"c{i}": [1.0, 1.0] for i in range(clusters)})
    assert interval(frame) == pytest.approx([0.05 ** (1 / clusters), 1.0])


def test_clusters_that_agree_between_the_limits_have_an_interval():
    # At least a share q = .05^(1/4) of all clusters has .5; the others may have 0 or 1.
    q = 0.05**0.25
    frame = cluster_scores({name: [0.5] for name in "abcd"})
    assert interval(frame) == pytest.approx([q / 2, 1 - q / 2])


@pytest.mark.parametrize("right", [1, 5, 12, 23])
def test_single_verdicts_have_a_wilson_interval(right):
    frame = cluster_scores({f"r{i}": [float(i < right)] for i in range(24)})
    expected = binomtest(right, 24).proportion_ci(method="wilson")
    assert interval(frame) == pytest.approx([expected.low, expected.high])


def test_stratum_of_one_cluster_leaves_the_mean_without_interval():
    single = cluster_scores({"c": [1.0]}, stratum="t", task="U")
    frame = pd.concat([cluster_scores({"a": [0.0], "b": [1.0]}), single]).assign(model="m")
    tasks = Clusters(frame, ["stratum"]).means(frame, ["model", "task"])
    rows = tasks.rows().set_index("task")
    assert rows["low"].notna().to_dict() == {"T": True, "U": False}
    (overall,) = tasks.mean(["model"]).rows().to_dict("records")
    assert overall["value"] == 0.75
    assert np.isnan([overall["low"], overall["high"]]).all()


def test_samples_without_score_cluster_or_task_are_left_out():
    frame = cluster_scores({"a": [0.0, np.nan], "b": [1.0]})
    assert estimates(frame).rows()[["value", "n"]].values.tolist() == [[0.5, 2]]
    frame = cluster_scores({"a": [0.1, 0.9], "b": [0.3, 0.9], "c": [0.5]})
    clusters = Clusters(frame, ["stratum"])
    frame.loc[1, "cluster"] = None
    frame.loc[3, "task"] = None
    assert clusters.means(frame, ["task"]).rows()[["value", "n"]].values.tolist() == [[0.3, 3]]


def test_drop_is_relative_to_the_earlier_mean():
    early = cluster_scores({"a": [0.8], "b": [0.6], "c": [1.0]}, model="m")
    late = cluster_scores({"a": [0.4], "b": [0.2], "c": [0.6]}, model="m")
    clusters = Clusters(early, [])
    late_means = clusters.means(late, ["model"])
    (row,) = late_means.drop_from(clusters.means(early, ["model"])).rows().to_dict("records")
    assert row["value"] == pytest.approx(0.5)  # from .8 to .4
    assert row["low"] < 0.5 < row["high"]
    zero = clusters.means(early.assign(total=0.0), ["model"])
    assert late_means.drop_from(zero).rows().empty


def test_joined_estimates_keep_their_labels():
    frame = cluster_scores({"a": [0.0], "b": [1.0]}, model="m")
    tasks = Clusters(frame, ["stratum"]).means(frame, ["model", "task"])
    rows = joined([tasks, tasks.mean(["model"]).labelled(task="all")]).rows()
    assert rows[["model", "task", "value"]].values.tolist() == [["m", "T", 0.5], ["m", "all", 0.5]]


def cr2(sizes: list[int], totals: list[float]) -> tuple[float, float]:
    """Standard error and degrees of freedom of a mean, by the matrices of Bell and McCaffrey."""
    cluster = np.repeat(range(len(sizes)), sizes)
    n = len(cluster)
    y = np.repeat(totals, sizes)
    residual_maker = np.eye(n) - 1 / n
    vectors = np.empty((len(sizes), n))
    for c in range(len(sizes)):
        rows = np.flatnonzero(cluster == c)
        values, basis = np.linalg.eigh(residual_maker[np.ix_(rows, rows)])
        root = basis @ np.diag(values**-0.5) @ basis.T
        vectors[c] = root.sum(axis=0) @ residual_maker[rows] / n
    inner = vectors @ vectors.T
    error = math.sqrt(((vectors @ y) ** 2).sum())
    return error, np.trace(inner) ** 2 / (inner**2).sum()


def test_clusters_of_unequal_size_have_the_error_of_cr2():
    sizes = [1, 2, 4, 9]
    means = [0.9, 0.5, 0.6, 0.3]
    frame = cluster_scores({f"c{i}": [means[i]] * size for i, size in enumerate(sizes)})
    (error,), (degrees_of_freedom,), _ = estimates(frame).errors
    assert (error, degrees_of_freedom) == pytest.approx(cr2(sizes, means))


@given(populations)
@settings(max_examples=30)
def test_interval_contains_the_value_within_the_limits(clusters):
    (row,) = estimates(cluster_scores(clusters)).rows().to_dict("records")
    assert 0 <= row["low"] <= row["value"] + 1e-9
    assert row["value"] - 1e-9 <= row["high"] <= 1
    assert row["high"] > row["low"]


@given(
    st.lists(st.integers(-20, 20).map(lambda n: n / 20), min_size=2, max_size=12),
    st.lists(st.integers(1, 4), min_size=12, max_size=12),
    st.booleans(),
)
def test_interval_excludes_0_when_p_is_below_5_percent(values, sizes, strata):
    frame = cluster_scores({f"c{i}": [value] * sizes[i] for i, value in enumerate(values)})
    if strata and len(values) > 3:
        frame["stratum"] = frame["cluster"].str[1:].astype(int) % 2
    differences = estimates(frame, limits=(-1, 1))
    (row,) = differences.rows().to_dict("records")
    (p,) = differences.p_values()
    assert (row["low"] > 0 or row["high"] < 0) == (p < 0.05)


@pytest.mark.parametrize(
    ("values", "lowest", "highest", "p"),
    [
        ([0.5] * 8, -2, 1, 1.5**-8),
        ([-0.5] * 8, -2, 1, 1.25**-8),
        ([2] * 6 + [-1] * 6, -1, 2, 2 * norm.sf(0.5 * (12 / 2) ** 0.5)),
        # Log odds log(1.3 ÷ 1.7 · 2 ÷ 1) of error .2 ÷ √3 · (1 ÷ 1.3 + 1 ÷ 1.7), two degrees.
        ([0.1, 0.3, 0.5], -1, 2, 2 * t.sf(0.42488 / (0.11547 * 1.35747), 2)),
        ([0.1, 0.3, 0.5], -1e6, 1e6, 2 * t.sf(0.3 / 0.11547, 2)),
    ],
)
def test_p_values_by_hand(values, lowest, highest, p):
    frame = cluster_scores({f"c{number}": [value] for number, value in enumerate(values)})
    (computed,) = estimates(frame, limits=(lowest, highest)).p_values()
    assert computed == pytest.approx(p, rel=1e-4)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=30))
def test_interval_lies_within_the_one_of_binary_clusters(twentieths):
    """Of all values from 0 to 1 these vary most, p(1 − p): the score test bounds both ends."""
    assume(len(set(twentieths)) > 1)
    scores = np.array(twentieths) / 20
    for end in interval(cluster_scores({f"c{i}": [score] for i, score in enumerate(scores)})):
        spread = norm.ppf(0.975) * math.sqrt(end * (1 - end) / len(scores))
        assert abs(scores.mean() - end) <= spread + 1e-9


def simulated_runs(clusters: int, strata: int, effects) -> pd.DataFrame:
    """Samples of 600 models from one population: clusters differ, and five samples in each."""
    rng = np.random.default_rng(clusters)
    shape = (600, strata, clusters, 5)
    total = effects(rng, (*shape[:3], 1)) + rng.normal(0, 0.05, shape)
    model, stratum, cluster, _ = np.indices(shape).reshape(4, -1)
    frame = pd.DataFrame({"model": model, "stratum": stratum, "total": total.ravel()})
    return frame.assign(cluster=stratum * clusters + cluster)


@pytest.mark.parametrize(
    ("effects", "min_coverage"),
    [
        (lambda rng, size: rng.normal(0.6, 0.06, size), 0.93),
        (lambda rng, size: 0.66 - rng.exponential(0.06, size), 0.92),
    ],
    ids=["normal", "skewed"],
)
@pytest.mark.parametrize(("clusters", "strata"), [(2, 1), (6, 1), (2, 6), (20, 1)])
def test_intervals_cover_the_mean_in_95_percent(clusters, strata, effects, min_coverage):
    frame = simulated_runs(clusters, strata, effects)
    rows = Clusters(frame, ["stratum"]).means(frame, ["model"]).rows()
    assert min_coverage <= ((rows["low"] <= 0.6) & (rows["high"] >= 0.6)).mean() <= 0.975
