"""Simulated models: seeded, worse with length, without what was truncated."""

import json
import random
from statistics import mean

import pytest

from lifbench_samples import LIST, as_sample, samples
from steadfast.base.files import Settings
from steadfast.benchmarks.lifbench.answers import reference_answer, requested_sentences
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import score
from steadfast.benchmarks.lifbench.simulator import LifbenchSimulator

SIMULATOR = LifbenchSimulator()
CAREFUL = {"span": 200_000, "position_bias": 0.2, "slip": 0.05, "seed": 0}
HASTY = {"span": 20_000, "position_bias": 0.6, "slip": 0.3, "seed": 0}
PERFECT = {"span": 1e12, "position_bias": 0, "slip": 0, "seed": 0}


def respond(prompt: dict, context: dict, model: Settings, seed: object, visible=1.0) -> str:
    """The response of a simulated model that sees this share of the context."""
    sample = as_sample(prompt, context, "")
    return SIMULATOR.simulated(sample, model, visible, random.Random(str(seed)))


def mean_score(model: Settings, task: str, tokens: int, expression: int = 0) -> float:
    totals = []
    for prompt, context, scenario_prompt in samples(task):
        prompt = prompt | {"expression_id": expression}
        for number in range(60):
            seed = f"{prompt['sample_id']}/{number}"
            response = respond(prompt, context | {"tokens": tokens}, model, seed)
            totals.append(score(prompt, context, scenario_prompt, response).total)
    return mean(totals)


@pytest.mark.parametrize("task", TASKS)
def test_equal_seeds_give_equal_responses(task):
    prompt, context, _ = samples(task)[0]
    response = respond(prompt, context, HASTY, "seed")
    assert response != ""
    assert response == respond(prompt, context, HASTY, "seed")


@pytest.mark.parametrize("task", TASKS)
def test_scores_are_lower_in_longer_contexts(task):
    assert mean_score(CAREFUL, task, 3_000) > mean_score(CAREFUL, task, 1_000_000)


@pytest.mark.parametrize("task", TASKS)
def test_careful_model_scores_higher(task):
    assert mean_score(CAREFUL, task, 28_000) > mean_score(HASTY, task, 28_000)


def test_truncated_context_has_no_answer():
    prompt, context, _ = samples("LSI")[-1]
    for seed in range(50):
        response = respond(prompt, context, PERFECT, seed, visible=0.5)
        assert response != prompt["variables"]["element"]


def test_middle_of_the_context_is_recalled_less():
    biased = {**CAREFUL, "span": 10_000, "position_bias": 1, "slip": 0}
    recalled = []
    for prompt, context, _ in samples("LSI"):
        long = context | {"tokens": 60_000}
        responses = [respond(prompt, long, biased, seed) for seed in range(300)]
        recalled.append(responses.count(prompt["variables"]["element"]))
    assert recalled[0] > 1.3 * recalled[4]


def test_perfect_recall_confuses_no_sentences_or_elements():
    perfect = {**PERFECT, "position_bias": 1}
    for prompt, context, _ in samples("OE"):
        response = json.loads(respond(prompt, context, perfect, "seed"))
        sentences = [sentence["text"] for sentence in requested_sentences(prompt, context)]
        assert response == sentences
    for prompt, context, _ in samples("LSI"):
        responses = {respond(prompt, context, perfect, seed) for seed in range(20)}
        assert responses == {prompt["variables"]["element"]}


@pytest.mark.parametrize("task", ["LOI", "LOE"])
def test_element_beside_another_is_recalled(task):
    for prompt, context, _ in samples(task):
        response = respond(prompt, context, PERFECT, "seed")
        assert response == reference_answer(prompt, context)


def test_blurred_position_within_the_seen_part_is_recalled():
    prompt, context, _ = samples("LBI")[0]
    prompt = prompt | {"variables": {"id": 5, "bias": -1}}  # four of nine elements precede it
    for seed in range(20):
        assert respond(prompt, context, PERFECT, seed, visible=0.5) in LIST[:4]


def test_scores_depend_on_the_expression():
    scores = {round(mean_score(HASTY, "LSI", 28_000, expression), 6) for expression in range(4)}
    assert len(scores) == 4
