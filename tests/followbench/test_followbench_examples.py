"""Example groups of one's own tasks: n forms at level n, and a rule that knows the asked one."""

import json
import re

import pytest

from steadfast.base.errors import UserError
from steadfast.base.files import write_jsonl
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.data import checked
from steadfast.benchmarks.followbench.examples import composed

QUESTIONS = [f"Q{n} {{land}}?" for n in range(6)]
RECORDS = [{"land": f"L{n}", "answer": f"A{n}"} for n in range(8)]
FORMS = ["{answer}", "A: {answer}", "<b>{answer}</b>", "{{'a': '{answer}'}}", "#B#\n{answer}"]
TASK = {"questions": QUESTIONS, "records": RECORDS}


@pytest.fixture
def compose(tmp_path):
    def made(*tasks, forms=FORMS, seed=1):
        levels = [{"instruction": "-", "target": "{instruction}\n" + form} for form in forms]
        other = {"category": "content", "levels": [{"instruction": "-", "target": "X"}]}
        write_jsonl(tmp_path / "data.jsonl", [{"category": "example", "levels": levels}, other])
        file = tmp_path / "tasks.jsonl"
        file.write_text("".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")
        return composed({"data": tmp_path / "data.jsonl"}, "en", str(file), seed)

    return made


def test_level_n_has_n_pairs_of_forms_and_asks_in_that_of_the_first(compose):
    records = compose(TASK, TASK)
    assert [record["level"] for record in records] == [1, 2, 3, 4, 5] * 2
    for record in records:
        *shots, last = record["instruction"].split("\n\n")
        pairs = {(shot[:2], re.sub(r"A\d", "*", shot.split("\n", 1)[1])) for shot in shots}
        assert len(shots) == 5 and len(pairs) == record["level"]
        # A question form always stands with the same answer form.
        assert len({question for question, _ in pairs}) == len({form for _, form in pairs})
        asked = record["target"].split("\n", 1)[1].replace("{answer}", "*")
        assert (last[:2], asked.replace("{{", "{").replace("}}", "}")) in pairs
        assert "\n" not in last and last not in "\n".join(shots)


def test_the_groups_are_what_a_directory_of_files_may_hold(compose):
    groups = checked(compose(TASK), "en", "example", "example_constraints.json")
    assert [(group["scorer"], len(group["levels"])) for group in groups] == [("template", 5)]


def test_a_seed_gives_the_same_groups_and_another_gives_others(compose):
    assert compose(TASK) == compose(TASK) != compose(TASK, seed=2)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"questions": QUESTIONS[:4]}, "questions: give 5 different ones or more"),
        ({"records": RECORDS[:5]}, "records: give 6 or more"),
        (
            {"records": [{**RECORDS[0], "answer": "a\nb"}] * 6},
            "record 1: give an answer of one line",
        ),
        ({"questions": [*QUESTIONS, "{town}?"]}, "{town} is no field that every record has"),
        ({"more": 1}, "give the fields questions and records, and no others"),
    ],
)
def test_a_mistake_is_named_with_its_line(compose, change, sentence):
    with pytest.raises(UserError, match=r"tasks\.jsonl:2: ") as error:
        compose(TASK, TASK | change)
    assert sentence in str(error.value)


def test_data_with_few_answer_templates_takes_those_of_the_generated_groups(compose):
    targets = {record["target"] for record in compose(*[TASK] * 9, forms=FORMS[:4])}
    own = facts("followbench/synthetic/en.yaml")["examples"]["answers"]
    assert len(targets) > 1 and targets <= {"{instruction}\n" + form for form in own}
