"""The schema: an instance without fault, each fault by name, all of them in one go."""

import json
import os
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_instances import ROOT, both_branches, data_file, instance, question, with_question
from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.schema import check, main, read_instances, stop_at_errors


def findings(*raw) -> list:
    """What is wrong but for branches, of which these instances have one of two."""
    return [found for found in check(list(raw))[1] if found.field != "branches"]


def told(*raw) -> list[tuple[str, str, str]]:
    return [(f.severity, f.field, f.sentence) for f in findings(*raw)]


def test_a_good_instance_has_no_findings():
    instances, found = check(both_branches())
    assert found == []
    assert instances[0].scoring_questions[2].rule == "model_length:[1,50]"


@pytest.mark.parametrize(
    ("made", "field", "part"),
    [
        (instance(category=["Selection_2"]), None, None),
        (instance(sub_instructions=None), None, None),
        (instance(task_types="Creative Writting"), "task_types", "did you mean 'Creative Writing'"),
        (instance(task_types=3), "task_types", "is 3; write a text in quotation marks"),
        (instance(main_id=-1), "main_id", "greater than or equal to 0"),
        (instance(main_id="0"), "main_id", "is '0'; write a whole number"),
        (instance(instruction=""), "instruction", "is empty"),
        (instance(instruction="  \n"), "instruction", "is blank"),
        (instance(tasktypes="x"), "tasktypes", "did you mean 'task_types'?"),
        (instance(category="Selection"), "category", "write one like And, Chain_2"),
        (instance(category="Selection_0"), "category", "is no category"),
        (instance(category="Chain_2"), "category", "(category Selection)"),
        (instance(category=["And", "Chain_2"]), "category", "is ['And', 'Chain_2']"),
        (instance(composition_types=["And"]), "composition_types", "lacks 'Selection'"),
        (instance(composition_types=["And", "Selection", "And"]), "composition_types", "twice"),
        (instance(composition_types=["Select"]), "composition_types", "did you mean 'Selection'?"),
        (
            instance(constraint_dimensions=["Length"]),
            "constraint_dimensions",
            "lacks 'Helpfulness'",
        ),
        (
            instance(constraint_dimensions=["Helpfulness", "Length", "Topic"]),
            "constraint_dimensions",
            "has 'Topic', which no question verifies",
        ),
        (instance(group=None), "group", "is missing; instructions with Selection"),
        (instance(idx_in_group=0), "idx_in_group", "greater than or equal to 1"),
        (instance(scoring_questions=[]), "scoring_questions", "is empty"),
        (instance(scoring_questions="none"), "scoring_questions", "write a list"),
        (instance(scoring_questions=["?"]), "scoring_questions[0]", "is no JSON object"),
        (with_question(1, dep=[1]), "scoring_questions[1].dep", "names the question itself"),
        (with_question(1, dep=[2]), "scoring_questions[1].dep", "name one of 0 to 0"),
        (with_question(1, dep=[9]), "scoring_questions[1].dep", "names 9, which is no earlier"),
        (with_question(0, dep=[1]), "scoring_questions[0].dep", "none: it is the first"),
        (with_question(1, dep=[0, 0]), "scoring_questions[1].dep", "twice"),
        (with_question(1, dep=["0"]), "scoring_questions[1].dep[0]", "write a whole number"),
        (with_question(1, point_id=2), "scoring_questions[1].point_id", "is 2 at position 1"),
        (with_question(1, question=""), "scoring_questions[1].question", "is empty"),
        (
            with_question(1, question_en=None),
            "scoring_questions[1].question_en",
            "translate the question too",
        ),
        (with_question(1, answer="x"), "scoring_questions[1].answer", "no such field"),
        (
            with_question(1, constraint_dimensions=["Helpfullness"]),
            "scoring_questions[1].constraint_dimensions",
            "did you mean 'Helpfulness'?",
        ),
        (
            with_question(1, constraint_dimensions=[]),
            "scoring_questions[1]",
            "verifies no dimension",
        ),
        (
            with_question(2, rule="model_lenght:[1,50]"),
            "scoring_questions[2].rule",
            "did you mean 'model_length'?",
        ),
        (with_question(2, rule=5), "scoring_questions[2].rule", "is 5"),
    ],
)
def test_each_fault_is_an_error_at_its_place(made, field, part):
    found = told(made)
    if field is None:
        assert found == []
        return
    assert any(
        severity == "error" and place == field and part in sentence
        for severity, place, sentence in found
    ), found
    # What is wrong, and what to do.
    assert all("; " in sentence or "(" in sentence for _, _, sentence in found)


def test_a_missing_field_of_a_question_is_named():
    made = instance()
    del made["scoring_questions"][1]["dep"]
    assert told(made) == [("error", "scoring_questions[1].dep", "is missing; add it")]


@pytest.mark.parametrize(
    ("made", "part"),
    [
        (with_question(2, dep=[1]), "leaves out question 0"),
        (with_question(2, dep=[]), "is empty, though question 0"),
        (with_question(2, rule="model_keyword:[B.夸奖]"), "never finds 'B.夸奖'"),
        (with_question(2, rule="keyword:[teacher]"), "'each' in it"),
        (with_question(2, rule="startswith:None"), "for no text"),
        (with_question(2, rule="endswith:祝你有美好的一天"), "the instruction does not hold"),
        (
            instance(composition_types=["Chain", "Selection"], category="Selection_and_Chain_2"),
            "has 'Chain', and no question",
        ),
    ],
)
def test_what_may_be_meant_is_a_warning(made, part):
    found = told(made)
    assert [(severity, part in sentence) for severity, _, sentence in found] == [("warning", True)]


