"""Cluster bootstrap of spreads: weights, intervals by hand, and where there is no interval."""

import numpy as np
import pandas as pd
import pytest
from cluster_scores import cluster_scores, populations
from hypothesis import given, settings
from hypothesis import strategies as st

from steadfast.stats.bootstrap import Bootstrap, Replicates


def test_one_cluster_fewer_is_sampled_and_weighted_up():
    second_stratum = cluster_scores({"d": [1.0], "e": [0.0]}, stratum="t")
    frame = pd.concat([cluster_scores({name: [0.0] for name in "abc"}), second_stratum])
    weights = Bootstrap(frame, ["stratum"]).weights
    assert (weights[0] == 1).all()
    assert set(weights[1:, :3].ravel()) == {0.0, 1.5, 3.0}  # two of three, each 3/2
    assert set(weights[1:, 3:].ravel()) == {0.0, 2.0}  # one of two
    assert (weights[:, :3].sum(axis=1) == 3).all()


@given(populations, st.integers(1, 20))
@settings(max_examples=30)
def test_replicate_is_the_mean_of_the_sampled_rows(clusters, replicate):
    frame = cluster_scores(clusters)
    bootstrap = Bootstrap(frame, ["stratum"])
    times = bootstrap.weights[replicate] * (len(clusters) - 1) / len(clusters)
    sampled = []
    for name, count in zip(bootstrap.clusters, times.round().astype(int), strict=True):
        sampled += clusters[name] * count
    replicates = bootstrap.replicates(frame, ["task"]).values
    assert replicates.iloc[0, replicate] == pytest.approx(np.mean(sampled))


def test_weights_depend_on_the_seed_and_the_stratum():
    frame = cluster_scores({"a": [0.0], "b": [1.0], "c": [0.3]})
    second_stratum = cluster_scores({"d": [1.0], "e": [0.0]}, stratum="t")
    larger = Bootstrap(pd.concat([frame, second_stratum]), ["stratum"])
    assert (larger.weights[:, :3] == Bootstrap(frame, ["stratum"]).weights).all()


def two_groups(clusters: dict[str, tuple[float, float]], **columns) -> pd.DataFrame:
    """Of each cluster a sample in group g and one in group h."""
    frame = cluster_scores(clusters, **columns)
    return frame.assign(group=["g", "h"] * len(clusters))


def spread(frame: pd.DataFrame) -> dict:
    replicates = Bootstrap(frame, ["stratum"]).replicates(frame, ["task", "group"])
    return replicates.variation(["task"]).rows().set_index("task").to_dict("index")


def test_spread_is_the_standard_deviation_over_the_mean():
    row = spread(two_groups(dict.fromkeys("abc", (1.0, 0.5))))["T"]
    assert row["value"] == pytest.approx(0.3535533906 / 0.75)
    assert row["n"] == 2
    assert np.isnan([row["low"], row["high"]]).all()  # since clusters agree


def test_interval_is_scaled_to_the_value_and_widened_by_t_by_hand():
    # Of 41 equidistant replicates the second and the last but one are the quantiles: .11 and .49.
    replicates = [*np.linspace(0.1, 0.5, 41), np.nan]
    values = pd.DataFrame([[value, *replicates] for value in (0.2, 0.4, 0.4)])
    rows = Replicates(values, pd.Series([9, 8, 7]), pd.Series([4, 2, 1])).rows()
    # t of four and of two degrees over z; √(.3/.2) times as wide where the median .3 is above.
    wider = np.array([(0.3 / 0.2) ** 0.5 * 2.776445, 4.302653, np.nan]) / 1.959964
    for end, quantile in (("low", 0.11), ("high", 0.49)):
        expected = pytest.approx(((quantile / 0.3) ** wider).tolist(), rel=1e-5, nan_ok=True)
        assert (rows[end] / values[0]).tolist() == expected
    assert rows["n"].tolist() == [9, 8, 7]


def test_spread_of_two_clusters_or_a_single_one_has_no_interval():
    three = {"a": (1.0, 0.5), "b": (0.9, 0.3), "c": (0.7, 0.6)}
    single = two_groups({"d": (1.0, 0.4)}, stratum="t", task="U")
    rows = spread(pd.concat([two_groups(three), single]))
    assert np.isnan(rows["U"]["low"])
    assert rows["T"]["low"] > 0
    del three["c"]
    assert np.isnan(spread(two_groups(three))["T"]["low"])


def test_degrees_of_freedom_are_of_strata_with_several_clusters():
    frame = pd.concat([
        cluster_scores({"a": [0.5], "b": [0.5], "c": [0.5]}),
        cluster_scores({"d": [0.5]}, stratum="t"),  # of T, only one of the two clusters
        cluster_scores({"d": [0.5], "e": [0.5]}, stratum="t", task="U"),
        cluster_scores({"a": [0.5], "b": [0.5]}, task="V"),
        cluster_scores({"f": [0.5]}, stratum="u", task="V"),  # a stratum's only cluster
    ])  # fmt: skip
    replicates = Bootstrap(frame, ["stratum"]).replicates(frame, ["task"])
    assert replicates.degrees_of_freedom.to_dict() == {"T": 2, "U": 1, "V": 0}


def test_intervals_cover_the_mean_spread():
    rng = np.random.default_rng(1)
    shape = (200, 8, 12, 6)  # runs, tasks, clusters, groups that differ by chance only
    totals = 0.6 + rng.normal(0, 0.1, (*shape[:3], 1)) + rng.normal(0, 0.1, shape)
    model, task, cluster, group = np.indices(shape).reshape(4, -1)
    columns = {"model": model, "task": task, "cluster": cluster, "group": group}
    frame = pd.DataFrame(columns).assign(stratum="s", total=totals.ravel())
    means = Bootstrap(frame, ["stratum"]).replicates(frame, ["model", "task", "group"])
    rows = means.variation(["model", "task"]).mean(["model"]).rows()
    expected = rows["value"].mean()
    assert ((rows["low"] <= expected) & (rows["high"] >= expected)).mean() >= 0.93
