"""The published contexts: no other file is taken, and each becomes a record of the usual shape."""

import hashlib
import json
import re
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest

from project import Project
from small_contexts import CASES, needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH
from steadfast.benchmarks.lifbench.released_contexts import contexts
from steadfast.benchmarks.lifbench.released_files import input_file, tasks_file
from steadfast.config.load import load_config

RELEASED = CASES / "released"
LIST = {
    "info": ["a cat", "two", "not in the list"],
    "inputs": [{"input_text": "1. a cat\n2. two\n", "length": 3, "label": 2}],
}
LENGTHS = {"4k": 3072, "8k": 6144, "16k": 13312, "32k": 28672, "64k": 61440, "128k": 122880}


def record(path: Path, scenario: str, length: str = "4k") -> Record:
    (context,) = contexts({"contexts": path}, scenario, length, LENGTHS[length], "o200k_base")
    return context


def error_of(function, *arguments, **settings) -> str:
    with pytest.raises(UserError) as error:
        function(*arguments, **settings)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def list_file(tmp_path) -> Path:
    path = tmp_path / "list_input.json"
    path.write_text(json.dumps(LIST))
    return path


def test_list_has_the_first_elements_that_fit(list_file):
    # Tokens: 1 | . | a | cat | newline | 2 | . | two | newline
    assert record(list_file, "list") == {
        "context_id": "list-4k", "scenario": "list", "length": "4k", "seed": None,
        "budget": 3072, "tokens": 9, "text": "1. a cat\n2. two\n", "elements": ["a cat", "two"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"info": ["a dog", "two"]}, "a text that is not its numbered elements"),
        ({"info": 3}, "not LIFBench's released list contexts"),
        ({"inputs": [{"length": 3}]}, "not LIFBench's released list contexts"),
        ({"inputs": []}, "no released list context has the 3,072 tokens of 4k"),
    ],
)
def test_file_of_another_shape_is_reported(change, message, list_file):
    list_file.write_text(json.dumps(LIST | change))
    assert message in error_of(record, list_file, "list")


@needs_cases
@pytest.mark.parametrize("length", LENGTHS)
def test_documents_are_those_of_the_text(length):
    context = record(RELEASED / "multidoc_input.json", "multidoc", length)
    blocks = re.split(r"\*{20} doc-\d+ \*{20}\n", context["text"])[1:]
    for block, document in zip(blocks, context["documents"], strict=True):
        lines = [f"{field}: {value}\n" for field, value in document.items()]
        for line in lines:
            assert line in block
        assert len("".join(lines)) == len(block) - len("\n\n")
    texts = pd.DataFrame(context["documents"])["text"]
    groups = context["duplicate_groups"]
    for group in groups:
        assert texts[group].nunique() == 1 < len(group)
    assert sorted(chain(*groups)) == texts.index[texts.duplicated(keep=False)].tolist()


@needs_cases
@pytest.mark.parametrize("length", LENGTHS)
def test_key_sentences_are_between_their_tags(length):
    context = record(RELEASED / "onedoc_input.json", "onedoc", length)
    text = context["text"]
    assert context["absent_type"] == "|Summary|" and "|Summary|" not in text
    assert len(context["key_sentences"]) == 23
    for key in context["key_sentences"]:
        _, _, tail = text.partition(f"<{key['type']}-{key['id']}>{key['text']}<")
        assert tail
        assert tail.startswith(f"{key['type']}>") != key["fake"]
    assert len(context["ordinary"]) == 12  # the most that are taken
    for sentence in context["ordinary"]:
        assert text.count(sentence) == 1 and "<" not in sentence


# --- the files --------------------------------------------------------------------------------


def read(folder: Path, scenario: str, directory: Path | None) -> str:
    """A file from a directory, or from the web (here the folder)."""
    source = {
        "repository": "o/r",
        "commit": "c",
        "url": folder.as_uri() + "/{file}",
        "files": {"list_input.json": {}, "onedoc_input.json": {"git_blob": "0" * 40}},
    }
    path = str(directory) if directory else None
    return input_file({}, scenario, path, str(folder / "lock.json"), source)


