"""Every reference answer scores exactly 1 by the corrected rubric, with any context."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from any_samples import SAMPLES
from steadfast.benchmarks.lifbench.answers import is_key_sentence, reference_answer
from steadfast.benchmarks.lifbench.rubric import score

JSON_TASKS = ("LMI", "MB", "MF", "OE")


def restyled(answer: str, **style) -> str:
    """A JSON answer, line by line, in another style."""
    return "\n".join(json.dumps(json.loads(line), **style) for line in answer.split("\n"))


@pytest.mark.parametrize("task", SAMPLES)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_reference_has_every_point(task, data):
    sample = data.draw(SAMPLES[task])
    result = score(*sample, reference_answer(*sample[:2]), "corrected")
    assert set(result.points.values()) == {1}
    assert result.total == 1


@pytest.mark.quick(4)
@pytest.mark.parametrize("task", JSON_TASKS)
@pytest.mark.parametrize(
    "style",
    [{"ensure_ascii": False}, {"ensure_ascii": True}, {"separators": (",", ":")}],
    ids=["natural", "escaped", "compact"],
)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_style_of_json_does_not_matter(task, style, data):
    sample = data.draw(SAMPLES[task])
    answer = restyled(reference_answer(*sample[:2]), **style)
    assert set(score(*sample, answer, "corrected").points.values()) == {1}


@pytest.mark.parametrize("task", JSON_TASKS)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_code_fence_costs_the_format_alone(task, data):
    sample = data.draw(SAMPLES[task])
    answer = f"```json\n{reference_answer(*sample[:2])}\n```"
    points = dict(score(*sample, answer, "corrected").points)
    assert 0 < points.pop("format") < 1
    assert set(points.values()) == {1}


@given(SAMPLES["OQ"])
@settings(deadline=None)
def test_other_option_is_wrong(sample):
    prompt, context, _ = sample
    variables = prompt["variables"]
    wrong = variables["options"][is_key_sentence(variables["evidence"], context)]
    assert score(*sample, wrong, "corrected").points["correct"] == 0
