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


def factorial(total, *shape: int) -> pd.DataFrame:
    """A complete design of contexts, expressions and variables, by default two of each.

    Args:
        total: the totals, or a function of the three numbers.
        shape: how many contexts, expressions and variables.
    """
    context, expression, variable = np.indices(shape or (2, 2, 2)).reshape(3, -1)
    totals = total(context, expression, variable) if callable(total) else total
    factors = {"cluster": context, "expression_id": expression, "variable_id": variable}
    frame = pd.DataFrame(factors).assign(total=totals, model="m", task="T", length="4k", repeat=0)
    return frame.assign(sample_id=frame.index)


def task_rows(frame: pd.DataFrame, factors=FACTORS, model="m", task="T") -> pd.DataFrame:
    rows = variance_shares(frame, factors)
    return rows[(rows["model"] == model) & (rows["task"] == task)].set_index("perspective")


def shares(frame: pd.DataFrame, **options) -> dict[str, float]:
    return task_rows(frame, **options)["value"].to_dict()


def test_interaction_is_residual():
    by_perspective = shares(factorial(lambda c, e, v: (c != e).astype(float)))
    assert by_perspective["residual"] == pytest.approx(1)


def test_equal_scores_have_no_variance_shares():
    assert variance_shares(factorial(0.7), FACTORS).empty


def test_overall_shares_are_the_mean_over_tasks():
    first = factorial(lambda c, e, v: c)
    second = factorial(lambda c, e, v: e).assign(task="U")
    overall = shares(pd.concat([first, second], ignore_index=True), task="overall")
    assert (overall["context"], overall["expression"]) == pytest.approx((0.5, 0.5))


def test_order_of_factors_does_not_matter_in_a_complete_design():
    frame = factorial(np.random.default_rng(4).random(24), 3, 4, 2)
    reordered = shares(frame, factors=dict(reversed(FACTORS.items())))
    assert reordered == pytest.approx(shares(frame))


@given(st.lists(st.none() | st.floats(0, 1), min_size=24, max_size=24))
def test_shares_sum_to_1_with_missing_scores(totals):
    by_perspective = shares(factorial(totals, 3, 4, 2).astype({"total": float}))
    if by_perspective:
        assert sum(by_perspective.values()) == pytest.approx(1)
        assert min(by_perspective.values()) >= 0


def test_missing_samples_of_a_model_do_not_affect_another():
    rng = np.random.default_rng(4)
    frame = factorial(rng.random(24), 3, 4, 2)
    incomplete = frame.assign(model="n", total=rng.random(24)).drop(index=[3, 9])
    models = pd.concat([frame, incomplete], ignore_index=True)
    assert shares(models) == pytest.approx(shares(frame))
    assert set(task_rows(models, model="n")["n"]) == {22}


def test_differences_between_repeats_are_a_share():
    # Sums of squares about the mean ½: contexts 8·¼² = ½, within samples 4·2·¼² = ½.
    first = factorial(lambda c, e, v: c / 2)
    second = factorial(lambda c, e, v: c / 2 + 0.5).assign(repeat=1)
    expected = {"context": 0.5, "expression": 0, "variable": 0, "residual": 0, "repeat": 0.5}
    assert shares(pd.concat([first, second], ignore_index=True)) == pytest.approx(expected)


def test_chance_level_is_the_share_of_degrees_of_freedom():
    rng = np.random.default_rng(5)
    frame = factorial(rng.random(24), 3, 4, 2)
    # Of 23: two of three contexts, three of four expressions, one of two variables.
    expected = {"context": 2 / 23, "expression": 3 / 23, "variable": 1 / 23, "residual": 17 / 23}
    assert task_rows(frame)["chance"].to_dict() == pytest.approx(expected)
    second = frame.assign(repeat=1, total=rng.random(24))
    rows = task_rows(pd.concat([frame, second], ignore_index=True))
    assert rows.loc["repeat", "chance"] == pytest.approx(24 / 47)


