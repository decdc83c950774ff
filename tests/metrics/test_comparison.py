"""Paired comparison: p-values, their correction, differences on common samples."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from steadfast.stats.intervals import Clusters
from steadfast.stats.pairs import _widest, compare_models, holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_p_and_bonferroni_and_keeps_the_order(p):
    p = np.array(p)
    corrected = holm(p)
    assert (corrected >= p).all()
    assert (corrected <= np.minimum(len(p) * p, 1) + 1e-12).all()
    assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all()


def scores(**totals: list[float | None]) -> pd.DataFrame:
    """Two tasks of four samples each, in two contexts, for each model."""
    samples = {"task": list("AAAABBBB"), "cluster": list("ccddccdd"), "sample_id": list("abcdefgh")}
    parts = [pd.DataFrame(samples).assign(model=m, total=values) for m, values in totals.items()]
    return pd.concat(parts).assign(length="4k", stratum="s").astype({"total": float})


def compared(frame: pd.DataFrame, **weights: float) -> pd.DataFrame:
    weights = weights or {"A": 1.0, "B": 1.0}
    return compare_models(frame, weights, Clusters(frame, ["stratum"])).set_index("task")


def test_totals_beyond_0_to_1_widen_the_limits_of_their_task():
    totals = {"A": [0.2, 0.9], "B": [0.5, 3.0], "C": [-1.0, 0.5]}
    frame = pd.Series(totals).explode().rename_axis("task").reset_index(name="total")
    assert _widest(frame.astype({"total": float})).to_dict() == {"A": 1.0, "B": 3.0, "C": 2.0}


def test_differences_are_weighted_over_tasks():
    rows = compared(scores(m=[1] * 8, n=[0, 1, 0, 1, 0, 0, 0, 0]), A=1.0, B=3.0)
    assert rows["difference"].to_dict() == {"A": 0.5, "B": 1.0, "overall": (0.5 + 3) / 4}
    # Both clusters agree: at least .05^½ of all have the difference 1, the others may have −1.
    assert rows.loc["B", ["low", "high"]].tolist() == pytest.approx([2 * 0.05**0.5 - 1, 1.0])
    assert rows["p"].to_dict() == {"A": 0.5, "B": 0.5, "overall": 0.5}  # two clusters: no less
    assert rows["n"].to_dict() == {"A": 4, "B": 4, "overall": 8}


def test_only_common_samples_are_compared():
    rows = compared(scores(m=[1, None, *[0.5] * 6], n=[0, 1, None, *[0.5] * 5]))
    assert rows.loc["A", "n"] == 2
    assert rows.loc["A", "difference"] == 0.5
    assert rows.loc["overall", "n"] == 6
    rows = compared(scores(m=[None] * 4 + [1] * 4, n=[1] * 4 + [0] * 4))
    assert set(rows.index) == {"B", "overall"}
    assert rows.loc["overall", "difference"] == 1.0


def test_model_does_not_differ_from_its_copy():
    totals = [0.1, 0.7, 0.3, 0.9, 0.2, 0.4, 1.0, 0.0]
    rows = compared(scores(m=totals, n=totals))
    assert (rows["difference"] == 0).all()
    assert ((rows["low"] < 0) & (rows["high"] > 0)).all()
    assert (rows["p"] == 1).all()
    assert rows["p_adjusted"].isna().all()  # two clusters are never significant


def test_each_pair_of_models_has_one_row():
    totals = dict(zip("klmn", np.random.default_rng(2).random((4, 8)), strict=True))
    rows = compared(scores(**totals)).reset_index()
    assert rows.groupby("task").size().to_dict() == {"A": 6, "B": 6, "overall": 6}
    assert (rows["model"] < rows["other"]).all()


def test_repeats_are_averaged_before_the_comparison():
    first = scores(m=[1] * 8, n=[0.5] * 8).assign(repeat=0)
    second = scores(m=[0, 1, 0, 1, 0, 0, 0, 0]).assign(repeat=1)
    rows = compared(pd.concat([first, second]))
    # Means of the repeats: ½, 1, ½, 1 in A and ½ in B; those of n are ½.
    assert rows["difference"].to_dict() == {"A": 0.25, "B": 0.0, "overall": 0.125}
    assert rows["n"].to_dict() == {"A": 4, "B": 4, "overall": 8}


def paired(gaps: list[float], base: float, clusters: int = 0) -> dict:
    """Two models that differ by these gaps, by default with a cluster for each sample."""
    sample = np.arange(len(gaps))
    columns = {"sample_id": sample, "cluster": sample % (clusters or len(gaps)), "stratum": "s"}
    better = pd.DataFrame(columns).assign(model="m", total=base + np.array(gaps))
    other = pd.DataFrame(columns).assign(model="n", total=base)
    rows = compared(pd.concat([better, other]).assign(task="T", length="4k"), T=1.0)
    return rows.loc["T"].to_dict()


HOURS = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
"""The differences of "Student" (1908), hours of sleep of ten patients: t = 4.0621 (R's t.test)."""


def test_error_and_interval_match_a_paired_t_test():
    row = paired(HOURS, base=10)
    assert row["difference"] == pytest.approx(1.58)
    assert (row["error"], row["degrees_of_freedom"]) == pytest.approx((0.3889587, 9), rel=1e-6)
    # Far from what a difference can be at most, log odds are straight.
    gaps = range(-1, 9)
    row = paired(gaps, base=1e4)
    expected = stats.ttest_1samp(gaps, 0)
    assert row["p"] == pytest.approx(expected.pvalue, rel=1e-2)
    assert [row["low"], row["high"]] == pytest.approx(expected.confidence_interval(), rel=1e-2)


def test_interval_of_skewed_differences_inverts_halls_cubic():
    row = paired(HOURS, base=1e4)
    t = 2.262157  # nine degrees of freedom, 97.5 %
    error = 0.3889587
    skewness = stats.skew(HOURS, bias=False) / math.sqrt(10)

    def cubic(true: float) -> float:
        t = (1.58 - true) / error
        return t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6

    # Skewed to the right: the cubic puts the upper end further away, t the lower one.
    assert row["high"] == pytest.approx(optimize.brentq(lambda x: cubic(x) + t, 1, 9), rel=1e-3)
    assert row["low"] == pytest.approx(1.58 - t * error, rel=1e-3)
    # Skewed to the left, with a mean of 4 − 1.58: the cubic is nearer to 0 than t.
    row = paired([4 - hours for hours in HOURS], base=1e4)
    assert row["p"] == pytest.approx(2 * stats.t.sf(-cubic(4), 9), rel=1e-2)


def test_few_clusters_exclude_no_difference():
    row = paired([0.8, 0.81, 0.82, 0.83, 0.84], base=0.1)
    assert row["p"] == 2 / 2**5
    assert row["low"] == 0 < row["difference"] < row["high"]
    row = paired([-0.8, -0.81, -0.82, -0.83, -0.84], base=0.9)
    assert row["low"] < row["difference"] < 0 == row["high"]
    row = paired([1.0, 0.0], base=0.0, clusters=1)
    assert row["difference"] == 0.5
    assert np.isnan([row[name] for name in ("low", "high", "p", "p_adjusted", "error")]).all()


def significant_share(effects, clusters: int, runs: int = 500) -> float:
    """How often two models of the same mean differ significantly; each run is a task."""
    rng = np.random.default_rng(7)
    size = (runs, clusters)
    steady = 0.7 + rng.normal(0, 0.05, size)
    varying = 0.7 + effects(rng, size) + rng.normal(0, 0.05, size)
    task, cluster = np.indices(size).reshape(2, -1)
    columns = {"task": task, "cluster": cluster, "sample_id": cluster, "length": "4k"}
    models = [
        pd.DataFrame(columns).assign(model="a", total=steady.ravel()),
        pd.DataFrame(columns).assign(model="b", total=varying.ravel()),
    ]
    frame = pd.concat(models).assign(stratum="s").astype({"task": str})
    rows = compare_models(frame, dict.fromkeys(frame["task"], 1.0), Clusters(frame, ["stratum"]))
    return (rows.loc[rows["task"] != "overall", "p"] < 0.05).mean()


def failing(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """A fifth of the contexts fails completely, the others make up for it."""
    return np.where(rng.random(size) < 0.2, -0.7, 0.175)


@pytest.mark.wide
@pytest.mark.parametrize(
    ("effects", "clusters"),
    [(lambda rng, size: rng.normal(0, 0.1, size), 8), (failing, 24)],
    ids=["normal", "failing"],
)
def test_equal_models_differ_at_most_at_the_nominal_rate(effects, clusters):
    assert significant_share(effects, clusters) <= 0.065


@pytest.mark.wide
def test_rare_failures_raise_the_error_rate_with_few_contexts():  # docs/metrics.md
    assert significant_share(failing, 6) > 0.15
