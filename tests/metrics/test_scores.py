"""Score files as metrics read them, and the tidy CSV files that metrics are written to."""

import pandas as pd
import pytest

from judged_run import SMALL, JudgedRun
from steadfast.base.errors import UserError
from steadfast.base.files import write_jsonl
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH
from steadfast.config.load import load_config
from steadfast.contract.components import Scored
from steadfast.stats.scores import REQUIRED, read_scores
from steadfast.stats.tidy import read_csv, tidy, write_csv


def score(sample: str, **fields) -> dict:
    sample_fields = {"sample_id": sample, "repeat": 0, "task": "T", "context_id": "c"}
    response = {"status": "ok", "prompt_truncated": False, "extracted": None}
    points = {"points": {"format": 0.5}, "total": 0.5, "judge": None, "other_raters": {}}
    return {**sample_fields, **response, **points, **fields}


def test_scores_are_read_with_model_and_part_in_the_files_order(tmp_path):
    cells = [("b", "8k"), ("b", "16k"), ("a", "8k")]
    records = [score("s"), score("t", total=None)]
    paths = {}
    expected = []
    for model, part in cells:
        paths[model, part] = tmp_path / f"{model}-{part}.jsonl"
        write_jsonl(paths[model, part], records)
        expected += [Scored(model, part, record) for record in records]
    assert list(read_scores(paths)) == expected


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([score("a", level=1)] * 2, "record 2: sample a is there twice"),
        ([score("a", level=1, status="fine")], "unknown status 'fine'"),
        ([{"sample_id": "a"}], "record 1 lacks 'repeat'"),
        ([score("a", level=1), score("b")], "record 2 lacks 'level'; score this file again"),
    ],
)
def test_damaged_score_files_are_refused(tmp_path, records, message):
    write_jsonl(tmp_path / "s.jsonl", records)
    with pytest.raises(UserError, match=message):
        list(read_scores({("m", "8k"): tmp_path / "s.jsonl"}, ["level"]))


def checked_fields(record: dict, fields: tuple[str, ...]) -> dict:
    return {name: value for name, value in record.items() if name in (*REQUIRED, *fields)}


@pytest.mark.parametrize("name", SMALL)
def test_judged_metrics_read_checked_fields_only(name):
    run = JudgedRun(name)
    metrics = run.task.metrics
    scores = []
    for part in run.samples:
        answers = run.answers(part)
        replies = run.replies(part, answers)
        for record in run.scores(part, answers, first=replies, second=replies).values():
            scores.append(Scored("m", part, checked_fields(record, metrics.fields)))
    # Without labels there are no corrected values, and no file of them.
    assert set(metrics.function.make(scores, run.data, None)) == {*metrics.names, "corrected"}


def test_lifbench_metrics_read_checked_fields_only():
    metrics = LIFBENCH.of(load_config({"models": {"m": {"engine": "reference"}}})).metrics
    fields = {"expression_id": 0, "variable_id": 0, "rubric": "released", "depth": None}
    points = {"format": 1.0, "correct": 1.0, "ori": 1.0}
    record = score("a", **fields | {"task": "LSI", "points": points, "total": 1.0})
    assert checked_fields(record, metrics.fields) == record
    scores = [Scored("m", "4k", record), Scored("n", "4k", record)]
    assert set(metrics.function.make(scores, {}, None)) == set(metrics.names)


def test_tidy_rows_are_sorted_and_read_back(tmp_path):
    part = pd.DataFrame({"model": ["b", "null"], "length": ["8k", None], "value": [1 / 3, 1.0]})
    rows = tidy([part.assign(n=2)], {"model": ["null", "b"], "length": ["8k"]})
    write_csv(tmp_path / "x.csv", rows)
    read_back = read_csv(tmp_path / "x.csv")
    cells = read_back[["model", "length", "value"]].values.tolist()
    assert cells == [["null", "", 1.0], ["b", "8k", 0.333333333333]]
    assert read_back["low"].isna().all()


def test_columns_keep_their_type_also_without_rows(tmp_path):
    (tmp_path / "x.csv").write_text("model,n,value,low\nNA,2,0.1,\n007,3,,\n")
    rows = read_csv(tmp_path / "x.csv")
    assert rows["model"].tolist() == ["NA", "007"]
    assert rows["n"].tolist() == [2, 3]
    assert rows["value"].tolist()[0] == 0.1
    assert rows[["value", "low"]].isna().sum().tolist() == [1, 2]
    (tmp_path / "empty.csv").write_text("model,n,value\n")
    assert rows["n"].dtype == read_csv(tmp_path / "empty.csv")["n"].dtype == "int64"


def test_missing_metrics_file_is_reported(tmp_path):
    with pytest.raises(UserError, match="compute the metrics first"):
        read_csv(tmp_path / "none.csv")
