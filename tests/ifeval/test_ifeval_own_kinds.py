"""The verifiers of synthetic prompts: IFEval's verdicts, and answers that follow what is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifeval_shared import CASES, SHARED, case_files, data_file, lines, needs_cases

from steadfast.benchmarks.ifeval.data import instance, sample
from steadfast.benchmarks.ifeval.own_kinds import KINDS, WORD, own_verifier
from steadfast.benchmarks.ifeval.scoring import followed, variants
from steadfast.benchmarks.ifeval.simulator import STRINGS, written

PROMPTS = list(sample({}))


@needs_cases
@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_of_the_cases_are_upstream_s(kind):
    known = {line["key"]: instance("ifeval", "", line) for line in lines(data_file("ifeval"))}
    found = []
    upstream = []
    for case in (case for path in case_files("ifeval") for case in lines(path)):
        for place, one in enumerate(known[case["key"]]["instructions"]):
            if one["kind"] == kind:
                holds = own_verifier(kind, one["kwargs"], "")
                texts = [text for text in variants(case["answer"]) if text.strip()]
                strict = bool(case["answer"].strip()) and holds(case["answer"])
                found.append((case["key"], strict, any(map(holds, texts))))
                upstream.append((case["key"], case["strict"][place], case["loose"][place]))
    if CASES != SHARED and not found:
        pytest.skip(f"no case in {CASES} asks {kind}")
    assert found == upstream
    assert len(found) > (30 if CASES == SHARED else 0)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt["prompt_id"])
def test_an_answer_follows_just_the_instructions_that_it_is_to_follow(prompt):
    asked = prompt["instructions"]
    for chosen in range(2 ** len(asked)):
        kept = [place for place in range(len(asked)) if chosen >> place & 1]
        strict, _, problems = followed("synthetic", asked, prompt["prompt"], written(asked, kept))
        assert [place for place, held in enumerate(strict) if held] == kept
        assert not problems


NUMBERS = "length_constraints:number_words"
EDGES = [
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
]


@pytest.mark.parametrize(("kind", "kwargs", "follows", "does_not"), EDGES)
def test_what_just_follows_and_what_just_does_not(kind, kwargs, follows, does_not):
    holds = own_verifier(kind, kwargs, "")
    assert (holds(follows), holds(does_not)) == (True, False)


def test_every_kind_is_asked_and_answers_are_filled_up_to_their_words():
    assert {one["kind"] for prompt in PROMPTS for one in prompt["instructions"]} == {*KINDS}
    asked = {"kind": NUMBERS, "kwargs": {"relation": "at least", "num_words": 100}}
    words = len(WORD.findall(written([asked], [0])))
    assert 100 <= words < 100 + max(len(text.split()) for text in STRINGS["filler"])


def test_blank_answers_follow_nothing_and_variants_of_an_answer_count_loosely():
    assert list(variants("a *b*\nc\n d\ne")) == [
        "a *b*\nc\n d\ne", "a b\nc\n d\ne", "c\n d\ne", "c\n d\ne",
        "a *b*\nc\n d", "a b\nc\n d", "c\n d", "c\n d",
    ]  # fmt: skip
    asked = [{"kind": "punctuation:no_comma", "kwargs": {}}]
    assert followed("synthetic", asked, "", "Sure, here:\nyes")[:2] == ([False], [True])


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_verifiers_never_fail(text):
    for prompt in PROMPTS:
        assert not followed("synthetic", prompt["instructions"], "", text).problems


@pytest.mark.parametrize("blank", ["", " \n\t", "\n\n"])
def test_a_blank_answer_follows_nothing(blank):
    asked = [{"kind": "punctuation:no_comma", "kwargs": {}}]
    assert followed("synthetic", asked, "", blank)[:2] == ([False], [False])


@pytest.mark.wide
@pytest.mark.usefixtures("cpu_limit")
def test_long_answers_take_time_in_proportion():
    for text in ("[" * 200_000, "<<" * 100_000, "* " * 100_000, "\n- " * 60_000, " \n" * 100_000):
        for prompt in PROMPTS[:9]:
            followed("synthetic", prompt["instructions"], "", text)
