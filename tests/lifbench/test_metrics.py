"""LIFBench's metrics: small cases worked by hand, and the paper's printed tables."""

import pandas as pd
import pytest

from score_records import FEW, frames_of, record, released_frame, run
from small_contexts import needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.analyses import above_baseline, comparisons
from steadfast.benchmarks.lifbench.frames import coverage, score_frame
from steadfast.benchmarks.lifbench.measures import ars, ifp, ifs
from steadfast.benchmarks.lifbench.metrics import metrics, summary
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, Rubric
from steadfast.contract.components import Scored
from steadfast.contract.records import OVERALL
from steadfast.show.table import rounded
from steadfast.stats.pairs import sampling_units
from steadfast.stats.tidy import ABOVE_BASELINE, rows_of

GPT_4O = "gpt-4o-2024-08-06"
OQ_FULL = {"correct": 1.0, "format": 1.0}
OQ_HALF = {"correct": 0.5, "format": 0.5}
MF_NONE = dict.fromkeys(RUBRICS["released"]["MF"], 0.0)


def value(rows: pd.DataFrame, length: str = "", **cell: str) -> float:
    (value,) = rows_of(rows, length=length, **cell)["value"]
    return value


def frame_of(records: list[Record]) -> pd.DataFrame:
    return score_frame([Scored("m", "4k", fields) for fields in records], "released")


