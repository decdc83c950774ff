"""Intervals of ARS, IFP and IFS, comparisons, variance, depth and rubrics of whole runs."""

import pandas as pd
import pytest

from score_records import LIST_TASKS, record, released_frame, run
from small_contexts import needs_cases
from steadfast.benchmarks.lifbench.analyses import comparisons, depth, nested, rubrics, variance
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.measures import ars, ifp, ifs
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS, Rubric
from steadfast.contract.components import Scored
from steadfast.contract.records import OVERALL

LEVELS = {"a": 0.6, "b": 0.63, "c": 0.66}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return score_frame(run(LEVELS, contexts=3), "released")


@pytest.fixture(scope="module")
def lone() -> pd.DataFrame:
    """A run with one context for each scenario and length, as the paper has it."""
    return score_frame(run(LEVELS), "released")


def test_values_lie_in_their_intervals_and_the_chosen_rubric_is_that_of_ars(frame):
    for rows in (ars(frame), ifp(frame), ifs(frame)):
        assert rows["low"].notna().all()
        assert (rows["low"] <= rows["value"] + 1e-12).all()
        assert (rows["high"] >= rows["value"] - 1e-12).all()
    rows = rubrics(frame).query("measure == 'ars' and rubric == 'released'")
    expected = ars(frame).query("length == ''").set_index(["model", "task"])
    found = rows.set_index(["model", "task"])[["value", "low", "high"]]
    pd.testing.assert_frame_equal(found, expected[["value", "low", "high"]], check_index_type=False)


def test_one_context_a_length_gives_no_interval_but_a_test_of_differences_over_lengths(lone):
    for rows in (ars(lone), ifp(lone), depth(lone)):
        assert rows[["low", "high"]].isna().all(axis=None)
    rows = comparisons(lone)
    assert rows.loc[rows["task"] == OVERALL, ["low", "high", "p"]].notna().all(axis=None)


def test_the_length_perspective_needs_two_contexts_a_length(frame, lone):
    for scores, known in ((frame, True), (lone, False)):
        rows = ifs(scores).query("length == ''")
        for perspective in ("length", "average"):
            found = rows[rows["perspective"] == perspective]
            assert len(found) == 3 * (len(TASKS) + 1)
            assert (found["low"].notna() == known).all()
        assert (rows[rows["perspective"] == "expression"]["low"].notna() == known).all()


def test_rubrics_weigh_by_their_own_points(frame):
    part = frame[frame["task"].isin(["LSI", "OQ"])]
    lsi = part[(part["model"] == "a") & (part["task"] == "LSI")]
    rest = part[(part["model"] == "a") & (part["task"] == "OQ")]
    ori = (2 * lsi["point.ori"].mean()) / 2
    rows = (
        ifp(part, Rubric("corrected"))
        .query("model == 'a' and length == ''")
        .set_index("capability")
    )
    assert rows.loc["Ori", "value"] == pytest.approx(ori)
    recog = (
        ifp(part, Rubric("released")).query("model == 'a' and length == ''").set_index("capability")
    )
    assert recog.loc["Recog", "value"] == pytest.approx(lsi["point.correct"].mean())
    fmt = (lsi["point.format"].mean() + 2 * rest["point.format"].mean()) / 3
    assert rows.loc["Fmt", "value"] == pytest.approx(fmt)


def test_rubrics_are_ranked_and_correlated_without_the_references(frame):
    rows = rubrics(frame, references=["a"])
    assert list(rows.columns) == ["measure", "rubric", "model", "task", "value", "low", "high", "n"]
    assert set(rows.query("measure == 'ars'")["model"]) == set("abc")
    ranks = rows.query("measure == 'rank' and task == 'overall'")
    assert set(ranks["model"]) == {"b", "c"}
    for rubric in ("released", "corrected"):
        assert sorted(ranks[ranks["rubric"] == rubric]["value"]) == [1, 2]
    correlations = rows.query("task == 'overall' and measure in ['spearman', 'kendall']")
    assert set(correlations["rubric"]) == {"corrected"}
    assert set(correlations["n"]) == {2}
    assert set(correlations["value"].abs().round(9)) == {1.0}


def test_differences_are_of_overall_scores_and_of_no_references(frame):
    rows = comparisons(frame, references=["b"])
    assert set(rows["model"]) | set(rows["other"]) == {"a", "c"}
    assert list(rows["task"])[-1] == OVERALL
    for rubric in (Rubric(), Rubric(weighting="mean")):
        scores = ars(frame, rubric).query("length == '' and task == 'overall'")
        scores = scores.set_index("model")["value"]
        rows = comparisons(frame, rubric).query("task == 'overall' and length == ''")
        for row in rows.itertuples():
            assert row.difference == pytest.approx(scores[row.model] - scores[row.other])


def test_list_tasks_are_also_shown_together_by_depth(frame):
    rows = depth(frame)
    assert set(rows["task"]) == {*LIST_TASKS, "list"}
    of_a = rows[(rows["model"] == "a") & (rows["task"] == "list")]
    assert of_a.loc[of_a["length"] == "", "n"].sum() == 5 * 2 * 3 * 6
    assert of_a.loc[of_a["length"] != "", "n"].sum() == 5 * 2 * 3 * 6
    assert rows[["low", "high"]].notna().any(axis=None)


def in_families(model: str, totals: dict[tuple[int, str], float]) -> list[Scored]:
    """Scores of LSI by family of nested contexts and length."""
    return [
        Scored(
            model,
            length,
            record("LSI", dict.fromkeys(SCORED_TASKS["LSI"].points, 1.0), length, (family, 0, 0))
            | {"family": f"list-s{family}", "total": total},
        )
        for (family, length), total in totals.items()
    ]


def test_a_family_of_nested_contexts_is_one_sampling_unit_and_pairs_lengths():
    totals = {(1, "4k"): 0.8, (1, "8k"): 0.6, (2, "4k"): 0.6, (2, "8k"): 0.6}
    other = {key: total - 0.1 for key, total in totals.items()}
    frame = score_frame([*in_families("a", totals), *in_families("b", other)], "released")
    assert set(frame["cluster"]) == {"list/list-s1", "list/list-s2"}
    assert comparisons(frame).query("task == 'overall' and length == ''")["clusters"].tolist() == [
        2
    ]
    rows = ifs(frame).set_index(["model", "task", "perspective"])
    # After families and lengths ±.05 is left: √(4 · .05² ÷ (1 · 1) ÷ 2) ÷ .65; c4 in and out.
    assert rows.loc[("a", "LSI", "length"), "chance"] == pytest.approx(0.005**0.5 / 0.65)


@needs_cases
def test_released_scores_have_comparisons():
    frame = released_frame("gpt-4o-2024-08-06", "LWM-Text-1M", "gpt-4-0125-preview")
    rows = comparisons(frame).query("task == 'overall'").set_index(["model", "other"])
    # Three families, one a scenario: nothing tells chance from what models differ by.
    assert rows[["low", "p", "p_adjusted"]].isna().all(axis=None) and set(rows["clusters"]) == {3}
    told = nested(frame).set_index("unit")
    assert told["clusters"].to_dict() == {"families": 3, "contexts": 18}
    # In each of the eighteen contexts the weakest model is behind both others.
    assert told["told_apart"].to_dict() == {"families": 0, "contexts": 2}
    shares = variance(frame).groupby(["model", "task"])["value"].sum()
    assert shares.to_numpy() == pytest.approx(1)
