"""Judges' replies in mode strict, the paper's formulas, and both readers on any text at all."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.benchmarks.cfbench.facts import PRIMARY, PRIORITIES, SECONDARY
from steadfast.benchmarks.cfbench.replies import read_verdicts, readable
from steadfast.benchmarks.cfbench.satisfaction import outcome, satisfaction
from steadfast.benchmarks.cfbench.scoring import read_reply
from steps import steps

TEXTS = ["标题只有六个字。", "第一段写山\n第二段写水", " 不出现“春”字 "]
CLEAN = "标题只有六个字。\t1\n\n第一段写山\n第二段写水\t0\n\n 不出现“春”字 \t1"
REORDERED = "\n\n".join(reversed(CLEAN.split("\n\n")))
VERDICTS = [1, 0, 1]

PRIORITY = st.sampled_from(PRIORITIES)
CHECKPOINTS = st.lists(st.tuples(PRIORITY, st.integers(0, 1)), min_size=1, max_size=14)
# Characters that the readers treat in some way of their own, in any order.
ODD = st.text(alphabet="标题。.01１\t\n\r *_-•()（）1234、:： \u2028\x85inf", max_size=200)


def test_harmless_edits_are_read_alike():
    for edited in (
        CLEAN.replace("\n\n", "\n"),
        CLEAN.replace("\n\n", "\n\n\n \n"),
        CLEAN.replace("\n", "\r\n"),
        "\n  " + CLEAN + " \n\n",
        CLEAN.replace("\t", " \t "),
        CLEAN.replace("\t", "\t\t"),
        CLEAN.replace("。\t", "\t"),
        CLEAN.replace("水\t", "水。\t"),
        CLEAN.replace("\t1", "\t1。").replace("\t0", "\t0."),
        CLEAN.replace("\t1", "\t１"),
        "1. 标题只有六个字。\t1\n\n2. 第一段写山\n第二段写水\t0\n\n3. 不出现“春”字\t1",
        "（1）标题只有六个字。\t1\n（2）第一段写山\n第二段写水\t0\n（3）不出现“春”字\t1",
        "- 标题只有六个字。\t1\n- 第一段写山\n第二段写水\t0\n- 不出现“春”字\t1",
        "**标题只有六个字。**\t1\n\n**第一段写山\n第二段写水**\t**0**\n\n**不出现“春”字\t1**",
        CLEAN.replace("山\n", "山\n\n"),
    ):
        assert read_verdicts(TEXTS, edited) == VERDICTS, edited


def test_anything_else_is_unreadable_and_says_why():
    for reply, why in (
        ("", "empty"),
        (" \n", "empty"),
        ("抱歉，我无法评估。", "0 verdicts for 3"),
        ("1\n0\n1", "0 verdicts for 3"),
        (CLEAN.rpartition("\n\n")[0], "2 verdicts for 3"),
        (CLEAN + "\n\n不押韵\t1", "more than 3"),
        (CLEAN + "\n\n 不出现“春”字 \t0", "more than 3"),
        (REORDERED, "verdict 1 is not"),
        (CLEAN.replace("六个字", "五个字"), "verdict 1 is not"),
        (CLEAN.replace("\t0", "\t0.5"), "verdict 2 is not"),
        (CLEAN.replace("\t0", "\t2"), "verdict 2 is not"),
        ("Title: six characters\t1\n\nHills, then water\t0\n\nno spring\t1", "verdict 1 is not"),
        (f"{CLEAN}\n\n{CLEAN}", "more than 3"),
    ):
        assert why in read_verdicts(TEXTS, reply), reply
        in_another_style = reply in (REORDERED, f"{CLEAN}\n\n{CLEAN}")
        assert readable({"mode": "strict", "checkpoints": TEXTS}, reply, "") == in_another_style
        reading = read_reply("strict", TEXTS, [PRIMARY] * 3, reply, "")
        if in_another_style:
            assert reading.verdicts == VERDICTS, reply
        else:
            assert reading.verdicts is reading.rates is None and why in reading.extracted["problem"]


# A checkpoint may itself begin like an enumeration (released record 144, "--iw, ..."): then neither
# may a number before it hide it, nor may two that differ in nothing else be taken for each other.
LIKE_NUMBERED = [
    ["写明价格", "--iw, --ar 参数保留原样返回"],
    ["1.5倍行距", "2.5倍行距"],
    ["10:30前发布", "11:30前发布"],
    ["-5度以下", "5度以下"],
    ["2、3段押韵", "5个标题"],
    ["1. 写山", "2. 写水"],
    ["（1）级标题", "（2）级标题"],
]


@pytest.mark.parametrize("texts", LIKE_NUMBERED)
@pytest.mark.parametrize("before", ["", "{}. ", "{}.", "{}、", "（{}）", "- ", "**{}.** "])
def test_a_checkpoint_that_begins_like_an_enumeration_is_read_but_never_another(texts, before):
    lines = [f"{before.format(n)}{text}\t{n % 2}" for n, text in enumerate(texts, start=1)]
    assert read_verdicts(texts, "\n\n".join(lines)) == [1, 0]
    swapped = [f"{before.format(n)}{text}\t1" for n, text in enumerate(texts[::-1], start=1)]
    assert "is not of checkpoint" in read_verdicts(texts, "\n\n".join(swapped))


@pytest.mark.parametrize("before", ["", "（{}）", "- "])
def test_a_checkpoints_own_enumeration_may_change_where_that_leaves_no_doubt(before):
    texts = ["1. 写山", "2. 写水"]
    lines = [f"{before.format(n)}写{what}\t1" for n, what in enumerate("山水", start=1)]
    assert read_verdicts(texts, "\n".join(lines)) == [1, 1]
    assert "verdict 1 is not" in read_verdicts(["1. 写山", "2. 写山"], "写山\t1\n写山\t0")
    assert "verdict 1 is not" in read_verdicts(["1.5倍行距", "加粗"], "2.5倍行距\t1\n加粗\t1")


@given(
    st.lists(st.text(alphabet="山水。.“”*1 、\n", min_size=1), min_size=1, max_size=6), st.data()
)
def test_what_is_written_is_read(texts, data):
    verdicts = [data.draw(st.integers(0, 1)) for _ in texts]
    reply = "\n\n".join(f"{text}\t{v}" for text, v in zip(texts, verdicts, strict=True))
    assert read_verdicts(texts, reply) == verdicts


@given(st.lists(st.text(min_size=1, max_size=20), max_size=5), st.one_of(ODD, st.text()))
def test_no_text_breaks_a_reader(texts, reply):
    read = read_verdicts(texts, reply)
    assert isinstance(read, str) or (len(read) == len(texts) and set(read) <= {0, 1})
    got = outcome(texts, [PRIMARY] * len(texts), reply)
    assert (got.error is None) == (got.rates is not None)
    assert got.error in (None, "ValueError")


@pytest.mark.parametrize(
    "piece", ["\t", "\t1\n", "1", "*", "**", "1.", "。", "\n", " \t", "标题只有六个字。\t1\n\n"]
)
def test_twice_the_reply_takes_at_most_twice_the_steps(piece, cpu_limit):
    def read(size: int) -> None:
        read_verdicts(TEXTS, piece * size)
        outcome(TEXTS, [PRIMARY] * 3, piece * size)

    assert steps(read, 4_000) <= 2.1 * steps(read, 2_000)
    read(200_000)


@given(CHECKPOINTS)
def test_rates_follow_the_papers_equations(checkpoints):
    priorities, verdicts = zip(*checkpoints, strict=True)
    got = satisfaction(priorities, verdicts)
    assert got.csr == sum(verdicts) / len(verdicts)
    assert got.isr == int(0 not in verdicts)
    primary = [v for p, v in checkpoints if p == PRIMARY]
    secondary = [v for p, v in checkpoints if p == SECONDARY]
    share = Fraction(sum(secondary), len(secondary)) if secondary else Fraction(1)
    score = Fraction(1, 2) + share / 2 if primary else share
    assert got.psr == int(0 not in primary and score > Fraction(4, 5))
    assert got.isr <= got.psr  # whatever satisfies all satisfies enough
    assert got.psr <= 2 * got.csr


def test_priority_satisfaction_at_its_threshold():
    for priorities, verdicts, psr in (
        ([PRIMARY] * 3, [1, 1, 1], 1),
        ([PRIMARY] * 3, [1, 1, 0], 0),
        ([SECONDARY] * 5, [1, 1, 1, 1, 0], 0),  # 4 of 5 does not exceed 0.8
        ([SECONDARY] * 6, [1, 1, 1, 1, 1, 0], 1),
        ([PRIMARY] + [SECONDARY] * 5, [1, 1, 1, 1, 0, 0], 0),  # A = 0.6 gives exactly 0.8
        ([PRIMARY] + [SECONDARY] * 3, [1, 1, 1, 0], 1),
        ([PRIMARY] + [SECONDARY] * 9, [0, *[1] * 9], 0),
    ):
        assert satisfaction(priorities, verdicts).psr == psr, priorities
