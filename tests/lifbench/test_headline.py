"""LIFBench's main measures as the report reads them."""

import pytest

from score_files import record, released_frame, write_run
from steadfast.files import read_jsonl, write_jsonl
from steadfast.lifbench.headline import headline
from steadfast.lifbench.metrics import ars, compute_metrics, full_coverage, ifs
from steadfast.metrics.headline import HEADLINE, read_headline
from steadfast.metrics.tidy import read_csv
from steadfast.tables.table import rounded

NAMES = ("ars", "ifs", "coverage", "headline")


@pytest.fixture
def run(tmp_path):
    """Computes a run's metrics: the headline by model and measure, and the other files."""

    def compute(levels, lengths, change=None):
        scores, _ = write_run(tmp_path, levels, lengths)
        if change:
            change(scores)
        outs = {name: tmp_path / f"{name}.csv" for name in NAMES}
        compute_metrics(scores, "rubric", outs)
        others = {name: read_csv(outs[name]) for name in NAMES[:-1]}
        return read_headline(outs["headline"]).set_index(["model", "measure"]), others

    return compute


def unscore(path, task=None):
    """Takes the scores from a file, of one task or of all."""
    unscored = [
        record(row, row["length"], None, "refused") if task in (None, row["task"]) else row
        for row in read_jsonl(path)
    ]
    write_jsonl(path, unscored)


def test_the_released_scores_give_what_the_paper_prints():
    frame = released_frame()
    frame = frame[frame["model"] == "gpt-4o-2024-08-06"]
    rows = headline(ars(frame), ifs(frame), full_coverage(frame)).set_index("measure")
    printed = {name: str(rounded(value, 3)) for name, value in rows["value"].items()}
    assert printed == {"ARS": "0.758", "IFS": "0.079"}  # Tables 3 and 4, first row
    assert rows["n"].tolist() == rows["expected"].tolist() == [len(frame)] * 2


def test_the_values_are_those_over_all_lengths(run):
    rows, others = run({"a": 0.7, "b": 0.5}, ["4k", "8k"])
    assert rows.index.tolist() == [("a", "ARS"), ("b", "ARS"), ("a", "IFS"), ("b", "IFS")]
    scores, spread = others["ars"], others["ifs"]
    for model in ("a", "b"):
        whole = scores.query(f"model == '{model}' and task == 'overall' and length == ''")
        assert [rows.loc[(model, "ARS"), "value"]] == whole["value"].tolist()
        three = spread.query(f"model == '{model}' and task == 'overall' and length == ''")
        three = three.set_index("perspective")["value"]
        mean = three[["expression", "variable", "length"]].mean()
        assert rows.loc[(model, "IFS"), "value"] == pytest.approx(mean, abs=1e-10)


def test_unscored_samples_show_in_n(run):
    rows, _ = run({"a": 0.7}, ["4k", "8k"], lambda scores: unscore(scores["a", "4k"], "MF"))
    assert rows[["n", "expected"]].to_numpy().tolist() == [[126, 132]] * 2


def test_a_model_without_scores_and_a_single_length_have_empty_values(run):
    rows, _ = run({"a": 0.7, "b": 0.5}, ["4k"], lambda scores: unscore(scores["a", "4k"]))
    assert rows["value"].notna().to_dict() == {
        ("a", "ARS"): False,
        ("b", "ARS"): True,
        ("a", "IFS"): False,
        ("b", "IFS"): False,
    }
    assert rows.loc[("a", "ARS"), ["n", "expected"]].tolist() == [0, 66]
    assert rows.reset_index().columns.tolist() == list(HEADLINE)
