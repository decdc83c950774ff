"""RECS's sample of expressions beside random ones: values by hand, intervals, and the sets."""

from itertools import product
from statistics import stdev

import pandas as pd
import pytest

from score_records import record
from steadfast.benchmarks.lifbench import stability
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.contract.components import Scored
from steadfast.stats.bootstrap import Replicates

NEAREST = [0, 1]
FIRST = [1, 1002]
SECOND = [0, 1003]
TOTALS = {0: 1.0, 1: 0.5, 1002: 0.5, 1003: 0.9}
"""Mean score with each expression; contexts differ a little."""
SETS = stability.Sets({"LSI": NEAREST}, [{"LSI": FIRST}, {"LSI": SECOND}])


def scored(contexts: int = 1) -> list[Scored]:
    scores = []
    for length, context, expression, variable in product(
        ("4k", "8k"), range(contexts), TOTALS, range(2)
    ):
        points = {"format": 1, "correct": TOTALS[expression], "ori": 1}
        fields = record("LSI", points, length, (context, expression, variable), depth=0.5)
        change = 0.02 * context * variable - 0.04 * context * (expression == 0)
        fields |= {"total": TOTALS[expression] + change, "other_raters": {}}
        scores.append(Scored("m", length, fields))
    return scores


def frame(contexts: int = 1) -> pd.DataFrame:
    return score_frame(scored(contexts), "released")


def ifs(*means: float) -> float:
    """Equation 5 by the standard library: the spread of means over their mean."""
    return stdev(means) / (sum(means) / len(means))


@pytest.mark.quick(1)
@pytest.mark.parametrize("ids", [[0], [1003], [0, 1]])
def test_trial_without_a_whole_set_has_no_effect_of_expressions(ids):
    scores = frame(2)
    effects = stability.sampling_effect(scores[scores["expression_id"].isin(ids)], SETS)
    assert not {"expression", "average"} & set(effects["perspective"])


def test_trial_without_nearest_expressions_has_values_of_the_rest():
    scores = frame()
    assert stability.omitted_tasks(scores, SETS.nearest) == []
    assert stability.omitted_tasks(scores[scores["expression_id"] > 1], SETS.nearest) == ["LSI"]
    sampling = {"nearest": NEAREST, "random": [FIRST, SECOND]}
    data = {"4k": {"expressions": {"LSI": {"sampling": sampling}}}}
    trial = [row for row in scored() if row.record["expression_id"] == 1003]
    values = metrics(trial, data, None, "rubric", "released")["summary"].set_index("measure")
    assert values.loc["ARS", "value"] == pytest.approx(TOTALS[1003])


def test_effect_is_ifs_of_the_nearest_minus_the_random_mean():
    effects = stability.sampling_effect(frame(), SETS).set_index("perspective")
    expected = ifs(1.0, 0.5) - (ifs(0.5, 0.5) + ifs(1.0, 0.9)) / 2
    assert effects.loc["expression", "value"] == pytest.approx(expected)
    assert effects.loc["variable", "value"] == pytest.approx(0)
    assert effects.loc["average", "value"] == pytest.approx(expected / 3)
    assert effects["low"].isna().all()  # one context of each length shows nothing of chance


def test_effect_has_an_interval_with_several_contexts():
    effects = stability.sampling_effect(frame(6), SETS).set_index("perspective")
    effect = effects.loc["expression"]
    assert effect["low"] < effect["value"] < effect["high"]


def test_effect_has_no_interval_where_a_set_has_one_context():
    scores = frame(2)
    several = scores["expression_id"].isin(FIRST) | scores["cluster"].str.endswith("-s0")
    sets = stability.Sets({"LSI": [0, 1003]}, [{"LSI": FIRST}])
    effects = stability.sampling_effect(scores[several], sets)
    assert len(effects) and effects["low"].isna().all()


def test_interval_is_the_replicates_quantiles_about_their_median_as_wide_as_students_t():
    def replicates(*values: float, degrees: tuple[int, int] = (2, 1)) -> Replicates:
        cells = pd.DataFrame([values, values], index=["two", "one"])
        numbers = [pd.Series(numbers, cells.index) for numbers in ((5, 6), degrees)]
        return Replicates(cells, *numbers)

    # 41 replicates, of which the quantiles are the second and the last but one: 1 and 60 about 20.
    cells = replicates(5, *range(21), *range(22, 64, 2), 64)
    others = [replicates(1, *[7] * 41), replicates(3, *[9] * 41)]
    rows = stability._difference(cells, others).set_index("model")
    assert rows["value"].tolist() == [3, 3] and rows["n"].tolist() == [5, 6]
    stretch = 4.302653 / 1.959964  # Student's t of 2 degrees of freedom and the normal, tabulated
    expected = [3 - 19 * stretch, 3 + 38 * stretch]
    assert rows.loc["two", ["low", "high"]].tolist() == pytest.approx(expected)
    assert rows.loc["one", ["low", "high"]].isna().all()


def test_lengths_are_compared_within_themselves_and_the_rest_between_them():
    # One context of each of two lengths: one more than the strata, if these are no lengths.
    spreads = stability._spreads(frame())
    degrees = {name: set(cells.degrees_of_freedom) for name, cells in spreads.items()}
    assert degrees == {"expression": {1}, "variable": {1}, "length": {0}, "average": {0}}


def test_expression_counts_in_every_set_that_has_it():
    scores = frame()
    assert set(stability.chosen(scores, SETS.nearest)["expression_id"]) == {0, 1}
    assert set(stability.chosen(scores, SETS.random[0])["expression_id"]) == {1, 1002}


def test_scores_of_released_prompts_are_in_every_set():
    scores = frame().assign(prompts="released")
    assert len(stability.chosen(scores, SETS.nearest)) == len(scores)


def test_sets_are_read_from_the_expressions():
    sampling = {"nearest": NEAREST, "random": [FIRST, SECOND]}
    data = {"4k": {"expressions": {"LSI": {"sampling": sampling}, "own": {}}}}
    assert stability.sets_of(data) == SETS
    assert stability.sets_of({"4k": {"expressions": {"LSI": {}}}}) is None
    random_alone = {"4k": {"expressions": {"LSI": {"sampling": {**sampling, "nearest": []}}}}}
    assert stability.sets_of(random_alone).shown == {"LSI": FIRST}


@pytest.mark.parametrize(
    ("above", "total", "p"), [(12, 16, 0.0768), (8, 16, 1.0), (0, 5, 0.0625), (0, 0, 1.0)]
)
def test_sign_test_is_two_sided(above, total, p):
    # Tables of the binomial.
    assert stability.sign_test(above, total) == pytest.approx(p, abs=5e-5)


def test_statistics_of_expressions_are_rows_of_plain_values():
    records = [
        {"task": "LSI", "all": True, "texts": [1, 2], "mean": 0.5},
        {"task": "LSI", "all": False},
    ]
    data = {"4k": {"expressions": {"LSI": {"statistics": records}, "OR": {}}}}
    rows = stability.statistics_rows(data)
    assert rows["all"].tolist() == [1, 0] and rows["all"].dtype == int
    assert rows.loc[0, ["task", "texts", "mean"]].tolist() == ["LSI", "1 2", 0.5]
