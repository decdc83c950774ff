"""Scores: both rubrics of every answer, and where in its context the answer stands."""

from dataclasses import replace

import pytest

from lifbench_samples import LIST, ONEDOC_CONTEXT, as_sample, samples
from steadfast.benchmarks.lifbench.answers import reference_answer
from steadfast.benchmarks.lifbench.expected import asked_depth
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.benchmarks.lifbench.scoring import LifbenchScoring
from steadfast.contract.components import Answer, Score


@pytest.mark.parametrize("status", ["ok", "length"])
@pytest.mark.parametrize("rubric", RUBRICS)
def test_the_chosen_rubric_makes_the_score_and_the_other_stands_beside_it(rubric, status):
    (other,) = set(RUBRICS) - {rubric}
    for task in TASKS:
        sample = samples(task)[0]
        text = f"{reference_answer(*sample[:2])}?"
        chosen, beside = (score(*sample, text, name) for name in (rubric, other))
        found = LifbenchScoring(rubric).score(as_sample(*sample), Answer(status, text), {})
        others = {other: replace(beside, status=status)}
        assert found == replace(chosen, status=status, other_raters=others)


@pytest.mark.parametrize("status", ["overflow", "refused", "error"])
def test_without_an_answer_there_is_no_score_by_either_rubric(status):
    sample = as_sample(*samples("OQ")[0])
    found = LifbenchScoring("released").score(sample, Answer(status, ""), {})
    assert found == Score(status, other_raters={"corrected": Score(status)})


def test_a_score_tells_which_sample_it_is_of():
    prompt, context, scenario_prompt = samples("LSI")[2]
    sample = as_sample(prompt, context, scenario_prompt)
    assert LifbenchScoring("corrected").facts(sample) == {
        "expression_id": 0,
        "variable_id": 2,
        "length": "4k",
        "rubric": "corrected",
        "depth": 2 / (len(LIST) - 1),
    }


@pytest.mark.parametrize("task", ["LSI", "LOI", "LOE", "LBI", "LBE"])
def test_the_depth_of_a_list_task_is_its_references_place(task):
    for prompt, context, _ in samples(task):
        place = LIST.index(prompt["variables"]["element"])
        assert asked_depth(prompt, context, "positions") == place / (len(LIST) - 1)


def test_the_depth_of_a_question_is_its_evidences_place():
    text = ONEDOC_CONTEXT["text"]
    for prompt, context, _ in samples("OQ"):
        depth = asked_depth(prompt, context, "evidence")
        assert text[round(depth * len(text)) :].startswith(prompt["variables"]["evidence"])
    lost = prompt | {"variables": prompt["variables"] | {"evidence": "It is not there."}}
    assert asked_depth(lost, ONEDOC_CONTEXT, "evidence") is None


@pytest.mark.parametrize("task", ["LMI", "MB", "MF", "OR", "OE"])
def test_tasks_without_one_place_have_no_depth(task):
    prompt, context, _ = samples(task)[0]
    assert asked_depth(prompt, context, TASKS[task].draw) is None
