"""Cluster bootstrap of spreads: draws, intervals worked by hand, and where there are none."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadfast.stats.bootstrap import Bootstrap


def samples(clusters: dict[str, list[float]], **columns) -> pd.DataFrame:
    rows = [{"cluster": name, "total": x} for name, totals in clusters.items() for x in totals]
    return pd.DataFrame(rows).assign(**({"stratum": "s", "task": "T"} | columns))


def test_one_cluster_fewer_is_drawn_and_counts_for_more():
    frame = pd.concat(
        [samples({name: [0.0] for name in "abc"}), samples({"d": [1.0], "e": [0.0]}, stratum="t")]
    )
    weights = Bootstrap(frame, ["stratum"]).weights
    assert (weights[0] == 1).all()
    assert set(weights[1:, :3].ravel()) == {0.0, 1.5, 3.0}  # two of three, each 3/2
    assert set(weights[1:, 3:].ravel()) == {0.0, 2.0}  # one of two
    assert (weights[:, :3].sum(axis=1) == 3).all()


totals = st.lists(st.floats(0, 1), min_size=1, max_size=4)
populations = st.dictionaries(st.sampled_from("abcdef"), totals, min_size=2, max_size=6)


@given(populations, st.integers(1, 20))
@settings(max_examples=30)
def test_a_replicate_is_the_mean_over_the_rows_drawn(clusters, replicate):
    frame = samples(clusters)
    boot = Bootstrap(frame, ["stratum"])
    times = boot.weights[replicate] * (len(clusters) - 1) / len(clusters)
    drawn = dict(zip(boot.clusters, times.round().astype(int), strict=True))
    rows = [x for name, often in drawn.items() for x in clusters[name] * often]
    found = boot.replicates(frame, ["task"]).values.iloc[0, replicate]
    assert found == pytest.approx(np.mean(rows))


def test_draws_follow_from_the_seed_and_the_stratum_alone():
    frame = samples({"a": [0.0], "b": [1.0], "c": [0.3]})
    more = pd.concat([frame, samples({"d": [1.0], "e": [0.0]}, stratum="t")])
    alone, together = (Bootstrap(x, ["stratum"]).weights for x in (frame, more))
    assert (together[:, :3] == alone).all()


def groups(clusters: dict[str, tuple[float, float]], **columns) -> pd.DataFrame:
    """Two groups, of which each cluster has a sample."""
    parts = [
        samples({name: [pair[i]] for name, pair in clusters.items()}, group=group, **columns)
        for i, group in enumerate("gh")
    ]
    return pd.concat(parts)


def spread(frame: pd.DataFrame) -> dict:
    found = Bootstrap(frame, ["stratum"]).replicates(frame, ["task", "group"])
    return found.variation(["task"]).rows().set_index("task").to_dict("index")


THREE = {"a": (1.0, 0.5), "b": (0.9, 0.3), "c": (0.7, 0.6)}


def test_variation_is_the_sample_deviation_over_the_mean_without_interval_where_clusters_agree():
    row = spread(groups(dict.fromkeys("abc", (1.0, 0.5))))["T"]
    assert row["value"] == pytest.approx(0.3535533906 / 0.75)
    assert row["n"] == 2
    row = spread(groups(dict.fromkeys("abc", (1.0, 0.5))))["T"]
    assert np.isnan([row["low"], row["high"]]).all()


def test_two_clusters_or_a_lonely_one_give_a_spread_no_interval():
    few = groups(dict(list(THREE.items())[:2]))
    lonely = groups({"d": (1.0, 0.4)}, stratum="t", task="U")
    rows = spread(pd.concat([groups(THREE), lonely]))
    assert np.isnan(spread(few)["T"]["low"])
    assert np.isnan(rows["U"]["low"])
    assert rows["T"]["low"] > 0


def test_intervals_hold_the_mean_spread():
    rng = np.random.default_rng(1)
    shape = (200, 8, 12, 6)  # runs, tasks, clusters, groups that do not differ but by chance
    totals = 0.6 + rng.normal(0, 0.1, (*shape[:3], 1)) + rng.normal(0, 0.1, shape)
    model, task, cluster, group = (axis.ravel() for axis in np.indices(shape))
    columns = {"model": model, "task": task, "cluster": cluster, "group": group}
    frame = pd.DataFrame(columns).assign(stratum="s", total=totals.ravel())
    means = Bootstrap(frame, ["stratum"]).replicates(frame, ["model", "task", "group"])
    rows = means.variation(["model", "task"]).mean(["model"]).rows()
    expected = rows["value"].mean()
    assert ((rows["low"] <= expected) & (rows["high"] >= expected)).mean() >= 0.93
