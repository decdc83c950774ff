"""The HTML report's data of a response and of a sample."""

from types import SimpleNamespace

import pytest

from steadfast.html_report import pack
from steadfast.html_report.sample_data import (
    Cut,
    answer_data,
    answer_row,
    sample_row,
    table_data,
)
from steadfast.html_report.write import _provenances
from steadfast.jobs.finished import FinishedAnswer
from steadfast.jobs.job import Job
from steadfast.show.passages import Passages
from steadfast.show.render import Printed

SCORE = {"status": "ok", "total": 0.5, "points": {"format": 1.0}, "other_raters": {}}


def row(output, score):
    return answer_row(FinishedAnswer("m", 0, output, score))


def test_response_row_has_status_total_and_points():
    assert row(None, None) == ["not requested", None, None, 0]
    assert row({"status": "overflow"}, None) == ["overflow", None, None, 0]
    assert row(None, SCORE) == ["ok", 0.5, {"format": 1.0}, 0]


@pytest.mark.parametrize(("total", "differs"), [(0.5, 0), (0.25, 1)])
def test_response_row_shows_whether_raters_differ(total, differs):
    assert row(None, SCORE | {"other_raters": {"judge": {"total": total}}})[3] == differs


def test_response_data_has_only_keys_with_a_value():
    def data(output):
        return answer_data(FinishedAnswer("m", 0, output, None), Cut())

    empty = {"response": "", "reasoning": "", "error": None, "prompt_truncated_tokens": 0}
    answered = {"status": "ok", "response": "Yes"}
    assert data(None) == {}
    assert data(empty | answered) == {"status": "ok", "text": "Yes"}
    failed = {"status": "error", "error": "HTTP 500", "reasoning": "Hm"}
    expected = failed | {"prompt_truncated": 7}
    assert data(empty | failed | {"prompt_truncated_tokens": 7}) == expected


def test_printed_table_has_its_caption_and_the_cells_of_its_csv():
    data = table_data(Printed("t", "", "# Caption.\n\n| a |", "Model,ARS\nm,0.5\n"))
    assert data["caption"] == "Caption."
    assert data["columns"] == [["", "Model", "l"], ["", "ARS", "l"]]
    assert [section["rows"] for section in data["sections"]] == [[["m", "0.5"]]]


def test_long_text_is_cut_in_the_middle():
    assert Cut(6)("123456") == "123456"
    assert Cut(6)("1234567") == ["1234", 1, "67"]
    assert Cut(3, aside=6).less("1234567") == ["1234", 1, "67"]
    assert Cut()("a" * 9_999) == "a" * 9_999
    assert Cut().about is None
    assert Cut(6).about == {"most": 6, "aside": None}


def test_sample_has_a_digest_of_its_prompt_and_reference_answer():
    def listed(instruction="Which?", before=(), expected="b", context=None, **fields):
        prompt = {"instruction": instruction, "task": "LSI"}
        sample = SimpleNamespace(id="s1", prompt=prompt)
        passages = None if context is None else Passages(context, ["b"])
        parts = {"before": before, "expected": expected, "fields": fields, "passages": passages}
        return sample_row(SimpleNamespace(sample=sample, **parts))

    assert listed()[:2] == ["s1", "LSI"]
    assert listed(context="a b c", k=1) == listed(context="a b c", k=2)  # fields are in the context
    rows = [
        listed(), listed("Where?"), listed(before=["Hello"]), listed(expected="c"), listed(k=1),
        listed(context="a b c"), listed(context="a b d"), listed("Which?b", expected=""),
    ]  # fmt: skip
    assert len({digest for _, _, digest in rows}) == len(rows)


@pytest.mark.parametrize(
    ("limit", "cut"), [(1440, pack.CUTS[0]), (1439, pack.CUTS[1]), (719, pack.CUTS[-1])]
)
def test_first_cut_that_fits_is_taken(monkeypatch, limit, cut):
    def add(made, name, *about):
        made.pieces[name] = "x" * (10 if about[-1] == Cut() else 5)

    monkeypatch.setattr(pack, "_add_block", add)
    monkeypatch.setattr(pack, "_add_answers", add)
    # 48 blocks of samples and 96 files of answers, 10 characters each, or 5 once they are cut.
    parts = [SimpleNamespace(samples=["s"], models=["m", "n"])] * 48
    assert pack._first_cut(parts, limit) == cut


def test_equal_provenances_are_listed_once_with_their_parts():
    jobs = [
        (Job("inference", "b", "m", "4k"), {"seed": 1}),
        (Job("inference", "b", "m", "8k"), {"seed": 1}),
        (Job("inference", "b", "m", "16k"), {"seed": 2}),
        (Job("verdicts", "b", "m", "4k", "j"), {"seed": 1}),
        (Job("verdicts", "b", "n", "4k", "j"), {"seed": 1}),
        (Job("rewrites", "b", "m", "4k"), {"seed": 1}),
    ]
    evaluation = SimpleNamespace(running=["b"], benchmarks={"b": SimpleNamespace(title="B")})
    run = SimpleNamespace(evaluation=evaluation, provenances=lambda name: jobs)
    rows = [(row["name"], row["judge"], row["parts"]) for row in _provenances(run)]
    assert rows == [("m", False, ["B 4k", "B 8k"]), ("m", False, ["B 16k"]), ("j", True, ["B 4k"])]
