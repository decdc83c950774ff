"""Verifiers of synthetic prompts: IFEval's verdicts, and simulated responses that satisfy them."""

from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifeval_shared import CASES, SHARED, case_files, data_file, lines, needs_cases, samples_of

from steadfast.benchmarks.ifeval.data import instance, sample
from steadfast.benchmarks.ifeval.own_kinds import KINDS, WORD, own_verifier
from steadfast.benchmarks.ifeval.scoring import variants, verify
from steadfast.benchmarks.ifeval.simulator import STRINGS, IfevalSimulator, response_following

SYNTHETIC = list(sample({}))
NUMBERS = "length_constraints:number_words"
NO_COMMA = [{"kind": "punctuation:no_comma", "kwargs": {}}]


@needs_cases
@pytest.mark.parametrize("kind", KINDS)
def test_recorded_verdicts_are_upstreams(kind):
    prompts = {line["key"]: instance("ifeval", "", line) for line in lines(data_file("ifeval"))}
    compared = 0
    for path in case_files("ifeval"):
        for case in lines(path):
            answer = case["answer"]
            texts = [text for text in variants(answer) if text.strip()]
            for position, instruction in enumerate(prompts[case["key"]]["instructions"]):
                if instruction["kind"] == kind:
                    compared += 1
                    holds = own_verifier(kind, instruction["kwargs"], "")
                    strict = bool(answer.strip()) and holds(answer)
                    assert strict == case["strict"][position], case["key"]
                    assert any(map(holds, texts)) == case["loose"][position], case["key"]
    if CASES != SHARED and not compared:
        pytest.skip(f"no case in {CASES} is of {kind}")
    assert compared > (30 if CASES == SHARED else 0)


@pytest.mark.parametrize("prompt", SYNTHETIC, ids=lambda prompt: prompt["prompt_id"])
def test_response_follows_exactly_the_chosen_instructions(prompt):
    instructions = prompt["instructions"]
    for bits in range(2 ** len(instructions)):
        chosen = [n for n in range(len(instructions)) if bits >> n & 1]
        text = response_following(instructions, chosen)
        strict, _, problems = verify("synthetic", instructions, prompt["prompt"], text)
        assert [n for n, holds in enumerate(strict) if holds] == chosen
        assert not problems


def test_kinds_at_their_edges():
    for kind, kwargs, follows, does_not in (
        (NUMBERS, {"relation": "at least", "num_words": 2}, "so it", "so"),
        (NUMBERS, {"relation": "less than", "num_words": 2}, "so", "so it"),
        ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* a\n - b", "* a\n**b**\n*"),
        ("detectable_format:title", {}, "a <<b>>", "<< >> a"),
        ("detectable_format:title", {}, "<<b>>", ">>b<<"),
        ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[a][b]", "[a] [b\n]"),
        ("keywords:existence", {"keywords": ["sea", "sky"]}, "Seaside, SKY", "sea"),
        ("keywords:forbidden_words", {"forbidden_words": ["sea"]}, "seaside", "The Sea."),
        ("startend:end_checker", {"end_phrase": "The end."}, 'So: "the END."\n', "The end. No."),
        ("startend:quotation", {}, ' "a" ', '"'),
        ("startend:quotation", {}, '""', '"a'),
    ):
        holds = own_verifier(kind, kwargs, "")
        assert (holds(follows), holds(does_not)) == (True, False), kind


def test_synthetic_prompts_cover_all_kinds():
    instructions = pd.DataFrame(SYNTHETIC)["instructions"].explode()
    assert set(instructions.str["kind"]) == set(KINDS)


def test_response_is_filled_up_to_its_number_of_words():
    instruction = {"kind": NUMBERS, "kwargs": {"relation": "at least", "num_words": 100}}
    words = len(WORD.findall(response_following([instruction], [0])))
    longest = max(len(text.split()) for text in STRINGS["filler"])
    assert 100 <= words < 100 + longest


def test_any_variant_of_a_response_counts_loosely():
    assert list(variants("a *b*\nc\n d\ne")) == [
        "a *b*\nc\n d\ne", "a b\nc\n d\ne", "c\n d\ne", "c\n d\ne",
        "a *b*\nc\n d", "a b\nc\n d", "c\n d", "c\n d",
    ]  # fmt: skip
    assert verify("synthetic", NO_COMMA, "", "Sure, here:\nyes")[:2] == ([False], [True])


@pytest.mark.parametrize("blank", ["", " \n\t", "\n\n"])
def test_blank_response_follows_nothing(blank):
    assert verify("synthetic", NO_COMMA, "", blank)[:2] == ([False], [False])


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_verifiers_never_fail(text):
    for prompt in SYNTHETIC:
        assert not verify("synthetic", prompt["instructions"], "", text).problems


@pytest.mark.wide
@pytest.mark.usefixtures("cpu_limit")
def test_long_responses_take_linear_time():
    for text in ("[" * 200_000, "<<" * 100_000, "* " * 100_000, "\n- " * 60_000, " \n" * 100_000):
        for prompt in SYNTHETIC[:9]:
            verify("synthetic", prompt["instructions"], "", text)


COMMA_AND_TITLE = {
    "prompt_id": "synthetic/1",
    "prompt": "Say it.",
    "instructions": [*NO_COMMA, {"kind": "detectable_format:title", "kwargs": {}}],
}
SIMULATOR = IfevalSimulator()


def one_sample(part="4k", name="synthetic"):
    """A sample with no comma and a title as instructions; at 4k beside a text of two tokens."""
    return samples_of([COMMA_AND_TITLE | {"set": name}], texts=1)[part][0]


def followed_kinds(response):
    """Whether a response has no comma, and whether it has a title."""
    comma = own_verifier("punctuation:no_comma", {}, "")
    title = own_verifier("detectable_format:title", {}, "")
    return [comma(response), title(response)]


def simulated(part, *random_numbers, name="synthetic"):
    """A simulated response where half of the prompt is seen."""
    rng = SimpleNamespace(random=iter(random_numbers).__next__)
    return SIMULATOR.simulated(one_sample(part, name), {"slip": 0.2, "span": 2.0}, 0.5, rng)


def test_reference_follows_all_instructions_of_synthetic_prompts_only():
    assert followed_kinds(SIMULATOR.reference(one_sample())) == [True, True]
    assert SIMULATOR.reference(one_sample(name="ifeval")) == ""
    assert simulated("0", 0.0, 0.0, name="ifeval") == ""


@pytest.mark.parametrize(("part", "chance"), [("0", 0.8 * 0.5), ("4k", 0.8 * 0.5 * 0.5)])
def test_simulated_model_follows_half_as_often_after_each_span(part, chance):
    assert followed_kinds(simulated(part, chance - 1e-9, chance)) == [True, False]
    assert followed_kinds(simulated(part, chance, chance - 1e-9)) == [False, True]
