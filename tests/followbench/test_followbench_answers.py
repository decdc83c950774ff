"""Reference answers pass all that can be passed; simulated readers forget more at each level."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from followbench_run import READER, Run
from steadfast.files import read_jsonl
from steadfast.followbench.answers import reference_answer
from steadfast.followbench.facts import LEVELS, facts, impossible
from steadfast.followbench.prompts import load_part, target
from steadfast.followbench.readers import simulated_answer
from steadfast.followbench.rules import satisfied

BOTH = pytest.mark.parametrize("language", ["en", "zh"])


def passed(prompt: dict, group: dict, answer: str) -> bool:
    wanted, level = target(prompt, group), prompt["level"]
    return satisfied(group["scorer"], group["language"], level, wanted, answer)


@BOTH
@pytest.mark.parametrize("source", ["synthetic", "local"])
def test_reference_answers_pass_every_rule_that_can_be_passed(tmp_path, source, language):
    run = Run(tmp_path, source, language)
    failing = {
        (prompt["scorer"], prompt["level"])
        for prompt, group in load_part(run.prompts, run.sources)
        if prompt["scorer"] != "judge"
        and not passed(prompt, group, reference_answer(prompt, group))
    }
    known = {(rule, n) for rule, levels in facts("impossible")[language].items() for n in levels}
    assert failing == known


WORD = st.sampled_from(
    ["oil ", "word " * 21, "1. ", "2. ", ". ", "\n\n", "\n", "Those are suggestions"]
)


@given(st.lists(WORD, max_size=30).map("".join))
def test_no_text_passes_what_is_listed_as_impossible(text):
    for rule, levels in facts("impossible")["en"].items():
        for level in levels:
            assert impossible("en", rule, level)
            assert not satisfied(rule, "en", level, "", text)


@BOTH
def test_readers_keep_less_the_more_is_asked(tmp_path, language):
    run = Run(tmp_path, language=language)
    reader = READER | {"slip": 0.3}
    kept = dict.fromkeys(LEVELS, 0)
    count = dict.fromkeys(LEVELS, 0)
    for prompt, group in load_part(run.prompts, run.sources):
        if group["scorer"] == "judge" or impossible(language, group["scorer"], prompt["level"]):
            continue
        for seed in range(12):
            answer = simulated_answer(prompt, group, reader, random.Random(seed))
            kept[prompt["level"]] += passed(prompt, group, answer)
            count[prompt["level"]] += 1
    shares = [kept[level] / count[level] for level in LEVELS]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.7 > 0.5 > shares[-1]


def test_a_reader_answers_the_same_request_the_same(tmp_path):
    run = Run(tmp_path)
    pairs = list(load_part(run.prompts, run.sources))

    def answers(reader):
        return [simulated_answer(*pair, reader, random.Random(1)) for pair in pairs]

    assert answers(READER) == answers(READER)
    assert answers(READER | {"slip": 0.0, "position_bias": 0.0}) == [
        reference_answer(*pair) for pair in pairs
    ]


def test_prompts_are_the_instructions_of_levels_one_to_five(tmp_path):
    run = Run(tmp_path)
    groups = {group["context_id"]: group for group in read_jsonl(run.data)}
    prompts = list(read_jsonl(run.prompts))
    assert len(prompts) == 5 * len(groups)
    for prompt in prompts:
        group = groups[prompt["context_id"]]
        assert prompt["instruction"] == group["levels"][prompt["level"] - 1]["instruction"]
        assert prompt["sample_id"] == f"{group['context_id']}/{prompt['level']}"
        assert prompt["max_tokens"] == 2048
