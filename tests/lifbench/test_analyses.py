"""Intervals of ARS, IFP and IFS, comparisons, variance, depth and rubrics of whole runs."""

import pandas as pd
import pytest

from score_records import LIST_TASKS, record, released_frame, run
from small_contexts import needs_cases
from steadfast.benchmarks.lifbench.analyses import comparisons, depth, nested, rubrics, variance
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.measures import ars, bootstrap, ifp, ifs, spread, units
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS, Rubric
from steadfast.contract.components import Scored
from steadfast.contract.records import OVERALL

LEVELS = {"a": 0.6, "b": 0.63, "c": 0.66}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return score_frame(run(LEVELS, contexts=3), "released")


@pytest.fixture(scope="module")
def single() -> pd.DataFrame:
    """A run with one context for each scenario and length, as the paper has it."""
    return score_frame(run(LEVELS), "released")


def test_values_are_within_their_intervals(frame):
    for rows in (ars(frame), ifp(frame), ifs(frame)):
        assert rows["low"].notna().all()
        assert (rows["low"] <= rows["value"] + 1e-12).all()
        assert (rows["high"] >= rows["value"] - 1e-12).all()


def test_rubrics_have_the_ars_of_the_chosen_rubric(frame):
    rows = rubrics(frame).query("measure == 'ars' and rubric == 'released'")
    expected = ars(frame).query("length == ''").set_index(["model", "task"])
    rows = rows.set_index(["model", "task"])[["value", "low", "high"]]
    pd.testing.assert_frame_equal(rows, expected[["value", "low", "high"]], check_index_type=False)


def test_single_contexts_give_no_intervals_but_overall_tests(single):
    for rows in (ars(single), ifp(single), depth(single)):
        assert rows[["low", "high"]].isna().all(axis=None)
    rows = comparisons(single)
    assert rows.loc[rows["task"] == OVERALL, ["low", "high", "p"]].notna().all(axis=None)


def test_stability_intervals_need_two_contexts_per_length(frame, single):
    for scores, has_interval in ((frame, True), (single, False)):
        rows = ifs(scores).query("length == ''")
        for perspective in ("length", "average"):
            spreads = rows[rows["perspective"] == perspective]
            assert len(spreads) == 3 * (len(TASKS) + 1)
            assert (spreads["low"].notna() == has_interval).all()
        assert (rows[rows["perspective"] == "expression"]["low"].notna() == has_interval).all()


@pytest.mark.parametrize(
    ("contexts", "within", "degrees"), [(2, False, 2), (1, False, 1), (1, True, 0)]
)
def test_contexts_are_sampled_within_lengths_that_have_several(contexts, within, degrees):
    frame = score_frame(run({"a": 0.6}, contexts=contexts, tasks=["LSI"]), "released")
    spreads = spread(frame, bootstrap(frame, within), "expression")
    assert set(spreads.degrees_of_freedom) == {degrees}  # contexts less strata, of two lengths


def test_ifp_is_weighted_by_the_rubrics_points(frame):
    part = frame[frame["task"].isin(["LSI", "OQ"]) & (frame["model"] == "a")]
    lsi = part[part["task"] == "LSI"]
    oq = part[part["task"] == "OQ"]
    released = ifp(part, Rubric("released")).query("length == ''").set_index("capability")["value"]
    corrected = ifp(part, Rubric("corrected")).query("length == ''")
    corrected = corrected.set_index("capability")["value"]
    assert released["Recog"] == pytest.approx(lsi["point.correct"].mean())
    assert corrected["Ori"] == pytest.approx((2 * lsi["point.ori"].mean()) / 2)
    expected = (lsi["point.format"].mean() + 2 * oq["point.format"].mean()) / 3
    assert corrected["Fmt"] == pytest.approx(expected)


def test_ranks_and_correlations_of_rubrics_leave_out_references(frame):
    rows = rubrics(frame, references=["a"])
    assert list(rows.columns) == ["measure", "rubric", "model", "task", "value", "low", "high", "n"]
    assert set(rows.query("measure == 'ars'")["model"]) == set("abc")
    ranks = rows.query("measure == 'rank' and task == 'overall'")
    assert set(ranks["model"]) == {"b", "c"}
    for rubric in ("released", "corrected"):
        assert sorted(ranks[ranks["rubric"] == rubric]["value"]) == [1, 2]
    released = rows.query("task == 'overall' and rubric == 'released'").set_index("model")
    values = released[released["measure"] == "ars"].loc[["b", "c"], "value"]
    (first,) = released.index[(released["measure"] == "rank") & (released["value"] == 1)]
    assert first == values.idxmax()
    correlations = rows.query("task == 'overall' and measure in ['spearman', 'kendall']")
    assert set(correlations["rubric"]) == {"corrected"}
    assert set(correlations["n"]) == {2}
    assert set(correlations["value"].abs().round(9)) == {1.0}


