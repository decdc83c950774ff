"""Prompts; reference answers pass all that can be passed; readers forget more at each level."""

import random

from hypothesis import given
from hypothesis import strategies as st

from followbench_run import BOTH, IMPOSSIBLE, run
from judged_run import READER
from steadfast.benchmarks.followbench.facts import JUDGE, LEVELS
from steadfast.benchmarks.followbench.rules import satisfied
from steadfast.benchmarks.followbench.simulator import FollowbenchSimulator
from steadfast.contract.components import Sample

READ = FollowbenchSimulator()


def ruled(source: str, language: str) -> list[Sample]:
    samples = run(source, language).samples[language]
    return [sample for sample in samples if sample.prompt["scorer"] != JUDGE]


def passed(sample: Sample, answer: str) -> bool:
    group = sample.source
    level = sample.prompt["level"]
    target = group["levels"][level - 1]["target"]
    return satisfied(group["scorer"], group["language"], level, target, answer)


@BOTH
def test_prompts_are_the_instructions_of_levels_one_to_five(language):
    found = run(language=language)
    groups = {group["context_id"]: group for group in found.data[language]["data"][language]}
    prompts = [sample.prompt for sample in found.samples[language]]
    assert len(prompts) == 5 * len(groups)
    for prompt in prompts:
        group = groups[prompt["context_id"]]
        assert prompt["instruction"] == group["levels"][prompt["level"] - 1]["instruction"]
        assert prompt["sample_id"] == f"{group['context_id']}/{prompt['level']}"
        assert prompt["max_tokens"] == 2048


@BOTH
def test_reference_answers_pass_every_rule_of_the_synthetic_data(language):
    samples = ruled("synthetic", language)
    assert [one.id for one in samples if not passed(one, READ.reference(one))] == []


@BOTH
def test_reference_answers_pass_every_released_rule_that_can_be_passed(language):
    failing = {
        (sample.prompt["scorer"], sample.prompt["level"])
        for sample in ruled("local", language)
        if not passed(sample, READ.reference(sample))
    }
    assert failing == {(rule, n) for rule, levels in IMPOSSIBLE[language].items() for n in levels}


WORD = st.sampled_from(
    ["oil ", "word " * 21, "1. ", "2. ", ". ", "\n\n", "\n", "Those are suggestions"]
)


@given(st.lists(WORD, max_size=30).map("".join))
def test_no_text_passes_what_is_listed_as_impossible(text):
    for rule, levels in IMPOSSIBLE["en"].items():
        for level in levels:
            assert not satisfied(rule, "en", level, "", text)


@BOTH
def test_readers_keep_less_the_more_is_asked(language):
    reader = READER | {"slip": 0.3}
    kept = {level: [] for level in LEVELS}
    for sample in ruled("synthetic", language):
        level = sample.prompt["level"]
        for seed in range(12):
            answer = READ.simulated(sample, reader, 1.0, random.Random(seed))
            kept[level].append(passed(sample, answer))
    shares = [sum(found) / len(found) for found in kept.values()]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.7 > 0.5 > shares[-1]
