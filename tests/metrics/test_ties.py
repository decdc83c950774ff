"""Ranks, bold and pairs of models by a corrected test."""

import math
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.stats.pairs import (
    median_detectable_difference,
    pairs,
    sampling_units,
    with_comparisons,
)
from steadfast.stats.power import minimum_detectable_difference
from steadfast.stats.ties import FEWEST_FOR_BOLD, NO_TIES, Ties

VALUES = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.1}


def comparisons(**p_values: float) -> pd.DataFrame:
    """Comparisons of the models of ``VALUES``, by pair such as ab; the default p is 1."""
    frame = pd.DataFrame(combinations(VALUES, 2), columns=["model", "other"])
    p = (frame["model"] + frame["other"]).map(p_values).fillna(1.0)
    difference = frame["model"].map(VALUES) - frame["other"].map(VALUES)
    return frame.assign(difference=difference, p_model=p, p_other=p, p_adjusted=p, clusters=12)


# a is better than c, and d worse than all others; the rest are ties.
TIES = Ties.of(comparisons(ac=0.04, ad=0.001, bd=0.01, cd=0.049, bc=0.05))


def test_ranks_and_best_models_follow_the_test():
    assert TIES.ranks(VALUES) == {"a": (1, 2), "b": (1, 3), "c": (2, 3), "d": (4, 4)}
    assert TIES.best(VALUES) == {"a", "b"}
    assert TIES.best({"b": 0.8, "c": 0.7, "d": 0.1}) == {"b", "c"}
    assert TIES.best({**VALUES, "uncompared": 0.85}) == {"a", "b"}
    assert TIES.best({**VALUES, "uncompared": 0.95}) == {"a", "b"}
    # the highest is significantly better than no other
    assert Ties.of(comparisons(bd=0.01)).best(VALUES) == {"a", "b", "c"}


def test_each_model_is_ranked_by_its_own_p_values():
    one_sided = comparisons().assign(p_other=0.04)  # b, c and d are worse, a is not better
    assert Ties.of(one_sided).ranks(["a", "b"]) == {"a": (1, 2), "b": (2, 2)}


def test_missing_test_gives_no_ranks_and_few_clusters_no_bold():
    untested = Ties.of(comparisons().assign(p_model=math.nan))
    for ties in (NO_TIES, untested):
        assert (ties.best(VALUES), ties.ranks(VALUES)) == (set(), {})
    few = Ties.of(comparisons(ac=0.04).assign(clusters=FEWEST_FOR_BOLD - 1))
    assert few.ranks(VALUES)["a"] == (1, 3)
    assert few.best(VALUES) == set()


def test_summary_has_the_relations_of_each_model():
    rows = comparisons(ac=0.04).assign(error=0.02, degrees_of_freedom=15.0)
    clusters = sampling_units(samples(0), None, ["category"])
    ars = pd.DataFrame({"model": VALUES.keys(), "measure": "ARS"})
    models = pd.concat([ars, ars.assign(measure="IFS")])
    summary = with_comparisons(models, {"ARS": rows}, clusters, "groups").set_index("measure")
    ars = summary.loc["ARS"].set_index("model")
    relations = ars[["better_than", "worse_than", "not_distinguished"]]
    assert relations.loc["a"].tolist() == ["c", "", "b d"]
    assert relations.loc["c"].tolist() == ["", "a", "b d"]
    assert Ties.of_summary(ars.reset_index()).best(VALUES) == {"a", "b", "d"}
    assert set(summary["sampled"]) == {"8 groups"}
    assert set(ars["minimum_detectable_difference"]) == {median_detectable_difference(rows)}
    assert Ties.of_summary(summary.loc["IFS"]).best(VALUES) == set()
    rows["clusters"] = range(15, 15 + len(rows))
    summary = with_comparisons(models, {"ARS": rows}, clusters, "groups").set_index("measure")
    assert set(summary.loc["ARS", "clusters"]) == {20}


@given(st.lists(st.sampled_from([0.001, 0.2, math.nan]), min_size=6, max_size=6))
def test_rank_ranges_include_the_position_of_the_model(p_values):
    ties = Ties.of(comparisons().assign(p_model=p_values, p_other=p_values, p_adjusted=p_values))
    ranks = ties.ranks(VALUES)
    for position, model in enumerate(VALUES, start=1):
        first, last = ranks.get(model, (1, 4))
        assert first <= position <= last
    highest = next((model for model in VALUES if model in ranks), None)
    assert highest is None or highest in ties.best(VALUES)


def samples(shift: float) -> pd.DataFrame:
    """Two models on four groups of each of two categories; m is better by about ``shift``."""
    other = pd.DataFrame({"category": list("xxxxyyyy"), "total": [0.0, 0.1, 0.2, 0.3] * 2})
    other = other.assign(model="n", cluster=list("abcdefgh"), sample_id=other.index)
    better = other.assign(model="m", total=1.1 * other["total"] + shift)
    return pd.concat([better, other]).assign(stratum=lambda rows: rows["category"], language="en")


def test_models_are_compared_in_each_category_and_overall():
    rows = pairs(samples(0.1), ["language"], "category").set_index("category")
    # The mean of value / 10 over 0, .1, .2, .3 is .015.
    expected = {"x": 0.115, "y": 0.115, "overall": 0.115}
    assert rows["difference"].to_dict() == pytest.approx(expected)
    assert rows["n"].to_dict() == {"x": 4, "y": 4, "overall": 8}
    assert pairs(samples(0.1).iloc[:0], ["language"], "category").empty
    languages = pd.concat([samples(0.1).assign(language="zh"), samples(0.1)])
    assert [*pairs(languages, ["language"], "category")["language"].unique()] == ["zh", "en"]


def test_sampling_units_are_counted_by_language_and_stratum():
    units = sampling_units(samples(0), "language", ["category"])
    assert units.values.tolist() == [["en", "x", 4], ["en", "y", 4]]
    units = sampling_units(samples(0).iloc[::-1], "language", ["category"])
    assert units["stratum"].tolist() == ["y", "x"]
    assert sampling_units(samples(0), None, []).values.tolist() == [["", "", 8]]


def test_detectable_difference_is_that_of_the_median_pair():
    rows = pd.DataFrame({"error": [0.01, 0.02, 0.06, math.nan]})
    rows["degrees_of_freedom"] = [15.0, 15.0, 15.0, math.nan]
    rows["p_adjusted"] = [1.0, 0.5, 0.01, math.nan]
    assert median_detectable_difference(rows) == minimum_detectable_difference(0.02, 15, pairs=3)
    assert math.isnan(median_detectable_difference(rows.iloc[3:]))
