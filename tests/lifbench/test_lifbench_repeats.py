"""LIFBench's metrics of models with repeats, and of released scores."""

from collections.abc import Iterable, Iterator

import pandas as pd
import pytest

from score_records import (
    FEW,
    LIST_TASKS,
    cells_of,
    frames_of,
    printed_tables,
    record,
    run,
    unscored,
)
from steadfast.benchmarks.lifbench.figures import figures
from steadfast.benchmarks.lifbench.frames import data_counts, score_frame
from steadfast.benchmarks.lifbench.measures import ars, ifs
from steadfast.contract.components import Scored
from steadfast.show.roster import Display


def released(scores: Iterable[Scored], *models: str) -> Iterator[Scored]:
    """The same scores, those of some models as if of other prompts."""
    for scored in scores:
        if scored.model in models:
            fields = {"prompts": "released", "context_id": "c"}
            fields["sample_id"] = f"r-{scored.record['sample_id']}"
            scored = scored._replace(record=scored.record | fields)
        yield scored


def test_means_over_all_repeats_by_hand():
    scores = []
    for expression, repeat, total in ((0, 0, 1.0), (0, 1, 0.0), (1, 0, 1.0), (1, 1, 1.0)):
        points = {"correct": total, "format": total}
        row = record("OQ", points, ids=(1, expression, 0), repeat=repeat)
        scores.append(Scored("m", "4k", row))
    frame = score_frame(scores, "released")
    (mean,) = ars(frame).query("task == 'OQ' and length == ''").to_dict("records")
    assert (mean["value"], mean["n"]) == (0.75, 4)
    (spread,) = ifs(frame).query("task == 'OQ' and length == ''").to_dict("records")
    # Of the expressions' means ½ and 1: √(2·¼²) over ¾.
    assert (spread["value"], spread["n"]) == (pytest.approx(0.3535533906 / 0.75), 2)


def test_unfinished_responses_have_a_column_in_the_coverage(tmp_path):
    scores = []
    for scored in run({"a": 0.5}, tasks=FEW):
        unfinished = scored.record["task"] == "MF"
        scores.append(unscored(scored, "unfinished") if unfinished else scored)
    frames = frames_of(scores, tmp_path)
    assert "MF" not in set(frames["ars"]["task"])
    coverage = cells_of(printed_tables(frames, Display())["coverage"])
    assert coverage.at["a", "Unfinished"] == "12"


# --- released scores beside those of models that were evaluated ----------------------------------


def test_released_scores_beside_other_ones_are_complete(tmp_path):
    tasks = [*LIST_TASKS, "LMI", "MB", "OR", "OQ", "OE"]
    scores = [
        *run({"a": 0.5, "b": 0.7, "c": 0.6}, tasks=tasks),
        *run({"own": 0.5}, tasks=["MF", "OQ"]),
    ]
    frames = frames_of(released(scores, "a", "b", "c"), tmp_path)
    rows = frames["coverage"].query("task == 'overall' and length == ''")
    assert rows[["model", "expected", "scored", "prompts"]].values.tolist() == [
        ["a", 120, 120, "released"],
        ["b", 120, 120, "released"],
        ["c", 120, 120, "released"],
        ["own", 24, 24, "own"],
    ]
    text = printed_tables(frames, Display())["table3_ars"].md
    assert "\\*" not in text.replace("\\*\\*", "")


@pytest.mark.wide
def test_models_with_other_prompts_are_marked_in_tables_and_figures(tmp_path):
    frames = frames_of(released(run({"a": 0.5, "b": 0.7, "own": 0.6}), "a", "b"), tmp_path)
    pages = printed_tables(frames, Display())
    for name in ("table3_ars", "table4_ifs", "table9_ifp_by_length", "coverage", "rubrics"):
        assert "| a (released)" in pages[name].md and "| own " in pages[name].md
        assert "(released): scored on other prompts" in pages[name].md
    assert "Only models with the same prompts are compared" in pages["comparisons"].md
    comparisons = cells_of(pages["comparisons"])
    assert list(zip(comparisons.index, comparisons["Other"], strict=True)) == [
        ("b (released)", "a (released)")
    ]
    figure, caption = figures(frames, Display(), "rubric", "released")["ars_by_length"]
    labels = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert labels == ["b (released)", "own", "a (released)"]
    assert "scored on other prompts" in caption


@pytest.mark.wide
def test_equal_sample_ids_of_other_prompts_are_not_paired(tmp_path):
    # Own expressions on released contexts: contexts, and so samples, are named as the released are.
    prompts = {"prompts": "released"}
    scores = list(run({"a": 0.5, "b": 0.7}, tasks=FEW))
    scores = [scored._replace(record=scored.record | prompts) for scored in scores]
    alone = frames_of(scores, tmp_path)["comparisons"]
    beside = frames_of([*scores, *run({"own": 0.6}, tasks=FEW)], tmp_path)["comparisons"]
    assert set(beside["model"]) == {"a"} and set(beside["other"]) == {"b"}
    pd.testing.assert_frame_equal(beside, alone)


@pytest.mark.wide
def test_released_scores_change_no_interval_of_other_models(tmp_path):
    alone = frames_of(run({"own": 0.6}, contexts=2, tasks=FEW), tmp_path)
    scores = released(run({"a": 0.5, "own": 0.6}, contexts=2, tasks=FEW), "a")
    beside = frames_of(scores, tmp_path)
    for name in ("ars", "ifp", "ifs"):
        rows = beside[name][beside[name]["model"] == "own"].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, alone[name])


def test_data_counts_are_of_the_configs_own_prompts():
    scores = [*released(run({"a": 0.5}), "a"), *(run({"own": 0.6}, ["4k"]))]
    assert data_counts(score_frame(scores, "released"))["samples"].sum() == 66


@pytest.mark.wide
def test_totals_above_1_are_shown_unchanged(tmp_path):
    scores = []
    for scored in run({"m": 1.0}, ["4k"]):
        scores.append(scored._replace(record=scored.record | {"total": 1.25}))
    frames = frames_of(scores, tmp_path)
    (row,) = frames["ars"].query("task == 'overall' and length == ''").to_dict("records")
    assert row["value"] == 1.25
    assert "1.250" in printed_tables(frames, Display())["table3_ars"].md
    left = figures(frames, Display(), "rubric", "released")["ars_by_length"].figure.axes[0]
    assert left.get_ylim()[1] > 1.25
