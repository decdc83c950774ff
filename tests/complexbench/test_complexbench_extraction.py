"""Extractions and verdicts: as released for every recorded case; strict takes only copies."""

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


def test_recorded_replies_have_the_released_segments():
    for case in cases("complexbench", "preprocess"):
        segments = released_segments(case["response"], case["extraction"])
        assert segments == case["segments"], case["id"]


def test_copies_of_the_response_are_extracted():
    for text, each, expected in (
        (reply("第一条：带伞；"), False, ["第一条：带伞；"]),
        (reply("all"), False, [ANSWER]),
        (reply("None"), False, []),
        (reply("None"), True, []),
        (reply("带伞||穿 雨靴"), True, ["带伞", "穿 雨靴"]),
        # The segment has the response's white space and marks, not the copy's.
        (reply("穿雨靴"), False, ["穿 雨靴"]),
        (reply("第一条：带伞；第二条：穿雨靴；"), False, ["第一条：带伞；\n第二条：穿 雨靴；"]),
        (reply("“祝你好运！”"), False, ["“祝你好运！”"]),
        (reply("`带伞`"), False, ["带伞"]),
        (f"**{HEADING}**\n\n**评分对象：**带伞", False, ["带伞"]),
        (f"{HEADING}\n评分对象:带伞", False, ["带伞"]),
        (f"{HEADING}\u2028评分对象：带伞", False, ["带伞"]),
    ):
        assert strict_segments(ANSWER, text, each) == expected, text


def test_other_replies_are_unreadable():
    for text, each in (
        ("", False),
        ("评分对象：带伞", False),
        (f"{HEADING}\n带伞", False),
        (reply(""), False),
        (reply("带雨伞"), False),  # not in the response
        (reply("带伞\n\n请注意，以上是原文。"), False),
        (reply("带伞||穿雨靴"), False),  # one segment was requested
        (reply("all"), True),
        (reply("带伞||"), True),
        (reply("带伞") + f"\n{HEADING}\n评分对象：穿雨靴", False),
        (reply("带伞\n评分对象：穿雨靴"), False),
        (f"{HEADING}\n如下。\n评分对象：带伞", False),
    ):
        assert strict_segments(ANSWER, text, each) is None, text


def test_heading_quoted_from_the_response_is_ignored():
    answer = f"好的。\n{HEADING}\n评分对象：好的"
    assert strict_segments(answer, f"【解释】\n回复写道：\n{answer}", False) is None
    assert strict_segments(answer, reply("好的。"), False) == ["好的。"]
    assert strict_segments(answer, f"{answer}\n\n{reply('好的。')}", False) is None
    # Two labels are unreadable even where the answer has the second.
    answer = "好的。\n评分对象：好的"
    assert strict_segments(answer, reply(answer), False) is None


def test_repeated_segments_are_extracted_in_order():
    segments = strict_segments("甲：好。\n乙：好。 ", reply("甲||好||乙||好"), True)
    assert segments == ["甲", "好", "乙", "好"]
    for count, copied in ((1000, ["甲"] * 1000), (1001, None)):  # more are made up
        assert strict_segments("甲", reply("||".join(["甲"] * count)), True) == copied


def test_bars_of_a_table_separate_no_segments():
    answer = "| 茶 | 产地 |\n| 龙井 | 杭州 |\n\n说明\n\n| 毛尖 |"
    first, second, third = answer.split("\n\n")
    for segments, separator in (
        ([first, second], "||"),
        ([first, third], "||"),
        ([first, second, third], " || "),
    ):
        assert strict_segments(answer, reply(separator.join(segments)), True) == segments


def test_bold_type_of_the_copy_is_kept():
    answer = "**结论**：带伞"
    assert strict_segments(answer, reply(answer), False) == [answer]
    assert strict_segments(answer, f"{HEADING}\n**评分对象：**{answer}", False) == [answer]


PIECES = [HEADING, "评分对象", "：", "**", "all", "None", "||", "|", "雨", "伞", "请注意", '"', ">"]
SPACES = ["\n", " ", "\r", "\x85", "\u2028", "\u3000"]
TEXT = st.lists(st.sampled_from([*PIECES, *SPACES]), max_size=12).map("".join) | st.text(
    max_size=40
)


@given(answer=TEXT, copied=TEXT, each=st.booleans(), framed=st.booleans())
def test_any_extracted_segment_is_in_the_response(answer, copied, each, framed):
    text = reply(copied) if framed else copied
    segments = strict_segments(answer, text, each)
    assert segments is None or all(segment in answer for segment in segments)
    assert isinstance(released_segments(answer, text), list)


@given(TEXT.filter(lambda text: text.strip() and HEADING not in text))
def test_all_extracts_any_response_whole(answer):
    assert strict_segments(answer, reply("all"), False) == [answer]


def test_recorded_replies_have_the_released_verdict():
    for case in cases("complexbench", "judge_parse"):
        assert released_verdict(case["judge_text"]) is case["point_judge"], case["id"]


@given(reply=st.text(max_size=80), answer=st.text(max_size=80))
def test_any_reply_is_a_verdict_or_unreadable(reply, answer):
    assert released_verdict(reply) in (True, False)
    assert strict_verdict(reply, answer) in (True, False, None)


@pytest.mark.usefixtures("cpu_limit")
def test_long_replies_take_bounded_time():
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
    for text in (
        "答案：" * 100_000,
        "*" * 300_000 + "答案",
        "\n答案：是" * 50_000,
        " \t" * 200_000,
    ):
        released_verdict(text)
        strict_verdict(text, text[:1000])
