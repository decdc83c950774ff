"""Many differences tested together: against a plain computation, and how often it errs."""

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
    """A row a model and cluster (a column of the values, each of its stratum)."""
    model, cluster = (axis.ravel() for axis in np.indices(values.shape))
    frame = pd.DataFrame({"model": model, "cluster": cluster, "total": values.ravel()})
    frame["stratum"] = np.array(list(strata))[cluster]
    frame["model"] = [f"m{number:02}" for number in model]
    return frame.assign(task="T", length="4k", sample_id=frame["cluster"]).astype({"cluster": str})


def differences(frame: pd.DataFrame) -> Estimates:
    """Of every two models, cluster by cluster."""
    table = frame.pivot(index="cluster", columns="model", values="total")
    wide = pd.concat(
        {f"{a} {b}": table[a] - table[b] for a, b in combinations(table, 2)}, names=["pair"]
    )
    rows = (
        wide.rename("total")
        .dropna()
        .reset_index()
        .merge(frame[["cluster", "stratum"]].drop_duplicates())
    )
    return Clusters(rows, ["stratum"]).means(rows, ["pair"], limits=(-9, 9))


@pytest.mark.parametrize("strata", STRATA.values(), ids=STRATA)
def test_unchanged_signs_give_the_statistic_of_the_single_test(strata):
    of = differences(scores(np.random.default_rng(1).random((4, 7)), strata))
    own = _flipped_statistics(of.contributions, of)[:, 0]
    assert own == pytest.approx((of.cells["value"].abs() / of.errors()[0]).to_numpy())


def test_unequal_weights_and_lone_clusters_give_the_statistic_of_the_single_test():
    frame = scores(np.random.default_rng(1).random((3, 7)), "xxxxyyy")
    lacks = (frame["model"] == "m00") & frame["cluster"].isin(["5", "6"])
    of = differences(frame[~lacks])
    assert sorted((of.shares > 0).sum(axis=1)) == [5, 5, 7]
    own = _flipped_statistics(of.contributions, of)[:, 0]
    assert own == pytest.approx((of.cells["value"].abs() / of.errors()[0]).to_numpy())
    # of unequal weight, too
    of = differences(scores(np.random.default_rng(1).random((3, 7)), "xxxxyyy"))
    shares = of.shares * np.array([1, 2, 3, 4, 3, 2, 1])
    shares /= shares.sum(axis=1, keepdims=True)
    value = of.cells["value"].to_numpy()[:, None]
    raw = of.parts + value * of.shares
    total = raw.sum(axis=1, keepdims=True)
    uneven = Estimates(of.cells.assign(value=total[:, 0]), raw - total * shares, shares, of.strata)
    own = _flipped_statistics(uneven.contributions, uneven)[:, 0]
    assert own == pytest.approx(np.abs(total[:, 0]) / uneven.errors()[0])


@pytest.mark.wide
def test_p_values_are_those_of_all_changes_of_signs_one_by_one():
    values = np.random.default_rng(2).random((4, 7)) * 0.3 + [[0.5], [0.1], [0.0], [0.0]]
    families = [np.arange(6), np.array([5, 0, 3])]
    of = differences(scores(values, 7 * "x"))
    found = step_down(of, of.contributions, families)
    pairs = [values[a] - values[b] for a, b in combinations(range(4), 2)]
    patterns = [np.array(signs) for signs in product([1, -1], repeat=7)]

    def t(sample: np.ndarray) -> float:
        return abs(scipy.stats.ttest_1samp(sample, 0).statistic)

    for family, p in zip(families, found, strict=True):
        left = family.tolist()
        expected = {}
        last = 0.0
        while left:
            first = max(left, key=lambda pair: t(pairs[pair]))
            largest = [max(t(signs * pairs[pair]) for pair in left) for signs in patterns]
            last = max(last, float(np.mean([most >= t(pairs[first]) - 1e-9 for most in largest])))
            expected[first] = last
            left.remove(first)
        assert p.tolist() == pytest.approx([expected[pair] for pair in family])


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_values_changes_no_p(unit):
    values = np.array([[0.9], [0.1], [0.1]]) + np.random.default_rng(6).random((3, 7)) / 100
    values[2] = values[1]  # no difference at all
    in_units = [differences(scores(factor * values, 7 * "x")) for factor in (1, unit)]
    found = [step_down(of, of.contributions, [np.arange(3)])[0] for of in in_units]
    assert found[0].tolist() == found[1].tolist()


