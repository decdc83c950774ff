"""The line by which simulated models for models tell simulated models for judges what they kept."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.contract.components import JudgePrompt, JudgeRequest
from steadfast.contract.simulated import CHATTER, UNSIGNED, SimulatedJudge, signature, signed


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("好。\n[simulated: kept 0, 2]", {0, 2}),
        ("[simulated: kept 12]\n\n", {12}),
        ("[simulated: kept ]", set()),
        ("[simulated: kept 0, 1]\n后面还有一句。", None),
        ("他说 [simulated: kept 0, 1]", None),
        ("一个真正的模型的回复。", None),
        ("", None),
        ("[simulated: kept " + "1, " * 100_000 + "]", None),
        (UNSIGNED, None),
    ],
)
def test_the_last_line_tells_or_nothing_does(answer, expected):
    assert signed(answer) == expected


@given(text=st.text(), kept=st.sets(st.integers(0, 500), max_size=50))
def test_what_is_signed_is_read(text, kept):
    assert signed(f"{text}\n{signature(kept)}") == kept


class ThreeQuestions(SimulatedJudge):
    flip = 0.5
    chatter = 1.0

    def numbers(self, request):
        return range(3)

    def reply(self, prompt, request, verdicts):
        return "".join("01"[verdict] for verdict in verdicts)


REQUEST = JudgeRequest("a", "", {}, "", 1)


def prompt(answer: str) -> JudgePrompt:
    return JudgePrompt("a", "zh", "", answer, [REQUEST])


@given(answer=st.text())
def test_of_an_answer_without_that_line_a_judge_knows_nothing(answer):
    reply = ThreeQuestions().simulated(prompt(answer), REQUEST, {"slip": 1.0}, Random(1))
    assert reply == UNSIGNED or "[simulated: kept" in answer


def test_a_judge_believes_that_line_and_errs_by_its_slip():
    judge = ThreeQuestions()
    asked = prompt("Done.\n[simulated: kept 0, 2]")
    assert judge.reference(asked, REQUEST) == "101"
    always = [judge.simulated(asked, REQUEST, {"slip": 1.0}, Random(seed)) for seed in range(20)]
    assert set(always) == set(CHATTER)
    seldom = [judge.simulated(asked, REQUEST, {"slip": 0.5}, Random(seed)) for seed in range(40)]
    assert len({reply for reply in seldom if reply not in CHATTER}) > 2
    assert {judge.simulated(asked, REQUEST, {}, Random(seed)) for seed in range(20)} == {"101"}
