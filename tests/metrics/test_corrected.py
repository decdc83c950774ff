"""A judge's values corrected by people's verdicts: coverage of a known truth, by cluster."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from steadfast.stats.corrected import (
    Corrected,
    _moments,
    corrected,
    corrected_rows,
    raw_values,
)

GROUPS = 180
ITEMS = 5
LABELLED = 30
RUNS = 400
SENSITIVITY = 0.92
SPECIFICITY = 0.80


def correlated(rng: np.random.Generator, correlation: float) -> np.ndarray:
    """Standard normal numbers of groups' items, correlated within groups."""
    shared = rng.normal(size=(GROUPS, 1))
    independent = rng.normal(size=(GROUPS, ITEMS))
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * independent


def judged(rng, share: float, truth_correlation: float, error_correlation: float) -> np.ndarray:
    """The truth about each item, and the judge's verdict on it."""
    truth = correlated(rng, truth_correlation) < stats.norm.ppf(share)
    error = stats.norm.cdf(correlated(rng, error_correlation))
    verdicts = np.where(truth, error < SENSITIVITY, error >= SPECIFICITY)
    return np.array([truth, verdicts], float)


def interval(judged: np.ndarray, is_labelled: np.ndarray, lowest: float) -> tuple[float, float]:
    """The corrected interval; people label the truth."""
    truth, verdicts = judged.sum(axis=2)
    weights = np.column_stack([np.full(GROUPS, float(ITEMS)), ITEMS * is_labelled])
    values = np.column_stack([verdicts, verdicts * is_labelled])
    estimate = corrected(values, weights, truth, is_labelled)
    return estimate.interval(lowest, 1, is_labelled.sum())


@pytest.mark.quick(1)
@pytest.mark.parametrize(("truth", "errors"), [(0, 0), (0.7, 0.5)])
def test_corrected_intervals_cover_the_truth(truth, errors):
    rng = np.random.default_rng(1)
    covered = {"value": 0, "difference": 0, "judge alone": 0}
    for _ in range(RUNS):
        is_labelled = np.zeros(GROUPS, bool)
        is_labelled[rng.choice(GROUPS, LABELLED, replace=False)] = True
        first = judged(rng, 0.6, truth, errors)
        second = judged(rng, 0.52, truth, errors)
        low, high = interval(first, is_labelled, 0)
        covered["value"] += low <= 0.6 <= high
        low, high = interval(first - second, is_labelled, -1)
        covered["difference"] += low <= 0.08 <= high
        means = first[1].mean(axis=1)
        covered["judge alone"] += abs(means.mean() - 0.6) <= 1.973 * means.std() / np.sqrt(GROUPS)
    # Three standard errors of 400 runs around .95 are .917 and .983.
    assert 0.917 <= covered["value"] / RUNS <= 0.983
    assert 0.917 <= covered["difference"] / RUNS <= 0.983
    assert covered["judge alone"] / RUNS < 0.8


@pytest.mark.parametrize("labelled", [30, 90])
def test_corrected_intervals_cover_a_share_near_the_limit(labelled):
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(RUNS):
        low, high = interval(judged(rng, 0.95, 0.7, 0.5), np.arange(GROUPS) < labelled, 0)
        covered += low <= 0.95 <= high
    # bench/corrected.py has .94 and .96; plain t intervals .85 and .91.
    assert 0.92 <= covered / RUNS <= 0.985


def test_moments_of_a_mean_by_hand():
    # Residuals -2, -1 and 3: variance 14 ÷ 2 ÷ 3, third cumulant 3 · 18 ÷ (2 · 1) ÷ 3².
    assert _moments(np.array([1.0, 2.0, 6.0]), np.ones(3)) == pytest.approx((3, 7 / 3, 3))
    # Of two clusters no third cumulant is known: residuals -1 and 1.
    assert _moments(np.array([1.0, 3.0]), np.ones(2)) == pytest.approx((2, 1, 0))
    assert _moments(np.array([1.0]), np.ones(1)) == (1, 0, 0)


