"""Scores: both rubrics of every answer, and where in its context the answer stands."""

from dataclasses import replace

import pytest

from lifbench_samples import LIST, ONEDOC_CONTEXT, as_sample, samples
from steadfast.benchmarks.lifbench.answers import reference_answer
from steadfast.benchmarks.lifbench.expected import target_depth
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.benchmarks.lifbench.scoring import LifbenchScoring
from steadfast.contract.components import Answer, Score


@pytest.mark.parametrize("status", ["ok", "length"])
@pytest.mark.parametrize("rubric", RUBRICS)
def test_score_is_by_the_chosen_rubric_with_the_other_beside_it(rubric, status):
    (other,) = set(RUBRICS) - {rubric}
    for task in TASKS:
        sample = samples(task)[0]
        text = f"{reference_answer(*sample[:2])}?"
        expected = replace(score(*sample, text, rubric), status=status)
        other_raters = {other: replace(score(*sample, text, other), status=status)}
        result = LifbenchScoring(rubric).score(as_sample(*sample), Answer(status, text), {})
        assert result == replace(expected, other_raters=other_raters)


@pytest.mark.parametrize("status", ["overflow", "refused", "error", "unfinished"])
def test_failed_request_has_no_score_by_either_rubric(status):
    sample = as_sample(*samples("OQ")[0])
    result = LifbenchScoring("released").score(sample, Answer(status, ""), {})
    assert result == Score(status, other_raters={"corrected": Score(status)})


def test_facts_of_a_score_identify_its_sample():
    sample = as_sample(*samples("LSI")[2])
    assert LifbenchScoring("corrected").facts(sample) == {
        "expression_id": 0,
        "variable_id": 2,
        "length": "4k",
        "rubric": "corrected",
        "depth": 2 / (len(LIST) - 1),
    }


@pytest.mark.parametrize("task", ["LSI", "LOI", "LOE", "LBI", "LBE"])
def test_depth_of_a_list_task_is_the_position_of_its_element(task):
    for prompt, context, _ in samples(task):
        index = LIST.index(prompt["variables"]["element"])
        assert target_depth(prompt, context, "positions") == index / (len(LIST) - 1)


def test_depth_of_a_question_is_the_position_of_its_evidence():
    text = ONEDOC_CONTEXT["text"]
    for prompt, context, _ in samples("OQ"):
        depth = target_depth(prompt, context, "evidence")
        assert text[round(depth * len(text)) :].startswith(prompt["variables"]["evidence"])
    absent = prompt | {"variables": prompt["variables"] | {"evidence": "It is not there."}}
    assert target_depth(absent, ONEDOC_CONTEXT, "evidence") is None


@pytest.mark.parametrize("task", ["LMI", "MB", "MF", "OR", "OE"])
def test_tasks_without_a_single_position_have_no_depth(task):
    prompt, context, _ = samples(task)[0]
    assert target_depth(prompt, context, TASKS[task].sampling) is None
