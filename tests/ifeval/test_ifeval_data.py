"""Published prompts in one shape: what is refused, what is mended, and where files lie."""

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
    lambda of: st.lists(of, max_size=3) | st.dictionaries(st.sampled_from(sorted(LINE)), of),
    max_leaves=8,
)


def test_a_line_is_read_without_null_arguments_and_either_file_name_is_taken(tmp_path):
    assert instance("ifeval", "here", LINE) == {
        "prompt_id": "ifeval/5",
        "set": "ifeval",
        "prompt": "Say it.",
        "instructions": [{"kind": "a:b", "kwargs": {}}],
    }
    assert local_file(str(tmp_path), "ifbench") == tmp_path / "IFBench_test.jsonl"
    (tmp_path / "ifbench_test.jsonl").touch()
    assert local_file(str(tmp_path), "ifbench") == tmp_path / "ifbench_test.jsonl"


@given(ANY)
def test_any_other_line_is_refused_in_a_sentence(line):
    try:
        instance("ifeval", "here", line)
    except UserError as error:
        assert str(error).startswith("here: no prompt with key")


def test_a_line_that_lacks_something_is_refused():
    for change in (
        {"kwargs": []},
        {"prompt": None},
        {"key": None},
        {"instruction_id_list": [], "kwargs": []},
        {"instruction_id_list": [3]},
    ):
        with pytest.raises(UserError, match="take the file as published"):
            instance("ifeval", "here", LINE | change)


def test_lines_that_are_no_prompts_or_stand_twice_are_named(tmp_path, monkeypatch):
    (tmp_path / "input_data.jsonl").write_text(json.dumps(LINE) + '\n\n{"key": 6}\n')
    with pytest.raises(UserError, match=r"input_data\.jsonl:3: no prompt with key"):
        list(local({}, str(tmp_path), ["ifeval"]))
    monkeypatch.setattr(data, "check_library", lambda kinds: None)
    monkeypatch.setattr(data, "library_verifier", lambda *_: None)
    (tmp_path / "input_data.jsonl").write_text(f"{json.dumps(LINE)}\n" * 2)
    with pytest.raises(UserError, match=r"data\.jsonl:2: the key of ifeval/5 stands twice"):
        list(local({}, str(tmp_path), ["ifeval"]))


def test_prompts_that_are_fetched_are_those_of_each_set(monkeypatch):
    asked = []
    monkeypatch.setattr(data, "check_library", asked.append)
    monkeypatch.setattr(data, "library_verifier", lambda *of: asked.append(of))
    monkeypatch.setattr(data, "fetch", lambda pinned, how: f"{json.dumps(LINE)}\n".encode())
    found = list(released({}, ["ifeval", "ifbench"]))
    assert [one["prompt_id"] for one in found] == ["ifeval/5", "ifbench/5"]
    verified = [(name, "a:b", {}, "Say it.") for name in ("ifeval", "ifbench")]
    assert asked == [{"a:b"}, *verified]


def test_a_prompt_may_have_any_line_separator(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "check_library", lambda kinds: None)
    monkeypatch.setattr(data, "library_verifier", lambda *_: None)
    prompt = "One\u2028two\x85three"
    line = json.dumps(LINE | {"prompt": prompt}, ensure_ascii=False)
    (tmp_path / "input_data.jsonl").write_text(line + "\n", encoding="utf-8")
    assert [one["prompt"] for one in local({}, str(tmp_path), ["ifeval"])] == [prompt]


def test_the_library_is_needed_in_its_version(tmp_path, monkeypatch):
    monkeypatch.setitem(NEEDED, "package", "no-such-package")
    (tmp_path / "input_data.jsonl").write_text(json.dumps(LINE))
    with pytest.raises(UserError, match="not installed; run 'make verifiers', or take source"):
        list(local({}, str(tmp_path), ["ifeval"]))
    monkeypatch.setitem(NEEDED, "package", "pytest")
    with pytest.raises(UserError, match=r"whose verdicts may differ from those of 0\.1\.2"):
        check_library(["a:b"])


def test_data_of_the_library_is_needed_where_a_kind_needs_it(monkeypatch):
    def find(resource):
        if resource == lacking:
            raise LookupError

    fake = SimpleNamespace(data=SimpleNamespace(find=find))
    monkeypatch.setitem(sys.modules, "nltk", fake)
    for name, value in {"package": "pytest", "version": pytest.__version__}.items():
        monkeypatch.setitem(NEEDED, name, value)
    lacking = "corpora/stopwords"  # of one kind
    check_library(["words:start_verb"])
    with pytest.raises(UserError, match="NLTK's data corpora/stopwords is not here"):
        check_library(["words:start_verb", "ratio:stop_words"])
    lacking = "tokenizers/punkt_tab"  # of all
    with pytest.raises(UserError, match="NLTK's data tokenizers/punkt_tab is not here"):
        check_library()


@needs_cases
@pytest.mark.parametrize("name", FILES)
def test_the_shared_files_are_the_pinned_ones(name):
    path = data_file(name)
    pinned = RELEASED[name]
    assert (file_sha256(path), path.stat().st_size) == (pinned["sha256"], pinned["bytes"])
    assert len(lines(path)) == pinned["prompts"]


@needs_cases
def test_corrections_are_of_instructions_that_the_prompts_have():
    known = {str(line["key"]): line for line in lines(data_file("ifeval"))}
    mended = facts("ifeval/corrections.yaml")["ifeval"]
    assert mended
    for key, by_place in mended.items():
        record = instance("ifeval", "", known[key])
        changed = [
            str(place)
            for place, (one, other) in enumerate(
                zip(record["instructions"], record["corrected"], strict=True)
            )
            if one != other
        ]
        assert changed == list(by_place)
