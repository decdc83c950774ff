"""CFBench's data: what is wrong with it is named, and the released file is what it should be."""

import hashlib
import json
from collections import Counter

import pytest

import cfbench_shared
from steadfast.cfbench.data import check_counts, checked, counts, normalised, write_data
from steadfast.cfbench.facts import PRIMARY, SECONDARY, read_yaml, secondary_names, types
from steadfast.cfbench.synthetic import records
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_json


@pytest.fixture
def record() -> dict:
    return records(1, seed=1)[0]


def wrong(record: dict, **change) -> dict:
    return {key: value for key, value in (record | change).items() if value is not ...}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"gold": ...}, "lacks 'gold'"),
        ({"splitt": "easy"}, "'splitt'.*'split'"),
        ({"split": "medium"}, "'medium' is not one of easy, hard"),
        ({"source": "web"}, "source 'web'"),
        ({"isanswer": "yes"}, "isanswer 'yes'"),
        ({"prompt": " \n"}, "prompt is empty"),
        ({"prompt": None}, "prompt must be a text"),
        ({"idx": "7"}, "idx must be a whole number"),
        ({"criteria": []}, "at least one"),
        ({"criteria": [["押韵", "主需", "语言约束"]]}, "checkpoint 1 must be four texts"),
        ({"criteria": [["押韵", "主要", "语言约束", ""]]}, "unknown priority '主要'"),
        ({"criteria": [["押韵", "主需", "语言", ""]]}, "type '语言'; did you mean '语言约束'"),
        ({"criteria": [["押韵", "主需", "语言约束", "语音约束"]]}, "secondary type '语音约束'"),
        ({"criteria": [["押\t韵", "主需", "语言约束", ""]]}, "checkpoint 1: its text"),
        ({"criteria": [["押\n\n韵", "主需", "", ""]]}, "holds a tab or a blank line"),
    ],
)
def test_what_is_missing_or_odd_is_named(record, change, named):
    good = records(2, seed=1)[1]
    with pytest.raises(UserError, match=named) as error:
        checked([good, wrong(record, **{"idx": 7} | change)], "my.json")
    assert "my.json: record 1 (idx" in str(error.value)


@pytest.mark.parametrize("content", [{}, [], "text", [3]])
def test_what_is_no_list_of_records_is_named(content):
    with pytest.raises(UserError, match=r"my\.json: "):
        checked(content, "my.json")


def test_an_idx_that_is_there_twice_is_named(record):
    with pytest.raises(UserError, match=r"record 1 \(idx 0\).*twice"):
        checked([record, record], "my.json")


def test_the_misspelt_key_may_be_spelt_right(record):
    right = wrong(record, domain=record["doamin"], doamin=...)
    assert checked([right], "x") == checked([record], "x") == [record]
    with pytest.raises(UserError, match="unknown key 'domain'"):
        checked([record | {"domain": "教育"}], "x")


def test_a_count_that_differs_is_named():
    made = records(24, seed=1)
    found = counts(made)
    check_counts(made, found, "x")
    with pytest.raises(UserError, match=r"x: records: 23 were counted, not 24"):
        check_counts(made[:-1], found, "x")
    twisted = [made[0] | {"split": "hard"}, *made[1:]]
    with pytest.raises(UserError, match=r"split 'easy': 11 were counted, not 12"):
        check_counts(twisted, found, "x")


def test_local_data_is_read_from_its_directory(tmp_path):
    made = records(5, seed=3)
    write_json(tmp_path / "cfbench_data.json", made)
    settings = {"source": "local", "directory": str(tmp_path)}
    write_data(settings, "zh", tmp_path / "zh.jsonl")
    assert list(read_jsonl(tmp_path / "zh.jsonl")) == [normalised(record) for record in made]
    with pytest.raises(UserError, match="no such file"):
        write_data(settings | {"directory": str(tmp_path / "no")}, "zh", tmp_path / "zh.jsonl")
    with pytest.raises(UserError, match="'en'"):
        write_data(settings, "en", tmp_path / "en.jsonl")


def test_generated_records_cover_what_there_is(tmp_path):
    write_data({"source": "synthetic", "records": 24, "seed": 1}, "zh", tmp_path / "zh.jsonl")
    found = list(read_jsonl(tmp_path / "zh.jsonl"))
    assert len(found) == 24
    checkpoints = [checkpoint for record in found for checkpoint in record["checkpoints"]]
    assert {c["type"] for c in checkpoints} == {"", *types()}
    assert {c["subtype"] for c in checkpoints} == {"", *secondary_names()}
    assert Counter(record["split"] for record in found) == {"easy": 12, "hard": 12}
    priorities = [frozenset(c["priority"] for c in record["checkpoints"]) for record in found]
    assert set(priorities) == {
        frozenset({PRIMARY}),
        frozenset({SECONDARY}),
        frozenset({PRIMARY, SECONDARY}),
    }
    assert {bool(record["gold"]) for record in found} == {True, False}
    assert {record["domain"] is None for record in found} == {True, False}


def test_generated_records_depend_on_seed_and_number_alone():
    assert records(30, seed=1)[:12] == records(12, seed=1)
    assert records(12, seed=1) != records(12, seed=2)


def test_every_generated_record_passes_the_check():
    made = records(200, seed=5)
    assert checked(made, "x") == made


def test_the_released_file_is_the_pinned_one_and_has_its_counts(tmp_path):
    path = cfbench_shared.data() / "cfbench_data.json"
    facts, content = read_yaml("released.yaml"), path.read_bytes()
    assert len(content) == facts["bytes"]
    assert hashlib.sha256(content).hexdigest() == facts["sha256"]
    found = checked(json.loads(content), str(path))
    check_counts(found, facts["counts"], str(path))
    write_data({"source": "local", "directory": str(path.parent)}, "zh", tmp_path / "zh.jsonl")
    records = list(read_jsonl(tmp_path / "zh.jsonl"))
    assert [record["idx"] for record in records] == list(range(1000))
    assert [record["prompt"] for record in records] == [record["prompt"] for record in found]
    blank = [record["idx"] for record in records if not record["prompt"].strip()]
    assert blank == facts["empty_prompts"]
    names = read_yaml("domains.yaml")
    assert {record["domain"] for record in records} - {None} == set(names["domains"])
    tasks = {record["task"] for record in records} - {None}
    assert {task for task in tasks if not task.isascii() or not task} == set(names["tasks"])


def test_the_released_source_is_fetched_checked_and_counted(tmp_path, monkeypatch):
    """Served from the disk by a file: URL in place of the pinned one."""
    path = cfbench_shared.data() / "cfbench_data.json"
    facts = read_yaml("released.yaml") | {"url": path.resolve().as_uri()}
    monkeypatch.setattr("steadfast.cfbench.data.read_yaml", lambda name: facts)
    settings = {"source": "released"}
    write_data(settings, "zh", tmp_path / "zh.jsonl")
    assert len(list(read_jsonl(tmp_path / "zh.jsonl"))) == 1000
    facts["sha256"] = "0" * 64
    with pytest.raises(UserError, match=r"is not 0000.*cfbench\.directory"):
        write_data(settings, "zh", tmp_path / "zh.jsonl")
