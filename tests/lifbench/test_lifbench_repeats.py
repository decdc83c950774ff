"""LIFBench's metrics of models that were asked each prompt several times; released scores."""

from collections.abc import Iterable, Iterator

import pandas as pd
import pytest

from score_records import FEW, frames_of, record, run, unscored
from steadfast.benchmarks.lifbench.figures import figures
from steadfast.benchmarks.lifbench.frames import data_counts, score_frame
from steadfast.benchmarks.lifbench.measures import ars, ifs
from steadfast.benchmarks.lifbench.scoring import LifbenchScoring
from steadfast.benchmarks.lifbench.tables import tables
from steadfast.contract.components import Answer, Frames, Sample, Scored
from steadfast.show.render import Printed, printed
from steadfast.show.roster import Display


def released(scores: Iterable[Scored], *models: str) -> Iterator[Scored]:
    """The same scores, those of some models as if of other prompts."""
    for scored in scores:
        more = {"prompts": "released", "context_id": "c", "sample_id": "r-"}
        more["sample_id"] += scored.record["sample_id"]
        yield scored._replace(record=scored.record | more) if scored.model in models else scored


def shown(frames: Frames) -> dict[str, Printed]:
    made = map(printed, tables(frames, Display(), "rubric", "released"))
    return {page.name.removeprefix("lifbench_"): page for page in made}


def test_means_over_all_draws_by_hand():
    # Two expressions, two repeats each: totals 1 and 0, and 1 and 1.
    totals = {(0, 0): 1.0, (0, 1): 0.0, (1, 0): 1.0, (1, 1): 1.0}
    rows = [
        record("OQ", {"correct": of, "format": of}, place=(1, expression, 0), repeat=repeat)
        for (expression, repeat), of in totals.items()
    ]
    frame = score_frame((Scored("m", "4k", row) for row in rows), "released")
    (mean,) = ars(frame).query("task == 'OQ' and length == ''").to_dict("records")
    assert (mean["value"], mean["n"]) == (0.75, 4)
    (spread,) = ifs(frame).query("task == 'OQ' and length == ''").to_dict("records")
    # Of the expressions' means ½ and 1: √(2·¼²) over ¾.
    assert (spread["value"], spread["n"]) == (pytest.approx(0.3535533906 / 0.75), 2)


def test_an_unfinished_answer_has_no_score_and_a_column_of_its_own(tmp_path):
    found = LifbenchScoring("released").score(Sample("4k", {}, {}), Answer("unfinished", ""), {})
    assert (found.status, found.points, found.total) == ("unfinished", None, None)
    others = found.other_raters.values()
    assert {(one.status, one.total) for one in others} == {("unfinished", None)}
    scores = [
        unscored(scored, "unfinished") if scored.record["task"] == "MF" else scored
        for scored in run({"a": 0.5})
    ]
    frames = frames_of(scores, tmp_path)
    assert "MF" not in set(frames["ars"]["task"])
    head, row = (line.split(",") for line in shown(frames)["coverage"].csv.splitlines())
    assert row[head.index("Unfinished")] == "12"


# --- released scores beside those of models that were asked ------------------------------------


def test_released_scores_beside_others_are_complete(tmp_path):
    short = [one for one in run({"a": 0.5, "b": 0.7, "c": 0.6}) if one.record["task"] != "MF"]
    scores = [*short, *(one for one in run({"own": 0.5}) if one.record["task"] in ("MF", "OQ"))]
    frames = frames_of(released(scores, "a", "b", "c"), tmp_path)
    whole = frames["coverage"].query("task == 'overall' and length == ''").set_index("model")
    assert whole["expected"].to_dict() == {"a": 120, "b": 120, "c": 120, "own": 24}
    assert (whole["expected"] == whole["scored"]).all()
    assert whole["prompts"].to_dict() == {**dict.fromkeys("abc", "released"), "own": "own"}
    assert "\\*" not in shown(frames)["table3_ars"].md.replace("\\*\\*", "")


@pytest.mark.wide
def test_tables_and_figures_say_which_models_answered_other_prompts(tmp_path):
    frames = frames_of(released(run({"a": 0.5, "b": 0.7, "own": 0.6}), "a", "b"), tmp_path)
    pages = shown(frames)
    for name in ("table3_ars", "table4_ifs", "table9_ifp_by_length", "coverage", "rubrics"):
        assert "| a (released)" in pages[name].md and "| own " in pages[name].md
        assert "(released): scored on other prompts" in pages[name].md
    assert "Only models with the same prompts are compared" in pages["comparisons"].md
    assert [row.split(",")[1:3] for row in pages["comparisons"].csv.splitlines()[1:]] == [
        ["b (released)", "a (released)"]
    ]
    figure, caption = figures(frames, Display(), "rubric", "released")["ars_by_length"]
    names = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert names == ["b (released)", "own", "a (released)"]
    assert "scored on other prompts" in caption


@pytest.mark.wide
def test_answers_to_other_prompts_are_not_paired_though_their_samples_have_the_same_names(tmp_path):
    # Own expressions on released contexts: contexts, and so samples, are named as the released are.
    scores = [
        one._replace(record=one.record | {"prompts": "released"}) if one.model != "own" else one
        for one in run({"a": 0.5, "b": 0.7, "own": 0.6}, tasks=FEW)
    ]
    alone = frames_of([one for one in scores if one.model != "own"], tmp_path / "alone")
    found = frames_of(scores, tmp_path / "beside")["comparisons"]
    assert set(zip(found["model"], found["other"], strict=True)) == {("a", "b")}
    pd.testing.assert_frame_equal(found, alone["comparisons"])


@pytest.mark.wide
def test_released_scores_change_no_interval_of_the_others(tmp_path):
    alone = frames_of(run({"own": 0.6}, contexts=2, tasks=FEW), tmp_path)
    scores = released(run({"a": 0.5, "own": 0.6}, contexts=2, tasks=FEW), "a")
    beside = frames_of(scores, tmp_path)
    for name in ("ars", "ifp", "ifs"):
        rows = beside[name][beside[name]["model"] == "own"].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone[name])


def test_the_data_counted_are_the_config_s_own():
    scores = [*released(run({"a": 0.5}), "a"), *(run({"own": 0.6}, ["4k"]))]
    assert data_counts(score_frame(scores, "released"))["samples"].sum() == 66


@pytest.mark.wide
def test_totals_above_1_are_shown_as_they_are(tmp_path):
    def above(scored: Scored) -> Scored:
        return scored._replace(record=scored.record | {"total": 1.25})

    frames = frames_of(map(above, run({"m": 1.0}, ["4k"])), tmp_path)
    (row,) = frames["ars"].query("task == 'overall' and length == ''").to_dict("records")
    assert row["value"] == 1.25
    assert "1.250" in shown(frames)["table3_ars"].md
    left = figures(frames, Display(), "rubric", "released")["ars_by_length"].figure.axes[0]
    assert left.get_ylim()[1] > 1.25
