"""Intervals of means over clusters: worked by hand, their limits, and how often they hold."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from steadfast.stats.intervals import Clusters, joined

T2 = 4.302653  # Student's t, 97.5 %, of 2 degrees of freedom (tables)


def samples(clusters: dict[str, list[float]], **columns) -> pd.DataFrame:
    rows = [{"cluster": name, "total": x} for name, totals in clusters.items() for x in totals]
    return pd.DataFrame(rows).assign(**({"stratum": "s", "task": "T"} | columns))


def row_of(frame: pd.DataFrame, **options) -> dict:
    (row,) = (
        Clusters(frame, ["stratum"]).means(frame, ["task"], **options).rows().to_dict("records")
    )
    return row


def ends(frame: pd.DataFrame, **options) -> list[float]:
    row = row_of(frame, **options)
    return [row["low"], row["high"]]


WIDE = (-1e6, 1e6)  # limits so far off that they change nothing


def test_intervals_are_student_s_t_of_the_clusters_by_stratum():
    # Means .3, .5 and .7: standard error .2 / √3.
    frame = samples({"a": [0.2, 0.4], "b": [0.5, 0.5], "c": [0.7, 0.7]})
    half = T2 * 0.2 / math.sqrt(3)
    assert ends(frame, limits=WIDE) == pytest.approx([0.5 - half, 0.5 + half], rel=1e-4)
    # Equal differences in both strata: Welch's 2²/(2/3) − 2 = 4, no more than the 2 that there are.
    frame = pd.concat(
        [samples({"a": [0.1], "b": [0.2]}), samples({"c": [0.6], "d": [0.7]}, stratum="t")]
    )
    half = T2 * math.sqrt(2 * (0.5 * 0.05) ** 2)
    assert ends(frame, limits=WIDE) == pytest.approx([0.4 - half, 0.4 + half], rel=1e-4)


def test_near_a_limit_intervals_are_of_log_odds_and_beyond_it_open():
    # .9 is log 9, with the standard error .1/√3 over .9·.1. Clusters are not skewed.
    frame = samples({"a": [1.0], "b": [0.9], "c": [0.8]})
    odds = [math.log(9) + t * 0.1 / math.sqrt(3) / 0.09 for t in (-T2, T2)]
    assert ends(frame) == pytest.approx([1 / (1 + math.exp(-o)) for o in odds], rel=1e-4)
    # values beyond the limit have none on that side
    frame = samples({"a": [1.3], "b": [0.9], "c": [1.1]})
    half = T2 * 0.2 / math.sqrt(3)
    assert ends(frame) == pytest.approx([1.1 - half, 1.1 + half], rel=1e-4)


@pytest.mark.parametrize("clusters", [2, 5, 20])
def test_clusters_that_are_all_right_are_held_by_clopper_and_pearson(clusters):
    frame = samples({f"c{i}": [1.0, 1.0] for i in range(clusters)})
    assert ends(frame) == pytest.approx([0.05 ** (1 / clusters), 1.0])


def test_clusters_that_agree_between_the_limits_have_an_interval_too():
    # At least a share q = .05^(1/4) of all clusters has .5; the others may have 0 or 1.
    q = 0.05**0.25
    assert ends(samples({name: [0.5] for name in "abcd"})) == pytest.approx([q / 2, 1 - q / 2])


def test_a_stratum_with_one_cluster_leaves_the_whole_without_interval():
    frame = pd.concat(
        [samples({"a": [0.0], "b": [1.0]}), samples({"c": [1.0]}, stratum="t", task="U")]
    ).assign(model="m")
    tasks = Clusters(frame, ["stratum"]).means(frame, ["model", "task"])
    rows = tasks.rows().set_index("task")
    assert rows["low"].notna().to_dict() == {"T": True, "U": False}
    (overall,) = tasks.mean(["model"]).rows().to_dict("records")
    assert overall["value"] == 0.75
    assert np.isnan([overall["low"], overall["high"]]).all()


def test_unscored_samples_and_those_of_no_cluster_count_nowhere():
    row = row_of(samples({"a": [0.0, np.nan], "b": [1.0]}))
    assert (row["n"], row["value"]) == (2, 0.5)
    frame = samples({"a": [0.1, 0.9], "b": [0.3, 0.9], "c": [0.5]})
    found = Clusters(frame, ["stratum"])
    frame.loc[1, "cluster"] = None
    frame.loc[3, "task"] = None
    assert found.means(frame, ["task"]).rows()[["value", "n"]].values.tolist() == [[0.3, 3]]


def test_a_drop_is_a_share_of_what_was_before():
    frame = samples({"a": [0.8, 0.4], "b": [0.6, 0.2], "c": [1.0, 0.6]})
    frame = frame.assign(task=["before", "after"] * 3, model="m")
    drawn = Clusters(frame, [])
    before, after = (
        drawn.means(frame[frame["task"] == task], ["model"]) for task in ("before", "after")
    )
    (row,) = after.drop_from(before).rows().to_dict("records")
    assert row["value"] == pytest.approx(0.5)  # from .8 to .4
    assert row["low"] < 0.5 < row["high"]
    assert after.drop_from(drawn.means(frame.assign(total=0.0), ["model"])).rows().empty


def test_joined_estimates_keep_their_cells():
    frame = samples({"a": [0.0], "b": [1.0]}).assign(model="m")
    tasks = Clusters(frame, ["stratum"]).means(frame, ["model", "task"])
    rows = joined([tasks, tasks.mean(["model"]).labelled(task="all")]).rows()
    assert rows[["model", "task", "value"]].values.tolist() == [["m", "T", 0.5], ["m", "all", 0.5]]


@pytest.mark.parametrize("right", [1, 5, 12, 23])
def test_single_verdicts_have_wilson_s_interval(right):
    frame = samples({f"r{i}": [float(i < right)] for i in range(24)})
    expected = binomtest(right, 24).proportion_ci(method="wilson")
    assert ends(frame) == pytest.approx([expected.low, expected.high])


def cr2(sizes: list[int], totals: list[float]) -> tuple[float, float]:
    """Standard error and degrees of freedom of a mean, by the matrices of Bell and McCaffrey."""
    cluster = np.repeat(range(len(sizes)), sizes)
    number = len(cluster)
    y = np.repeat(totals, sizes)
    left = np.eye(number) - 1 / number
    vectors = []
    for c in range(len(sizes)):
        own = np.flatnonzero(cluster == c)
        values, basis = np.linalg.eigh(left[np.ix_(own, own)])
        root = basis @ np.diag(values**-0.5) @ basis.T
        vectors.append(root.sum(axis=0) @ left[own] / number)
    inner = np.array(vectors) @ np.array(vectors).T
    error = math.sqrt(sum((vector @ y) ** 2 for vector in vectors))
    return error, np.trace(inner) ** 2 / (inner**2).sum()


def test_clusters_of_unequal_size_have_the_error_of_cr2():
    sizes = [1, 2, 4, 9]
    means = [0.9, 0.5, 0.6, 0.3]
    frame = samples({f"c{i}": [means[i]] * size for i, size in enumerate(sizes)})
    (error,), (degrees_of_freedom,), _ = (
        Clusters(frame, ["stratum"]).means(frame, ["task"]).errors()
    )
    assert (error, degrees_of_freedom) == pytest.approx(cr2(sizes, means))


totals = st.lists(st.floats(0, 1), min_size=1, max_size=4)
populations = st.dictionaries(st.sampled_from("abcdef"), totals, min_size=2, max_size=6)


@given(populations)
@settings(max_examples=30)
def test_an_interval_has_a_width_and_lies_about_the_value_within_the_limits(clusters):
    row = row_of(samples(clusters))
    assert 0 <= row["low"] <= row["value"] + 1e-9
    assert row["value"] - 1e-9 <= row["high"] <= 1
    assert row["high"] > row["low"]


@given(
    st.lists(st.integers(-20, 20).map(lambda n: n / 20), min_size=2, max_size=12),
    st.lists(st.integers(1, 4), min_size=12, max_size=12),
    st.booleans(),
)
def test_an_interval_excludes_0_exactly_where_p_is_below_a_twentieth(values, sizes, strata):
    frame = samples({f"c{i}": [value] * sizes[i] for i, value in enumerate(values)})
    several = strata and len(values) > 3
    frame["stratum"] = frame["cluster"].str[1:].astype(int) % 2 if several else 0
    of = Clusters(frame, ["stratum"]).means(frame, ["task"], limits=(-1, 1))
    (row,) = of.rows().to_dict("records")
    (p,) = of.p_values()
    assert (row["low"] > 0 or row["high"] < 0) == (p < 0.05)


def runs(clusters: int, strata: int, draw) -> pd.DataFrame:
    """As many samples of one population as models: clusters differ, and five samples in each."""
    rng = np.random.default_rng(clusters)
    shape = (600, strata, clusters, 5)
    total = draw(rng, (*shape[:3], 1)) + rng.normal(0, 0.05, shape)
    model, stratum, cluster, _ = (axis.ravel() for axis in np.indices(shape))
    names = np.char.add(np.char.add(stratum.astype(str), "/"), cluster.astype(str))
    columns = {"model": model, "stratum": stratum, "cluster": names, "total": total.ravel()}
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("draw", "least"),
    [
        (lambda rng, size: rng.normal(0.6, 0.06, size), 0.93),
        (lambda rng, size: 0.66 - rng.exponential(0.06, size), 0.92),
    ],
    ids=["normal", "skewed"],
)
@pytest.mark.parametrize(("clusters", "strata"), [(2, 1), (6, 1), (2, 6), (20, 1)])
def test_intervals_hold_the_mean_as_often_as_they_say(clusters, strata, draw, least):
    frame = runs(clusters, strata, draw)
    rows = Clusters(frame, ["stratum"]).means(frame, ["model"]).rows()
    assert least <= ((rows["low"] <= 0.6) & (rows["high"] >= 0.6)).mean() <= 0.975


@given(st.lists(st.integers(0, 20), min_size=2, max_size=30))
def test_no_end_is_further_than_with_clusters_that_are_right_or_wrong(twentieths):
    """Of all between 0 and 1 these vary most, p(1 − p); so the score test bounds both ends."""
    values = [value / 20 for value in twentieths]
    assume(len(set(values)) > 1)
    row = row_of(samples({f"c{place}": [value] for place, value in enumerate(values)}))
    for end in (row["low"], row["high"]):
        spread = norm.ppf(0.975) * math.sqrt(end * (1 - end) / len(values))
        assert abs(row["value"] - end) <= spread + 1e-9
