"""Batches of formats that are not OpenAI's: nothing submitted twice, whatever happens."""

import json

import pytest

from batch_server import Fate
from dialect_batch_servers import (
    AnthropicBatchServer,
    GeminiBatchServer,
)
from dialect_servers import AnthropicServer, GeminiServer, words
from parts import Job, Part, items, prompts, same_bytes
from servers import echo, running
from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json
from steadfast.engines.api.engines import BATCHES

KINDS = {
    "anthropic": (AnthropicBatchServer, AnthropicServer),
    "gemini": (GeminiBatchServer, GeminiServer),
}
RESULTS = ("/results", ":download")
MAKING = {
    "anthropic": "POST /v1/messages/batches",
    "gemini": "POST /v1/models/echo-1:batchGenerateContent",
}
LOOKING = {
    "anthropic": "GET /v1/messages/batches/msgbatch_0",
    "gemini": "GET /v1/batches/b0",
}


@pytest.fixture(params=KINDS)
def engine(request):
    return request.param


@pytest.fixture
def server(engine):
    with running(kind=KINDS[engine][0]) as started:
        yield started


@pytest.fixture
def part(tmp_path, engine, server):
    return part_of(tmp_path, engine, server, batch=True)


def part_of(folder, engine, server, **operation):
    found = Part(folder, server.url.removesuffix("/v1"))
    found.answers["engine"] = engine
    found.operation |= operation
    return found


def test_every_item_is_answered_in_order_by_one_batch(part, server):
    records = part.run()
    assert [r["text"] for r in records] == [echo(p) for p in prompts()]
    kept = map(json.loads, part.journal.read_text("utf-8").splitlines())
    assert {(reply["status"], reply["tier"]) for reply in kept} == {("ok", "batch")}
    assert len(server.batches) == 1


def test_requests_and_outputs_are_those_of_the_live_engine(part, server, engine, tmp_path):
    records = part.run()
    with running(kind=KINDS[engine][1]) as live:
        other = part_of(tmp_path / "live", engine, live)
        live_records = other.run()
    asked = [body for _, body in server.batches[0]["asked"]]
    assert set(map(canonical_json, asked)) == set(map(canonical_json, live.bodies))
    names = ("sample_id", "request_hash", "text", "prompt_tokens")
    assert [[r[n] for n in names] for r in records] == [[r[n] for n in names] for r in live_records]


def test_requests_are_split_within_the_limit(part, server):
    part.run(batch_requests=4)
    assert sorted(len(batch["asked"]) for batch in server.batches) == [2, 4, 4]
    assert set(server.submitted().values()) == {1}


def test_requests_are_split_within_the_bytes(part, server, engine, monkeypatch):
    monkeypatch.setitem(BATCHES[engine].facts, "bytes", 2000)
    part.run()
    assert len(server.batches) > 2
    assert max(map(len, server.files.values()), default=0) <= 2000
    assert server.submitted() == dict.fromkeys(prompts(), 1)


@pytest.mark.parametrize("status", ["completed", "expired", "cancelled"])
def test_what_a_batch_left_goes_into_a_further_one(part, server, engine, status):
    server.fates.append(Fate(status, lose=("Ask 1.0!", "Ask 3.1!")))
    records = part.run()
    assert {r["status"] for r in records} == {"ok"}
    none_kept = (engine, status) == ("gemini", "cancelled")
    assert [len(batch["asked"]) for batch in server.batches] == [10, 10 if none_kept else 2]


@pytest.mark.parametrize(("cut", "batches"), [(1, 1), (2, 2)])
def test_results_that_end_in_the_middle_are_fetched_once_more(part, server, cut, batches):
    server.cut = cut
    records = part.run()
    assert [r["text"] for r in records] == [echo(p) for p in prompts()]
    assert len(server.batches) == batches
    kept = len(server.batches[0]["asked"]) - sum(len(b["asked"]) for b in server.batches[1:])
    assert kept >= 4  # of ten: the lines of the first half


