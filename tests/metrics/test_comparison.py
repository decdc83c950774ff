"""Paired comparison: sign-flip p-values, Holm's correction, differences on common samples."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.metrics.bootstrap import Bootstrap
from steadfast.metrics.comparison import EXACT, PATTERNS, compare_models, holm, sign_flip_p


@pytest.mark.parametrize(
    ("parts", "p"),
    [
        ([1.0, 1.0, 1.0], 2 / 8),  # only all plus and all minus reach 3
        ([1.0, 2.0], 2 / 4),
        ([3.0, -1.0, 1.0], 6 / 8),  # |±3 ±1 ±1| is 5, 3, 3 or 1: three quarters reach 3
        ([0.1, 0.2, -0.3], 1.0),  # equal to 0 but for rounding
        ([0.5, 0.0, 0.0], 1.0),
        ([0.0, 0.0], 1.0),
        ([], 1.0),
    ],
)
def test_sign_flips_by_hand(parts, p):
    assert sign_flip_p(np.array(parts)) == pytest.approx(p)


@given(st.lists(st.integers(-20, 20), max_size=9))
def test_all_sign_patterns_are_counted(parts):
    patterns = product((1, -1), repeat=len(parts))
    sums = [abs(sum(s * x for s, x in zip(signs, parts, strict=True))) for signs in patterns]
    expected = sum(total >= abs(sum(parts)) for total in sums) / len(sums)
    assert sign_flip_p(np.array(parts, float)) == pytest.approx(expected)


def test_many_clusters_are_sampled_close_to_the_exact_value():
    parts = np.random.default_rng(3).normal(0.3, 1, EXACT)
    exact = sign_flip_p(parts)
    # A part so small that it decides nothing brings the number above the limit.
    drawn = sign_flip_p(np.append(parts, 1e-12))
    assert drawn == pytest.approx(exact, abs=0.02)
    assert sign_flip_p(np.append(parts, 1e-12)) == drawn


def test_a_drawn_p_is_never_0():
    assert sign_flip_p(np.ones(EXACT + 20)) == 1 / (1 + PATTERNS)


def test_equal_models_differ_as_often_as_the_p_value_says():
    rng = np.random.default_rng(5)
    p = np.array([sign_flip_p(rng.normal(0, 1, 8)) for _ in range(1000)])
    for level in (0.05, 0.2, 0.5):
        assert (p <= level).mean() == pytest.approx(level, abs=0.04)


def test_holm_stops_at_1():
    assert holm(np.array([0.6, 0.9])).tolist() == [1.0, 1.0]


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
    return compare_models(frame, weights, Bootstrap(frame, ["stratum"])).set_index("task")


def test_differences_are_weighted_over_tasks():
    rows = compared(frame_of({"m": [1] * 8, "n": [0, 1, 0, 1, 0, 0, 0, 0]}), A=1.0, B=3.0)
    assert rows["difference"].to_dict() == {"A": 0.5, "B": 1.0, "overall": (0.5 + 3) / 4}
    assert rows.loc["B", ["low", "high"]].tolist() == [1.0, 1.0]
    assert rows["p"].to_dict() == {"A": 0.5, "B": 0.5, "overall": 0.5}  # two clusters: no less
    assert rows["n"].to_dict() == {"A": 4, "B": 4, "overall": 8}


def test_only_common_samples_are_compared():
    rows = compared(frame_of({"m": [1, None, *[0.5] * 6], "n": [0, 1, None, *[0.5] * 5]}))
    assert rows.loc["A", "n"] == 2
    assert rows.loc["A", "difference"] == 0.5
    assert rows.loc["overall", "n"] == 6


def test_a_task_without_common_samples_has_no_row():
    rows = compared(frame_of({"m": [None] * 4 + [1] * 4, "n": [1] * 4 + [0] * 4}))
    assert set(rows.index) == {"B", "overall"}
    assert rows.loc["overall", "difference"] == 1.0


def test_a_model_does_not_differ_from_its_copy():
    totals = [0.1, 0.7, 0.3, 0.9, 0.2, 0.4, 1.0, 0.0]
    rows = compared(frame_of({"m": totals, "n": totals}))
    assert (rows[["difference", "low", "high"]] == 0).all(axis=None)
    assert (rows["p"] == 1).all()
    assert (rows["p_holm"] == 1).all()


def test_each_pair_is_there_once_and_families_are_corrected_apart():
    rng = np.random.default_rng(2)
    frame = frame_of({name: rng.random(8).tolist() for name in "klmn"})
    rows = compared(frame).reset_index()
    assert rows.groupby("task").size().to_dict() == {"A": 6, "B": 6, "overall": 6}
    assert (rows["model"] < rows["other"]).all()
    for _, family in rows.groupby("task"):
        assert family["p_holm"].to_numpy() == pytest.approx(holm(family["p"].to_numpy()))


def test_interchanged_names_turn_the_difference():
    first, second = [1, 0.5, 0.2, 0.9, 0.1, 0.3, 0.7, 0.4], [0.3, 0.1, 0.6, 0, 0.2, 0.8, 0, 0.1]
    one = compared(frame_of({"m": first, "n": second}))
    two = compared(frame_of({"n": first, "m": second}))
    assert one["difference"].to_numpy() == pytest.approx(-two["difference"].to_numpy())
    assert one["p"].tolist() == two["p"].tolist()


def test_one_model_has_nobody_to_be_compared_with():
    assert compared(frame_of({"m": [1.0] * 8})).empty


def test_a_model_with_draws_is_compared_by_its_mean_of_each_sample():
    once, several = frame_of({"n": [0.5] * 8}), frame_of({"m": [1] * 8})
    other = several.assign(total=[0.0, 1, 0, 1, 0, 0, 0, 0], draw=1)
    rows = compared(pd.concat([once.assign(draw=0), several.assign(draw=0), other]))
    # Means of the draws: ½, 1, ½, 1 in A and ½ in B; those of n are ½.
    assert rows["difference"].to_dict() == {"A": 0.25, "B": 0.0, "overall": 0.125}
    assert rows["n"].to_dict() == {"A": 4, "B": 4, "overall": 8}
