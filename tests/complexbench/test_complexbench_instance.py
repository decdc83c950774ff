"""An instance without fault is taken, and the first fault of another is one sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_instances import instance, with_question
from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.data import checked, read_instances, records


def taken(*raw, published=False):
    return records(list(raw), "mine.json", "local", "zh", None, published)


def test_a_good_instance_is_taken_and_published_labels_as_they_are():
    (found,) = taken(instance(category=["Selection_2"]))
    assert (found["category"], len(found["turns"])) == ("Selection_2", 2)
    assert found["scoring_questions"][2]["rule"] == "model_length:[1,50]"
    (found,) = taken(instance(task_types="Other", sub_instructions=None), published=True)
    assert found["task_types"] == "Other"
    with pytest.raises(UserError, match="depends on question 9"):
        taken(with_question(1, dep=[9]), published=True)


FAULTS = {
    "task type": (instance(task_types="Creative Writting"), "did you mean 'Creative Writing'"),
    "dimension": (with_question(1, constraint_dimensions=["Lenght"]), "did you mean 'Length'"),
    "composition": (instance(composition_types=["Select"]), "did you mean 'Selection'"),
    "category": (instance(category="Selection"), "write one like And, Chain_2"),
    "two categories": (instance(category=["And", "Chain_2"]), "category: "),
    "number": (instance(main_id="0"), "main_id: "),
    "text": (instance(instruction=""), "instruction: "),
    "unknown field": (instance(tasktypes="x"), "unknown key 'tasktypes'; did you mean"),
    "no questions": (instance(scoring_questions=[]), "scoring_questions: "),
    "no question": (instance(scoring_questions=["?"]), "scoring_questions.0"),
    "dependency": (with_question(1, dep=[9]), "question 1 depends on question 9"),
    "turns": (
        instance(
            sub_instructions={"sub_instruction_0": {"instruction": "i", "scoring_questions": [0]}}
        ),
        "main_id 0: sub_instructions are no turns",
    ),
    "no object": ("text", "record 1: "),
}


@pytest.mark.parametrize(("made", "part"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_one_sentence(made, part):
    with pytest.raises(UserError) as caught:
        taken(made)
    message = str(caught.value)
    assert message.startswith("mine.json: ") and part in message and "\n" not in message


@pytest.mark.parametrize(("content", "number"), [([instance()], 1), (instance(), 1), ([], 0)])
def test_a_file_is_an_array_or_one_instance(tmp_path, content, number):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(content))
    if number:
        assert len(checked(read_instances(path), path)) == number
    else:
        with pytest.raises(UserError, match="no instances; write a JSON array"):
            read_instances(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(sorted(instance())), JSON)
def test_whatever_stands_in_a_field_is_taken_or_refused(field, value):
    try:
        taken(instance(**{field: value}))
    except UserError as error:
        assert "\n" not in str(error)
