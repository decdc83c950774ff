"""The published contexts: no other file is taken, and each becomes a record of the usual shape."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from project import Project
from small_contexts import CASES, needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH
from steadfast.benchmarks.lifbench.released_contexts import contexts
from steadfast.benchmarks.lifbench.released_files import input_file, tasks_file
from steadfast.config.load import load_config

pytestmark = pytest.mark.wide

RELEASED = CASES / "released"
LIST = {
    "info": ["a cat", "two", "not in the list"],
    "inputs": [{"input_text": "1. a cat\n2. two\n", "length": 3, "label": 2}],
}
LENGTHS = {"4k": 3072, "8k": 6144, "16k": 13312, "32k": 28672, "64k": 61440, "128k": 122880}


def record(path: Path, scenario: str, length: str = "4k") -> Record:
    (found,) = contexts({"contexts": path}, scenario, length, LENGTHS[length], "o200k_base")
    return found


def complaint(make, *arguments, **settings) -> str:
    with pytest.raises(UserError) as caught:
        list(make(*arguments, **settings))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def list_file(tmp_path) -> Path:
    path = tmp_path / "list_input.json"
    path.write_text(json.dumps(LIST))
    return path


def test_a_list_is_the_first_elements_that_fit(list_file):
    assert record(list_file, "list") == {
        "context_id": "list-4k",
        "scenario": "list",
        "length": "4k",
        "seed": None,
        "budget": 3072,
        "tokens": 9,  # 1 | . | a | cat | newline | 2 | . | two | newline
        "text": "1. a cat\n2. two\n",
        "elements": ["a cat", "two"],
    }


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"info": ["a dog", "two"]}, "a text that is not its numbered elements"),
        ({"info": 3}, "not LIFBench's released list contexts"),
        ({"inputs": [{"length": 3}]}, "not LIFBench's released list contexts"),
        ({"inputs": []}, "no released list context has the 3,072 tokens of 4k"),
    ],
)
def test_a_file_of_another_shape_is_one_sentence(change, sentence, list_file):
    list_file.write_text(json.dumps(LIST | change))
    assert sentence in complaint(record, list_file, "list")


@needs_cases
@pytest.mark.parametrize("length", LENGTHS)
def test_documents_are_those_that_the_text_shows(length):
    found = record(RELEASED / "multidoc_input.json", "multidoc", length)
    shown = re.split(r"\*{20} doc-\d+ \*{20}\n", found["text"])[1:]
    assert len(shown) == len(found["documents"])
    for text, document in zip(shown, found["documents"], strict=True):
        lines = [f"{field}: {value}\n" for field, value in document.items()]
        assert all(line in text for line in lines)
        assert sum(map(len, lines)) == len(text) - len("\n\n")
    texts = [document["text"] for document in found["documents"]]
    for group in found["duplicate_groups"]:
        assert len({texts[place] for place in group}) == 1 < len(group)
    repeated = [place for place, text in enumerate(texts) if texts.count(text) > 1]
    assert sorted(place for group in found["duplicate_groups"] for place in group) == repeated


@needs_cases
@pytest.mark.parametrize("length", LENGTHS)
def test_key_sentences_stand_between_their_tags(length):
    found = record(RELEASED / "onedoc_input.json", "onedoc", length)
    assert found["absent_type"] == "|Summary|" and found["absent_type"] not in found["text"]
    assert len(found["key_sentences"]) == 23
    for key in found["key_sentences"]:
        head = f"<{key['type']}-{key['id']}>{key['text']}"
        tail = found["text"][found["text"].index(head) + len(head) :]
        assert tail.startswith(f"<{key['type']}>") != key["fake"]
    for sentence in found["ordinary"]:
        assert found["text"].count(sentence) == 1 and "<" not in sentence


# --- the files --------------------------------------------------------------------------------


def source(folder: Path, **files: Record) -> Record:
    url = folder.as_uri() + "/{file}"
    known = {"list_input.json": {}, "onedoc_input.json": {"git_blob": "0" * 40}} | files
    return {"repository": "o/r", "commit": "c", "url": url, "files": known}


def read(folder: Path, scenario: str, directory: Path | None) -> str:
    lock = str(folder / "lock.json")
    where = str(directory) if directory else None
    return input_file({}, scenario, where, lock, source(folder))


def test_a_file_whose_id_is_not_known_is_locked_at_the_first_fetch(tmp_path, list_file):
    text = list_file.read_text()
    assert read(tmp_path, "list", None) == text
    locked = json.loads((tmp_path / "lock.json").read_text())
    assert locked == {"o/r": {"c": {"list_input.json": hashlib.sha256(text.encode()).hexdigest()}}}
    assert read(tmp_path, "list", tmp_path) == text
    list_file.write_text(text + " ")
    for directory in (None, tmp_path):
        message = complaint(read, tmp_path, "list", directory)
        assert (
            "list_input.json: its sha256 is" in message
            and "correct " in message
            and "lock.json" in message
        )


def test_only_the_published_files_are_taken_from_any_folder(tmp_path):
    (tmp_path / "onedoc_input.json").write_text("{}")
    for directory in (None, tmp_path):
        message = complaint(read, tmp_path, "onedoc", directory)
        assert "onedoc_input.json: its git_blob" in message and "is not the pinned" in message
    (tmp_path / "data/meta").mkdir(parents=True)
    (tmp_path / "data/meta/list_input.json").write_text("[]")
    assert read(tmp_path, "list", tmp_path) == "[]"
    (tmp_path / "data/meta/tasks.json").write_text("{}")
    assert tasks_file({}, str(tmp_path)) == "{}"
    message = complaint(tasks_file, {}, str(tmp_path), pinned=True)
    assert "tasks.json: its sha256" in message and "lifbench.contexts nested" in message


@needs_cases
def test_the_files_at_hand_are_the_pinned_ones(tmp_path):
    for scenario in ("multidoc", "onedoc"):
        text = input_file({}, scenario, str(RELEASED), str(tmp_path / "lock.json"))
        assert text == (RELEASED / f"{scenario}_input.json").read_text()
    assert not (tmp_path / "lock.json").exists()
    assert tasks_file({}, str(RELEASED), pinned=True)


# --- the config -------------------------------------------------------------------------------

MODELS = {"reference": {"engine": "reference"}}


def task(**section):
    raw = {"models": MODELS, "lifbench": {"lengths": {"4k": 3072}, **section}}
    return LIFBENCH.of(load_config(raw))


def test_released_contexts_need_no_corpus_and_draw_the_published_variables():
    found = task(contexts="released", expressions="released", tasks=["OQ"])
    paths = {file.path: file for file in found.data}
    assert not any("corpora" in path for path in paths)
    context = paths["lifbench/contexts/onedoc/4k.jsonl"]
    assert context.inputs == {
        "contexts": "lifbench/released/onedoc_input.json",
        "templates": "lifbench/released/tasks.json",
    }
    assert paths["lifbench/released/tasks.json"].content.settings["pinned"]
    assert found.prompts.settings["released"] == ["list", "multidoc", "onedoc"]


@pytest.mark.parametrize(
    ("section", "drawn"),
    [({"contexts": "released"}, ["list"]), ({"expressions": "released"}, []), ({}, [])],
)
def test_own_expressions_have_variables_of_their_own_but_for_positions(section, drawn):
    found = task(**section)
    assert found.prompts.settings["released"] == drawn
    assert not found.released_scores.settings["same"]
    assert all("templates" not in f.inputs for f in found.data if f.step == "contexts")


def test_what_was_not_released_is_one_sentence():
    for section, sentence in (
        ({"contexts_per_length": 2}, "contexts_per_length: 2, but one context of each length was"),
        (
            {"lengths": {"1M": 1048576}},
            "lengths: no context of 1M with 1048576 tokens was released",
        ),
        ({"lengths": {"4k": 4096}}, "only of 4k 3072, 8k 6144"),
        ({"formats": ["numbered", "json"]}, "formats: released contexts have only the paper's"),
        ({"formats": ["bulleted"]}, "formats: released contexts have only the paper's"),
        (
            {"formats": ["json"], "expressions": "released"},
            "formats: the released scenario descriptions are only of numbered contexts",
        ),
        (
            {"domains": {"list": ["mixed", "uuids"]}},
            "domains: released contexts have only the paper's",
        ),
        ({"contexts": "mine"}, "contexts"),
    ):
        assert sentence in complaint(task, **{"contexts": "released", **section}), section


def test_a_missing_file_is_named_with_its_key(tmp_path):
    found = task(contexts="released", released={"directory": str(tmp_path)}, tasks=["LSI"])
    assert found.files == [("lifbench.released.directory", str(tmp_path / "list_input.json"))]


@needs_cases
@pytest.mark.workflow
@pytest.mark.xdist_group("workflow")
def test_a_new_model_is_compared_with_released_scores_on_the_published_prompts(tmp_path):
    released = {"directory": str(RELEASED.resolve())}
    section = {"contexts": "released", "expressions": "released", "released": released}
    section |= {"lengths": {"4k": 3072, "8k": 6144}, "tasks": ["OR", "OQ", "OE", "MB", "MF"]}
    models = {**MODELS, "sim-a": {"engine": "simulated"}, "Qwen2.5-7B": {"engine": "scored"}}
    project = Project.new(tmp_path, {"lifbench": section, "models": models})
    project.snakemake("results/tables")
    for length in section["lengths"]:
        scores = read_jsonl(project.path(f"results/lifbench/scores/reference/{length}.jsonl"))
        assert [score["total"] for score in scores] == [1] * 130
    comparisons = project.path("results/tables/lifbench_comparisons.md").read_text()
    assert re.search(r"\| sim-a +\| Qwen2.5-7B \(released\) +\|.*\| +260 \|", comparisons)
    assert "(released): scores released by" in comparisons
    assert project.planned() == {}