def test_corrected_mean_has_the_moments_of_both_parts():
    rng = np.random.default_rng(3)
    judge = rng.exponential(size=20)
    people = judge / 2 + rng.exponential(size=20)
    is_labelled = np.arange(20) < 12
    sums = 2 * np.column_stack([judge, judge * is_labelled])  # each of weight 2
    weights = 2.0 * np.column_stack([np.ones(20), is_labelled])
    other = judge[~is_labelled]
    ratio = 1 + 12 / 8
    share = np.cov(people[:12], judge[:12])[0, 1] / (ratio * judge[:12].var(ddof=1))
    rest = people[:12] - share * judge[:12]
    assert corrected(sums, weights, 2 * people, is_labelled) == pytest.approx((
        share * other.mean() + rest.mean(),
        share**2 * stats.kstat(other, 2) / 8 + rest.var(ddof=2) / 12,
        share**3 * stats.kstat(other, 3) / 8**2 + stats.kstat(rest, 3) / 12**2,
        10,
        share,
    ))  # fmt: skip


def test_labels_of_all_groups_replace_the_judge():
    judge = np.ones((20, 2))
    estimate = corrected(judge, np.ones((20, 2)), np.arange(20) % 2.0, np.ones(20, bool))
    assert estimate.value == 0.5
    assert estimate.share == 0


# Without errors the judge has the weight 1 ÷ (1 + 20/180).
@pytest.mark.parametrize(("slope", "share"), [(1, 0.9), (5, 1), (-1, 0)])
def test_weight_of_the_judge_is_between_0_and_1(slope, share):
    judge = np.arange(200) % 2.0
    is_labelled = np.arange(200) < 20
    values = np.column_stack([judge, judge * is_labelled])
    weights = np.column_stack([np.ones(200), is_labelled])
    estimate = corrected(values, weights, slope * judge, is_labelled)
    assert (estimate.value, estimate.share) == pytest.approx((slope * 0.5, share))


def test_fewer_than_ten_labels_give_no_value():
    for number in (9, 10):
        is_labelled = np.arange(40) < number
        columns = np.column_stack([np.ones(40), is_labelled])
        estimate = corrected(columns, columns, np.ones(40), is_labelled)
        assert (estimate is None) == (number == 9)


def verdicts(model: str, values: list[float], **columns) -> pd.DataFrame:
    units = [f"u{number}" for number in range(len(values))]
    rows = {"model": model, "measure": "X", "unit": units, "value": values, "cluster": units}
    return pd.DataFrame(rows).assign(**{"weight": 1.0, "sure": False, **columns})


