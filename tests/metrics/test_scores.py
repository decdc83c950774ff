"""Score files as metrics read them, and the tidy CSV files that metrics are written to."""

import pandas as pd
import pytest

from steadfast.components import Scored
from steadfast.errors import UserError
from steadfast.files import write_jsonl
from steadfast.metrics.scores import read_scores
from steadfast.metrics.tidy import read_csv, tidy, write_csv


def line(sample: str, **more) -> dict:
    scored = {"points": {"format": 0.5}, "total": 0.5}
    return {"sample_id": sample, "task": "T", "status": "ok", "truncated": False} | scored | more


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
        ([line("a"), line("a")], "record 2: sample a is there twice"),
        ([line("a", status="fine")], "unknown status 'fine'"),
        ([{"sample_id": "a"}], "lacks 'task'"),
    ],
)
def test_damaged_score_files_are_refused(tmp_path, lines, message):
    write_jsonl(tmp_path / "s.jsonl", lines)
    with pytest.raises(UserError, match=message):
        list(read_scores({("m", "8k"): tmp_path / "s.jsonl"}))


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
