"""Judges' replies in mode strict, the paper's formulas, and the released code's recorded cases."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from released_files import cases
from steadfast.benchmarks.cfbench.facts import (
    FULL,
    MEASURES,
    PRIMARY,
    PRIORITIES,
    RATES,
    SECONDARY,
)
from steadfast.benchmarks.cfbench.metrics import results
from steadfast.benchmarks.cfbench.replies import read_verdicts, readable
from steadfast.benchmarks.cfbench.satisfaction import (
    Outcome,
    outcome,
    rounded_to_hundredths,
    satisfaction,
)
from steadfast.benchmarks.cfbench.scoring import read_reply
from steps import steps

TEXTS = ["标题只有六个字。", "第一段写山\n第二段写水", " 不出现“春”字 "]
CLEAN = "标题只有六个字。\t1\n\n第一段写山\n第二段写水\t0\n\n 不出现“春”字 \t1"
REORDERED = "\n\n".join(reversed(CLEAN.split("\n\n")))
VERDICTS = [1, 0, 1]

PRIORITY = st.sampled_from(PRIORITIES)
CHECKPOINTS = st.lists(st.tuples(PRIORITY, st.integers(0, 1)), min_size=1, max_size=14)
# Characters that the parsers treat in a special way.
ODD = st.text(alphabet="标题。.01１\t\n\r *_-•()（）1234、:： \u2028\x85inf", max_size=200)


def test_harmless_edits_of_a_reply_change_no_verdict():
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


def test_other_replies_are_unreadable_with_a_reason():
    for reply, reason in (
        ("", "empty"),
        (" \n", "empty"),
        ("抱歉，我无法评估。", "0 verdicts for 3"),
        ("1\n0\n1", "0 verdicts for 3"),
        (CLEAN.rpartition("\n\n")[0], "2 verdicts for 3"),
        (CLEAN + "\n\n不押韵\t1", "more than 3"),
        (CLEAN + "\n\n 不出现“春”字 \t0", "more than 3"),
        (REORDERED, "verdict 1 is not"),
        (CLEAN.replace("六个字", "五个字"), "verdict 1 is not"),
        (CLEAN.replace("\t0", "\t0.5"), "verdict 2 is not of checkpoint 2"),
        (CLEAN.replace("\t0", "\t2"), "verdict 2 is not"),
        ("Title: six characters\t1\n\nHills, then water\t0\n\nno spring\t1", "verdict 1 is not"),
        (f"{CLEAN}\n\n{CLEAN}", "more than 3"),
    ):
        assert reason in read_verdicts(TEXTS, reply), reply
        reading = read_reply("strict", TEXTS, [PRIMARY] * 3, reply, "")
        other_style = reply in (REORDERED, f"{CLEAN}\n\n{CLEAN}")
        assert readable({"mode": "strict", "checkpoints": TEXTS}, reply, "") == other_style
        if other_style:
            assert reading.verdicts == VERDICTS, reply
        else:
            assert reading.verdicts is reading.rates is None, reply
            assert reason in reading.extracted["problem"]


# A checkpoint may itself begin like an enumeration (released record 144, "--iw, ..."). A number
# before it may not hide it, and two that differ only there may not be mistaken for each other.
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
def test_numbered_checkpoints_are_told_apart(texts, before):
    lines = [f"{before.format(n)}{text}\t{n % 2}" for n, text in enumerate(texts, start=1)]
    assert read_verdicts(texts, "\n\n".join(lines)) == [1, 0]
    swapped = [f"{before.format(n)}{text}\t1" for n, text in enumerate(texts[::-1], start=1)]
    assert "is not of checkpoint" in read_verdicts(texts, "\n\n".join(swapped))


@pytest.mark.parametrize("before", ["", "（{}）", "- "])
def test_number_of_a_checkpoint_may_be_dropped_if_unambiguous(before):
    texts = ["1. 写山", "2. 写水"]
    lines = [f"{before.format(n)}写{what}\t1" for n, what in enumerate("山水", start=1)]
    assert read_verdicts(texts, "\n".join(lines)) == [1, 1]
    assert "verdict 1 is not" in read_verdicts(["1. 写山", "2. 写山"], "写山\t1\n写山\t0")
    assert "verdict 1 is not" in read_verdicts(["1.5倍行距", "加粗"], "2.5倍行距\t1\n加粗\t1")


@given(
    st.lists(st.text(alphabet="山水。.“”*1 、\n", min_size=1), min_size=1, max_size=6), st.data()
)
def test_any_written_verdicts_are_read(texts, data):
    verdicts = [data.draw(st.integers(0, 1)) for _ in texts]
    reply = "\n\n".join(f"{text}\t{v}" for text, v in zip(texts, verdicts, strict=True))
    assert read_verdicts(texts, reply) == verdicts


@given(st.lists(st.text(min_size=1, max_size=20), max_size=5), st.one_of(ODD, st.text()))
def test_any_reply_has_verdicts_or_a_reason(texts, reply):
    verdicts = read_verdicts(texts, reply)
    if not isinstance(verdicts, str):
        assert len(verdicts) == len(texts) and set(verdicts) <= {0, 1}
    result = outcome(texts, [PRIMARY] * len(texts), reply)
    assert (result.error is None) == (result.rates is not None)
    assert result.error in (None, "ValueError")


@pytest.mark.parametrize(
    "piece", ["\t", "\t1\n", "1", "*", "**", "1.", "。", "\n", " \t", "标题只有六个字。\t1\n\n"]
)
def test_parsing_takes_linear_time(piece, cpu_limit):
    def read(size: int) -> None:
        read_verdicts(TEXTS, piece * size)
        outcome(TEXTS, [PRIMARY] * 3, piece * size)

    assert steps(read, 4_000) <= 2.1 * steps(read, 2_000)
    read(200_000)


@given(CHECKPOINTS)
def test_rates_follow_the_papers_equations(checkpoints):
    priorities, verdicts = zip(*checkpoints, strict=True)
    rates = satisfaction(priorities, verdicts)
    assert rates.csr == sum(verdicts) / len(verdicts)
    assert rates.isr == int(0 not in verdicts)
    primary = [v for p, v in checkpoints if p == PRIMARY]
    secondary = [v for p, v in checkpoints if p == SECONDARY]
    share = Fraction(sum(secondary), len(secondary)) if secondary else Fraction(1)
    score = Fraction(1, 2) + share / 2 if primary else share
    assert rates.psr == int(0 not in primary and score > Fraction(4, 5))
    assert rates.isr <= rates.psr <= 2 * rates.csr


def test_psr_at_its_threshold():
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


def test_recorded_replies_have_the_released_metrics():
    for case in cases("cfbench", "metrics"):
        texts = [checkpoint[0] for checkpoint in case["criteria"]]
        priorities = [checkpoint[1] for checkpoint in case["criteria"]]
        rates = None if case["error"] else tuple(case[name] for name in MEASURES)
        scores = tuple(case["judge_score"] or ())
        expected = Outcome(case["judge_parsing"], scores, rates, case["error"])
        assert outcome(texts, priorities, case["judge_response"]) == expected, case["id"]


def test_recorded_sets_have_the_released_scores():
    for case in cases("cfbench", "scores"):
        samples = pd.DataFrame(case["items"], columns=["split", *RATES])
        samples = samples.astype(dict.fromkeys(RATES, float))
        rows = results(samples.assign(model="m", cluster=range(len(samples))), "released")
        names = rows["measure"] + ("_" + rows["split"]).where(rows["split"] != FULL, "")
        scores = dict.fromkeys(case["scores"]) | dict(zip(names, rows["value"], strict=True))
        assert scores == case["scores"], case["id"]


@pytest.mark.parametrize(
    ("value", "rounded"), [(0.885, 0.88), (0.615, 0.62), (0.125, 0.12), (0.375, 0.38), (1.0, 1.0)]
)
def test_released_rounds_as_numpy(value, rounded):
    assert rounded_to_hundredths(value) == np.round(value, 2) == rounded
