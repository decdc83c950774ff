"""Score files as a frame, coverage, and the tidy CSV files."""

import pandas as pd
import pytest

from steadfast.errors import UserError
from steadfast.files import write_jsonl
from steadfast.metrics.scores import coverage, read_scores
from steadfast.metrics.tidy import read_csv, tidy, write_csv


def line(sample: str, **more) -> dict:
    scored = {"points": {"format": 0.5}, "total": 0.5}
    return {"sample_id": sample, "task": "T", "status": "ok", "truncated": False} | scored | more


def test_models_are_sorted_and_parts_keep_their_order(tmp_path):
    paths = {}
    for model, part in [("b", "8k"), ("b", "16k"), ("a", "8k"), ("a", "16k")]:
        paths[model, part] = tmp_path / f"{model}-{part}.jsonl"
        write_jsonl(paths[model, part], [line("s")])
    frame = read_scores(paths)
    assert list(frame["model"].cat.categories) == ["a", "b"]
    assert list(frame["length"].cat.categories) == ["8k", "16k"]
    assert list(frame["point.format"]) == [0.5] * 4


def test_unscored_samples_have_neither_total_nor_points(tmp_path):
    unscored = line("t", status="refused", points=None, total=None)
    write_jsonl(tmp_path / "s.jsonl", [line("s"), unscored])
    frame = read_scores({("m", "8k"): tmp_path / "s.jsonl"})
    assert frame["total"].isna().tolist() == [False, True]
    assert frame["point.format"].isna().tolist() == [False, True]


def test_coverage_counts_states_and_truncation(tmp_path):
    lines = [
        line("a"),
        line("b", status="length", truncated=True),
        line("c", status="overflow", points=None, total=None),
    ]
    write_jsonl(tmp_path / "s.jsonl", lines)
    (row,) = coverage(read_scores({("m", "8k"): tmp_path / "s.jsonl"}), []).to_dict("records")
    assert (row["expected"], row["scored"], row["truncated"]) == (3, 2, 1)
    assert (row["status_ok"], row["status_length"], row["status_overflow"]) == (1, 1, 1)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line("a"), line("a")], "sample a is there twice"),
        ([line("a", status="fine")], "unknown status 'fine'"),
        ([{"sample_id": "a"}], "lacks 'task'"),
    ],
)
def test_damaged_score_files_are_refused(tmp_path, lines, message):
    write_jsonl(tmp_path / "s.jsonl", lines)
    with pytest.raises(UserError, match=message):
        read_scores({("m", "8k"): tmp_path / "s.jsonl"})


def test_a_missing_score_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.jsonl"):
        read_scores({("m", "8k"): tmp_path / "none.jsonl"})


def test_tidy_rows_come_back_from_their_file_sorted(tmp_path):
    part = pd.DataFrame({"model": ["b", "null"], "length": ["8k", None], "value": [1 / 3, 1.0]})
    rows = tidy([part.assign(n=2)], {"model": ["null", "b"], "length": ["8k"]})
    write_csv(tmp_path / "x.csv", rows)
    back = read_csv(tmp_path / "x.csv")
    assert back[["model", "length", "value"]].values.tolist() == [
        ["null", "", 1.0],
        ["b", "8k", 0.333333333333],
    ]
    assert back["low"].isna().all()


def test_a_missing_metrics_file_is_named(tmp_path):
    with pytest.raises(UserError, match="compute the metrics first"):
        read_csv(tmp_path / "none.csv")