def test_a_request_that_is_refused_is_an_error_of_its_own(part, server):
    server.fates.append(Fate(fail=("Ask 2.0!",)))
    records = part.run(allowed_failures=0.1)
    (failed,) = [r for r in records if r["status"] == "error"]
    assert (failed["sample_id"], failed["error"]) == ("q2/c0", "HTTP 400: bad request")
    assert len(server.batches) == 1


@pytest.mark.parametrize("status", [None, 500, 503])
def test_a_batch_whose_making_was_not_heard_of_is_not_made_again(part, server, status):
    part.run(items(1, 2))  # an older batch, of as many requests as one to come
    server.lost_replies, server.lost_as, server.page = 1, status, 1
    part.run(items(2, 2))
    assert [len(batch["asked"]) for batch in server.batches] == [2, 2]


def test_of_jobs_with_the_same_requests_each_finds_its_own_batch(tmp_path, engine, server):
    first, second = (
        part_of(tmp_path / name, engine, server, batch=True) for name in ("first", "second")
    )
    server.refusals[LOOKING[engine]] = [500] * 4
    with pytest.raises(UserError, match="in a row"):
        first.run()
    server.lost_replies = 1
    second.run()
    assert len(server.batches) == 2
    first.run()
    assert same_bytes(first.directory, second.directory)
    states = [json.loads(one.journal.with_suffix(".batches.json").read_text("utf-8"))["ended"]
              for one in (first, second)]  # fmt: skip
    assert len({batch["batch_id"] for ended in states for batch in ended}) == 2


@pytest.mark.parametrize("engine", ["gemini"], indirect=True)
def test_a_file_that_is_in_no_batch_when_the_job_ends_is_in_one_later(part, server, engine):
    server.refusals[MAKING[engine]] = [500] * 4
    with pytest.raises(UserError, match="in a row"):
        part.run()
    assert (len(server.files), len(server.batches)) == (1, 0)
    part.run()
    assert server.submitted() == dict.fromkeys(prompts(), 1)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("engine", ["anthropic"], indirect=True)
def test_a_list_whose_pages_are_all_the_same_comes_to_an_end(part, server):
    part.run(items(1, 2))
    server.lost_replies, server.page, server.stuck = 1, 1, True
    part.run(items(2, 2))
    assert [len(batch["asked"]) for batch in server.batches] == [2, 2]


def test_a_batch_that_was_turned_away_is_not_looked_for_among_others(tmp_path):
    with running(kind=AnthropicBatchServer) as server:
        part = part_of(tmp_path, "anthropic", server, batch=True)
        server.refusals[MAKING["anthropic"]] = [429, 529]
        part.run()
        assert server.calls["GET /v1/messages/batches"] == 1  # the newest, before ours


@pytest.mark.parametrize("call", [MAKING, LOOKING], ids=["making", "looking"])
def test_a_passing_fault_is_waited_out(part, server, engine, call):
    server.refusals[call[engine]] = [500, 429, 529]
    part.run()
    assert len(server.batches) == 1


def test_what_is_turned_away_waits_for_the_batches_under_way(part, server, engine):
    server.refusals[MAKING[engine]] = [None, 429, 429, None, 429, 429]
    price = {"input": 2.0, "cached": None, "output": 8.0}
    part.journal = part.directory / "journals" / "4k.jsonl"
    part.run(batch_requests=4, attempts=2, price=price, max_spend=1)
    assert [len(batch["asked"]) for batch in server.batches] == [4, 4, 2]
    assert server.submitted() == dict.fromkeys(prompts(), 1)


