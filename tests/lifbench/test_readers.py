"""Simulated readers: seeded, worse with length, blind past their window; and scoring a part."""

import random
from statistics import mean

import pytest

from lifbench_samples import LIST_CONTEXT, SCENARIO_PROMPTS, samples
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_json, write_jsonl
from steadfast.lifbench.answers import reference_answer
from steadfast.lifbench.readers import Reader, simulated_answer
from steadfast.lifbench.rubric import score
from steadfast.lifbench.scoring import score_part
from steadfast.lifbench.tasks import TASKS

CAREFUL = Reader(name="sim-careful", span=200_000, position_bias=0.2, slip=0.05)
HASTY = Reader(name="sim-hasty", span=20_000, position_bias=0.6, slip=0.3)


def mean_score(reader: Reader, task: str, tokens: int, seen: float = 1.0, expression=0) -> float:
    totals = []
    for prompt, context, scenario_prompt in samples(task):
        prompt = prompt | {"expression_id": expression}
        for n in range(60):
            rng = random.Random(f"{prompt['sample_id']}/{n}")
            answer = simulated_answer(prompt, context | {"tokens": tokens}, reader, seen, rng)
            totals.append(score(prompt, context, scenario_prompt, answer).total)
    return mean(totals)


@pytest.mark.parametrize("task", TASKS)
def test_the_same_seed_gives_the_same_answer(task):
    prompt, context, _ = samples(task)[0]
    answers = {
        simulated_answer(prompt, context, HASTY, 1.0, random.Random("seed")) for _ in range(3)
    }
    assert len(answers) == 1 and answers != {""}


@pytest.mark.parametrize("task", TASKS)
def test_longer_contexts_are_read_worse(task):
    assert mean_score(CAREFUL, task, 3_000) > mean_score(CAREFUL, task, 1_000_000)


@pytest.mark.parametrize("task", TASKS)
def test_the_careful_reader_is_better(task):
    assert mean_score(CAREFUL, task, 28_000) > mean_score(HASTY, task, 28_000)


def test_what_was_cut_off_is_not_recalled():
    prompt, context, _ = samples("LSI")[-1]
    perfect = Reader(span=1e12)
    answers = [
        simulated_answer(prompt, context, perfect, 0.5, random.Random(str(n))) for n in range(50)
    ]
    assert prompt["variables"]["element"] not in answers


def test_the_middle_is_read_worse_than_the_ends():
    biased = Reader(span=10_000, position_bias=1.0)
    found = []
    for prompt, context, _ in samples("LSI"):
        answers = [
            simulated_answer(
                prompt, context | {"tokens": 60_000}, biased, 1.0, random.Random(str(n))
            )
            for n in range(300)
        ]
        found.append(answers.count(prompt["variables"]["element"]))
    assert found[0] > 1.3 * found[4]


def test_expressions_are_read_differently():
    scores = {round(mean_score(HASTY, "LSI", 28_000, expression=e), 6) for e in range(4)}
    assert len(scores) == 4


def test_settings_may_be_given_as_a_mapping():
    prompt, context, _ = samples("LSI")[0]
    settings = {"span": 200_000, "position_bias": 0.2, "slip": 0.05}
    assert simulated_answer(prompt, context, settings, 1.0, random.Random("s"))


@pytest.fixture
def part(tmp_path) -> dict:
    """The files of one part of LSI with its scores' path, and the outputs to write."""
    prompts = [prompt for prompt, _, _ in samples("LSI")[:4]]
    write_jsonl(tmp_path / "prompts.jsonl", prompts)
    write_jsonl(tmp_path / "contexts.jsonl", [LIST_CONTEXT])
    write_json(tmp_path / "LSI.json", {"task": "LSI", "scenario_prompt": SCENARIO_PROMPTS["list"]})
    outputs = [
        {
            "sample_id": prompt["sample_id"],
            "status": status,
            "text": reference_answer(prompt, LIST_CONTEXT) if status in ("ok", "length") else "",
            "truncated_tokens": truncated,
        }
        for prompt, status, truncated in zip(
            prompts, ("ok", "length", "error", "overflow"), (0, 7, None, 0), strict=True
        )
    ]
    files = {
        "prompts": tmp_path / "prompts.jsonl",
        "contexts": {"list": tmp_path / "contexts.jsonl"},
        "expressions": {"LSI": tmp_path / "LSI.json"},
        "outputs": tmp_path / "outputs.jsonl",
        "out": tmp_path / "scores.jsonl",
    }
    return {"files": files, "outputs": outputs}


def test_answers_are_scored_and_failures_are_not(part):
    write_jsonl(part["files"]["outputs"], reversed(part["outputs"]))
    score_part(**part["files"], rubric="released", length="4k")
    rows = list(read_jsonl(part["files"]["out"]))
    assert [row["sample_id"] for row in rows] == [o["sample_id"] for o in part["outputs"]]
    assert [row["total"] for row in rows] == [1, 1, None, None]
    assert [row["truncated"] for row in rows] == [False, True, False, False]
    assert rows[2]["points"] is None and rows[0]["points"] == {"format": 1, "correct": 1, "ori": 1}


def test_a_prompt_without_output_is_named(part):
    write_jsonl(part["files"]["outputs"], part["outputs"][1:])
    with pytest.raises(UserError, match="LSI/list-4k-s1/e0/v0"):
        score_part(**part["files"], rubric="released", length="4k")


def test_an_unknown_status_is_an_error(part):
    part["outputs"][0]["status"] = "done"
    write_jsonl(part["files"]["outputs"], part["outputs"])
    with pytest.raises(UserError, match="done"):
        score_part(**part["files"], rubric="released", length="4k")
