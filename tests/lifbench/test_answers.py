"""The reference answer has full marks in every task."""

import json

import pytest

from lifbench_samples import LIST, samples
from steadfast.benchmarks.lifbench.answers import (
    blur_indices,
    reference_answer,
    requested_sentences,
)
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score


@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("task", TASKS)
def test_reference_answer_has_every_point(task, rubric):
    for sample in samples(task):
        result = score(*sample, reference_answer(*sample[:2]), rubric)
        assert set(result.points.values()) == {1}, sample[0]["variables"]
        assert result.total == 1


def test_groups_of_documents_are_a_line_each():
    prompt, context, _ = samples("MF")[2]
    first, second = reference_answer(prompt, context).split("\n")
    assert json.loads(first) == [
        ["aQ1", None, 'The "grand" tour'],
        ["cQ3", "essay", None],
        ["gQ7", None, "Last"],
    ]
    assert json.loads(second) == [["bQ2", "news", None], ["eQ5", None, None]]


def test_key_sentences_are_true_and_in_their_order():
    prompt, context, _ = samples("OR")[2]
    sentences = requested_sentences(prompt, context)
    indices = [sentence["index"] for sentence in sentences]
    assert len(indices) == 4 and indices == sorted(indices)
    for sentence in sentences:
        assert not sentence["fake"]


def test_element_is_in_the_requested_direction():
    for prompt, context, _ in samples("LBI"):
        index = LIST.index(reference_answer(prompt, context))
        assert index in blur_indices(prompt, context)
        assert (index - (prompt["variables"]["id"] - 1)) * prompt["variables"]["bias"] > 0
