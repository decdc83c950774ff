"""Paired comparison: p-values, their correction, differences on common samples."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from steadfast.stats.intervals import Clusters
from steadfast.stats.pairs import compare_models, holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_p_and_bonferroni_and_keeps_the_order(p):
    p = np.array(p)
    corrected = holm(p)
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(len(p) * p, 1) + 1e-12).all()
    assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all()


def frame_of(totals: dict[str, list[float | None]]) -> pd.DataFrame:
    """Two tasks of four samples each, in two contexts, for each model."""
    rows = [
        {
            "model": model,
            "task": "AB"[i // 4],
            "length": "4k",
            "sample_id": f"s{i}",
            "cluster": f"c{i % 4 // 2}",
            "stratum": "s",
            "total": total,
        }
        for model, values in totals.items()
        for i, total in enumerate(values)
    ]
    return pd.DataFrame(rows).astype({"total": float})


def compared(frame: pd.DataFrame, **weights: float) -> pd.DataFrame:
    weights = weights or {"A": 1.0, "B": 1.0}
    return compare_models(frame, weights, Clusters(frame, ["stratum"])).set_index("task")


def test_differences_are_weighted_over_tasks():
    rows = compared(frame_of({"m": [1] * 8, "n": [0, 1, 0, 1, 0, 0, 0, 0]}), A=1.0, B=3.0)
    assert rows["difference"].to_dict() == {"A": 0.5, "B": 1.0, "overall": (0.5 + 3) / 4}
    # Both clusters agree: at least .05^½ of all have the difference 1, the others may have −1.
    assert rows.loc["B", ["low", "high"]].tolist() == pytest.approx([2 * 0.05**0.5 - 1, 1.0])
    assert rows["p"].to_dict() == {"A": 0.5, "B": 0.5, "overall": 0.5}  # two clusters: no less
    assert rows["n"].to_dict() == {"A": 4, "B": 4, "overall": 8}


def test_only_common_samples_are_compared():
    rows = compared(frame_of({"m": [1, None, *[0.5] * 6], "n": [0, 1, None, *[0.5] * 5]}))
    assert rows.loc["A", "n"] == 2
    assert rows.loc["A", "difference"] == 0.5
    assert rows.loc["overall", "n"] == 6
    rows = compared(frame_of({"m": [None] * 4 + [1] * 4, "n": [1] * 4 + [0] * 4}))
    assert set(rows.index) == {"B", "overall"}
    assert rows.loc["overall", "difference"] == 1.0


def test_a_model_does_not_differ_from_its_copy_and_each_pair_is_there_once():
    totals = [0.1, 0.7, 0.3, 0.9, 0.2, 0.4, 1.0, 0.0]
    rows = compared(frame_of({"m": totals, "n": totals}))
    assert (rows["difference"] == 0).all()
    assert ((rows["low"] < 0) & (rows["high"] > 0)).all()
    assert (rows["p"] == 1).all()
    assert rows["p_adjusted"].isna().all()  # two clusters could tell nothing apart
    rng = np.random.default_rng(2)
    frame = frame_of({name: rng.random(8).tolist() for name in "klmn"})
    rows = compared(frame).reset_index()
    assert rows.groupby("task").size().to_dict() == {"A": 6, "B": 6, "overall": 6}
    assert (rows["model"] < rows["other"]).all()


def test_a_model_with_draws_is_compared_by_its_mean_of_each_sample():
    once = frame_of({"n": [0.5] * 8})
    several = frame_of({"m": [1] * 8})
    other = several.assign(total=[0.0, 1, 0, 1, 0, 0, 0, 0], repeat=1)
    rows = compared(pd.concat([once.assign(repeat=0), several.assign(repeat=0), other]))
    # Means of the repeats: ½, 1, ½, 1 in A and ½ in B; those of n are ½.
    assert rows["difference"].to_dict() == {"A": 0.25, "B": 0.0, "overall": 0.125}
    assert rows["n"].to_dict() == {"A": 4, "B": 4, "overall": 8}


def pair(first: list[float], second: list[float], clusters: int = 0) -> dict:
    """One task of two models, by default with a cluster for each sample."""
    parts = [
        pd.DataFrame({"total": totals}).assign(model=model, sample_id=range(len(totals)))
        for model, totals in (("m", first), ("n", second))
    ]
    frame = pd.concat(parts).assign(task="T", length="4k", stratum="s")
    frame["cluster"] = frame["sample_id"] % (clusters or len(first))
    return compare_models(frame, {"T": 1.0}, Clusters(frame, ["stratum"])).iloc[0].to_dict()


HOURS = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
"""The differences of "Student" (1908), hours of sleep of ten patients: t = 4.0621 (R's t.test)."""


def test_error_freedom_and_interval_are_those_of_a_paired_t_test():
    row = pair([10 + hour for hour in HOURS], [10.0] * 10)
    assert row["difference"] == pytest.approx(1.58)
    assert (row["error"], row["degrees_of_freedom"]) == pytest.approx((0.3889587, 9), rel=1e-6)
    # Far from what a difference can be at most, log odds are straight.
    first = [1e4 + n for n in range(-1, 9)]
    row = pair(first, [1e4] * 10)
    expected = stats.ttest_1samp(range(-1, 9), 0)
    assert row["p"] == pytest.approx(expected.pvalue, rel=1e-2)
    assert [row["low"], row["high"]] == pytest.approx(expected.confidence_interval(), rel=1e-2)


def test_skewed_differences_reach_to_where_hall_s_cubic_is_t():
    row = pair([1e4 + hour for hour in HOURS], [1e4] * 10)
    t, error = 2.262157, 0.3889587  # nine degrees of freedom, 97.5 %
    skewness = stats.skew(HOURS, bias=False) / math.sqrt(10)

    def cubic(true: float) -> float:
        t = (1.58 - true) / error
        return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6

    # Skewed to the right: the cubic puts the upper end further away, t the lower one.
    assert row["high"] == pytest.approx(optimize.brentq(lambda x: cubic(x) + t, 1, 9), rel=1e-3)
    assert row["low"] == pytest.approx(1.58 - t * error, rel=1e-3)


def test_few_clusters_exclude_nothing():
    row = pair([0.9, 0.91, 0.92, 0.93, 0.94], [0.1] * 5)
    assert row["p"] == 2 / 2**5
    assert row["low"] == 0 < row["difference"] < row["high"]
    row = pair([1.0, 0.5], [0.0, 0.5], clusters=1)
    assert row["difference"] == 0.5
    assert np.isnan([row[name] for name in ("low", "high", "p", "p_adjusted", "error")]).all()


def runs(draw, clusters: int, size: int = 500) -> pd.DataFrame:
    """Two models with the same mean, compared in as many tasks as there are runs."""
    rng = np.random.default_rng(7)
    steady = 0.7 + rng.normal(0, 0.05, (size, clusters))
    other = 0.7 + draw(rng, (size, clusters)) + rng.normal(0, 0.05, (size, clusters))
    task, cluster = (axis.ravel() for axis in np.indices((size, clusters)))
    columns = {"task": task, "cluster": cluster, "sample_id": cluster}
    parts = [
        pd.DataFrame(columns).assign(model=model, total=totals.ravel())
        for model, totals in (("a", steady), ("b", other))
    ]
    frame = pd.concat(parts).assign(length="4k", stratum="s").astype({"task": str})
    rows = compare_models(frame, dict.fromkeys(frame["task"], 1.0), Clusters(frame, ["stratum"]))
    return rows[rows["task"] != "overall"]


def failing(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """A fifth of the contexts fails whole, the others make up for it."""
    return np.where(rng.random(size) < 0.2, -0.7, 0.175)


@pytest.mark.wide
@pytest.mark.parametrize(
    ("draw", "clusters"),
    [(lambda rng, size: rng.normal(0, 0.1, size), 8), (failing, 24)],
    ids=["alike", "failing"],
)
def test_equal_models_are_told_apart_no_more_often_than_the_test_says(draw, clusters):
    assert (runs(draw, clusters)["p"] < 0.05).mean() <= 0.065


@pytest.mark.wide
def test_a_failure_that_few_contexts_do_not_show_is_taken_for_a_difference():  # docs/metrics.md
    assert (runs(failing, 6)["p"] < 0.05).mean() > 0.15
