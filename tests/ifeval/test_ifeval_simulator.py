"""Answers in place of a model: all, some or none of the instructions, and none to other sets."""

from types import SimpleNamespace

import pytest
from ifeval_shared import asked
from test_ifeval_metrics import PROMPTS

from steadfast.benchmarks.ifeval.own_kinds import own_verifier
from steadfast.benchmarks.ifeval.simulator import IfevalSimulator

TWO = PROMPTS[1]
"""Asks for no comma, and for a title."""
READER = {"slip": 0.2, "span": 2.0}


def sample(part="4k", name="synthetic"):
    """A prompt, beside a text of two tokens at 4k."""
    return asked([TWO | {"set": name}], texts=1)[part][0]


def followed(answer):
    asks = TWO["instructions"]
    return [own_verifier(one["kind"], one["kwargs"], "")(answer) for one in asks]


def read(part, *drawn, seen=0.5, name="synthetic"):
    rng = SimpleNamespace(random=iter(drawn).__next__)
    return IfevalSimulator().simulated(sample(part, name), READER, seen, rng)


def test_the_reference_follows_all_instructions_that_are_known():
    assert followed(IfevalSimulator().reference(sample())) == [True, True]
    assert IfevalSimulator().reference(sample(name="ifeval")) == ""
    assert read("0", 0.0, 0.0, seen=1.0, name="ifeval") == ""


@pytest.mark.parametrize(("part", "chance"), [("0", 0.8 * 0.5), ("4k", 0.8 * 0.5 * 0.5)])
def test_a_reader_follows_each_by_itself_and_half_as_often_after_each_span(part, chance):
    assert followed(read(part, chance - 1e-9, chance)) == [True, False]
    assert followed(read(part, chance, chance - 1e-9)) == [False, True]
