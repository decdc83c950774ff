"""What a corrected test leaves of a ranking."""

import math
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.stats.pairs import pairs, sampling_units, smallest_of, with_comparisons
from steadfast.stats.power import smallest_difference
from steadfast.stats.ties import FEWEST_FOR_BOLD, NO_TIES, Ties

VALUES = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.1}


def rows(**p: float) -> pd.DataFrame:
    """Comparisons of the models of ``VALUES``, by pair such as ab; 1 where no p is given."""
    found = [
        (first, second, VALUES[first] - VALUES[second], p.get(first + second, 1.0))
        for first, second in combinations(VALUES, 2)
    ]
    columns = ["model", "other", "difference", "p_model"]
    return pd.DataFrame(found, columns=columns).assign(
        p_other=lambda r: r["p_model"], p_adjusted=lambda r: r["p_model"], clusters=12
    )


# a is better than c, and d worse than all others; the rest are ties.
FOUND = Ties.of(rows(ac=0.04, ad=0.001, bd=0.01, cd=0.049, bc=0.05))


def test_ranks_and_the_group_of_the_best_are_what_the_test_leaves():
    assert FOUND.best(VALUES) == {"a", "b"}
    told = Ties.of(rows(bd=0.01))  # the others are not told apart: a, the highest, from none
    assert told.best(VALUES) == {"a", "b", "c"}
    assert FOUND.ranks(VALUES) == {"a": (1, 2), "b": (1, 3), "c": (2, 3), "d": (4, 4)}
    assert FOUND.best({"b": 0.8, "c": 0.7, "d": 0.1}) == {"b", "c"}
    assert FOUND.best({**VALUES, "elsewhere": 0.85}) == {"a", "b"}
    assert FOUND.best({**VALUES, "elsewhere": 0.95}) == {"a", "b"}


def test_each_model_goes_by_its_own_comparisons():
    one_sided = rows().assign(p_other=0.04)  # b, c and d are told worse, a is not told better
    assert Ties.of(one_sided).ranks(["a", "b"]) == {"a": (1, 2), "b": (2, 2)}


def test_without_a_test_or_with_few_clusters_nobody_is_picked_out():
    untested = rows().assign(p_model=math.nan)
    for none in (NO_TIES, Ties.of(untested)):
        assert (none.best(VALUES), none.ranks(VALUES)) == (set(), {})
    few = Ties.of(rows(ac=0.04).assign(clusters=FEWEST_FOR_BOLD - 1))
    assert few.ranks(VALUES)["a"] == (1, 3)
    assert few.best(VALUES) == set()


def test_a_summary_carries_what_the_tables_need():
    models = [{"model": m, "measure": name} for name in ("ARS", "IFS") for m in VALUES]
    found = rows(ac=0.04).assign(error=0.02, degrees_of_freedom=15.0)
    clusters = sampling_units(samples(0), None, ["category"])
    summary = with_comparisons(pd.DataFrame(models), {"ARS": found}, clusters, "groups")
    ars = summary[summary["measure"] == "ARS"].set_index("model")
    assert ars.loc["a", ["better_than", "worse_than", "not_distinguished"]].tolist() == [
        "c",
        "",
        "b d",
    ]
    assert ars.loc["c", ["better_than", "worse_than", "not_distinguished"]].tolist() == [
        "",
        "a",
        "b d",
    ]
    assert Ties.of_summary(ars.reset_index()).best(VALUES) == {"a", "b", "d"}
    assert set(summary["sampled"]) == {"8 groups"} and set(
        ars["minimum_detectable_difference"]
    ) == {smallest_of(found)}
    ifs = summary[summary["measure"] == "IFS"]
    assert Ties.of_summary(ifs).best(VALUES) == set()


@given(st.lists(st.sampled_from([0.001, 0.2, math.nan]), min_size=6, max_size=6))
def test_every_rank_lies_in_its_range_and_the_best_in_its_group(p):
    names = ["".join(pair) for pair in combinations(VALUES, 2)]
    ties = Ties.of(rows(**dict(zip(names, p, strict=True))))
    ranks = ties.ranks(VALUES)
    for place, model in enumerate(VALUES, start=1):
        least, most = ranks.get(model, (1, 4))
        assert least <= place <= most
    highest = next((model for model in VALUES if model in ranks), None)
    assert highest is None or highest in ties.best(VALUES)


def samples(shift: float) -> pd.DataFrame:
    """Two models on four groups of each of two categories; m is better by about ``shift``."""
    cells = [(kind, f"{kind}{i}", i / 10) for kind in "xy" for i in range(4)]
    found = [
        (model, kind, name, value + (shift + value / 10) * (model == "m"))
        for model in "mn"
        for kind, name, value in cells
    ]
    frame = pd.DataFrame(found, columns=["model", "category", "cluster", "total"])
    return frame.assign(sample_id=frame["cluster"], stratum=frame["category"], language="en")


def test_models_are_compared_in_each_cell_by_clusters_within_strata():
    found = pairs(samples(0.1), ["language"], "category").set_index("category")
    # The mean of value / 10 over 0, .1, .2, .3 is .015.
    assert found["difference"].to_dict() == pytest.approx(
        {"x": 0.115, "y": 0.115, "overall": 0.115}
    )
    assert found["n"].to_dict() == {"x": 4, "y": 4, "overall": 8}
    assert pairs(samples(0.1).iloc[:0], ["language"], "category").empty
    assert sampling_units(samples(0), "language", ["category"]).values.tolist() == [
        ["en", "x", 4],
        ["en", "y", 4],
    ]
    assert sampling_units(samples(0), None, []).values.tolist() == [["", "", 8]]


def test_the_smallest_difference_is_that_of_the_middle_pair():
    known = {
        "error": [0.01, 0.02, 0.03, math.nan],
        "degrees_of_freedom": [15.0, 15.0, 15.0, math.nan],
    }
    known["p_adjusted"] = [1.0, 0.5, 0.01, math.nan]
    assert smallest_of(pd.DataFrame(known)) == smallest_difference(0.02, 15, pairs=3)
    assert math.isnan(smallest_of(pd.DataFrame(known).iloc[3:]))