@pytest.mark.parametrize("engine", ["gemini"], indirect=True)
def test_what_may_be_made_all_the_same_is_not_forgotten(part, server, engine):
    server.refusals[MAKING[engine]] = [None, 500, 429]
    with pytest.raises(UserError, match="2 times in a row"):
        part.run(batch_requests=4, attempts=2)
    state = json.loads(part.journal.with_suffix(".batches.json").read_text("utf-8"))
    assert [bool(batch["batch_id"]) for batch in state["open"]] == [True, False]


def test_a_key_that_is_not_accepted_is_said(part, server, engine):
    server.refusals[MAKING[engine]] = [401]
    with pytest.raises(UserError, match="does not accept the key"):
        part.run()


def test_a_batch_that_was_deleted_there_is_said_and_forgotten_with_its_file(part, server, engine):
    server.refusals[LOOKING[engine]] = [404]
    with pytest.raises(UserError, match=r"no such batch.* remove .*\.batches\.json"):
        part.run()
    part.journal.with_suffix(".batches.json").unlink()
    assert [record["text"] for record in part.run()] == [echo(p) for p in prompts()]
    assert len(server.batches) == 2


def test_the_key_goes_to_the_provider_alone(part, server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-ant-api03-Q7wEr5TyUi9OpAs2DfGh")
    part.run(api_key_env="MY_KEY")  # results and uploads that are said to be elsewhere
    (key,) = server.keys
    assert key.removeprefix("Bearer ") == "sk-ant-api03-Q7wEr5TyUi9OpAs2DfGh"
    for path in part.directory.iterdir():
        assert "Q7wEr5TyUi9OpAs2DfGh" not in path.read_text()


@pytest.mark.parametrize("engine", ["gemini"], indirect=True)
def test_a_failed_batch_is_tried_again_up_to_attempts(part, server):
    server.fates.extend([Fate("failed")] * 4)
    server.lost_replies = (
        4  # the failed ones have the same requests, and are not taken for new ones
    )
    with pytest.raises(UserError, match=r"10 of 10 .*10 × batch failed: bad line"):
        part.run()
    assert len(server.batches) == 4


def test_a_batch_of_anthropic_s_writes_a_context_once(tmp_path):
    with running(kind=AnthropicBatchServer) as server:
        part = part_of(tmp_path, "anthropic", server, batch=True)
        asked = items(contexts=2, questions=4)
        records = part.run(asked, cache="1h")
        shared = sum(words(item.head + item.context) for item in asked[:2])
        assert sum(record["written_tokens"] for record in records) == shared
        assert sum(record["cached_tokens"] for record in records) == 3 * shared


@pytest.mark.parametrize(
    "moment",
    [
        lambda server: server.calls,  # something was asked, perhaps nothing is made
        lambda server: server.batches,  # made, perhaps not yet kept
        lambda server: any(call.endswith(RESULTS) for call in server.calls),
    ],
    ids=["begun", "made", "importing"],
)
def test_a_killed_job_re_attaches_and_submits_nothing_twice(tmp_path, engine, server, moment):
    server.looks = 5

    def job():
        # What the cache gave depends on the batches.
        options = {"batch": True, "batch_requests": 4, "cache": None}
        options |= {"engine": engine, "base_url": server.url.removesuffix("/v1")}
        return Job(tmp_path / "killed", server, **options)

    assert job().kill(when=lambda: moment(server)) == -9
    code, errors = job().finish()
    assert code == 0, errors
    assert server.submitted() == dict.fromkeys(prompts(), 1)

    with running(kind=KINDS[engine][0]) as other:
        options = {"batch": True, "cache": None}
        part_of(tmp_path / "undisturbed", engine, other, **options).run()
    assert same_bytes(tmp_path / "killed", tmp_path / "undisturbed")


def test_the_providers_limits_are_facts():
    facts = {name: kind.facts for name, kind in BATCHES.items()}
    assert facts["anthropic"]["requests"] == 100_000
    assert facts["anthropic"]["bytes"] < 256_000_000
    assert facts["gemini"]["bytes"] <= 2_000_000_000
