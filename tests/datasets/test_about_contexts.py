"""Questions of one's own about LIFBench's contexts: the example of the docs, run, and bad input."""

import json
import re

import pytest
import yaml

from project import ROOT, Project
from steadfast.base.errors import UserError
from steadfast.base.files import read_jsonl
from steadfast.simple.records import placed

pytestmark = pytest.mark.wide

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


def test_the_page_shows_the_file_that_comes_along():
    assert (ROOT / "docs/examples/contexts/questions.jsonl").read_text() == LINES


@pytest.mark.workflow
@pytest.mark.xdist_group("workflow")
def test_each_question_is_asked_about_each_context_and_the_gold_answer_has_full_marks(project):
    for length in LENGTHS:
        prompts = list(read_jsonl(project.path(f"results/places/prompts/{length}.jsonl")))
        assert len(prompts) == len(LINES.splitlines())
        scores = read_jsonl(project.path(f"results/places/scores/reference/{length}.jsonl"))
        assert [score["total"] for score in scores] == [1.0] * len(prompts)
        context = read_jsonl(project.path(f"results/lifbench/contexts/list/{length}.jsonl"))
        elements = next(context)["elements"]
        gold = {
            one["id"].partition("-")[0]: one["answer"]
            for one in read_jsonl(project.path(f"results/places/instances/{length}.jsonl"))
        }
        half = -(-len(elements) // 2)  # its number, from 1
        assert gold["below"] == elements[half]
        assert gold["last"] == elements[-1]
    table = project.path("results/tables/places_by.md").read_text()
    assert all(name in table for name in (*LENGTHS, "list", "multidoc", "onedoc"))
    assert not project.path("results/lifbench/prompts").exists()


CONTEXTS = {"list": [{"context_id": "list-4k-s1", "text": "1. a\n2. b", "elements": ["a", "b"]}]}
SETTINGS = {"template": None, "choices": False, "by": [], "fields": [], "max_tokens": 9}
WRONG = {
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
def test_what_a_context_lacks_is_said_with_file_and_line(tmp_path, change, sentence):
    record = {"scenario": "list", "prompt": "Which?", "answer": "a"} | change
    path = tmp_path / "q.jsonl"
    path.write_text("\n" + json.dumps(record) + "\n")
    with pytest.raises(UserError) as refused:
        list(placed(str(path), **SETTINGS, contexts=CONTEXTS))
    assert f"{path}:2: " in str(refused.value) and sentence in str(refused.value)