def at_depths(depths: list[float | None], totals: list[float], **columns) -> pd.DataFrame:
    """A sample for each depth, in two clusters by turns."""
    frame = pd.DataFrame({"depth": depths, "total": totals, "model": "m", "stratum": "s"})
    frame["cluster"] = "c" + (frame.index % 2).astype(str)
    return frame.assign(**{"task": "T", "length": "4k"} | columns)


MANY_DEPTHS = at_depths(np.linspace(0, 1, 30), [1.0] * 30)


def by_depth(frame: pd.DataFrame, length: str = "", **groups) -> pd.DataFrame:
    """Rows over all lengths, or of one."""
    rows = success_by_depth(frame, Clusters(frame, ["stratum"]), groups)
    return rows[rows["length"] == length].reset_index(drop=True)


def test_few_depths_are_binned_in_thirds():
    rows = by_depth(at_depths([0, 0.1, 0.4, 0.5, 1, 0.9, None], [1, 0, 1, 1, 0, 1, 1]))
    assert rows["bin"].tolist() == [1, 2, 3]
    assert rows["value"].tolist() == [0.5, 1.0, 0.5]
    assert rows["n"].tolist() == [2, 2, 2]
    assert rows["start"].tolist() == pytest.approx([0, 1 / 3, 2 / 3])
    # Two contexts, one right and one wrong: 1/2 ± ½ √(z² ÷ (2 + z²)), Wilson's
    half = math.sqrt(3.841459 / 5.841459) / 2
    assert rows.loc[0, ["low", "high"]].tolist() == pytest.approx([0.5 - half, 0.5 + half])
    assert by_depth(at_depths([0, 0.9], [1, 0]))["bin"].tolist() == [1, 3]


def test_many_depths_are_binned_in_tenths():
    rows = by_depth(MANY_DEPTHS)
    assert rows["bin"].tolist() == list(range(1, 11))
    assert rows["n"].tolist() == [3] * 10  # the last bin includes the end
    assert by_depth(MANY_DEPTHS[1:])["bin"].tolist() == [1, 2, 3]  # too few for ten


def test_no_depth_gives_no_rows():
    assert by_depth(at_depths([0, 0.1], [1, 1]).drop(columns="depth")).empty
    assert by_depth(at_depths([None, None], [1, 1])).empty


def test_each_length_has_its_own_bins():
    few_depths = at_depths([0, 0.5, 1], [0.0, 0.5, 1.0], length="8k")
    frame = pd.concat([MANY_DEPTHS, few_depths], ignore_index=True)
    assert by_depth(frame)["bins"].unique().tolist() == [10]  # of both lengths together
    for length, values in (("4k", [1.0, 1.0, 1.0]), ("8k", [0.0, 0.5, 1.0])):
        rows = by_depth(frame, length)
        assert rows["bins"].tolist() == [3, 3, 3]
        assert rows["value"].tolist() == values


def test_group_of_tasks_is_binned_together():
    second = at_depths([0, 0.1], [0, 0], task="U")
    frame = pd.concat([at_depths([0, 0.1], [1, 1]), second])
    rows = by_depth(frame, both=["T", "U"]).set_index("task")
    assert rows["value"].to_dict() == {"T": 1.0, "U": 0.0, "both": 0.5}


def test_rank_correlations_account_for_ties():
    first = np.array([1.0, 1, 2])
    second = np.array([1.0, 2, 3])
    assert kendall(first, second) == pytest.approx(2 / 6**0.5)
    assert spearman(first, second) == pytest.approx(1.5 / (1.5 * 2) ** 0.5)
    constant = pd.DataFrame({"task": "T", "value_x": [1.0, 1.0], "value_y": [1.0, 2.0]})
    assert agreement(constant).empty


@pytest.mark.parametrize("correlate", [spearman, kendall])
@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=8))
def test_rank_correlations_lie_between_minus_1_and_1(correlate, pairs):
    first, second = np.array(pairs, float).T
    value = correlate(first, second)
    assert np.isnan(value) or -1 - 1e-9 <= value <= 1 + 1e-9
    with_itself = correlate(first, first)
    assert np.isnan(with_itself) or with_itself == pytest.approx(1)
