"""What an adaptive run decides of its comparisons, and which tests its metrics keep."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from steadfast.show.roster import Display, DisplayedModel, adaptive_remark
from steadfast.stats.decision import LookResult, with_expected_by_rounds

DESIGN = {"contexts": 4, "top": 1}
RELATIONS = ["better_than", "worse_than", "not_distinguished"]


def comparisons(p_values: dict[str, float]) -> pd.DataFrame:
    """Differences of .1 between models such as ``a_b``, overall; and of a task, with a p of 0."""
    overall = pd.DataFrame({"p": p_values})
    overall[["model", "other"]] = overall.index.str.split("_").to_list()
    overall = overall.assign(task="overall", difference=0.1, error=0.02, degrees_of_freedom=30.0)
    overall = overall.assign(low=0.06, high=0.14, p_adjusted=0.0, p_model=0.0, p_other=0.0)
    task = overall.assign(task="LSI", p=0.0)
    return pd.concat([overall, task], ignore_index=True).assign(clusters=12)


def taken_look(p_values, looks=(), models="abc", **frames) -> LookResult:
    """The look after earlier ones, on ARS of a summary that has IFS, too."""
    ars = pd.DataFrame({"model": list(models), "measure": "ARS"})
    summary = pd.concat([ars, ars.assign(measure="IFS")])
    summary[RELATIONS] = "old"
    summary = summary.assign(minimum_detectable_difference=0.1, expected=9)
    frames = {"comparisons": comparisons(p_values), "summary": summary} | frames
    rounds = dict.fromkeys(models, 2 + len(looks))
    overall = {"task": "overall"}
    return LookResult(frames, looks, DESIGN, "ARS", overall, list(models), rounds, {})


C_IS_WORSE = {"a_b": 0.5, "a_c": 1e-6, "b_c": 1e-6}


def test_model_that_is_worse_stops():
    record = taken_look(C_IS_WORSE).record
    assert record["goes_on"] == ["a", "b"]
    expected = {"rounds": 2, "better than": [], "worse than": ["a", "b"], "open": []}
    assert record["models"]["c"] == expected
    assert record["models"]["a"]["open"] == ["b"]
    # Two of four rounds spend ln(1 + (e − 1)/2) of .05 ÷ 3.
    boundary = norm.isf(0.05 / 3 * np.log(1 + (np.e - 1) / 2) / 2)
    assert record["boundary"] == round(record["boundary"], 4) == pytest.approx(boundary, abs=3e-3)


def test_reversed_pair_has_its_interval_reversed():
    pair = taken_look(C_IS_WORSE).frames["comparisons"].iloc[0]
    p_values = {"b_a": 0.5, "a_c": 1e-6, "b_c": 1e-6}  # of the reversed difference, too
    reversed_pair = taken_look(p_values).frames["comparisons"].iloc[0]
    names = ["low", "high"]
    assert reversed_pair[names].tolist() == pytest.approx(pair[names].tolist())
    assert reversed_pair["p"] == pair["p"]


def test_earlier_looks_count():
    first = taken_look({"a_b": 1e-6, "a_c": 1e-6, "b_c": 0.5})
    second = taken_look({"a_b": 0.5, "a_c": 0.5, "b_c": 0.5}, first.looks)
    assert second.record["models"]["a"]["better than"] == ["b", "c"]
    assert second.record["looks"][0] == first.looks[0]


def test_recorded_look_has_twelve_digits():
    look = taken_look({"a_b": 1 / 3}, models="ab").looks[0]
    assert look[0][3] == 0.333333333333
    assert not np.isnan(look[0]).any()


def test_pair_without_a_test_stays_open():
    record = taken_look({"a_b": float("nan"), "a_c": 1e-6}).record
    assert record["looks"][0] == [None, [0.1, 0.02, 30.0, 1e-6], None]
    assert record["models"]["b"]["open"] == ["a", "c"]


def test_model_that_is_not_compared_has_no_test():
    frames = taken_look({"a_b": 0.5, "a_x": 1e-6}, models="ab").frames
    p_values = frames["comparisons"].set_index(["task", "other"])["p"]
    assert p_values["overall", "b"] > 0
    assert np.isnan(p_values["overall", "x"])


def test_only_tests_valid_at_every_look_are_kept():
    frames = taken_look(C_IS_WORSE).frames
    rows = frames["comparisons"].set_index("task")
    tests = ["low", "high", "p", "p_adjusted", "p_model", "p_other", "error", "degrees_of_freedom"]
    assert rows.loc["LSI", tests].isna().all(axis=None)
    overall = rows.loc["overall"].set_index(["model", "other"])
    assert overall.loc[("a", "b"), "p_adjusted"] > 0.5
    assert overall.loc[("a", "c"), "p"] > 1e-6
    # intervals are wider than those of a single look
    assert (overall["low"] < 0.06).all()
    assert (overall["high"] > 0.14).all()
    summary = frames["summary"].set_index(["model", "measure"])[RELATIONS]
    assert summary.loc[("a", "ARS")].tolist() == ["c", "", "b"]
    assert summary.loc[("a", "IFS")].tolist() == ["", "", ""]


def test_differences_in_other_metrics_lose_their_intervals():
    rows = {"model": ["a", "a"], "other": ["", "b"], "value": [0.7, 0.1], "low": [0.6, 0.05]}
    corrected = pd.DataFrame(rows).assign(raw_low=0.1)
    frames = taken_look({"a_b": 0.5}, models="ab", corrected=corrected).frames
    assert frames["corrected"]["value"].tolist() == [0.7, 0.1]
    assert frames["corrected"][["low", "raw_low"]].iloc[0].tolist() == [0.6, 0.1]
    assert frames["corrected"][["low", "raw_low"]].iloc[1].isna().all()


def test_expected_responses_follow_the_rounds_of_each_model():
    def metrics(models):
        coverage = pd.DataFrame({"model": models, "task": "T"})
        scored = coverage["model"].map({"a": 6, "b": 6, "c": 4})
        # metrics of several models expect the largest number of all
        coverage = coverage.assign(expected=scored.max(), scored=scored)
        return {"coverage": coverage, "other": pd.DataFrame({"model": models})}

    frames = with_expected_by_rounds(metrics(["a", "b", "c"]), {"a": 3, "b": 3, "c": 2}, metrics)
    assert frames["coverage"]["expected"].tolist() == [6, 6, 4]
    assert frames["coverage"].columns.tolist() == ["model", "task", "expected", "scored"]


def test_tasks_beyond_the_rounds_of_a_model_expect_nothing():
    def metrics(models):
        tasks = ["T", "U"] if "b" in models else ["T"]
        cells = pd.MultiIndex.from_product([models, tasks], names=["model", "task"])
        return {"coverage": cells.to_frame(index=False).assign(expected=6)}

    frames = with_expected_by_rounds(metrics(["a", "b"]), {"a": 2, "b": 3}, metrics)
    assert frames["coverage"]["expected"].tolist() == [6, 0, 6, 6]


@pytest.mark.parametrize(
    ("goes_on", "state"),
    [([], "stopped after 3 of 4 rounds"), (["a"], "so far 3 of at most 4 rounds, and 1 go on")],
)
def test_tables_state_the_progress_of_an_adaptive_run(goes_on, state):
    models = {"a": {"rounds": 3}, "b": {"rounds": 3}, "c": {"rounds": 2}}
    decision = {"design": DESIGN, "measure": "ARS", "rounds": 3, "models": models}
    display = Display(models={"a": DisplayedModel("Model A")})
    (sentence,) = adaptive_remark([decision | {"goes_on": goes_on}], display)
    assert state in sentence
    assert "3 by Model A, b; 2 by c." in sentence
