"""The engines without a model: reference, simulated, baseline and replay."""

import json
import subprocess
import sys
from dataclasses import replace
from unittest.mock import Mock

import pytest

from parts import SCRIPTS, Part, items
from steadfast.base.errors import UserError


@pytest.fixture
def part(tmp_path):
    return Part(tmp_path)


def test_reference_answers_each_sample_without_a_journal(part):
    part.answers = {"engine": "reference", "window": None, "on_overflow": "error"}
    responses = [record["response"] for record in part.run()]
    assert responses == [f"gold of {item.sample_id}" for item in items()]
    assert not part.journal.exists()
    assert part.provenance()["engine"] == "reference"


def test_reference_that_looks_like_reasoning_is_kept_whole(part):
    part.answers = {"engine": "reference"}
    quoting = Mock(reference=lambda sample_id: "<think>a</think>b")
    assert part.run(items(1, 1), oracle=quoting)[0]["response"] == "<think>a</think>b"


def test_baseline_answers_each_sample_up_to_the_output_limit(part):
    part.answers = {"engine": "baseline", "tokenizer": "o200k_base"}
    for item, record in zip(items(), part.run(), strict=True):
        assert record["response"].startswith(f"baseline of {item.sample_id} and on")
        assert (record["status"], record["completion_tokens"]) == ("length", 50)
    assert not part.journal.exists()
    assert part.provenance()["engine"] == "baseline"


@pytest.mark.parametrize(
    ("text", "tokenizer", "status", "tokens"),
    [
        ("你好", "cl100k_base", "ok", 2),
        ("你好", None, "ok", 1),
        (" on" * 50, None, "ok", 50),
        (" on" * 51, None, "length", 50),
    ],
)
def test_answer_is_counted_by_the_tokenizer_of_prompts(part, text, tokenizer, status, tokens):
    part.answers = {"engine": "baseline", "tokenizer": tokenizer}
    (record,) = part.run(items(1, 1), oracle=Mock(baseline=lambda sample_id: text))
    assert (record["status"], record["completion_tokens"]) == (status, tokens)


def simulated(**settings):
    answers = {"engine": "simulated", "tokenizer": "o200k_base", "on_overflow": "truncate"}
    return answers | {"window": None, "span": 100, "seed": 1} | settings


def test_simulated_answers_are_deterministic_and_differ_by_sample(part):
    part.answers = simulated()
    responses = [record["response"] for record in part.run()]
    content = part.out.read_bytes()
    part.run()
    assert part.out.read_bytes() == content
    assert len({response.split()[-1] for response in responses}) == 10
    assert responses[0].startswith("q0/c0 100 1.00 ")


def test_simulated_model_sees_the_truncated_prompt(part):
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


@pytest.fixture
def replay(part):
    """Runs a part with a file of responses; returns status and response of each record."""

    def run(lines, some_items=None, fields=None, **operation):
        part.answers = {"engine": "replay", "file": "responses/{part}.jsonl"}
        part.answers |= {"fields": fields} if fields else {}
        path = part.directory / "r.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        records = part.run(some_items, file=str(path), **operation)
        return [(record["status"], record["response"]) for record in records]

    return run


def test_replay_finds_responses_by_sample_id(part, replay):
    sample_ids = [item.sample_id for item in items()]
    lines = [{"sample_id": sample_id, "text": f"for {sample_id}"} for sample_id in sample_ids]
    assert replay(reversed(lines)) == [("ok", line["text"]) for line in lines]
    assert len(part.provenance()["file_sha256"]) == 64
    assert "r.jsonl" not in part.provenance_out.read_text("utf-8")


def test_replay_reads_configured_fields_and_statuses(part, replay):
    lines = [
        {"id": "q0/c0", "answer": "a", "finish_reason": "length"},
        {"id": "q1/c0", "status": "refused"},
        {"id": "q2/c0", "status": "error", "error": "lost"},
    ]
    fields = {"sample_id": "id", "response": "answer"}
    outputs = replay(lines, items(1, 3), fields, allowed_failures=0.5)
    assert outputs == [("length", "a"), ("refused", ""), ("error", "")]
    assert part.records()[2]["error"] == "lost"


def test_replay_reads_numeric_ids_and_null_responses(replay):
    numbered_items = [replace(item, sample_id=str(n)) for n, item in enumerate(items(1, 2))]
    lines = [{"main_id": 0, "generated": "a"}, {"main_id": 1, "generated": None}]
    fields = {"sample_id": "main_id", "response": "generated"}
    outputs = replay(lines, numbered_items, fields, allowed_failures=0.5)
    assert outputs == [("ok", "a"), ("error", "")]


def test_missing_responses_of_a_replayed_file_are_errors(replay):
    lines = [{"sample_id": "q0/c0", "response": "a"}]
    with pytest.raises(UserError, match=r"2 of 3 requests .* no response in the replayed file"):
        replay(lines, items(1, 3))
    outputs = replay(lines, items(1, 3), allowed_failures=1.0)
    assert outputs == [("ok", "a"), ("error", ""), ("error", "")]


def test_outputs_can_be_replayed(part, tmp_path):
    part.answers = simulated()
    records = part.run()
    replaying_part = Part(tmp_path / "replayed")
    replaying_part.answers = {"engine": "replay"}
    for record, replayed in zip(records, replaying_part.run(file=str(part.out)), strict=True):
        assert replayed == {**record, "request_hash": replayed["request_hash"]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"sample_id": "a", "text": "x"}', "duplicate response to a"),
        ("{", ""),
        ("[1]", "not a JSON object"),
        ('{"text": "x"}', "no sample_id"),
        ('{"sample_id": "b"}', "no string 'response'"),
        ('{"sample_id": "b", "text": 1}', "no string 'text'"),
        ('{"sample_id": true, "text": "x"}', "no sample_id"),
        ('{"sample_id": "b", "text": "x", "status": "fine"}', "status 'fine'"),
        ('{"sample_id": "b", "text": "x", "repeat": -1}', "repeat -1 is not an integer from 0"),
        ('{"sample_id": "b", "text": "x", "repeat": true}', "repeat True is not an integer"),
    ],
)
def test_invalid_line_of_a_replayed_file_is_reported(part, line, message):
    part.answers = {"engine": "replay"}
    path = part.directory / "r.jsonl"
    path.write_text(f'{{"sample_id": "a", "text": "x"}}\n\n{line}\n')
    with pytest.raises(UserError, match=rf"r\.jsonl:3: .*{message}"):
        part.run(file=str(path))


def test_missing_file_to_replay_is_reported(part):
    part.answers = {"engine": "replay"}
    with pytest.raises(UserError, match=r"nowhere\.jsonl: cannot be read"):
        part.run(file="nowhere.jsonl")


def test_engines_without_a_server_import_no_client():
    code = (
        "import sys, steadfast.engines.sending.run, steadfast.engines.simulated\n"
        "heavy = {'aiohttp', 'openai', 'tiktoken', 'tqdm', 'pandas', 'httpx2'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, check=True)
