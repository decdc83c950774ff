"""The signature by which a simulated model shows a simulated judge which requirements it met."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.contract.components import JudgePrompt, JudgeRequest
from steadfast.contract.simulated import (
    CHATTER,
    UNSIGNED,
    SimulatedJudge,
    signature,
    signed_requirements,
)


@pytest.mark.parametrize(
    ("response", "expected"),
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
def test_signature_is_the_last_line(response, expected):
    assert signed_requirements(response) == expected


@given(text=st.text(), met=st.sets(st.integers(0, 500), max_size=50))
def test_signature_is_read_after_any_text(text, met):
    assert signed_requirements(f"{text}\n{signature(met)}") == met


class ThreeQuestions(SimulatedJudge):
    flip = 0.5
    chatter = 1.0

    def numbers(self, request):
        return range(3)

    def reply(self, prompt, request, verdicts):
        return "".join("01"[verdict] for verdict in verdicts)


REQUEST = JudgeRequest("a", "", {}, "", 1)


def prompt(response: str) -> JudgePrompt:
    return JudgePrompt("a", "zh", "", response, [REQUEST])


@given(response=st.text())
def test_judge_has_no_verdict_on_an_unsigned_response(response):
    reply = ThreeQuestions().simulated(prompt(response), REQUEST, {"slip": 1.0}, Random(1))
    assert reply == UNSIGNED or "[simulated: kept" in response


def test_judge_follows_the_signature_and_errs_by_slip():
    judge = ThreeQuestions()
    signed_prompt = prompt("Done.\n[simulated: kept 0, 2]")

    def replies(count, **settings):
        generators = map(Random, range(count))
        return {judge.simulated(signed_prompt, REQUEST, settings, rng) for rng in generators}

    assert judge.reference(signed_prompt, REQUEST) == "101"
    assert replies(20, slip=1.0) == set(CHATTER)
    assert len(replies(40, slip=0.5) - set(CHATTER)) > 2
    assert replies(20) == {"101"}