def test_comparisons_leave_out_references(frame):
    rows = comparisons(frame, references=["b"])
    assert set(rows["model"]) | set(rows["other"]) == {"a", "c"}
    assert list(rows["task"])[-1] == OVERALL


@pytest.mark.parametrize("weighting", ["rubric", "mean"])
def test_compared_differences_are_those_of_overall_ars(frame, weighting):
    rubric = Rubric(weighting=weighting)
    scores = ars(frame, rubric).query("length == '' and task == 'overall'")
    scores = scores.set_index("model")["value"]
    rows = comparisons(frame, rubric).query("task == 'overall' and length == ''")
    expected = scores[rows["model"]].to_numpy() - scores[rows["other"]].to_numpy()
    assert rows["difference"].to_numpy() == pytest.approx(expected)


def test_depth_has_list_tasks_together_too(frame):
    rows = depth(frame)
    assert set(rows["task"]) == {*LIST_TASKS, "list"}
    together = rows[(rows["model"] == "a") & (rows["task"] == "list")]
    assert together.loc[together["length"] == "", "n"].sum() == 5 * 2 * 3 * 6
    assert together.loc[together["length"] != "", "n"].sum() == 5 * 2 * 3 * 6
    assert rows[["low", "high"]].notna().any(axis=None)
    assert together.loc[together["length"] == "", "bin"].is_monotonic_increasing


def in_families(model: str, totals: dict[tuple[int, str], float]) -> list[Scored]:
    """Scores of LSI by family of nested contexts and length."""
    points = dict.fromkeys(SCORED_TASKS["LSI"].points, 1.0)
    scores = []
    for (family, length), total in totals.items():
        fields = {"family": f"list-s{family}", "total": total}
        scores.append(
            Scored(model, length, record("LSI", points, length, (family, 0, 0), **fields))
        )
    return scores


def test_family_of_nested_contexts_is_one_sampling_unit():
    totals = {(1, "4k"): 0.8, (1, "8k"): 0.6, (2, "4k"): 0.6, (2, "8k"): 0.6}
    lower = {key: total - 0.1 for key, total in totals.items()}
    frame = score_frame([*in_families("a", totals), *in_families("b", lower)], "released")
    assert set(frame["cluster"]) == {"list/list-s1", "list/list-s2"}
    sampled = units(in_families("a", totals), "released")
    assert set(sampled["stratum"]) == {"list/nested"}
    (comparison,) = comparisons(frame).query("task == 'overall' and length == ''").itertuples()
    assert comparison.clusters == 2
    assert set(comparisons(frame)["length"]) == {"", "4k", "8k"}  # each has both families
    rows = ifs(frame).set_index(["model", "task", "perspective"])
    # After families and lengths ±.05 is left: √(4 · .05² ÷ (1 · 1) ÷ 2) ÷ .65; c4 in and out.
    assert rows.loc[("a", "LSI", "length"), "chance"] == pytest.approx(0.005**0.5 / 0.65)


@needs_cases
def test_released_scores_have_comparisons_by_family():
    frame = released_frame("gpt-4o-2024-08-06", "LWM-Text-1M", "gpt-4-0125-preview")
    rows = comparisons(frame).query("task == 'overall'").set_index(["model", "other"])
    # Three families, one a scenario: nothing distinguishes chance from what models differ by.
    assert rows[["low", "p", "p_adjusted"]].isna().all(axis=None) and set(rows["clusters"]) == {3}
    units = nested(frame).set_index("unit")
    assert units["clusters"].to_dict() == {"families": 3, "contexts": 18}
    # In each of the eighteen contexts the weakest model is behind both others.
    assert units["told_apart"].to_dict() == {"families": 0, "contexts": 2}
    shares = variance(frame).groupby(["model", "task"])["value"].sum()
    assert shares.to_numpy() == pytest.approx(1)
