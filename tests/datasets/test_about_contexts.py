"""User questions about LIFBench contexts: the documented example, and errors in records."""

import json
import re

import pytest
import yaml

from project import ROOT, Project
from steadfast.base.errors import UserError
from steadfast.simple.records import fill_slots, instances, located_instances

PAGE = (ROOT / "docs/new-task.md").read_text()
CONFIG = yaml.safe_load(re.search("```yaml\n(.*?)```", PAGE, re.S)[1])
LINES = re.search("```json\n(.*?)```", PAGE, re.S)[1]
LENGTHS = list(CONFIG["lifbench"]["lengths"])


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project.new(tmp_path_factory.mktemp("about"), {})
    path = project.path("questions.jsonl")
    path.write_text(LINES)
    CONFIG["datasets"]["places"]["path"] = path.name
    project.configure(CONFIG)
    project.snakemake("results/tables")
    return project


def test_documented_questions_are_the_example_file():
    assert (ROOT / "docs/examples/contexts/questions.jsonl").read_text() == LINES


@pytest.mark.wide
@pytest.mark.workflow
@pytest.mark.parametrize("length", LENGTHS)
def test_each_question_has_a_prompt_and_full_marks_by_length(project, length):
    prompts = project.records(f"places/prompts/{length}.jsonl")
    assert len(prompts) == len(LINES.splitlines())
    scores = project.records(f"places/scores/reference/{length}.jsonl")
    assert [score["total"] for score in scores] == [1.0] * len(prompts)
    elements = project.records(f"lifbench/contexts/list/{length}.jsonl")[0]["elements"]
    answers = {}
    for instance in project.records(f"places/instances/{length}.jsonl"):
        answers[instance["id"].partition("-")[0]] = instance["answer"]
    half = -(-len(elements) // 2)  # the number of the middle element, from 1
    assert answers["below"] == elements[half]
    assert answers["last"] == elements[-1]


@pytest.mark.wide
@pytest.mark.workflow
def test_run_has_a_table_and_no_lifbench_prompts(project):
    table = project.path("results/tables/places_by.md").read_text()
    for name in (*LENGTHS, "list", "multidoc", "onedoc"):
        assert name in table
    assert not project.path("results/lifbench/prompts").exists()


CONTEXT = {"context_id": "list-4k-s1", "text": "1. a\n2. b", "elements": ["a", "b"]}
CONTEXTS = {"list": [CONTEXT]}
SETTINGS = {"template": None, "choices": False, "by": [], "fields": [], "max_tokens": 9}


@pytest.mark.parametrize(("further", "group"), [({}, ""), ({"family": "list-s1"}, "list-s1")])
def test_question_has_an_instance_for_each_context(tmp_path, further, group):
    record = {"scenario": "list", "prompt": "After {{elements.1}}?", "answer": "{{elements.2}}"}
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(record) + "\n")
    contexts = tmp_path / "4k.jsonl"
    contexts.write_text(json.dumps(CONTEXT | further) + "\n")
    (instance,) = instances("4k", {"list": contexts}, path=str(path), **SETTINGS)
    assert (instance.id, instance.group) == ("1-list-4k-s1", group)
    assert (instance.context, instance.prompt) == (CONTEXT["text"], "\n\nAfter a?")
    assert instance.answer == "b"


def test_entry_is_found_by_its_share_of_a_long_list():
    context = {"context_id": "c", "elements": [str(number) for number in range(1, 201)]}
    assert fill_slots("{{elements.100%}} {{elements.50%}}", context) == "200 100"


WRONG = {
    "number 0": ({"answer": "{{elements.0}}"}, "list-4k-s1 has 2 there, and no number 0"),
    "no such scenario": ({"scenario": "lists"}, "scenario is 'lists'; write one of list"),
    "no scenario": ({"scenario": None}, "scenario is null; write one of list"),
    "no such entry": ({"answer": "{{elements.3}}"}, "{{elements.3}}: context list-4k-s1 has 2"),
    "before the first": (
        {"answer": "{{elements.50%-1}}"},
        "list-4k-s1 has 2 there, and no number 0",
    ),
    "no such part": ({"prompt": "{{entries.1}}"}, "there is no 'entries'; it has context_id, text"),
    "no place": ({"prompt": "{{elements.x}}"}, "there is no 'x'; it has numbers from 1, -1 or 50%"),
}


@pytest.mark.parametrize(("change", "sentence"), WRONG.values(), ids=WRONG)
def test_bad_question_is_reported_with_file_and_line(tmp_path, change, sentence):
    record = {"scenario": "list", "prompt": "Which?", "answer": "a"} | change
    path = tmp_path / "q.jsonl"
    path.write_text("\n" + json.dumps(record) + "\n")
    with pytest.raises(UserError) as error:
        list(located_instances(str(path), **SETTINGS, contexts=CONTEXTS))
    assert f"{path}:2: " in str(error.value) and sentence in str(error.value)