@pytest.mark.parametrize(("clusters", "patterns"), [(6, 32), (7, 32)])
def test_all_patterns_are_taken_where_there_are_no_more_than_wanted(
    clusters, patterns, monkeypatch
):
    monkeypatch.setattr("steadfast.stats.step_down.PATTERNS", 32)
    monkeypatch.setattr("steadfast.stats.step_down.FEWEST_PATTERNS", 32)
    signs = _signs(clusters, 1)
    assert signs.shape == (clusters, patterns) and set(signs[:, 0]) == {1.0}
    either_way = {tuple(column * column[0]) for column in signs.T}
    assert len(either_way) == 32 or clusters == 7


@pytest.mark.parametrize("clusters", [FEWEST - 1, FEWEST])
def test_too_few_clusters_tell_nothing_apart_whatever_they_say(clusters):
    values = np.array([[0.9], [0.1]]) + np.random.default_rng(3).random((2, clusters)) / 100
    frame = scores(values, clusters * "x")
    (row,) = (
        compare_models(frame, {"T": 1.0}, Clusters(frame, ["stratum"]))
        .query("task == 'T'")[["p", "p_adjusted"]]
        .to_numpy()
    )
    assert row[0] == 2 / 2**clusters
    assert np.isnan(row[1]) if clusters < FEWEST else row[1] == row[0] < 0.05


def test_signs_of_overall_differences_are_those_of_whole_contexts():
    """By hand: one scenario gains .4, the other loses .05; were the signs of the loss changed, the
    difference would be larger still. So 2 of the 32 patterns (a pattern and its opposite count
    once) give at least as large a t.
    """
    apart = np.array([[0.40, 0.41, 0.39, -0.05, -0.06, -0.04]])
    frame = scores(np.concatenate([0.5 + apart, np.full((1, 6), 0.5)]), "xxxyyy")
    frame["task"] = frame["stratum"]
    rows = compare_models(frame, {"x": 1.0, "y": 1.0}, Clusters(frame, ["stratum"]))
    (row,) = rows[rows["task"] == "overall"].to_dict("records")
    flips = [apart[0] * [1, *signs] for signs in product([1, -1], repeat=5)]

    def t(differences: np.ndarray) -> float:
        spread = [part.var(ddof=1) / 3 for part in (differences[:3], differences[3:])]
        return abs(differences.mean()) / np.sqrt(sum(spread)) * 2

    expected = np.mean([t(flipped) >= t(apart[0]) - 1e-9 for flipped in flips])
    assert row["p_adjusted"] == max(expected, row["p"]) == pytest.approx(2 / 32)


def test_no_interval_is_wider_than_its_own_task_allows():
    """A task whose totals exceed 1 widens no other's limits, and overall its share alone."""
    values = np.array([[0.9, 0.1, 0.9, 0.1], [0.1, 0.9, 0.1, 0.2]])
    share = scores(values, "xxxx")
    more = scores(values * 2, "xxxx")
    frame = pd.concat([share, more.assign(task="U", sample_id="u" + more["cluster"])])
    rows = compare_models(frame, {"T": 1.0, "U": 1.0}, Clusters(frame, ["stratum"]))
    ends = rows.set_index("task")[["low", "high"]].abs().max(axis=1)
    assert ends["T"] <= 1.0 < ends["U"] <= 1.8 and ends["overall"] <= 1.4


def normal(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(0, 0.1, (6, 10))


def skewed(rng: np.random.Generator) -> np.ndarray:
    return 0.1 - rng.exponential(0.1, (6, 10))


def of_pairs(values: np.ndarray) -> Estimates:
    """Differences of every two rows, of clusters (columns) of one stratum."""
    apart = np.array([values[a] - values[b] for a, b in combinations(range(len(values)), 2)])
    mean = apart.mean(axis=1, keepdims=True)
    clusters = apart.shape[1]
    shares = np.full(apart.shape, 1 / clusters)
    return Estimates(
        pd.DataFrame({"value": mean[:, 0]}), (apart - mean) * shares, shares, np.zeros(clusters)
    )


@pytest.mark.quick(1)
@pytest.mark.parametrize("draw", [normal, skewed])
def test_any_of_equal_models_is_told_apart_in_at_most_5_of_100_runs(draw):
    rng = np.random.default_rng(5)
    runs = 500
    equal = [of_pairs(draw(rng)) for _ in range(runs)]
    found = [step_down(of, of.contributions, [np.arange(15)])[0].min() for of in equal]
    assert np.mean(np.array(found) < 0.05) <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
