"""The published variables: those of the prompts of the paper's models, sample by sample."""

import csv
from collections import Counter
from fractions import Fraction
from functools import cache

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import CASES, needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_json, read_jsonl, write_json
from steadfast.benchmarks.lifbench.answers import reference_answer
from steadfast.benchmarks.lifbench.expressions import released_expressions
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.prompts import prompts
from steadfast.benchmarks.lifbench.released_contexts import contexts
from steadfast.benchmarks.lifbench.released_files import scores_file
from steadfast.benchmarks.lifbench.released_variables import KnownSentences, released_settings
from steadfast.benchmarks.lifbench.samples import LifbenchSamples
from steadfast.benchmarks.lifbench.scoring import LifbenchScoring
from steadfast.benchmarks.lifbench.tasks import SCENARIOS, in_order
from steadfast.contract.components import Answer, Data, Sample

RELEASED = CASES / "released"
LENGTHS = {"3": "4k", "6": "8k", "13": "16k", "28": "32k", "60": "64k", "120": "128k"}
UNITS = {length: int(number) for number, length in LENGTHS.items()}
POSITIONAL = ("LSI", "LOI", "LOE", "LBI", "LBE")
LIST_TASKS = [name for name, task in TASKS.items() if task.scenario == "list"]
DOCUMENT_TASKS = ["OR", "OQ", "OE", "MB", "MF"]


def context_of(size: int) -> Record:
    elements = [f"e{index}" for index in range(size)]
    return {"context_id": "list-4k", "length": "4k", "elements": elements}


@given(st.integers(23, 400), st.sampled_from(POSITIONAL), st.integers(0, 11))
def test_two_positions_at_each_end_of_a_list_and_two_between(size, task, expression):
    settings = released_settings(TASKS[task], {}, context_of(size), expression)
    indices = pd.Series([(variables | answers)["id"] - 1 for variables, answers in settings])
    sections = pd.cut(indices, [0, 10, size - 11, size - 2], labels=["start", "middle", "end"])
    assert sections.value_counts().to_dict() == {"start": 2, "middle": 2, "end": 2}
    assert settings == released_settings(TASKS[task], {}, context_of(size), 0)


def test_list_that_is_too_short_is_reported():
    with pytest.raises(UserError, match="for LSI: context list-4k has only 22 elements"):
        released_settings(TASKS["LSI"], {}, context_of(22), 0)


def test_text_that_was_not_published_is_reported():
    with pytest.raises(UserError, match="the context of length 3 is not the published one"):
        KnownSentences({"length": 3, "input_text": "Another text."})


# --- against what was released ----------------------------------------------------------------


@pytest.fixture(scope="module")
def list_file(tmp_path_factory):
    """The two recorded lists of the released file, in its shape."""
    records = read_json(CASES / "contexts.json")["contexts"]
    inputs = []
    for name in ("list-3k", "list-6k"):
        record = records[name]
        fields = {"length": record["length"], "label": record["label"]}
        inputs.append({"input_text": record["text"], **fields})
    path = tmp_path_factory.mktemp("list") / "list_input.json"
    write_json(path, {"info": records["list-6k"]["elements"], "inputs": inputs})
    return path


def data_of(length: str, tasks: list[str], list_file) -> Data:
    """The data that the prompts of a length are made of."""
    templates = {"templates": RELEASED / "tasks.json"}
    data = {"contexts": {}, "expressions": {}}
    for task in tasks:
        data["expressions"][task] = released_expressions(templates, TASKS[task].expression_settings)
    for name in in_order(TASKS[task].scenario for task in tasks):
        path = list_file if name == "list" else RELEASED / f"{name}_input.json"
        inputs = {"contexts": path, **templates}
        built = contexts(inputs, name, length, UNITS[length] * 1024, "o200k_base")
        data["contexts"][name] = list(built)
    return data


def prompts_of(length: str, tasks: list[str], data: Data) -> dict[str, Record]:
    """The prompts of a length by their ids."""
    settings = [TASKS[task].prompt_settings for task in tasks]
    built = prompts(length, data, 1, settings, released=SCENARIOS)
    return {prompt["sample_id"]: prompt for prompt in built}


@cache
def document_prompts(length: str) -> dict[str, Record]:
    return prompts_of(length, DOCUMENT_TASKS, data_of(length, DOCUMENT_TASKS, None))


