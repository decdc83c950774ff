"""What the page holds of an answer to filter by."""

from types import SimpleNamespace

from steadfast.html_report.sample_data import Cut, answer_data, answer_row, sample_row
from steadfast.jobs.finished import FinishedAnswer
from steadfast.show.passages import Passages

SCORE = {"status": "ok", "total": 0.5, "points": {"format": 1.0}, "other_raters": {}}


def row(output, score):
    return answer_row(FinishedAnswer("m", 0, output, score))


def test_an_answer_s_row_has_its_status_total_and_whether_raters_differ():
    assert row(None, None) == ["not requested", None, None, 0]
    assert row({"status": "overflow"}, None) == ["overflow", None, None, 0]
    assert row(None, SCORE) == ["ok", 0.5, {"format": 1.0}, 0]
    for total, differ in ((0.5, 0), (0.25, 1)):
        assert row(None, {**SCORE, "other_raters": {"judge": {"total": total}}})[3] == differ


def test_an_answer_has_keys_for_what_there_is_alone():
    assert answer_data(FinishedAnswer("m", 0, None, None), Cut()) == {}
    output = {
        "status": "ok",
        "response": "Yes",
        "reasoning": "",
        "error": None,
        "prompt_truncated_tokens": 0,
    }
    assert answer_data(FinishedAnswer("m", 0, output, None), Cut()) == {
        "status": "ok",
        "text": "Yes",
    }
    more = {
        **output,
        "status": "error",
        "response": "",
        "error": "HTTP 500",
        "prompt_truncated_tokens": 7,
    }
    assert answer_data(FinishedAnswer("m", 0, {**more, "reasoning": "Hm"}, None), Cut()) == {
        "status": "error",
        "prompt_truncated": 7,
        "error": "HTTP 500",
        "reasoning": "Hm",
    }


def test_a_text_is_cut_in_its_middle_where_it_is_longer_than_that():
    assert Cut(6)("123456") == "123456"
    assert Cut(6)("1234567") == ["1234", 1, "67"]
    assert Cut(3, aside=6).less("1234567") == ["1234", 1, "67"]
    assert Cut()("a" * 9_999) == "a" * 9_999
    assert Cut().about is None and Cut(6).about == {"most": 6, "aside": None}


def test_a_sample_is_listed_with_a_digest_of_all_that_was_asked_and_expected():
    def listed(instruction="Which?", before=(), expected="b", context=None, **fields):
        prompt = {"instruction": instruction, "task": "LSI"}
        return sample_row(
            SimpleNamespace(
                sample=SimpleNamespace(id="s1", prompt=prompt),
                before=before,
                expected=expected,
                fields=fields,
                passages=None if context is None else Passages(context, ["b"]),
            )
        )

    assert listed()[:2] == ["s1", "LSI"]
    assert listed(context="a b c", k=1) == listed(context="a b c", k=2)  # the context has it all
    rows = [
        listed(), listed("Where?"), listed(before=["Hello"]), listed(expected="c"), listed(k=1),
        listed(context="a b c"), listed(context="a b d"), listed("Which?b", expected=""),
    ]  # fmt: skip
    assert len({digest for _, _, digest in rows}) == len(rows)
