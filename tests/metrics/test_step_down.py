"""Many differences tested together: against a plain computation, and its error rate."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from steadfast.stats.intervals import Clusters, Estimates
from steadfast.stats.pairs import compare_models
from steadfast.stats.step_down import FEWEST, _flipped_statistics, _signs, step_down

STRATA = {"one stratum": 7 * "x", "two strata": "xxxxyyy"}


def scores(values: np.ndarray, strata: str) -> pd.DataFrame:
    """A row for each model and cluster (a column of the values, each of its stratum)."""
    model, cluster = np.indices(values.shape).reshape(2, -1)
    frame = pd.DataFrame({"model": model, "cluster": cluster, "total": values.ravel()})
    frame["stratum"] = np.array(list(strata))[cluster]
    frame["model"] = "m" + frame["model"].astype(str)
    return frame.assign(task="T", length="4k", sample_id=frame["cluster"]).astype({"cluster": str})


def random_scores(models: int, strata: str) -> pd.DataFrame:
    return scores(np.random.default_rng(1).random((models, 7)), strata)


def compared(frame: pd.DataFrame, *tasks: str) -> pd.DataFrame:
    clusters = Clusters(frame, ["stratum"])
    return compare_models(frame, dict.fromkeys(tasks, 1.0), clusters).set_index("task")


def differences(frame: pd.DataFrame) -> Estimates:
    """Differences of every two models, on the clusters that both have."""
    joined = frame.merge(frame, on=["cluster", "stratum"], suffixes=("", "_other"))
    joined = joined[joined["model"] < joined["model_other"]]
    joined["pair"] = joined["model"] + " " + joined["model_other"]
    joined["total"] -= joined["total_other"]
    return Clusters(joined, ["stratum"]).means(joined, ["pair"], limits=(-9, 9))


def unchanged_statistics(estimates: Estimates) -> np.ndarray:
    return _flipped_statistics(estimates.contributions, estimates)[:, 0]


def t_statistics(estimates: Estimates) -> np.ndarray:
    return (estimates.cells["value"].abs() / estimates.errors[0]).to_numpy()


@pytest.mark.parametrize("strata", STRATA.values(), ids=STRATA)
def test_statistic_of_unchanged_signs_is_that_of_the_single_test(strata):
    estimates = differences(random_scores(4, strata))
    assert unchanged_statistics(estimates) == pytest.approx(t_statistics(estimates))


def test_statistic_of_the_single_test_with_missing_clusters():
    frame = random_scores(3, "xxxxyyy")
    missing = (frame["model"] == "m0") & frame["cluster"].isin(["5", "6"])
    estimates = differences(frame[~missing])
    assert sorted((estimates.shares > 0).sum(axis=1)) == [5, 5, 7]
    assert unchanged_statistics(estimates) == pytest.approx(t_statistics(estimates))


def test_statistic_of_the_single_test_with_unequal_weights():
    estimates = differences(random_scores(3, "xxxxyyy"))
    shares = estimates.shares * np.array([1, 2, 3, 4, 3, 2, 1])
    shares /= shares.sum(axis=1, keepdims=True)
    parts = estimates.parts + estimates.cells["value"].to_numpy()[:, None] * estimates.shares
    total = parts.sum(axis=1, keepdims=True)
    cells = estimates.cells.assign(value=total[:, 0])
    weighted = Estimates(cells, parts - total * shares, shares, estimates.strata)
    expected = np.abs(total[:, 0]) / weighted.errors[0]
    assert unchanged_statistics(weighted) == pytest.approx(expected)


VALUES = np.random.default_rng(2).random((4, 7)) * 0.3 + [[0.5], [0.1], [0.0], [0.0]]


def test_p_values_match_all_sign_changes_one_by_one():
    families = [np.arange(6), np.array([5, 0, 3])]
    estimates = differences(scores(VALUES, 7 * "x"))
    p_values = step_down(estimates, estimates.contributions, families)
    gaps = np.array([VALUES[a] - VALUES[b] for a, b in combinations(range(4), 2)])
    patterns = np.array([*product([1, -1], repeat=7)])
    t = np.abs(scipy.stats.ttest_1samp(patterns[:, None] * gaps, 0, axis=2).statistic)
    for family, p in zip(families, p_values, strict=True):
        remaining = family.tolist()
        expected = {}
        p_before = 0.0
        while remaining:
            strongest = max(remaining, key=lambda pair: t[0, pair])
            exceeding = t[:, remaining].max(axis=1) >= t[0, strongest] - 1e-9
            p_before = max(p_before, exceeding.mean())
            expected[strongest] = p_before
            remaining.remove(strongest)
        assert p.tolist() == pytest.approx([expected[pair] for pair in family])


def test_each_model_has_the_p_values_of_its_own_pairs():
    frame = scores(VALUES[1:], 7 * "x")
    estimates = differences(frame)
    families = [np.array(pairs) for pairs in ([0, 1], [0, 2], [1, 2])]
    first, second, third = step_down(estimates, estimates.contributions, families)
    rows = compared(frame, "T").loc["T"]
    assert rows["p_model"].tolist() == np.maximum([*first, second[1]], rows["p"]).tolist()
    assert rows["p_other"].tolist() == np.maximum([second[0], *third], rows["p"]).tolist()
    assert rows["p_model"].tolist() != rows["p_other"].tolist()


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_p_values_do_not_depend_on_the_unit(unit):
    values = np.array([[0.9], [0.1], [0.1]]) + np.random.default_rng(6).random((3, 7)) / 100
    values[2] = values[1]  # no difference at all
    p_values = []
    for factor in (1, unit):
        estimates = differences(scores(factor * values, 7 * "x"))
        p_values += step_down(estimates, estimates.contributions, [np.arange(3)])
    assert p_values[0].tolist() == p_values[1].tolist()


@pytest.mark.parametrize(("clusters", "distinct"), [(6, 32), (7, None)])
def test_all_sign_patterns_are_used_up_to_the_limit(clusters, distinct, monkeypatch):
    monkeypatch.setattr("steadfast.stats.step_down.PATTERNS", 32)
    monkeypatch.setattr("steadfast.stats.step_down.FEWEST_PATTERNS", 32)
    signs = _signs(clusters, 1)
    assert signs.shape == (clusters, 32)
    assert set(signs[:, 0]) == {1.0}
    if distinct:  # a pattern and its opposite count once
        assert np.unique(signs * signs[0], axis=1).shape[1] == distinct


@pytest.mark.parametrize(("rows", "patterns"), [(1, 2000), (10_000, 500), (10**6, 250)])
def test_many_differences_have_fewer_sign_patterns(rows, patterns):
    signs = _signs(20, rows)
    assert signs.shape == (20, patterns)
    assert np.unique(signs).tolist() == [-1, 1]


def test_clusters_without_a_difference_leave_p_values_exact():
    gaps = np.array([0.4, 0.3, 0.5, 0.2, 0.6, 0.3])
    shares = np.pad(np.full((1, 6), 1 / 6), ((0, 0), (0, 20)))
    parts = np.pad([(gaps - gaps.mean()) / 6], ((0, 0), (0, 20)))
    cells = pd.DataFrame({"value": [gaps.mean()]})
    estimates = Estimates(cells, parts, shares, np.zeros(26))
    (p,) = step_down(estimates, estimates.contributions, [np.arange(1)])
    assert p.tolist() == [2 / 2**6]


@pytest.mark.parametrize("clusters", [FEWEST - 1, FEWEST])
def test_too_few_clusters_are_never_significant(clusters):
    values = np.array([[0.9], [0.1]]) + np.random.default_rng(3).random((2, clusters)) / 100
    row = compared(scores(values, clusters * "x"), "T").loc["T"]
    assert row["p"] == 2 / 2**clusters
    if clusters < FEWEST:
        assert np.isnan(row["p_adjusted"])
    else:
        assert row["p_adjusted"] == row["p"] < 0.05


def test_overall_differences_change_signs_by_whole_contexts():
    """By hand: one scenario gains .4, the other loses .05; were the signs of the loss changed, the
    difference would be larger still. So 2 of the 32 patterns (a pattern and its opposite count
    once) give at least as large a t.
    """
    gaps = np.array([0.40, 0.41, 0.39, -0.05, -0.06, -0.04])
    frame = scores(np.stack([0.5 + gaps, np.full(6, 0.5)]), "xxxyyy")
    row = compared(frame.assign(task=frame["stratum"]), "x", "y").loc["overall"]

    def t(sample: np.ndarray) -> float:
        variance = sample[:3].var(ddof=1) / 3 + sample[3:].var(ddof=1) / 3
        return abs(sample.mean()) / np.sqrt(variance) * 2

    flipped = [gaps * [1, *signs] for signs in product([1, -1], repeat=5)]
    expected = np.mean([t(sample) >= t(gaps) - 1e-9 for sample in flipped])
    assert row["p_adjusted"] == max(expected, row["p"]) == pytest.approx(2 / 32)


def test_intervals_stay_within_the_limits_of_their_task():
    """A task whose totals exceed 1 widens no other's limits, and overall its share alone."""
    values = np.array([[0.9, 0.1, 0.9, 0.1], [0.1, 0.9, 0.1, 0.2]])
    doubled = scores(values * 2, "xxxx").assign(task="U", sample_id=list("abcdabcd"))
    rows = compared(pd.concat([scores(values, "xxxx"), doubled]), "T", "U")
    largest = rows[["low", "high"]].abs().max(axis=1)
    assert largest["T"] <= 1.0 < largest["U"] <= 1.8
    assert largest["overall"] <= 1.4


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.normal(0, 0.1, (6, 10)),
        lambda rng: 0.1 - rng.exponential(0.1, (6, 10)),
    ],
    ids=["normal", "skewed"],
)
def test_equal_models_differ_significantly_in_at_most_5_percent(draw):
    rng = np.random.default_rng(5)
    runs = 500
    first, second = np.transpose(list(combinations(range(6), 2)))
    errors = 0
    for _ in range(runs):
        values = draw(rng)
        gaps = values[first] - values[second]
        mean = gaps.mean(axis=1, keepdims=True)
        shares = np.full(gaps.shape, 1 / 10)
        cells = pd.DataFrame({"value": mean[:, 0]})
        estimates = Estimates(cells, (gaps - mean) * shares, shares, np.zeros(10))
        (p,) = step_down(estimates, estimates.contributions, [np.arange(15)])
        errors += p.min() < 0.05
    assert errors / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
