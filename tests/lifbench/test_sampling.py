"""RECS's sample of expressions beside random ones: values by hand, intervals, and the sets."""

from statistics import stdev

import pandas as pd
import pytest

from steadfast.benchmarks.lifbench import stability
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.contract.components import Scored

NEAREST = [0, 1]
FIRST = [1, 1002]
SECOND = [0, 1003]
TOTALS = {0: 1.0, 1: 0.5, 1002: 0.5, 1003: 0.9}
"""Mean score with each expression; contexts differ a little."""
SETS = stability.Sets({"LSI": NEAREST}, [{"LSI": FIRST}, {"LSI": SECOND}])


def scored(contexts: int = 1) -> list[Scored]:
    records = [
        {
            "sample_id": f"LSI/{context}/e{expression}/v{variable}",
            "repeat": 0,
            "task": "LSI",
            "context_id": f"list-{length}-s{context}",
            "rubric": "released",
            "expression_id": expression,
            "variable_id": variable,
            "status": "ok",
            "depth": 0.5,
            "points": {"format": 1, "correct": total, "ori": 1},
            "total": total - 0.04 * context * (expression == 0) + 0.02 * context * variable,
            "prompt_truncated": False,
            "other_raters": {},
            "length": length,
        }
        for length in ("4k", "8k")
        for context in range(contexts)
        for expression, total in TOTALS.items()
        for variable in range(2)
    ]
    return [Scored("m", one["length"], one) for one in records]


def frame(contexts: int = 1) -> pd.DataFrame:
    return score_frame(scored(contexts), "released")


def ifs(*means: float) -> float:
    """Equation 5 by the standard library: the spread of means over their mean."""
    return stdev(means) / (sum(means) / len(means))


def rows(contexts: int = 1) -> pd.DataFrame:
    return stability.sampling_effect(frame(contexts), SETS).set_index("perspective")


@pytest.mark.quick(1)
@pytest.mark.parametrize("asked", [[0], [1003], [0, 1]])
def test_a_trial_that_asks_nothing_of_a_set_has_no_effect_of_expressions(asked):
    whole = frame(2)
    found = stability.sampling_effect(whole[whole["expression_id"].isin(asked)], SETS)
    assert not {"expression", "average"} & set(found["perspective"])


def test_a_trial_has_values_of_what_it_asks():
    whole = frame()
    assert stability.unasked(whole, SETS.nearest) == []
    assert stability.unasked(whole[whole["expression_id"] > 1], SETS.nearest) == ["LSI"]
    sampled = {"nearest": NEAREST, "random": [FIRST, SECOND]}
    data = {"4k": {"expressions": {"LSI": {"sampling": sampled}}}}
    asked = [one for one in scored() if one.record["expression_id"] == 1003]
    values = metrics(asked, data, None, "rubric", "released")["summary"].set_index("measure")
    assert values.loc["ARS", "value"] == pytest.approx(TOTALS[1003])


def test_the_effect_is_ifs_of_the_nearest_less_the_mean_of_the_random_draws():
    found = rows()
    expected = ifs(1.0, 0.5) - (ifs(0.5, 0.5) + ifs(1.0, 0.9)) / 2
    assert found.loc["expression", "value"] == pytest.approx(expected)
    assert found.loc["variable", "value"] == pytest.approx(0)
    assert found.loc["average", "value"] == pytest.approx(expected / 3)
    assert found["low"].isna().all()  # one context of each length tells nothing of chance
    found = rows(contexts=6)
    one = found.loc["expression"]
    assert one["low"] < one["value"] < one["high"]
    whole = frame(2)
    one = whole["expression_id"].isin(FIRST) | (whole["cluster"].str.endswith("-s0"))
    sets = stability.Sets({"LSI": [0, 1003]}, [{"LSI": FIRST}])
    found = stability.sampling_effect(whole[one], sets)
    assert len(found) and found["low"].isna().all()


def test_texts_of_two_sets_count_in_both_and_those_of_other_prompts_stay():
    whole = frame()
    assert set(stability.chosen(whole, SETS.nearest)["expression_id"]) == {0, 1}
    assert set(stability.chosen(whole, SETS.random[0])["expression_id"]) == {1, 1002}
    whole = frame().assign(prompts="released")
    assert len(stability.chosen(whole, SETS.nearest)) == len(whole)


def test_the_sets_stand_in_the_expressions():
    sampling = {"nearest": NEAREST, "random": [FIRST, SECOND]}
    data = {"4k": {"expressions": {"LSI": {"sampling": sampling}, "own": {}}}}
    assert stability.sets_of(data) == SETS
    assert stability.sets_of({"4k": {"expressions": {"LSI": {}}}}) is None
    random_alone = {"4k": {"expressions": {"LSI": {"sampling": {**sampling, "nearest": []}}}}}
    assert stability.sets_of(random_alone).shown == {"LSI": FIRST}


@pytest.mark.parametrize(("above", "of", "p"), [(12, 16, 0.0768), (8, 16, 1.0), (0, 5, 0.0625)])
def test_the_sign_test_is_two_sided(above, of, p):
    assert stability.sign_test(above, of) == pytest.approx(p, abs=5e-5)  # tables of the binomial


def test_what_expressions_say_of_their_texts_are_rows_of_plain_values():
    rows = [
        {"task": "LSI", "all": True, "texts": [1, 2], "mean": 0.5},
        {"task": "LSI", "all": False},
    ]
    data = {"4k": {"expressions": {"LSI": {"statistics": rows}, "OR": {}}}}
    found = stability.statistics_rows(data)
    assert found["all"].tolist() == [1, 0] and found["all"].dtype == int
    assert found.loc[0, ["task", "texts", "mean"]].tolist() == ["LSI", "1 2", 0.5]