def two_tasks(oq: list[Record | None], mf: list[Record | None]) -> pd.DataFrame:
    """Scores of OQ and MF, three variables an expression."""
    records = []
    for task, all_points in (("OQ", oq), ("MF", mf)):
        for number, points in enumerate(all_points):
            records.append(record(task, points, ids=(1, number // 3, number % 3)))
    return frame_of(records)


def test_overall_is_weighted_by_the_rubric_or_the_plain_mean():
    frame = two_tasks([OQ_FULL, OQ_HALF], [MF_NONE])
    assert value(ars(frame), task="OQ") == pytest.approx(0.75)
    assert value(ars(frame), task=OVERALL) == pytest.approx(0.75 * 5 / 25)
    assert value(ars(frame, Rubric(weighting="mean")), task=OVERALL) == pytest.approx(0.375)


def test_coverage_counts_samples_by_task_and_overall():
    frame = two_tasks([OQ_FULL, None], [MF_NONE])
    assert value(ars(frame), task="OQ") == 1.0
    rows = coverage(frame).set_index(["task", "length"])
    assert rows.loc[("OQ", "4k"), ["expected", "scored", "status_error"]].tolist() == [2, 1, 1]
    assert rows.loc[(OVERALL, ""), "scored"] == 2


def test_coverage_counts_samples_by_status_and_truncation():
    records = [
        record("OQ", OQ_FULL),
        record("OQ", OQ_FULL, ids=(1, 0, 1), status="length", prompt_truncated=True),
        record("OQ", None, ids=(1, 0, 2), status="refused"),
    ]
    row = coverage(frame_of(records)).iloc[0]
    assert (row["expected"], row["scored"], row["prompt_truncated"]) == (3, 2, 1)
    assert (row["status_ok"], row["status_length"], row["status_refused"]) == (1, 1, 1)


def test_ifp_divides_points_by_weights_of_a_capability():
    mf = {"correct": 1.0, "num_text": 0.5, "ori": 0.0, "format": 0.0}
    frame = two_tasks([OQ_FULL], [mf])
    # Logic: OQ correct (weight 3, full) and MF num_text (weight 5, half).
    assert value(ifp(frame), capability="Logic") == pytest.approx((3 + 2.5) / 8)
    assert value(ifp(frame), capability="Recog") == 1.0


def test_ifs_is_the_sample_deviation_over_the_mean():
    # Expressions: means 1 and 0.5; mean 0.75, deviation √(2·0.25²) = 0.353553.
    rows = ifs(two_tasks([OQ_FULL] * 3 + [OQ_HALF] * 3, []))
    spread = value(rows, task="OQ", perspective="expression")
    assert spread == pytest.approx(0.3535533906 / 0.75)
    assert value(rows, task="OQ", perspective="variable") == 0.0


def test_ifs_leaves_out_tasks_that_score_nothing():
    rows = ifs(two_tasks([OQ_FULL] * 3 + [OQ_HALF] * 3, [MF_NONE] * 6))
    assert "MF" not in set(rows["task"])
    overall = rows_of(rows, task=OVERALL, length="")
    assert overall.set_index("perspective")["n"].to_dict() == {"expression": 1, "variable": 1}


def test_ifs_over_one_length_has_no_length_perspective():
    rows = ifs(score_frame(run({"m": 0.5}, ["4k"]), "released"))
    assert set(rows["perspective"]) == {"expression", "variable"}


def test_written_metrics_have_the_tidy_columns(tmp_path):
    frames = frames_of(run({"NA": 0.5}, tasks=FEW), tmp_path)
    columns = ["model", "task", "length", "perspective", "capability", "value", "low", "high", "n"]
    for name in ("ars", "ifp", "ifs"):
        assert list(frames[name]) == [*columns, *(["chance"] if name == "ifs" else [])]
        assert set(frames[name]["model"]) == {"NA"}  # a name, no missing value
    assert frames["ars"]["length"].unique().tolist() == ["", "4k", "8k"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task": "XX"}, "unknown task 'XX'"),
        ({"rubric": "corrected"}, "scored by the rubric 'corrected', not 'released'"),
    ],
)
def test_scores_of_another_task_or_rubric_are_refused(change, message):
    scores = [Scored("m", "4k", record("OQ", OQ_FULL) | change)]
    with pytest.raises(UserError, match=message):
        metrics(scores, {}, None, "rubric", "released")


# --- the summary ---------------------------------------------------------------------------


def test_summary_has_what_ars_adds_to_the_baseline(tmp_path):
    scores = run({"baseline": 0.5, "a": 0.75}, tasks=FEW)
    rows = frames_of(scores, tmp_path, baseline="baseline")["summary"]
    summary = rows.pivot(index="model", columns="measure", values=["value", ABOVE_BASELINE])
    ars_of = summary["value", "ARS"]
    above = summary[ABOVE_BASELINE, "ARS"]
    expected = (ars_of["a"] - ars_of["baseline"]) / (1 - ars_of["baseline"])
    assert above["a"] == pytest.approx(expected)
    assert above["baseline"] == 0
    assert summary[ABOVE_BASELINE, "IFS"].isna().all()


def test_summary_values_are_over_all_lengths(tmp_path):
    frames = frames_of(run({"a": 0.7, "b": 0.5}, tasks=FEW), tmp_path)
    rows = frames["summary"].set_index(["model", "measure"])
    assert rows.index.tolist() == [("a", "ARS"), ("b", "ARS"), ("a", "IFS"), ("b", "IFS")]
    for model in ("a", "b"):
        overall = {"model": model, "task": OVERALL}
        assert rows.loc[(model, "ARS"), "value"] == value(frames["ars"], **overall)
        spreads = rows_of(frames["ifs"], length="", **overall).set_index("perspective")["value"]
        mean = spreads[["expression", "variable", "length"]].mean()
        assert rows.loc[(model, "IFS"), "value"] == pytest.approx(mean, abs=1e-10)


@needs_cases
def test_summary_of_released_scores_is_as_printed_in_the_paper():
    frame = released_frame(GPT_4O)
    frames = {
        "ars": ars(frame),
        "ifs": ifs(frame),
        "coverage": coverage(frame),
        "comparisons": comparisons(frame),
        "sampling_units": sampling_units(frame, None, ["stratum", "length"]),
        "baseline": above_baseline(frame, None),
    }
    rows = summary(frames).set_index("measure")
    values = rows["value"].map(lambda value: str(rounded(value, 3)))
    assert values.to_dict() == {"ARS": "0.758", "IFS": "0.079"}  # Tables 3 and 4, first row
    assert rows["n"].tolist() == rows["expected"].tolist() == [len(frame)] * 2
