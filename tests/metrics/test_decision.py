"""What an adaptive run decides of its comparisons, and which tests its metrics keep."""

import numpy as np
import pandas as pd
import pytest

from steadfast.show.roster import Display, Shown, adaptive_remark
from steadfast.stats.decision import TakenLook, as_evaluated

DESIGN = {"contexts": 4, "top": 1}


def comparisons(**p: float) -> pd.DataFrame:
    """Differences of .1 between models such as ``a_b``, overall; and of a task, with a p of 0."""
    rows = []
    for names, value in p.items():
        model, other = names.split("_")
        same = {
            "model": model,
            "other": other,
            "difference": 0.1,
            "error": 0.02,
            "degrees_of_freedom": 30.0,
        }
        tests = {"low": 0.06, "high": 0.14, "p_adjusted": 0.0, "p_model": 0.0, "p_other": 0.0}
        tests["clusters"] = 12
        rows += [{**same, **tests, "task": "overall", "p": value}]
        rows += [{**same, **tests, "task": "LSI", "p": 0.0}]
    return pd.DataFrame(rows)


def summary(*models: str) -> pd.DataFrame:
    rows = [{"model": m, "measure": measure} for m in models for measure in ("ARS", "IFS")]
    further = dict.fromkeys(("better_than", "worse_than", "not_distinguished"), "old")
    return pd.DataFrame(rows).assign(**further, minimum_detectable_difference=0.1, expected=9)


def decided(p: dict[str, float], before=(), models="abc") -> TakenLook:
    frames = {"comparisons": comparisons(**p), "summary": summary(*models)}
    asked = dict.fromkeys(models, 2 + len(before))
    return TakenLook(frames, before, DESIGN, "ARS", {"task": "overall"}, list(models), asked, {})


def test_who_is_told_worse_goes_on_no_more():
    record = decided({"a_b": 0.5, "a_c": 1e-6, "b_c": 1e-6}).record
    assert record["goes_on"] == ["a", "b"]
    assert record["models"]["c"] == {
        "rounds": 2, "better than": [], "worse than": ["a", "b"], "open": []
    }  # fmt: skip
    assert record["models"]["a"]["open"] == ["b"]


def test_a_pair_that_stands_turned_has_its_interval_turned():
    first = decided({"a_b": 0.5, "a_c": 1e-6, "b_c": 1e-6}).frames["comparisons"].iloc[0]
    rows = decided({"b_a": 0.5, "a_c": 1e-6, "b_c": 1e-6})
    turned = rows.frames["comparisons"].iloc[0]  # of a difference that is turned, too
    assert (turned["low"], turned["high"]) == pytest.approx((first["low"], first["high"]))
    assert turned["p"] == first["p"]


def test_looks_before_count_and_have_twelve_digits():
    first = decided({"a_b": 1e-6, "a_c": 1e-6, "b_c": 0.5})
    again = decided({"a_b": 0.5, "a_c": 0.5, "b_c": 0.5}, first.looks)
    assert again.record["models"]["a"]["better than"] == ["b", "c"]
    assert again.record["looks"][0] == first.looks[0]
    rows = comparisons(a_b=1 / 3)
    frames = {"comparisons": rows, "summary": summary("a", "b")}
    asked = {"a": 2, "b": 2}
    made = TakenLook(frames, [], DESIGN, "ARS", {"task": "overall"}, ["a", "b"], asked, {})
    assert made.looks[0][0][3] == 0.333333333333
    assert not np.isnan(made.looks[0][0]).any()


def test_a_pair_without_a_test_or_of_a_model_not_compared_has_none():
    record = decided({"a_b": float("nan"), "a_c": 1e-6}).record
    assert record["looks"][0] == [None, [0.1, 0.02, 30.0, 1e-6], None]
    assert record["models"]["b"]["open"] == ["a", "c"]
    frames = decided({"a_b": 0.5, "a_x": 1e-6}, models="ab").frames
    rows = frames["comparisons"].set_index(["task", "other"])
    assert rows.loc[("overall", "b"), "p"] > 0 and np.isnan(rows.loc[("overall", "x"), "p"])