def test_file_without_a_pinned_id_is_locked_at_the_first_fetch(tmp_path, list_file):
    text = list_file.read_text()
    assert read(tmp_path, "list", None) == text
    locked = json.loads((tmp_path / "lock.json").read_text())
    assert locked == {"o/r": {"c": {"list_input.json": hashlib.sha256(text.encode()).hexdigest()}}}
    assert read(tmp_path, "list", tmp_path) == text
    list_file.write_text(text + " ")
    for directory in (None, tmp_path):
        message = error_of(read, tmp_path, "list", directory)
        assert re.search(r"list_input\.json: its sha256 is.*correct .*lock\.json", message)


@pytest.mark.parametrize("local", [False, True])
def test_other_files_than_the_published_are_refused(tmp_path, local):
    (tmp_path / "onedoc_input.json").write_text("{}")
    message = error_of(read, tmp_path, "onedoc", tmp_path if local else None)
    assert "onedoc_input.json: its git_blob" in message and "is not the pinned" in message


def test_files_are_found_in_the_folders_of_the_release(tmp_path):
    folder = tmp_path / "data/meta"
    folder.mkdir(parents=True)
    (folder / "list_input.json").write_text("[]")
    assert read(tmp_path, "list", tmp_path) == "[]"
    (folder / "tasks.json").write_text("{}")
    assert tasks_file({}, str(tmp_path)) == "{}"
    message = error_of(tasks_file, {}, str(tmp_path), pinned=True)
    assert "tasks.json: its sha256" in message and "lifbench.contexts nested" in message


@needs_cases
def test_shared_copies_are_the_pinned_files(tmp_path):
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


def test_released_contexts_need_no_corpus_and_have_published_variables():
    released = task(contexts="released", expressions="released", tasks=["OQ"])
    files = {file.path: file for file in released.data}
    assert "corpora" not in "".join(files)
    assert files["lifbench/contexts/onedoc/4k.jsonl"].inputs == {
        "contexts": "lifbench/released/onedoc_input.json",
        "templates": "lifbench/released/tasks.json",
    }
    assert files["lifbench/released/tasks.json"].content.settings["pinned"]
    assert released.prompts.settings["released"] == ["list", "multidoc", "onedoc"]


@pytest.mark.parametrize(
    ("section", "published"),
    [({"contexts": "released"}, ["list"]), ({"expressions": "released"}, []), ({}, [])],
)
def test_own_expressions_have_published_variables_only_for_positions(section, published):
    other = task(**section)
    assert other.prompts.settings["released"] == published
    assert not other.released_scores.settings["same"]
    for file in other.data:
        assert file.step != "contexts" or "templates" not in file.inputs


@pytest.mark.parametrize(
    ("section", "message"),
    [
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
    ],
)
def test_what_was_not_released_is_reported(section, message):
    assert message in error_of(task, **{"contexts": "released", **section})


def test_files_to_check_are_listed_with_their_key(tmp_path):
    local = task(contexts="released", released={"directory": str(tmp_path)}, tasks=["LSI"])
    assert local.files == [("lifbench.released.directory", str(tmp_path / "list_input.json"))]


@needs_cases
@pytest.mark.wide
@pytest.mark.workflow
def test_new_model_is_compared_with_released_scores(tmp_path):
    released = {"directory": str(RELEASED.resolve())}
    section = {"contexts": "released", "expressions": "released", "released": released}
    section |= {"lengths": {"4k": 3072, "8k": 6144}, "tasks": ["OR", "OQ", "OE", "MB", "MF"]}
    models = {**MODELS, "sim-a": {"engine": "simulated"}, "Qwen2.5-7B": {"engine": "scored"}}
    project = Project.new(tmp_path, {"lifbench": section, "models": models})
    project.snakemake("results/tables")
    for length in section["lengths"]:
        scores = read_jsonl(project.path(f"results/lifbench/scores/reference/{length}.jsonl"))
        assert pd.DataFrame(scores)["total"].tolist() == [1] * 130
    comparisons = project.path("results/tables/lifbench_comparisons.md").read_text()
    assert re.search(r"\| sim-a +\| Qwen2.5-7B \(released\) +\|.*\| +260 \|", comparisons)
    assert "(released): scores released by" in comparisons
    assert project.planned() == {}
