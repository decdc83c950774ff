"""Engines without a model: reference, simulated, baseline, replay."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from parts import SCRIPTS, Part, items
from steadfast.base.errors import UserError


@pytest.fixture
def part(tmp_path):
    return Part(tmp_path)


def test_reference_gives_the_gold_of_every_sample(part):
    part.answers = {"engine": "reference", "window": None, "on_overflow": "error"}
    records = part.run()
    assert [r["response"] for r in records] == [f"gold of {i.sample_id}" for i in items()]
    assert not part.journal.exists()
    assert part.provenance()["engine"] == "reference"


def simulated(**settings):
    answers = {"engine": "simulated", "tokenizer": "o200k_base", "on_overflow": "truncate"}
    return answers | {"window": None, "span": 100, "seed": 1} | settings


def test_simulated_answers_are_the_same_each_time_and_differ_by_sample(part):
    part.answers = simulated()
    first = part.run()
    written = part.out.read_bytes()
    part.run()
    assert part.out.read_bytes() == written
    assert len({r["response"].split()[-1] for r in first}) == 10
    assert first[0]["response"].startswith("q0/c0 100 1.00 ")


def test_a_simulated_reader_sees_what_was_not_cut(part):
    part.answers = simulated(window=100)
    record = part.run()[0]
    assert record["prompt_truncated_tokens"] > 0
    assert 0.2 < float(record["response"].split()[2]) < 0.9
    assert record["prompt_tokens"] + 50 <= 100


def test_simulated_answers_end_at_the_output_limit(part):
    part.answers = simulated(span="a long answer " * 40)
    record = part.run()[0]
    assert (record["status"], record["finish_reason"]) == ("length", "length")
    assert record["completion_tokens"] == 50


def test_the_baseline_answers_every_sample_up_to_the_output_limit(part):
    part.answers = {"engine": "baseline", "tokenizer": "o200k_base"}
    records = part.run()
    for item, record in zip(items(), records, strict=True):
        assert record["response"].startswith(f"baseline of {item.sample_id} and on")
        assert (record["status"], record["completion_tokens"]) == ("length", 50)
    assert not part.journal.exists()
    assert part.provenance()["engine"] == "baseline"


@pytest.fixture
def replay(part):
    """Runs a part whose responses stand in a file of these records."""

    def run(records, asked=None, fields=None, **operation):
        part.answers = {"engine": "replay", "file": "responses/{part}.jsonl"}
        part.answers |= {"fields": fields} if fields else {}
        path = part.directory / "r.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return part.run(asked, file=str(path), **operation)

    return run


def test_replay_takes_each_answer_by_its_sample(part, replay):
    records = [{"sample_id": i.sample_id, "text": f"said {i.sample_id}"} for i in items()]
    assert [r["response"] for r in replay(reversed(records))] == [r["text"] for r in records]
    assert len(part.provenance()["file_sha256"]) == 64
    assert "r.jsonl" not in part.provenance_out.read_text("utf-8")


def test_replay_knows_other_names_and_statuses(replay):
    lines = [
        {"id": "q0/c0", "answer": "a", "finish_reason": "length"},
        {"id": "q1/c0", "status": "refused"},
        {"id": "q2/c0", "status": "error", "error": "lost"},
    ]
    names = {"sample_id": "id", "response": "answer"}
    records = replay(lines, items(1, 3), names, allowed_failures=0.5)
    assert [(r["status"], r["response"]) for r in records] == [
        ("length", "a"), ("refused", ""), ("error", ""),
    ]  # fmt: skip
    assert records[2]["error"] == "lost"


def test_replay_takes_numbers_for_names_and_null_for_no_answer(replay):
    asked = [replace(item, sample_id=str(n)) for n, item in enumerate(items(1, 2))]
    lines = [{"main_id": 0, "generated": "a"}, {"main_id": 1, "generated": None}]
    names = {"sample_id": "main_id", "response": "generated"}
    records = replay(lines, asked, names, allowed_failures=0.5)
    assert [(r["status"], r["response"]) for r in records] == [("ok", "a"), ("error", "")]


def test_what_the_replayed_file_lacks_is_an_error(replay):
    lines = [{"sample_id": "q0/c0", "response": "a"}]
    with pytest.raises(UserError, match=r"2 of 3 requests .* no response in the replayed file"):
        replay(lines, items(1, 3))
    records = replay(lines, items(1, 3), allowed_failures=1.0)
    assert [r["status"] for r in records] == ["ok", "error", "error"]


def test_its_own_outputs_can_be_replayed(part, tmp_path):
    part.answers = simulated()
    records = part.run()
    other = Part(tmp_path / "other")
    other.answers = {"engine": "replay"}
    for old, new in zip(records, other.run(file=str(part.out)), strict=True):
        assert {**old, "request_hash": 0} == {**new, "request_hash": 0}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"sample_id": "a", "text": "x"}', "duplicate response to a"),
        ("{", ""),
        ("[1]", "not a JSON object"),
        ('{"text": "x"}', "no sample_id"),
        ('{"sample_id": "b"}', "no string 'response'"),
        ('{"sample_id": "b", "text": 1}', "no string 'text'"),
        ('{"sample_id": true, "text": "x"}', "no sample_id"),
        ('{"sample_id": "b", "text": "x", "status": "fine"}', "status 'fine'"),
    ],
)
def test_a_bad_line_is_named(part, line, complaint):
    part.answers = {"engine": "replay"}
    path = part.directory / "r.jsonl"
    path.write_text(f'{{"sample_id": "a", "text": "x"}}\n\n{line}\n')
    with pytest.raises(UserError, match=rf"r\.jsonl:3: .*{complaint}"):
        part.run(file=str(path))


def test_a_missing_file_is_named(part):
    part.answers = {"engine": "replay"}
    with pytest.raises(UserError, match=r"nowhere\.jsonl: cannot be read"):
        part.run(file="nowhere.jsonl")


def test_engines_without_a_server_import_no_client():
    code = (
        "import sys, steadfast.engines.asking.run, steadfast.engines.simulated\n"
        "heavy = {'aiohttp', 'openai', 'tiktoken', 'tqdm', 'pandas', 'httpx2'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, check=True)
