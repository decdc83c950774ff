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


def line(sample: str, **more) -> dict:
    asked = {"sample_id": sample, "repeat": 0, "task": "T", "context_id": "c", "status": "ok"}
    scored = {"points": {"format": 0.5}, "total": 0.5, "extracted": None, "other_raters": {}}
    return {**asked, "prompt_truncated": False, "judge": None, **scored, **more}


def test_records_come_with_their_model_and_part_in_the_files_order(tmp_path):
    cells = [("b", "8k"), ("b", "16k"), ("a", "8k")]
    paths = {cell: tmp_path / f"{'-'.join(cell)}.jsonl" for cell in cells}
    for path in paths.values():
        write_jsonl(path, [line("s"), line("t", total=None)])
    found = list(read_scores(paths))
    assert found[:2] == [Scored("b", "8k", line("s")), Scored("b", "8k", line("t", total=None))]
    assert [scored[:2] for scored in found[::2]] == cells


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([line("a", level=1)] * 2, "record 2: sample a is there twice"),
        ([line("a", level=1, status="fine")], "unknown status 'fine'"),
        ([{"sample_id": "a"}], "record 1 lacks 'repeat'"),
        ([line("a", level=1), line("b")], "record 2 lacks 'level'; score this file again"),
    ],
)
def test_damaged_score_files_are_refused(tmp_path, lines, message):
    write_jsonl(tmp_path / "s.jsonl", lines)
    with pytest.raises(UserError, match=message):
        list(read_scores({("m", "8k"): tmp_path / "s.jsonl"}, ["level"]))


@pytest.mark.parametrize("name", SMALL)
def test_judged_metrics_read_no_field_that_is_not_checked(name):
    run = JudgedRun(name)
    out = run.task.metrics
    scores = []
    for part in run.samples:
        answers = run.answers(part)
        replies = run.replies(part, answers)
        found = run.scores(part, answers, first=replies, second=replies)
        scores += [Scored("m", part, checked(one, out.fields)) for one in found.values()]
    # Corrected values are nothing where nobody labelled anything, and then no file.
    assert set(out.function.make(scores, run.data, None)) == {*out.names, "corrected"}


def test_lifbenchs_metrics_read_no_field_that_is_not_checked():
    out = LIFBENCH.of(load_config({"models": {"m": {"engine": "reference"}}})).metrics
    asked = {"expression_id": 0, "variable_id": 0, "rubric": "released", "depth": None}
    points = {"format": 1.0, "correct": 1.0, "ori": 1.0}
    scored = line("a", task="LSI", points=points, total=1.0, **asked)
    assert checked(scored, out.fields) == scored
    scores = [Scored("m", "4k", scored), Scored("n", "4k", scored)]
    assert set(out.function.make(scores, {}, None)) == set(out.names)


def checked(record: dict, fields: tuple[str, ...]) -> dict:
    return {name: value for name, value in record.items() if name in (*REQUIRED, *fields)}


def test_tidy_rows_come_back_from_their_file_sorted_with_the_kinds_of_their_columns(tmp_path):
    part = pd.DataFrame({"model": ["b", "null"], "length": ["8k", None], "value": [1 / 3, 1.0]})
    rows = tidy([part.assign(n=2)], {"model": ["null", "b"], "length": ["8k"]})
    write_csv(tmp_path / "x.csv", rows)
    back = read_csv(tmp_path / "x.csv")
    assert back[["model", "length", "value"]].values.tolist() == [
        ["null", "", 1.0],
        ["b", "8k", 0.333333333333],
    ]
    assert back["low"].isna().all()
    # columns keep their kind, also where nothing stands
    (tmp_path / "x.csv").write_text("model,n,value,low\nNA,2,0.1,\n007,3,,\n")
    (tmp_path / "none.csv").write_text("model,n,value\n")
    back = read_csv(tmp_path / "x.csv")
    none = read_csv(tmp_path / "none.csv")
    assert back["model"].tolist() == ["NA", "007"]
    assert back["n"].tolist() == [2, 3] and back["n"].dtype == none["n"].dtype == "int64"
    assert back["value"].tolist()[0] == 0.1 and back[["value", "low"]].isna().sum().tolist() == [
        1,
        2,
    ]


def test_a_missing_metrics_file_is_named(tmp_path):
    with pytest.raises(UserError, match="compute the metrics first"):
        read_csv(tmp_path / "none.csv")
