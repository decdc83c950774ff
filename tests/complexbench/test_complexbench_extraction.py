"""Judges' replies and extractions as released for every recorded case; strict takes copies only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from released_files import cases
from steadfast.benchmarks.complexbench.facts import HEADING
from steadfast.benchmarks.complexbench.replies import (
    released_segments,
    released_verdict,
    strict_segments,
    strict_verdict,
)

ANSWER = "第一条：带伞；\n第二条：穿 雨靴；\n\n“祝你好运！”"


def reply(copied: str, before: str = "【解释】\n全文。\n\n") -> str:
    return f"{before}{HEADING}\n评分对象：{copied}"


def test_every_recorded_case_has_the_released_segments():
    for case in cases("complexbench", "preprocess"):
        found = released_segments(case["response"], case["extraction"])
        assert found == case["segments"], case["id"]


def test_replies_of_the_form_asked_for():
    for text, each, expected in (
        (reply("第一条：带伞；"), False, ["第一条：带伞；"]),
        (reply("all"), False, [ANSWER]),
        (reply("None"), False, []),
        (reply("None"), True, []),
        (reply("带伞||穿 雨靴"), True, ["带伞", "穿 雨靴"]),
        # The answer's own white space and marks are what is measured.
        (reply("穿雨靴"), False, ["穿 雨靴"]),
        (reply("第一条：带伞；第二条：穿雨靴；"), False, ["第一条：带伞；\n第二条：穿 雨靴；"]),
        (reply("“祝你好运！”"), False, ["“祝你好运！”"]),
        (reply("`带伞`"), False, ["带伞"]),
        (f"**{HEADING}**\n\n**评分对象：**带伞", False, ["带伞"]),
        (f"{HEADING}\n评分对象:带伞", False, ["带伞"]),
        (f"{HEADING}\u2028评分对象：带伞", False, ["带伞"]),
    ):
        assert strict_segments(ANSWER, text, each) == expected, text


def test_any_other_reply_is_unreadable():
    for text, each in (
        ("", False),
        ("评分对象：带伞", False),
        (f"{HEADING}\n带伞", False),
        (reply(""), False),
        (reply("带雨伞"), False),  # not the answer's words
        (reply("带伞\n\n请注意，以上是原文。"), False),
        (reply("带伞||穿雨靴"), False),  # one part was asked for
        (reply("all"), True),
        (reply("带伞||"), True),
        (reply("带伞") + f"\n{HEADING}\n评分对象：穿雨靴", False),
        (reply("带伞\n评分对象：穿雨靴"), False),
    ):
        assert strict_segments(ANSWER, text, each) is None, text


def test_the_heading_in_an_answer_is_not_the_judges():
    answer = f"好的。\n{HEADING}\n评分对象：好的"
    assert strict_segments(answer, f"【解释】\n回复写道：\n{answer}", False) is None
    assert strict_segments(answer, reply("好的。"), False) == ["好的。"]
    assert strict_segments(answer, f"{answer}\n\n{reply('好的。')}", False) is None


def test_copies_are_found_in_order_in_tables_and_in_bold_type():
    answer = "甲：好。\n乙：好。 "
    assert strict_segments(answer, reply("甲||好||乙||好"), True) == ["甲", "好", "乙", "好"]
    # bars of a table are no separators
    answer = "| 茶 | 产地 |\n| 龙井 | 杭州 |\n\n说明\n\n| 毛尖 |"
    first, second, third = answer.split("\n\n")
    assert strict_segments(answer, reply(f"{first}||{second}"), True) == [first, second]
    assert strict_segments(answer, reply(f"{first}||{third}"), True) == [first, third]
    assert strict_segments(answer, reply(f"{first} || {second} || {third}"), True) == [
        first,
        second,
        third,
    ]
    # bold type of the copy is not the label's
    answer = "**结论**：带伞"
    assert strict_segments(answer, reply("**结论**：带伞"), False) == [answer]
    bold = f"{HEADING}\n**评分对象：****结论**：带伞"
    assert strict_segments(answer, bold, False) == [answer]


PIECES = [HEADING, "评分对象", "：", "**", "all", "None", "||", "|", "雨", "伞", "请注意", '"', ">"]
SPACES = ["\n", " ", "\r", "\x85", "\u2028", "\u3000"]
TEXT = st.lists(st.sampled_from([*PIECES, *SPACES]), max_size=12).map("".join) | st.text(
    max_size=40
)


@given(answer=TEXT, copied=TEXT, each=st.booleans(), framed=st.booleans())
def test_what_is_read_stands_in_the_answer(answer, copied, each, framed):
    text = reply(copied) if framed else copied
    found = strict_segments(answer, text, each)
    assert found is None or all(segment in answer for segment in found)
    assert isinstance(released_segments(answer, text), list)


@given(TEXT.filter(lambda text: text.strip() and HEADING not in text))
def test_the_whole_answer_can_always_be_pointed_at(answer):
    assert strict_segments(answer, reply("all"), False) == [answer]


def test_every_recorded_verdict_is_the_released_one():
    for case in cases("complexbench", "judge_parse"):
        assert released_verdict(case["judge_text"]) is case["point_judge"], case["id"]


@given(reply=st.text(max_size=80), answer=st.text(max_size=80))
def test_any_reply_is_a_verdict_or_not(reply, answer):
    assert released_verdict(reply) in (True, False)
    assert strict_verdict(reply, answer) in (True, False, None)


@pytest.mark.usefixtures("cpu_limit")
def test_long_replies_are_read():
    for answer, text in (
        ("a" * 200_000, reply("a" * 100_000 + "b")),
        ("甲\n" * 100_000, reply("||".join(["甲"] * 50_000))),
        (" " * 200_000, reply("||" * 100_000)),
        ("甲", f"{HEADING}\n" * 50_000),
        ("甲", reply("评分对象：" * 50_000)),
        ("甲", "*" * 200_000),
        ("甲", reply("\n\n请注意" * 50_000)),
    ):
        strict_segments(answer, text, True)
        released_segments(answer, text)
    endless = ("答案：" * 100_000, "*" * 300_000 + "答案", "\n答案：是" * 50_000, " \t" * 200_000)
    for text in endless:
        released_verdict(text)
        strict_verdict(text, text[:1000])