def test_only_tests_that_hold_at_every_look_are_kept():
    frames = decided({"a_b": 0.5, "a_c": 1e-6, "b_c": 1e-6}).frames
    rows = frames["comparisons"]
    tested = ["low", "high", "p", "p_adjusted", "p_model", "p_other", "error", "degrees_of_freedom"]
    assert rows.loc[rows["task"] == "LSI", tested].isna().all(axis=None)
    overall = rows[rows["task"] == "overall"].set_index(["model", "other"])
    assert overall.loc[("a", "b"), "p_adjusted"] > 0.5
    assert overall.loc[("a", "c"), "p"] > 1e-6
    assert (overall["low"] < 0.06).all() and (overall["high"] > 0.14).all()  # wider than one look's
    told = frames["summary"].set_index(["model", "measure"])
    assert told.loc[("a", "ARS"), ["better_than", "worse_than", "not_distinguished"]].tolist() == [
        "c",
        "",
        "b",
    ]
    assert told.loc[("a", "IFS"), ["better_than", "worse_than", "not_distinguished"]].tolist() == [
        "",
        "",
        "",
    ]


def test_differences_in_other_metrics_lose_their_intervals():
    rows = {"model": ["a", "a"], "other": ["", "b"], "value": [0.7, 0.1], "low": [0.6, 0.05]}
    corrected = pd.DataFrame(rows).assign(raw_low=0.1)
    frames = {"comparisons": comparisons(a_b=0.5), "summary": summary("a", "b")}
    asked = {"a": 2, "b": 2}
    frames["corrected"] = corrected
    found = TakenLook(frames, [], DESIGN, "ARS", {"task": "overall"}, ["a", "b"], asked, {}).frames
    assert found["corrected"]["value"].tolist() == [0.7, 0.1]
    assert found["corrected"][["low", "raw_low"]].iloc[0].tolist() == [0.6, 0.1]
    assert found["corrected"][["low", "raw_low"]].iloc[1].isna().all()


def test_as_much_is_expected_of_a_model_as_it_was_asked():
    def measured(models):
        number = {"a": 6, "b": 6, "c": 4}
        most = max(number[name] for name in models)  # as metrics of models together expect it
        rows = [{"model": m, "task": "T", "expected": most, "scored": number[m]} for m in models]
        return {"coverage": pd.DataFrame(rows), "other": pd.DataFrame({"model": models})}

    frames = as_evaluated(measured(["a", "b", "c"]), {"a": 3, "b": 3, "c": 2}, measured)
    assert frames["coverage"]["expected"].tolist() == [6, 6, 4]
    assert frames["coverage"].columns.tolist() == ["model", "task", "expected", "scored"]

    # nor what its rounds have no row of
    def measured(models):
        tasks = ["T", "U"] if "b" in models else ["T"]
        rows = [{"model": m, "task": task, "expected": 6} for m in models for task in tasks]
        return {"coverage": pd.DataFrame(rows)}

    frames = as_evaluated(measured(["a", "b"]), {"a": 2, "b": 3}, measured)
    assert frames["coverage"]["expected"].tolist() == [6, 0, 6, 6]


@pytest.mark.parametrize(
    ("goes_on", "state"),
    [([], "stopped after 3 of 4 rounds"), (["a"], "so far 3 of at most 4 rounds, and 1 go on")],
)
def test_tables_say_how_far_a_run_asked(goes_on, state):
    models = {"a": {"rounds": 3}, "b": {"rounds": 3}, "c": {"rounds": 2}}
    decision = {"design": DESIGN, "measure": "ARS", "rounds": 3, "models": models}
    shown = Display(models={"a": Shown("Model A")})
    (sentence,) = adaptive_remark([decision | {"goes_on": goes_on}], shown)
    assert state in sentence and "3 by Model A, b; 2 by c." in sentence
