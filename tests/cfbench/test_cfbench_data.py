"""CFBench's data: what is wrong with it is named, and the released file is what it should be."""

import hashlib
import json
from collections import Counter

import pytest

from released_files import released_folder
from steadfast.base.errors import UserError
from steadfast.base.files import read_json, write_json
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.cfbench import data
from steadfast.benchmarks.cfbench.data import PRIMARY_OF, TYPES, checked, local, normalised
from steadfast.benchmarks.cfbench.facts import PRIMARY, SECONDARY

PINNED = facts("cfbench/released.yaml")
RECORDS = read_json(resource("cfbench/sample.json"))


@pytest.fixture
def record() -> dict:
    return RECORDS[0]


def counts(records: list) -> Counter:
    """How many records there are, and how many of each value."""
    found = Counter({"records": len(records)})
    for record in records:
        found.update(f"{name} {record[name]!r}" for name in ("split", "source"))
        found["reference answer"] += bool(record["gold"])
        found["checkpoints"] += len(record["criteria"])
        for _, priority, primary, _ in record["criteria"]:
            found.update([f"priority {priority!r}", f"primary type {primary!r}"])
    return found


def wrong(record: dict, **change) -> dict:
    return {key: value for key, value in (record | change).items() if value is not ...}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"gold": ...}, "'gold' is missing"),
        ({"splitt": "easy"}, "'splitt'.*'split'"),
        ({"source": "web"}, "source: 'web' is not one of"),
        ({"prompt": " \n"}, "prompt is empty"),
        ({"idx": "7"}, "idx: "),
        ({"criteria": []}, "criteria: "),
        ({"criteria": [["押韵", "主需", "语言约束"]]}, "criteria.0: a checkpoint is four strings"),
        ({"criteria": [["押韵", "主要", "语言约束", ""]]}, "unknown priority '主要'"),
        ({"criteria": [["押韵", "主需", "语言", ""]]}, "type '语言'; did you mean '语言约束'"),
        ({"criteria": [["押韵", "主需", "语言约束", "语音约束"]]}, "secondary type '语音约束'"),
        ({"criteria": [["押\t韵", "主需", "语言约束", ""]]}, "has a tab or a blank line"),
        ({"criteria": [["押\n\n韵", "主需", "", ""]]}, "has a tab or a blank line"),
        ({"idx": 1}, "record 1 has the same idx"),
    ],
)
def test_what_is_missing_or_odd_is_named(record, change, named):
    good = RECORDS[1]
    with pytest.raises(UserError, match=named) as error:
        checked([good, wrong(record, **{"idx": 7} | change)], "my.json")
    assert "my.json: record 2 (idx" in str(error.value)


@pytest.mark.parametrize("content", [{}, [], "text", [3]])
def test_what_is_no_list_of_records_is_named(content):
    with pytest.raises(UserError, match=r"my\.json: "):
        checked(content, "my.json")


def test_the_misspelt_key_may_be_spelt_right(record):
    right = wrong(record, domain=record["doamin"], doamin=...)
    assert checked([right], "x") == checked([record], "x")
    with pytest.raises(UserError, match="unknown key 'd"):
        checked([record | {"domain": "教育"}], "x")


def test_local_data_is_read_from_its_directory(tmp_path):
    made = RECORDS[:5]
    write_json(tmp_path / "cfbench_data.json", made)
    assert list(local({}, str(tmp_path))) == [normalised(record) for record in checked(made, "x")]
    with pytest.raises(UserError, match="no such file"):
        local({}, str(tmp_path / "no"))


def test_the_sample_passes_the_check_and_covers_what_there_is():
    found = list(data.sample({}))
    assert len(checked(RECORDS, "x")) == len(found) == 24
    checkpoints = [checkpoint for record in found for checkpoint in record["checkpoints"]]
    assert {c["type"] for c in checkpoints} == {"", *TYPES}
    assert {c["subtype"] for c in checkpoints} == {"", *PRIMARY_OF}
    assert Counter(record["split"] for record in found) == {"easy": 12, "hard": 12}
    priorities = [frozenset(c["priority"] for c in record["checkpoints"]) for record in found]
    assert set(priorities) == {
        frozenset({PRIMARY}),
        frozenset({SECONDARY}),
        frozenset({PRIMARY, SECONDARY}),
    }
    assert {bool(record["gold"]) for record in found} == {True, False}
    assert {record["domain"] is None for record in found} == {True, False}


def test_the_released_file_is_the_pinned_one_and_has_its_counts():
    path = released_folder("cfbench", "data") / "cfbench_data.json"
    content = path.read_bytes()
    assert len(content) == PINNED["bytes"]
    assert hashlib.sha256(content).hexdigest() == PINNED["sha256"]
    released = json.loads(content)
    assert len(checked(released, "x")) == 1000 and counts(released) == PINNED["counts"]
    found = list(local({}, str(path.parent)))
    assert [record["idx"] for record in found] == list(range(1000))
    assert [record["prompt"] for record in found] == [record["prompt"] for record in released]
    blank = [record["idx"] for record in found if not record["prompt"].strip()]
    assert blank == PINNED["empty_prompts"]
    names = facts("cfbench/domains.yaml")
    assert {record["domain"] for record in found} - {None} == set(names["domains"])
    tasks = {record["task"] for record in found} - {None}
    assert {task for task in tasks if not task.isascii() or not task} == set(names["tasks"])
