"""Published prompts: which lines are refused, corrections, and the library that they need."""

import json
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ifeval_shared import FILES, data_file, lines, needs_cases

from steadfast.base.errors import UserError
from steadfast.base.files import file_sha256
from steadfast.base.resources import facts
from steadfast.benchmarks.ifeval import data
from steadfast.benchmarks.ifeval.data import instance, local, local_file, released
from steadfast.benchmarks.ifeval.facts import RELEASED
from steadfast.benchmarks.ifeval.library import NEEDED, check_library

LINE = {"key": 5, "prompt": "Say it.", "instruction_id_list": ["a:b"], "kwargs": [{"n": None}]}
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(LINE)), inner)
    ),
    max_leaves=8,
)


@pytest.fixture
def library(monkeypatch) -> list:
    """An installed library; the list has the kinds that are checked and the verifiers built."""
    calls = []
    monkeypatch.setattr(data, "check_library", calls.append)
    monkeypatch.setattr(data, "library_verifier", lambda *arguments: calls.append(arguments))
    return calls


def read_local(folder, text: str) -> list[dict]:
    """The prompts of a folder whose file for ifeval has this text."""
    (folder / "input_data.jsonl").write_text(text, encoding="utf-8")
    return list(local({}, str(folder), ["ifeval"]))


def test_null_arguments_of_a_line_are_dropped():
    assert instance("ifeval", "here", LINE) == {
        "prompt_id": "ifeval/5",
        "set": "ifeval",
        "prompt": "Say it.",
        "instructions": [{"kind": "a:b", "kwargs": {}}],
    }


def test_ifbench_file_may_have_either_name(tmp_path):
    assert local_file(str(tmp_path), "ifbench") == tmp_path / "IFBench_test.jsonl"
    (tmp_path / "ifbench_test.jsonl").touch()
    assert local_file(str(tmp_path), "ifbench") == tmp_path / "ifbench_test.jsonl"


@given(ANY)
def test_any_other_line_is_refused(line):
    try:
        instance("ifeval", "here", line)
    except UserError as error:
        assert str(error).startswith("here: no prompt with key")


def test_incomplete_line_is_refused():
    for change in (
        {"kwargs": []},
        {"prompt": None},
        {"key": None},
        {"instruction_id_list": [], "kwargs": []},
        {"instruction_id_list": [3]},
    ):
        with pytest.raises(UserError, match="take the file as published"):
            instance("ifeval", "here", LINE | change)


def test_error_names_the_line(tmp_path, library):
    with pytest.raises(UserError, match=r"input_data\.jsonl:3: no prompt with key"):
        read_local(tmp_path, json.dumps(LINE) + '\n\n{"key": 6}\n')
    with pytest.raises(UserError, match=r"data\.jsonl:2: the key of ifeval/5 stands twice"):
        read_local(tmp_path, f"{json.dumps(LINE)}\n" * 2)


def test_released_prompts_are_fetched_for_each_set(monkeypatch, library):
    monkeypatch.setattr(data, "fetch", lambda pinned, how: f"{json.dumps(LINE)}\n".encode())
    prompts = released({}, ["ifeval", "ifbench"])
    assert [prompt["prompt_id"] for prompt in prompts] == ["ifeval/5", "ifbench/5"]
    verifiers = [(name, "a:b", {}, "Say it.") for name in ("ifeval", "ifbench")]
    assert library == [{"a:b"}, *verifiers]
    monkeypatch.setattr(data, "fetch", lambda pinned, how: json.dumps(LINE) + "\n{}\n")
    with pytest.raises(UserError, match=":2: no prompt with key"):
        list(released({}, ["ifeval"]))


def test_prompt_may_contain_unicode_line_separators(tmp_path, library):
    line = LINE | {"prompt": "One\u2028two\x85three"}
    (prompt,) = read_local(tmp_path, json.dumps(line, ensure_ascii=False) + "\n")
    assert prompt["prompt"] == line["prompt"]


def test_library_is_needed_in_its_version(tmp_path, monkeypatch):
    monkeypatch.setitem(NEEDED, "package", "no-such-package")
    with pytest.raises(UserError, match="not installed; run 'make verifiers', or take source"):
        read_local(tmp_path, json.dumps(LINE))
    monkeypatch.setitem(NEEDED, "package", "pytest")
    with pytest.raises(UserError, match=r"whose verdicts may differ from those of 0\.1\.2"):
        check_library(["a:b"])


def test_nltk_data_is_needed_for_the_kinds_that_use_it(monkeypatch):
    missing = ""

    def find(resource):
        if resource == missing:
            raise LookupError

    nltk = SimpleNamespace(data=SimpleNamespace(find=find))
    monkeypatch.setitem(sys.modules, "nltk", nltk)
    monkeypatch.setitem(NEEDED, "package", "pytest")
    monkeypatch.setitem(NEEDED, "version", pytest.__version__)
    missing = "corpora/stopwords"  # of one kind
    check_library(["words:start_verb"])
    with pytest.raises(UserError, match="NLTK's data corpora/stopwords is not here"):
        check_library(["words:start_verb", "ratio:stop_words"])
    missing = "tokenizers/punkt_tab"  # of all kinds
    with pytest.raises(UserError, match="NLTK's data tokenizers/punkt_tab is not here"):
        check_library()


@needs_cases
@pytest.mark.parametrize("name", FILES)
def test_shared_files_have_their_checksums(name):
    path = data_file(name)
    pinned = RELEASED[name]
    assert (file_sha256(path), path.stat().st_size) == (pinned["sha256"], pinned["bytes"])
    assert len(lines(path)) == pinned["prompts"]


@needs_cases
def test_corrections_are_of_existing_instructions():
    published = {str(line["key"]): line for line in lines(data_file("ifeval"))}
    corrections = facts("ifeval/corrections.yaml")["ifeval"]
    assert corrections
    for key, by_position in corrections.items():
        record = instance("ifeval", "", published[key])
        pairs = zip(record["instructions"], record["corrected"], strict=True)
        corrected = [str(n) for n, (before, after) in enumerate(pairs) if before != after]
        assert corrected == list(by_position)