def test_a_second_selection_may_depend_on_nothing():
    made = instance()
    made["scoring_questions"].append(
        question(3, constraint_dimensions=[], composition_types=["Selection"])
    )
    made["sub_instructions"] = None
    assert told(made) == []


def test_all_faults_of_all_instances_come_at_once():
    bad = with_question(1, dep=[5])
    bad["scoring_questions"][2]["rule"] = "model_length:[50]"
    bad |= {"task_types": "Poetry", "category": 7, "main_id": 1, "idx_in_group": 2}
    worse = {"main_id": 2, "instruction": "x"}
    found = findings(instance(), bad, worse, "no object")
    places = {(f.position, f.field) for f in found if f.severity == "error"}
    assert places >= {
        (1, "scoring_questions[1].dep"),
        (1, "scoring_questions[2].rule"),
        (1, "task_types"),
        (1, "category"),
        (2, "scoring_questions"),
        (2, "category"),
        (3, "all of it"),
    }
    assert [f.position for f in found] == sorted(f.position for f in found)


def test_a_field_that_cannot_be_read_brings_no_error_elsewhere():
    # Neither the category nor the instance's labels can be judged without composition_types.
    found = told(instance(composition_types="Selection"))
    assert [place for _, place, _ in found] == ["composition_types"]


def test_numbers_and_branches_must_differ():
    found = told(instance(), instance())
    assert [place for _, place, _ in found] == ["main_id", "idx_in_group"]
    assert told(instance(main_id=1), instance(main_id=0, idx_in_group=2))[0][1] == "main_id"


def test_a_selection_of_a_data_set_keeps_its_numbers():
    found = told(instance(main_id=7), instance(main_id=899, idx_in_group=2))
    assert [(severity, place) for severity, place, _ in found] == [("warning", "main_id")]


def test_published_data_is_taken_as_it_is_unless_it_cannot_be_scored():
    odd = with_question(1, dep=[2]) | {"task_types": "Poetry", "comment": "x"}
    instances, found = check([odd], published=True)
    assert len(instances) == 1 and len(found) > 1
    assert {f.severity for f in found} == {"warning"}
    for unusable in (with_question(1, dep=[9]), instance(scoring_questions=[])):
        _, found = check([unusable], published=True)
        assert [f.severity for f in found if f.field != "branches"] == ["error"]


def test_the_workflow_stops_with_the_first_error_and_the_count():
    found = findings(instance(task_types="Poetry", category="Chain"))
    with pytest.raises(UserError, match=r"mine.json: instance 1 \(main_id 0\), .*1 more errors: "):
        stop_at_errors("mine.json", found)
    stop_at_errors("mine.json", findings(with_question(2, dep=[])))


def test_the_sample_instances_have_no_fault_but_the_known_ones():
    raw = read_instances(data_file("sample_instances.json"))
    instances, found = check(raw)
    assert len(instances) == len(raw) == 9
    numbered = {(f.main_id, f.field) for f in found if f.field != "main_id"}
    # SPEC 6.6: 856 wants another ending than its instruction; 857's question 2 has no dependency.
    # The ending that 856 asks for in either branch rightly depends on nothing.
    assert numbered == {
        (856, "scoring_questions[3].rule"),
        (856, "scoring_questions[3].dep"),
        (857, "scoring_questions[2].dep"),
    }
    assert {f.severity for f in found} == {"warning"}
    assert check(read_instances(data_file("example.json")))[0][0].main_id == 899


def test_the_command_reports_and_exits(tmp_path):
    bad = tmp_path / "mine.json"
    bad.write_text(json.dumps([instance(task_types="Poetry", category="Chain")]), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "steadfast.benchmarks.complexbench.schema", str(bad)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4 and lines[-1].endswith("1 instances, 2 errors, 1 warnings")
    assert any(
        line.startswith("error    instance 1 (main_id 0), task_types: there is no task type")
        for line in lines
    )


def test_the_command_on_good_and_unreadable_files(tmp_path, capsys):
    good = tmp_path / "good.json"
    good.write_text(json.dumps(both_branches()), "utf-8")
    assert main([str(good)]) == 0
    assert capsys.readouterr().out == f"{good}: 2 instances, 0 errors, 0 warnings\n"
    (tmp_path / "empty.json").write_text("[]")
    assert main([str(tmp_path / "empty.json"), str(tmp_path / "none.json")]) == 2
    errors = capsys.readouterr().err
    assert "no instances" in errors and "no such file" in errors
    assert main([]) == 2


def test_the_example_of_the_documentation_is_without_fault():
    page = (ROOT / "docs/complexbench.md").read_text("utf-8")
    example, _ = re.findall(r"^```json\n(.*?)^```", page, re.M | re.S)  # the other is a label
    assert findings(*json.loads(example)) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(sorted(instance())), JSON)
def test_any_value_of_any_field_is_reported_and_never_raises(field, value):
    for found in findings(instance(**{field: value})):
        assert found.sentence and found.field


@given(st.sampled_from(sorted(question())), st.integers(0, 2), JSON)
def test_any_value_of_a_questions_field_is_reported_and_never_raises(field, number, value):
    for found in findings(with_question(number, **{field: value})):
        assert found.sentence and found.field


@given(JSON)
def test_anything_at_all_is_reported(value):
    instances, found = check([value])
    assert len(instances) == 0 and found
