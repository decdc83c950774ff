"""The published variables: those that the paper's models were asked, sample by sample."""

import csv
import json
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import CASES, needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl
from steadfast.benchmarks.lifbench.answers import reference_answer
from steadfast.benchmarks.lifbench.expressions import released_expressions
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.prompts import prompts
from steadfast.benchmarks.lifbench.released_contexts import contexts
from steadfast.benchmarks.lifbench.released_drawing import KnownSentences, released_settings
from steadfast.benchmarks.lifbench.released_files import scores_file
from steadfast.benchmarks.lifbench.samples import LifbenchSamples
from steadfast.benchmarks.lifbench.scoring import LifbenchScoring
from steadfast.benchmarks.lifbench.tasks import SCENARIOS, in_order
from steadfast.contract.components import Answer, Data, Sample

RELEASED = CASES / "released"
LENGTHS = {"3": "4k", "6": "8k", "13": "16k", "28": "32k", "60": "64k", "120": "128k"}
POSITIONAL = ("LSI", "LOI", "LOE", "LBI", "LBE")


def elements(size: int) -> Record:
    return {
        "context_id": "list-4k",
        "length": "4k",
        "elements": [f"e{place}" for place in range(size)],
    }


@given(st.integers(23, 400), st.sampled_from(POSITIONAL), st.integers(0, 11))
def test_two_positions_lie_at_each_end_of_a_list_and_two_between(size, task, expression):
    found = released_settings(TASKS[task], {}, elements(size), expression)
    places = [(variables | gold)["id"] - 1 for variables, gold in found]
    sections = [range(1, 11), range(11, size - 10), range(size - 10, size - 1)]
    assert [sum(place in section for place in places) for section in sections] == [2, 2, 2]
    assert found == released_settings(TASKS[task], {}, elements(size), 0)


def test_too_short_a_list_or_another_text_is_one_sentence():
    with pytest.raises(UserError, match="for LSI: context list-4k has only 22 elements"):
        released_settings(TASKS["LSI"], {}, elements(22), 0)
    with pytest.raises(UserError, match="the context of length 3 is not the published one"):
        KnownSentences({"length": 3, "input_text": "Another text."})


# --- against what was released ----------------------------------------------------------------


@pytest.fixture(scope="module")
def list_file(tmp_path_factory):
    """The two lists that are known of the released file, in its shape."""
    known = json.loads((CASES / "contexts.json").read_text())["contexts"]
    lists = [known["list-3k"], known["list-6k"]]
    inputs = [{"input_text": of["text"], **{k: of[k] for k in ("length", "label")}} for of in lists]
    path = tmp_path_factory.mktemp("list") / "list_input.json"
    path.write_text(json.dumps({"info": lists[1]["elements"], "inputs": inputs}))
    return path


def built(length: str, tasks: list[str], list_file) -> Data:
    """What the prompts of a length are made of."""
    files = {name: RELEASED / f"{name}_input.json" for name in SCENARIOS} | {"list": list_file}
    units = {name: int(number) for number, name in LENGTHS.items()}
    templates = {"templates": RELEASED / "tasks.json"}
    found = {
        name: list(
            contexts(
                {"contexts": files[name], **templates},
                name,
                length,
                units[length] * 1024,
                "o200k_base",
            )
        )
        for name in in_order(TASKS[task].scenario for task in tasks)
    }
    return {
        "contexts": found,
        "expressions": {
            task: released_expressions(templates, TASKS[task].worded) for task in tasks
        },
    }


def made(length: str, tasks: list[str], list_file) -> dict[str, Record]:
    """The prompts of a length by their ids."""
    data = built(length, tasks, list_file)
    return {
        p["sample_id"]: p
        for p in prompts(length, data, 1, [TASKS[task].asked for task in tasks], released=SCENARIOS)
    }


@cache
def of_documents(length: str) -> dict[str, Record]:
    return made(length, ["OR", "OQ", "OE", "MB", "MF"], None)


