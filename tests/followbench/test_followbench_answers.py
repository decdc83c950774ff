"""Prompts, and simulated models: which rules their responses pass."""

import random
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from followbench_run import BOTH, IMPOSSIBLE, run
from judged_run import READER
from steadfast.benchmarks.followbench import simulator
from steadfast.benchmarks.followbench.facts import JUDGE, LEVELS
from steadfast.benchmarks.followbench.rules import is_satisfied
from steadfast.benchmarks.followbench.simulator import FollowbenchSimulator
from steadfast.contract.components import Sample

SIMULATOR = FollowbenchSimulator()


def ruled_samples(source: str, language: str) -> list[Sample]:
    samples = run(source, language).samples[language]
    return [sample for sample in samples if sample.prompt["scorer"] != JUDGE]


def passes(sample: Sample, answer: str) -> bool:
    group = sample.source
    level = sample.prompt["level"]
    target = group["levels"][level - 1]["target"]
    return is_satisfied(group["scorer"], group["language"], level, target, answer)


@BOTH
def test_prompts_are_the_instructions_of_levels_one_to_five(language):
    judged = run(language=language)
    groups = {group["context_id"]: group for group in judged.data[language]["data"][language]}
    prompts = [sample.prompt for sample in judged.samples[language]]
    assert len(prompts) == 5 * len(groups)
    for prompt in prompts:
        group = groups[prompt["context_id"]]
        assert prompt["instruction"] == group["levels"][prompt["level"] - 1]["instruction"]
        assert prompt["sample_id"] == f"{group['context_id']}/{prompt['level']}"
        assert prompt["max_tokens"] == 2048


@BOTH
def test_reference_responses_pass_all_released_rules_but_impossible_ones(language):
    failed = {}
    for sample in ruled_samples("local", language):
        if not passes(sample, SIMULATOR.reference(sample)):
            failed.setdefault(sample.prompt["scorer"], set()).add(sample.prompt["level"])
    assert failed == {rule: set(levels) for rule, levels in IMPOSSIBLE[language].items()}


PIECE = st.sampled_from(
    ["oil ", "word " * 21, "1. ", "2. ", ". ", "\n\n", "\n", "Those are suggestions"]
)


@given(st.lists(PIECE, max_size=30).map("".join))
def test_no_text_passes_a_rule_listed_as_impossible(text):
    for rule, levels in IMPOSSIBLE["en"].items():
        for level in levels:
            assert not is_satisfied(rule, "en", level, "", text)


@pytest.mark.parametrize(("level", "chance"), [(1, 0.75), (2, 0.64), (4, 0.565)])
def test_chance_to_meet_a_constraint(monkeypatch, level, chance):
    # 1 - .5 · (.4 + .1 · level); in a level of two - .2 · .4 · 4 · ¼ · ¾, of four - … ⅛ · ⅞
    limits = []

    def uniform(low: float, high: float) -> float:
        limits.append((low, high))
        return 1.25

    monkeypatch.setattr(simulator, "Random", lambda name: Mock(uniform=uniform))
    sample = Mock(prompt={"level": level, "context_id": "c"})
    settings = {"seed": 0, "slip": 0.4, "position_bias": 0.4}  # 0.5 in this group
    for drawn, is_met in ((chance - 1e-9, True), (chance + 1e-9, False)):
        rng = Mock(random=lambda drawn=drawn: drawn)
        assert SIMULATOR.meets(sample, 1, settings, 1.0, rng) is is_met
    assert limits == [pytest.approx((0.2, 1.8))] * 2  # 80 % around the model's slip


@BOTH
def test_simulated_models_pass_fewer_rules_at_higher_levels(language):
    settings = READER | {"slip": 0.3}
    verdicts = {level: [] for level in LEVELS}
    for sample in ruled_samples("synthetic", language):
        for seed in range(12):
            answer = SIMULATOR.simulated(sample, settings, 1.0, random.Random(seed))
            verdicts[sample.prompt["level"]].append(passes(sample, answer))
    shares = [sum(passed) / len(passed) for passed in verdicts.values()]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.7 > 0.5 > shares[-1]
