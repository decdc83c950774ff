"""Shares of variance, success by depth, and rank correlations."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.stats.depth import success_by_depth
from steadfast.stats.intervals import Clusters
from steadfast.stats.ties import agreement, kendall, spearman
from steadfast.stats.variance import variance_shares

FACTORS = {"context": "cluster", "expression": "expression_id", "variable": "variable_id"}


def factorial(total, contexts: int = 2, expressions: int = 2, variables: int = 2) -> pd.DataFrame:
    """Samples of a complete design whose total is a function of its three numbers."""
    rows = [
        {
            "model": "m",
            "task": "T",
            "length": "4k",
            "sample_id": f"{c}/{e}/{v}",
            "repeat": 0,
            "cluster": f"c{c}",
            "expression_id": e,
            "variable_id": v,
            "total": total(c, e, v),
        }
        for c in range(contexts)
        for e in range(expressions)
        for v in range(variables)
    ]
    return pd.DataFrame(rows)


def shares(frame: pd.DataFrame, task: str = "T") -> dict[str, float]:
    rows = variance_shares(frame, FACTORS)
    return rows[rows["task"] == task].set_index("perspective")["value"].to_dict()


def test_an_interaction_is_residual_and_equal_scores_have_no_variance():
    found = shares(factorial(lambda c, e, v: float(c != e)))
    assert found["residual"] == pytest.approx(1)
    assert variance_shares(factorial(lambda c, e, v: 0.7), FACTORS).empty
    one = factorial(lambda c, e, v: c)
    two = factorial(lambda c, e, v: e).assign(task="U")
    found = shares(pd.concat([one, two], ignore_index=True), "overall")
    assert (found["context"], found["expression"]) == pytest.approx((0.5, 0.5))


def test_the_order_of_factors_makes_no_difference_in_a_complete_design():
    rng = np.random.default_rng(4)
    frame = factorial(lambda c, e, v: rng.random(), 3, 4, 2)
    turned = variance_shares(frame, dict(reversed(FACTORS.items())))
    turned = turned[turned["task"] == "T"].set_index("perspective")["value"]
    assert turned.to_dict() == pytest.approx(shares(frame))


@given(st.lists(st.none() | st.floats(0, 1), min_size=24, max_size=24))
def test_shares_sum_to_1_whatever_is_missing(totals):
    values = iter(totals)
    frame = factorial(lambda c, e, v: next(values), 3, 4, 2).astype({"total": float})
    found = shares(frame)
    if found:
        assert sum(found.values()) == pytest.approx(1)
        assert min(found.values()) >= 0


def test_models_with_other_missing_samples_do_not_disturb_each_other():
    rng = np.random.default_rng(4)
    frame = factorial(lambda c, e, v: rng.random(), 3, 4, 2)
    other = frame.assign(model="n", total=rng.random(len(frame))).drop(index=[3, 9])
    both = variance_shares(pd.concat([frame, other], ignore_index=True), FACTORS)
    rows = both[(both["model"] == "m") & (both["task"] == "T")].set_index("perspective")
    assert rows["value"].to_dict() == pytest.approx(shares(frame))
    assert set(both[(both["model"] == "n") & (both["task"] == "T")]["n"]) == {22}


def test_what_differs_between_draws_is_a_share_of_its_own():
    # Sums of squares about the mean ½: contexts 8·¼² = ½, within samples 4·2·¼² = ½.
    first = factorial(lambda c, e, v: c / 2)
    second = factorial(lambda c, e, v: c / 2 + 0.5)
    found = shares(pd.concat([first, second.assign(repeat=1)], ignore_index=True))
    assert found == pytest.approx(
        {"context": 0.5, "expression": 0, "variable": 0, "residual": 0, "repeat": 0.5}
    )


def placed(depths: list[float | None], totals: list[float]) -> pd.DataFrame:
    columns = {"model": "m", "task": "T", "stratum": "s", "depth": depths, "total": totals}
    clusters = [f"c{i % 2}" for i in range(len(depths))]
    return pd.DataFrame(columns).assign(cluster=clusters, length="4k")


def by_depth(frame: pd.DataFrame, length: str = "", **groups) -> pd.DataFrame:
    """Its rows over all lengths, or of one."""
    rows = success_by_depth(frame, Clusters(frame, ["stratum"]), groups)
    return rows[rows["length"] == length].reset_index(drop=True)


def test_places_are_put_in_thirds_or_tenths():
    rows = by_depth(placed([0, 0.1, 0.4, 0.5, 1, 0.9, None], [1, 0, 1, 1, 0, 1, 1]))
    assert rows["bin"].tolist() == [1, 2, 3]
    assert rows["value"].tolist() == [0.5, 1.0, 0.5]
    assert rows["n"].tolist() == [2, 2, 2]
    assert rows["start"].tolist() == pytest.approx([0, 1 / 3, 2 / 3])
    # Two contexts, one right and one wrong: 1/2 ± ½ √(z² ÷ (2 + z²)), Wilson's
    half = math.sqrt(3.841459 / 5.841459) / 2
    assert rows.loc[0, ["low", "high"]].tolist() == pytest.approx([0.5 - half, 0.5 + half])
    # many places are put in tenths; the last one holds the end
    rows = by_depth(placed(list(np.linspace(0, 1, 41)), [1.0] * 41))
    assert rows["bin"].tolist() == list(range(1, 11))
    assert rows["n"].tolist() == [4] * 9 + [5]
    assert by_depth(placed([0, 0.9], [1, 0]))["bin"].tolist() == [1, 3]
    assert by_depth(placed([0, 0.1], [1, 1]).drop(columns="depth")).empty
    assert by_depth(placed([None, None], [1, 1])).empty


def test_each_length_and_tasks_together_have_their_own_bins():
    many = placed(list(np.linspace(0, 1, 41)), [1.0] * 41)
    few = placed([0, 0.5, 1], [0.0, 0.5, 1.0]).assign(length="8k")
    frame = pd.concat([many, few], ignore_index=True)
    assert by_depth(frame)["bins"].unique().tolist() == [10]  # 43 places
    short, long = (by_depth(frame, length) for length in ("4k", "8k"))
    assert (short["bins"].tolist(), long["bins"].tolist()) == ([3] * 3, [3] * 3)
    assert (short["value"].tolist(), long["value"].tolist()) == ([1.0] * 3, [0.0, 0.5, 1.0])
    frame = pd.concat([placed([0, 0.1], [1, 1]), placed([0, 0.1], [0, 0]).assign(task="U")])
    rows = by_depth(frame, both=["T", "U"]).set_index("task")
    assert rows["value"].to_dict() == {"T": 1.0, "U": 0.0, "both": 0.5}


def test_correlations_mind_ties_and_need_two_values():
    first = np.array([1.0, 1, 2])
    second = np.array([1.0, 2, 3])
    assert kendall(first, second) == pytest.approx(2 / 6**0.5)
    assert spearman(first, second) == pytest.approx(1.5 / (1.5 * 2) ** 0.5)
    both = pd.DataFrame({"task": "T", "value_x": [1.0, 1.0], "value_y": [1.0, 2.0]})
    assert agreement(both).empty


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=8))
def test_correlations_lie_between_minus_1_and_1_and_with_itself_are_1(pairs):
    first, second = np.array(pairs, float).T
    for correlate in (spearman, kendall):
        value = correlate(first, second)
        assert np.isnan(value) or -1 - 1e-9 <= value <= 1 + 1e-9
        itself = correlate(first, first)
        assert np.isnan(itself) or itself == pytest.approx(1)


def test_pure_noise_has_the_shares_of_its_degrees_of_freedom():
    rng = np.random.default_rng(5)
    frame = factorial(lambda c, e, v: rng.random(), 3, 4, 2)
    rows = variance_shares(frame, FACTORS).query("task == 'T'").set_index("perspective")
    # Of 23: two of three contexts, three of four expressions, one of two variables.
    expected = {"context": 2 / 23, "expression": 3 / 23, "variable": 1 / 23, "residual": 17 / 23}
    assert rows["chance"].to_dict() == pytest.approx(expected)
    several = pd.concat([frame, frame.assign(repeat=1, total=rng.random(24))], ignore_index=True)
    rows = variance_shares(several, FACTORS).query("task == 'T'").set_index("perspective")
    assert rows.loc["repeat", "chance"] == pytest.approx(24 / 47)
