"""Data: which errors are refused, the synthetic sample, and the released file."""

import hashlib
import json
from collections import Counter

import pandas as pd
import pytest

from released_files import released_folder
from steadfast.base.errors import UserError
from steadfast.base.files import read_json, write_json
from steadfast.base.resources import facts, resource
from steadfast.benchmarks.cfbench import data
from steadfast.benchmarks.cfbench.data import PRIMARY_OF, TYPES, checked, local, normalised
from steadfast.benchmarks.cfbench.facts import PRIMARY, SECONDARY

RECORDS = read_json(resource("cfbench/sample.json"))


def changed(record: dict, **change) -> dict:
    """A record with other fields; without those that are ``...``."""
    return {key: value for key, value in (record | change).items() if value is not ...}


@pytest.mark.parametrize(
    ("change", "message"),
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
        ({"criteria": [["押韵", "主需", "长" * 61, ""]]}, f"unknown type '{'长' * 60}'; "),
        ({"criteria": [["押韵", "主需", "语言约束", "语音约束"]]}, "secondary type '语音约束'"),
        ({"criteria": [["押\t韵", "主需", "语言约束", ""]]}, "has a tab or a blank line"),
        ({"criteria": [["押\n\n韵", "主需", "", ""]]}, "has a tab or a blank line"),
        ({"idx": 1}, "record 1 has the same idx"),
    ],
)
def test_invalid_record_is_refused(change, message):
    with pytest.raises(UserError, match=message) as error:
        checked([RECORDS[1], changed(RECORDS[0], **{"idx": 7} | change)], "my.json")
    assert "my.json: record 2 (idx" in str(error.value)


@pytest.mark.parametrize("content", [{}, [], "text", [3]])
def test_file_without_a_list_of_records_is_refused(content):
    with pytest.raises(UserError, match=r"my\.json: "):
        checked(content, "my.json")


def test_key_doamin_may_be_spelled_domain():
    record = RECORDS[0]
    respelled = changed(record, domain=record["doamin"], doamin=...)
    assert checked([respelled], "x") == checked([record], "x")
    (short,) = checked([changed(record, criteria=record["criteria"][:1])], "x")
    assert len(short.criteria) == 1
    with pytest.raises(UserError, match="unknown key 'd"):
        checked([record | {"domain": "教育"}], "x")


def test_local_data_is_read_from_its_directory(tmp_path):
    write_json(tmp_path / "cfbench_data.json", RECORDS[:5])
    expected = [normalised(record) for record in checked(RECORDS[:5], "x")]
    assert list(local({}, str(tmp_path))) == expected
    with pytest.raises(UserError, match="no such file"):
        local({}, str(tmp_path / "no"))


def test_sample_is_valid_and_covers_types_and_priorities():
    sample = pd.DataFrame(data.sample({}))
    assert len(checked(RECORDS, "x")) == len(sample) == 24
    assert sample["split"].value_counts().to_dict() == {"easy": 12, "hard": 12}
    assert set(sample["gold"] == "") == set(sample["domain"].isna()) == {True, False}
    by_record = sample["checkpoints"].explode()
    checkpoints = pd.DataFrame(by_record.tolist(), by_record.index)
    assert set(checkpoints["type"]) == {"", *TYPES}
    assert set(checkpoints["subtype"]) == {"", *PRIMARY_OF}
    priorities = checkpoints["priority"].groupby(level=0).agg(frozenset)
    assert set(priorities) == {frozenset(p) for p in ([PRIMARY], [SECONDARY], [PRIMARY, SECONDARY])}


def counts(records: list) -> Counter:
    """How many records there are, and how many of each value."""
    counter = Counter({"records": len(records)})
    for record in records:
        counter.update(f"{name} {record[name]!r}" for name in ("split", "source"))
        counter["reference answer"] += bool(record["gold"])
        counter["checkpoints"] += len(record["criteria"])
        for _, priority, primary, _ in record["criteria"]:
            counter.update([f"priority {priority!r}", f"primary type {primary!r}"])
    return counter


def test_released_file_has_its_checksum_and_counts():
    pinned = facts("cfbench/released.yaml")
    path = released_folder("cfbench", "data") / "cfbench_data.json"
    content = path.read_bytes()
    assert len(content) == pinned["bytes"]
    assert hashlib.sha256(content).hexdigest() == pinned["sha256"]
    released = json.loads(content)
    assert len(checked(released, "x")) == 1000 and counts(released) == pinned["counts"]
    records = pd.DataFrame(local({}, str(path.parent)))
    assert records["idx"].tolist() == list(range(1000))
    assert records["prompt"].equals(pd.DataFrame(released)["prompt"])
    assert records["idx"][records["prompt"].str.strip() == ""].tolist() == pinned["empty_prompts"]
    names = facts("cfbench/domains.yaml")
    assert set(records["domain"].dropna()) == set(names["domains"])
    tasks = set(records["task"].dropna())
    assert {task for task in tasks if not task.isascii() or not task} == set(names["tasks"])
