"""Judge replies: as released for every recorded case; strict takes one verdict line, the last."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from released_files import cases
from steadfast.benchmarks.complexbench.replies import released_verdict, strict_verdict


def test_every_recorded_case_has_the_released_verdict():
    for case in cases("complexbench", "judge_parse"):
        assert released_verdict(case["judge_text"]) is case["point_judge"], case["id"]


def test_one_verdict_line_at_the_end():
    for reply, expected in (
        ("分析：都有。\n答案：是", True),
        ("分析：缺一项。\n\n答案：否\n\n", False),
        ("答案: 是", True),
        ("**答案：否**", False),
        ("**答案**：**是**。", True),
        ("  答案 ： 是  ", True),
        ("Analysis: fine.\nAnswer: Yes", True),
        ("**answer: no.**", False),
    ):
        assert strict_verdict(reply, "一份答案。") is expected, reply


def test_any_other_reply_is_unreadable():
    for reply in (
        "",
        "不是",
        "答案：是/否",
        "答案：是，但部分满足",
        "答案：是否",
        "答案：shi",
        "答案：是\n答案：否",
        "答案：是\n（注：题目若变，则为否）",
        "Answer: maybe",
        "I cannot judge this.",
    ):
        assert strict_verdict(reply, "一份答案。") is None, reply


@given(reply=st.text(max_size=80), answer=st.text(max_size=80))
def test_any_reply_can_be_read_or_not(reply, answer):
    assert released_verdict(reply) in (True, False)
    assert strict_verdict(reply, answer) in (True, False, None)


@pytest.mark.usefixtures("cpu_limit")
def test_long_replies_are_read():
    for reply in (
        "答案：" * 100_000,
        "*" * 300_000 + "答案",
        "\n答案：是" * 50_000,
        " \t" * 200_000,
    ):
        released_verdict(reply)
        strict_verdict(reply, reply[:1000])
