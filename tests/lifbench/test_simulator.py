"""Simulated models: seeded, worse with length, blind past their window."""

import json
import random
from statistics import mean

import pytest

from lifbench_samples import as_sample, samples
from steadfast.base.files import Settings
from steadfast.benchmarks.lifbench import answers
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import score
from steadfast.benchmarks.lifbench.simulator import LifbenchSimulator

READER = LifbenchSimulator()
CAREFUL = {"span": 200_000, "position_bias": 0.2, "slip": 0.05, "seed": 0}
HASTY = {"span": 20_000, "position_bias": 0.6, "slip": 0.3, "seed": 0}


def read(prompt: dict, context: dict, reader: Settings, seen: float, seed: str) -> str:
    """What a reader answers."""
    sample = as_sample(prompt, context, "")
    return READER.simulated(sample, reader, seen, random.Random(seed))


def mean_score(reader: Settings, task: str, tokens: int, seen: float = 1.0, expression=0) -> float:
    totals = []
    for prompt, context, scenario_prompt in samples(task):
        prompt = prompt | {"expression_id": expression}
        for n in range(60):
            seed = f"{prompt['sample_id']}/{n}"
            answer = read(prompt, context | {"tokens": tokens}, reader, seen, seed)
            totals.append(score(prompt, context, scenario_prompt, answer).total)
    return mean(totals)


@pytest.mark.parametrize("task", TASKS)
def test_the_same_seed_gives_the_same_answer(task):
    prompt, context, _ = samples(task)[0]
    answers = {read(prompt, context, HASTY, 1.0, "seed") for _ in range(3)}
    assert len(answers) == 1 and answers != {""}


@pytest.mark.parametrize("task", TASKS)
def test_longer_contexts_are_read_worse(task):
    assert mean_score(CAREFUL, task, 3_000) > mean_score(CAREFUL, task, 1_000_000)


@pytest.mark.parametrize("task", TASKS)
def test_the_careful_reader_is_better(task):
    assert mean_score(CAREFUL, task, 28_000) > mean_score(HASTY, task, 28_000)


def test_what_was_cut_off_and_the_middle_is_read_worse():
    prompt, context, _ = samples("LSI")[-1]
    perfect = {**CAREFUL, "span": 1e12, "position_bias": 0, "slip": 0}
    answers = [read(prompt, context, perfect, 0.5, str(n)) for n in range(50)]
    assert prompt["variables"]["element"] not in answers
    biased = {**CAREFUL, "span": 10_000, "position_bias": 1, "slip": 0}
    found = []
    for prompt, context, _ in samples("LSI"):
        long = context | {"tokens": 60_000}
        answers = [read(prompt, long, biased, 1.0, str(n)) for n in range(300)]
        found.append(answers.count(prompt["variables"]["element"]))
    assert found[0] > 1.3 * found[4]


def test_who_recalls_all_at_any_position_takes_no_sentence_for_another():
    perfect = {**CAREFUL, "span": 1e12, "position_bias": 1, "slip": 0}
    for prompt, context, _ in samples("OE"):
        asked = [sentence["text"] for sentence in answers.asked_sentences(prompt, context)]
        assert json.loads(read(prompt, context, perfect, 1.0, "seed")) == asked
    for prompt, context, _ in samples("LSI"):
        replies = {read(prompt, context, perfect, 1.0, str(n)) for n in range(20)}
        assert replies == {prompt["variables"]["element"]}


def test_expressions_are_read_differently():
    scores = {round(mean_score(HASTY, "LSI", 28_000, expression=e), 6) for e in range(4)}
    assert len(scores) == 4
