"""The HTML report's data of a response and of a sample."""

from types import SimpleNamespace

import pytest

from steadfast.html_report.sample_data import Cut, answer_data, answer_row, sample_row
from steadfast.jobs.finished import FinishedAnswer
from steadfast.show.passages import Passages

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