def rows_of(judge: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    raw = pd.DataFrame(columns=["model", "other", "measure", "raw", "raw_low", "raw_high"])
    return corrected_rows(judge, labels, raw, {"X": 1.0, "A": 1.0}).set_index(["model", "other"])


def test_differences_are_paired_and_of_labelled_models():
    people = [1.0, 0.0] * 10
    models = [verdicts("a", [1.0] * 40), verdicts("b", people * 2), verdicts("c", [1.0] * 40)]
    labels = pd.concat([verdicts("a", people), verdicts("b", people)])
    rows = rows_of(pd.concat(models), labels)
    assert list(rows.index) == [("a", ""), ("b", ""), ("a", "b")]
    assert rows.loc[("a", ""), "value"] == pytest.approx(0.5)  # the judge's verdict is always 1
    assert rows.loc[("a", "b"), "value"] == pytest.approx(0)
    assert list(rows["clusters"]) == [20, 20, 20]
    assert rows.loc[("a", ""), "share"] == 0


def test_difference_of_judged_values_has_the_weight_of_a_faultless_judge():
    first = [1.0, 0.0] * 20
    second = [1.0, 1.0, 0.0, 0.0] * 10
    labels = pd.concat([verdicts("a", first[:20]), verdicts("b", second[:20])])
    judge = pd.concat([verdicts("a", first, weight=2.0), verdicts("b", second, weight=2.0)])
    rows = rows_of(judge, labels)
    assert rows.loc[("a", "b"), "share"] == pytest.approx(0.5)  # 1 ÷ (1 + 20/20)


def test_measures_keep_their_order():
    judge = verdicts("a", [1.0] * 20)
    both = pd.concat([judge, judge.assign(measure="A")])
    assert rows_of(both, both)["measure"].tolist() == ["X", "A"]


def test_labels_that_all_agree_have_a_wilson_interval():
    row = rows_of(verdicts("a", [1.0, 0.0] * 20), verdicts("a", [0.0] * 20)).loc[("a", "")]
    # Wilson's interval of 0 in 20: up to z² ÷ (20 + z²).
    assert (row["value"], row["low"]) == (0, pytest.approx(0, abs=1e-12))
    assert row["high"] == pytest.approx(3.8415 / 23.8415, abs=1e-4)


def test_interval_of_a_corrected_value_by_hand():
    # Log odds of 0, t of 18 degrees (2.1009) errors .1 ÷ .25; so few clusters limit no end.
    low, high = Corrected(0.5, 0.1**2, 0.0, 18, 0.0).interval(0, 1, 2)
    assert (low, high) == pytest.approx((0.30145, 0.69855), abs=1e-5)
    # Skewness .2: Hall's cubic is −2.1009 at 3 ((1 − .2 (2.1009 + .2/6))^⅓ − 1) ÷ .2 = −2.5401.
    low, high = Corrected(0.5, 0.1**2, 0.2 * 0.1**3, 18, 0.0).interval(0, 1, 2)
    assert (low, high) == pytest.approx((0.30145, 0.73420), abs=1e-5)
    # A correction beyond the limit: Wilson's of 20 in 20, from 20 ÷ (20 + z²).
    low, high = Corrected(1.02, 0.1**2, 0.0, 18, 0.0).interval(0, 1, 20)
    assert (low, high) == pytest.approx((20 / 23.8415, 1), abs=1e-4)


def test_differences_that_all_agree_have_a_wilson_interval_between_minus_1_and_1():
    low, high = Corrected(0.0, 0.0, 0.0, 18, 0.0).interval(-1, 1, 20)
    # Twice Wilson's of 10 in 20, minus 1: z √(1/20 + z²/20²) ÷ (1 + z²/20).
    assert (low, high) == pytest.approx((-0.4014, 0.4014), abs=1e-4)


def test_verdicts_by_rule_are_not_corrected():
    by_rule = verdicts("a", [0.0] * 40, sure=True).assign(unit=range(40))
    judge = pd.concat([verdicts("a", [1.0] * 40), by_rule])
    judge["cluster"] = range(80)
    rows = rows_of(judge.astype({"cluster": str}), verdicts("a", [1.0, 0.0] * 10))
    assert rows["value"].tolist() == pytest.approx([0.25])


def test_moments_with_verdicts_by_rule_by_hand(monkeypatch):
    """The judge has 80 of 320 of the weight, in 20 groups of two items; rules decide 20 groups."""
    estimates = []
    monkeypatch.setattr(Corrected, "interval", lambda *call: estimates.append(call) or (0, 1))
    by_rule = verdicts("a", [1.0, 1.0, 1.0, 0.0] * 5, sure=True, weight=12.0)
    by_rule = by_rule.assign(unit=range(20), cluster=[f"r{number}" for number in range(20)])
    groups = [f"u{number}" for number in range(20)]
    judge = pd.concat([verdicts("a", [1.0] * 40, weight=2.0, cluster=groups * 2), by_rule])
    (value,) = rows_of(judge, verdicts("a", [1.0, 0.0, 0.0, 0.0] * 5))["value"]
    assert value == pytest.approx(0.25 * 0.25 + 0.75 * 0.75)
    ((estimate, *limits),) = estimates
    # Of each part Σ e² = 3.75 and Σ e³ = ±1.875.
    assert estimate.variance == pytest.approx(3.75 / 20 * (0.25**2 / 18 + 0.75**2 / 19))
    assert estimate.third == pytest.approx(1.875 / (19 * 18 * 20) * (0.25**3 - 0.75**3))
    assert limits == pytest.approx([0, 1, 1 / (0.25**2 / 20 + 0.75**2 / 20)])


def test_raw_difference_changes_sign_with_the_order_of_models():
    columns = ["model", "measure", "value", "low", "high"]
    summary = pd.DataFrame([("a", "X", 0.6, 0.5, 0.7)], columns=columns)
    pair = {"model": "b", "other": "a", "measure": "X", "difference": 0.1, "low": -0.1, "high": 0.3}
    raw = raw_values(summary, pd.DataFrame([pair])).set_index(["model", "other"])
    assert raw.loc[("a", "b"), ["raw", "raw_low", "raw_high"]].tolist() == [-0.1, -0.3, 0.1]
    assert raw.loc[("a", ""), "raw"] == 0.6