@cache
def scores(task: str) -> dict[str, list[Record]]:
    """The released scores of a task by the ids of the samples."""
    rows = {}
    with (RELEASED / "scores" / scores_file(TASKS[task])).open() as lines:
        for row in csv.DictReader(lines):
            context_id = f"{TASKS[task].scenario}-{LENGTHS[row['length']]}"
            sample_id = f"{task}/{context_id}/e{row['ins_id']}/v{row['param_id']}"
            rows.setdefault(sample_id, []).append(row)
    return rows


def scored_ids(tasks: list[str], length: str) -> set[str]:
    ids = set().union(*map(scores, tasks))
    return {sample_id for sample_id in ids if f"-{length}/" in sample_id}


def prompt_of(sample_id: str) -> Record:
    """The prompt over documents of a released score."""
    length = sample_id.split("/")[1].split("-")[1]
    return document_prompts(length)[sample_id]


@needs_cases
@pytest.mark.parametrize(("length", "name"), [("4k", "3k"), ("8k", "6k")])
def test_prompts_are_the_recorded_ones(length, name, list_file):
    """All but those of OR, OQ and OE, whose records are of other samples than the scores."""
    tasks = [*LIST_TASKS, "MB", "MF"]
    built = prompts_of(length, tasks, data_of(length, tasks, list_file))
    checked = Counter()
    for case in read_jsonl(CASES / "scorer_cases_dev.jsonl"):
        scenario, _, recorded_name = case["context"].partition("-")
        task = case["task"]
        if task in tasks and recorded_name == name:
            ids = f"e{case['expression_id']}/v{case['variable_id']}"
            prompt = built[f"{task}/{scenario}-{length}/{ids}"]
            assert prompt["instruction"] == case["instruction"]
            variables = prompt["variables"] | prompt["reference_answer"]
            assert case["param"] == case["param"] | variables
            checked[task] += 1
    assert set(checked) == set(tasks)


@needs_cases
@pytest.mark.parametrize("length", LENGTHS.values())
def test_documents_have_the_samples_of_the_released_scores(length):
    ids = scored_ids(DOCUMENT_TASKS, length)
    assert set(document_prompts(length)) == ids
    assert len(ids) == 130


@needs_cases
def test_lists_have_the_released_samples_and_references_score_1(list_file):
    data = data_of("4k", LIST_TASKS, list_file)
    built = prompts_of("4k", LIST_TASKS, data)
    assert set(built) == scored_ids(LIST_TASKS, "4k")
    assert len(built) == 337
    scoring = LifbenchScoring("released")
    sources = LifbenchSamples().sources(list(built.values()), data)
    for prompt, source in zip(built.values(), sources, strict=True):
        answer = Answer("ok", reference_answer(prompt, source["context"]))
        assert scoring.score(Sample("4k", prompt, source), answer, {}).total == 1, prompt


@needs_cases
def test_released_scores_of_or_fit_the_number_of_sentences():
    # hit is (sentences found - fakes / 2) / num, at most 1 (RUBRIC.md): a multiple of 1 / (2 num).
    exact = set()  # samples of which some model's score has just that denominator
    for sample_id, rows in scores("OR").items():
        num = prompt_of(sample_id)["variables"]["num"]
        for row in rows:
            hit = Fraction(float(row["hit"])).limit_denominator(100)
            assert (2 * num * hit).denominator == 1, sample_id
            if hit.denominator == 2 * num:
                exact.add(sample_id)
    assert len(exact) > 40


@needs_cases
def test_released_scores_of_oq_fit_the_words_for_yes_and_no():
    # Models that should write apple or APPLE often write neither but Apple; so the share of
    # responses without either word is highest where the variables have these options.
    options = ["True", "Yes", "False", "apple", "12345"]
    rows = []
    for sample_id, sample_rows in scores("OQ").items():
        start, variable = sample_id.rsplit("v", 1)
        first = prompt_of(f"{start}v0")["variables"]["options"][0]
        number = options.index(first) + int(variable)
        for row in sample_rows:
            rows.append((number, float(row["correct"]) == 0))
    table = pd.DataFrame(rows, columns=["number", "without"])
    apple, *shifted = [
        table[(table["number"] + shift) % 5 == options.index("apple")]["without"].mean()
        for shift in range(5)
    ]
    assert apple > 1.5 * max(shifted)
