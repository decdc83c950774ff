"""The reference answer has full marks in every task."""

import json

import pytest

from lifbench_samples import LIST, samples
from steadfast.benchmarks.lifbench.answers import asked_sentences, blur_indices, reference_answer
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score


@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("task", TASKS)
def test_the_reference_scores_one_on_every_point(task, rubric):
    for sample in samples(task):
        result = score(*sample, reference_answer(*sample[:2]), rubric)
        assert set(result.points.values()) == {1}, sample[0]["variables"]
        assert result.total == 1


def test_answers_of_each_task_are_in_their_form_and_direction():
    prompt, context, _ = samples("MF")[2]
    lines = reference_answer(prompt, context).split("\n")
    assert [json.loads(line) for line in lines] == [
        [["aQ1", None, 'The "grand" tour'], ["cQ3", "essay", None], ["gQ7", None, "Last"]],
        [["bQ2", "news", None], ["eQ5", None, None]],
    ]
    prompt, context, _ = samples("OR")[2]
    chosen = asked_sentences(prompt, context)
    places = [sentence["index"] for sentence in chosen]
    assert len(chosen) == 4 and places == sorted(places)
    assert not any(sentence["fake"] for sentence in chosen)
    for prompt, context, _ in samples("LBI"):
        place = LIST.index(reference_answer(prompt, context))
        assert place in blur_indices(prompt, context)
        assert (place - (prompt["variables"]["id"] - 1)) * prompt["variables"]["bias"] > 0
