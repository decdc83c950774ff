"""A judge's values corrected by people's verdicts: coverage of a known truth, by cluster."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from steadfast.stats.corrected import (
    FEWEST,
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


def test_labels_of_all_groups_replace_the_judge():
    judge = np.ones((20, 2))
    estimate = corrected(judge, np.ones((20, 2)), np.arange(20) % 2.0, np.ones(20, bool))
    assert estimate.value == 0.5
    assert estimate.share == 0


def test_judge_without_errors_keeps_its_weight():
    truth = np.arange(200) % 2.0
    is_labelled = np.arange(200) < 20
    values = np.column_stack([truth, truth * is_labelled])
    weights = np.column_stack([np.ones(200), is_labelled])
    estimate = corrected(values, weights, truth, is_labelled)
    assert estimate.value == pytest.approx(0.5)
    assert estimate.share == pytest.approx(0.9)  # 1 ÷ (1 + 20/180)


def test_too_few_labels_give_no_value():
    is_labelled = np.arange(40) < FEWEST - 1
    columns = np.column_stack([np.ones(40), is_labelled])
    assert corrected(columns, columns, np.ones(40), is_labelled) is None


def verdicts(model: str, values: list[float], **columns) -> pd.DataFrame:
    units = [f"u{number}" for number in range(len(values))]
    rows = {"model": model, "measure": "X", "unit": units, "value": values, "cluster": units}
    return pd.DataFrame(rows).assign(**{"weight": 1.0, "sure": False, **columns})


def rows_of(judge: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    raw = pd.DataFrame(columns=["model", "other", "measure", "raw", "raw_low", "raw_high"])
    return corrected_rows(judge, labels, raw, {"X": 1.0}).set_index(["model", "other"])


def test_differences_are_paired_and_of_labelled_models():
    people = [1.0, 0.0] * 10
    models = [verdicts("a", [1.0] * 40), verdicts("b", people * 2), verdicts("c", [1.0] * 40)]
    labels = pd.concat([verdicts("a", people), verdicts("b", people)])
    rows = rows_of(pd.concat(models), labels)
    assert list(rows.index) == [("a", ""), ("b", ""), ("a", "b")]
    assert rows.loc[("a", ""), "value"] == pytest.approx(0.5)  # the judge's verdict is always 1
    assert rows.loc[("a", "b"), "value"] == pytest.approx(0)
    assert list(rows["clusters"]) == [20, 20, 20]


def test_labels_that_all_agree_have_a_wilson_interval():
    row = rows_of(verdicts("a", [1.0, 0.0] * 20), verdicts("a", [0.0] * 20)).loc[("a", "")]
    # Wilson's interval of 0 in 20: up to z² ÷ (20 + z²).
    assert (row["value"], row["low"]) == (0, pytest.approx(0, abs=1e-12))
    assert row["high"] == pytest.approx(3.8415 / 23.8415, abs=1e-4)


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


def test_raw_difference_changes_sign_with_the_order_of_models():
    columns = ["model", "measure", "value", "low", "high"]
    summary = pd.DataFrame([("a", "X", 0.6, 0.5, 0.7)], columns=columns)
    pair = {"model": "b", "other": "a", "measure": "X", "difference": 0.1, "low": -0.1, "high": 0.3}
    raw = raw_values(summary, pd.DataFrame([pair])).set_index(["model", "other"])
    assert raw.loc[("a", "b"), ["raw", "raw_low", "raw_high"]].tolist() == [-0.1, -0.3, 0.1]
    assert raw.loc[("a", ""), "raw"] == 0.6