def scores(task: str) -> list[tuple[str, Record]]:
    """The released scores of a task, and the samples' ids."""
    name = TASKS[task].scenario
    rows = (RELEASED / "scores" / scores_file(TASKS[task])).open()
    with rows:
        return [
            (f"{task}/{name}-{LENGTHS[r['length']]}/e{r['ins_id']}/v{r['param_id']}", r)
            for r in csv.DictReader(rows)
        ]


@needs_cases
@pytest.mark.parametrize("length", ["4k", "8k"])
def test_prompts_are_the_recorded_ones(length, list_file):
    """All but those of OR, OQ and OE, whose records come from other drawings than the scores."""
    tasks = [task for task in TASKS if TASKS[task].scenario != "onedoc"]
    found = made(length, tasks, list_file)
    checked = Counter()
    name = {"4k": "3k", "8k": "6k"}[length]
    for case in read_jsonl(CASES / "scorer_cases_dev.jsonl"):
        scenario, of, task = *case["context"].split("-"), case["task"]
        if task in tasks and of == name:
            ids = f"e{case['expression_id']}/v{case['variable_id']}"
            prompt = found[f"{task}/{scenario}-{length}/{ids}"]
            assert prompt["instruction"] == case["instruction"]
            given = prompt["variables"] | prompt["reference_answer"]
            assert all(case["param"][key] == value for key, value in given.items())
            checked[task] += 1
    assert set(checked) == set(tasks)


@needs_cases
@pytest.mark.parametrize("length", LENGTHS.values())
def test_documents_have_the_samples_of_the_released_scores(length):
    wanted = {
        id
        for task in ("OR", "OQ", "OE", "MB", "MF")
        for id, _ in scores(task)
        if f"-{length}/" in id
    }
    assert set(of_documents(length)) == wanted and len(wanted) == 130


@needs_cases
def test_lists_have_the_samples_of_the_released_scores(list_file):
    tasks = [task for task in TASKS if TASKS[task].scenario == "list"]
    wanted = {id for task in tasks for id, _ in scores(task) if "-4k/" in id}
    assert set(made("4k", tasks, list_file)) == wanted and len(wanted) == 337


@needs_cases
def test_reference_answers_to_published_prompts_over_a_list_score_1(list_file):
    tasks = [task for task in TASKS if TASKS[task].scenario == "list"]
    data = built("4k", tasks, list_file)
    scoring = LifbenchScoring("released")
    asked = list(prompts("4k", data, 1, [TASKS[task].asked for task in tasks], released=SCENARIOS))
    for prompt, source in zip(asked, LifbenchSamples().sources(asked, data), strict=True):
        answer = Answer("ok", reference_answer(prompt, source["context"]))
        assert scoring.score(Sample("4k", prompt, source), answer, {}).total == 1, prompt
    assert len(asked) == 337


@needs_cases
def test_released_scores_of_or_fit_the_number_of_sentences_that_was_asked_for():
    # hit is (sentences found - fakes / 2) / num, at most 1 (RUBRIC.md): a multiple of 1 / (2 num).
    told = set()
    for id, row in scores("OR"):
        hit = Fraction(float(row["hit"])).limit_denominator(100)
        num = of_documents(id.split("-")[1].split("/")[0])[id]["variables"]["num"]
        assert (2 * num * hit).denominator == 1, id
        told |= {id} if hit.denominator == 2 * num else set()
    assert len(told) > 40  # samples of which some model's score has just that denominator


@needs_cases
def test_released_scores_of_oq_know_the_words_for_yes_and_no():
    # Models that are asked for apple or APPLE often write neither, Apple; so the share of answers
    # without either word is highest where the drawing says that these were asked for.
    shares = []
    for shift in range(5):
        without = total = 0
        for id, row in scores("OQ"):
            prompts_of = of_documents(id.split("-")[1].split("/")[0])
            start, place = id.rsplit("v", 1)
            options = prompts_of[f"{start}v0"]["variables"]["options"]
            number = (OPTIONS.index(options[0]) + int(place) + shift) % 5
            if OPTIONS[number] == "apple":
                without += float(row["correct"]) == 0
                total += 1
        shares.append(without / total)
    assert shares[0] > 1.5 * max(shares[1:])


OPTIONS = ["True", "Yes", "False", "apple", "12345"]
