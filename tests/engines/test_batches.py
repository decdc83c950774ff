"""The batches of each provider, against a server of its kind: nothing is submitted twice."""

import json
import re
from collections import Counter
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import pytest

from batch_servers import AnthropicBatchServer, BatchServer, Fate, GeminiBatchServer, refusals
from dialect_servers import served, words
from parts import Job, Part, column, echoes, items, prompts, same_bytes
from servers import Fault, running
from steadfast.base.errors import TemporaryError, UserError
from steadfast.base.files import canonical_json
from steadfast.contract.request import Response
from steadfast.engines.api import batch_files
from steadfast.engines.api.batches import ChatBatches
from steadfast.engines.api.engines import BATCHES, build
from steadfast.engines.api.replies import Retry
from steadfast.engines.base import Setup
from steadfast.engines.sending.journal import final_tiers

KINDS = {"openai": BatchServer, "anthropic": AnthropicBatchServer, "gemini": GeminiBatchServer}
CREATE = {
    "openai": "POST /v1/batches",
    "anthropic": "POST /v1/messages/batches",
    "gemini": "POST /v1/models/echo-1:batchGenerateContent",
}
POLL = {
    "openai": "GET /v1/batches/batch_0",
    "anthropic": "GET /v1/messages/batches/msgbatch_0",
    "gemini": "GET /v1/batches/b0",
}
UPLOAD = {"openai": "POST /v1/files", "gemini": "POST /upload/v1/files"}
FETCH = {"openai": "/content", "anthropic": "/results", "gemini": ":download"}
CALLS = {"create": CREATE, "poll": POLL, "upload": UPLOAD, "fetch": FETCH}
"""Method and path of each call of a batch API, or how its path ends."""
PRICE = {"input": 2.0, "cached": None, "output": 8.0}
LOST = Fault(drop=True, body=b"")
LOST_REPLIES = [LOST, Fault(500, b"{}", done=True), Fault(503, b"{}", done=True)]
"""The batch is created, and the reply does not say so."""
INVALID_REPLIES = [
    Fault(body=body)
    for body in (b"", b"<html>", b"null", b"[]", b'{"id": 3}', b'{"id": "", "status": ""}', b"\xff")
]
TRANSIENT = refusals(500, 429, 503)
REJECTIONS = refusals(None, 429, 429, None, 429, 429)
ROOM = "Enqueued token limit reached for gpt-x. Limit: 90,000 enqueued tokens."
SCENARIOS = {
    "no fault": ("create", [], {}, [10]),
    "request limit": ("create", [], {"batch_requests": 4}, [4, 4, 2]),
    "rejected, waits for running batches": (
        "create", REJECTIONS, {"batch_requests": 4, "attempts": 2, "price": PRICE, "max_spend": 1},
        [4, 4, 2]),
    **{f"{call}: transient fault": (call, TRANSIENT, {}, [10]) for call in CALLS},
    **{f"{call}: invalid reply": (call, INVALID_REPLIES, {"attempts": len(INVALID_REPLIES) + 1},
                                  [10])
       for call in ("create", "poll", "upload")},
    "fetch: cut in the middle": ("fetch", [Fault(cut=True)], {}, [10]),
}  # fmt: skip
"""The call that goes wrong, its faults, the operation, and the sizes of the batches created."""


def scenario_runs():
    """Each scenario with each provider; the quick tier has one provider of each, in turn."""
    for number, (name, (call, *_)) in enumerate(SCENARIOS.items()):
        engines = list(CALLS[call])
        for engine in engines:
            is_quick = engine == engines[number % len(engines)]
            yield pytest.param(engine, name, marks=() if is_quick else pytest.mark.wide)


@pytest.fixture(params=KINDS)
def engine(request):
    return request.param


@pytest.fixture
def server(engine):
    with running(kind=KINDS[engine]) as started:
        yield started


@pytest.fixture
def part(tmp_path, engine, server):
    return Part(tmp_path, server.url, engine, batch=True)


def only(*names):
    """Runs a test with these engines alone."""
    return pytest.mark.parametrize("engine", names, indirect=True)


def state(part):
    return json.loads(part.journal.with_suffix(".batches.json").read_text("utf-8"))


def run_until_failure(part, server, call, requested=None):
    """Runs a part that stops since one of its calls fails each time."""
    server.refuse(call, *[500] * 4)
    with pytest.raises(UserError, match=r"failed 4 times in a row .* submits none twice"):
        part.run(requested)


@pytest.mark.parametrize(("engine", "name"), [*scenario_runs()], indirect=["engine"])
def test_each_request_is_submitted_once_and_answered_in_order(part, server, engine, name):
    call, faults, operation, sizes = SCENARIOS[name]
    server.faults[CALLS[call][engine]].extend(faults)
    records = part.run(**operation)
    assert column(records, "response") == echoes()
    assert set(final_tiers(part.journal).values()) == {"batch"}
    assert server.batch_sizes() == sizes
    assert server.submitted() == server.answered == dict.fromkeys(prompts(), 1)


def test_requests_and_outputs_equal_those_of_the_live_engine(part, server, engine, tmp_path):
    part.answers["system"] = "Be brief."
    records = part.run()
    with served(tmp_path / "live", engine, system="Be brief.") as (live_server, live_part):
        live_records = live_part.run()
    bodies = [body for _, body in server.batches[0]["requests"]]
    assert set(map(canonical_json, bodies)) == set(map(canonical_json, live_server.bodies))
    for name in ("sample_id", "request_hash", "response", "prompt_tokens"):
        assert column(records, name) == column(live_records, name)


@only("openai")
@pytest.mark.parametrize(
    ("template", "url"), [("chat", "/v1/chat/completions"), ("base", "/v1/completions")]
)
def test_openai_file_has_the_documented_fields(part, server, template, url):
    part.answers["template"] = template
    (record,) = part.run(items(1, 1))
    definition = server.batches[0]["definition"]
    content = server.files[definition["input_file_id"]]
    assert content.endswith(b"\n")
    line = json.loads(content)
    del line["body"]
    assert line == {"custom_id": record["request_hash"], "method": "POST", "url": url}
    assert (definition["endpoint"], definition["completion_window"]) == (url, "24h")


@pytest.mark.quick(1)
def test_requests_are_split_by_the_byte_limit(part, server, engine, monkeypatch):
    monkeypatch.setitem(BATCHES[engine].facts, "bytes", 2000)
    part.run()
    assert len(server.batches) > 2
    assert server.submitted() == dict.fromkeys(prompts(), 1)


@pytest.mark.quick(3)
@pytest.mark.parametrize("status", ["completed", "expired", "cancelled"])
def test_unanswered_requests_go_into_another_batch(part, server, engine, status):
    server.fates.append(Fate(status, lose=("Ask 1.0!", "Ask 3.1!")))
    records = part.run()
    assert set(column(records, "status")) == {"ok"}
    has_no_results = (engine, status) == ("gemini", "cancelled")
    assert server.batch_sizes() == [10, 10 if has_no_results else 2]


@pytest.mark.quick(1)
def test_first_half_of_results_cut_twice_is_kept(part, server, engine):
    server.faults[FETCH[engine]].extend([Fault(cut=True)] * 2)
    records = part.run()
    assert column(records, "response") == echoes()
    first, second = server.batch_sizes()
    assert first - second >= 4  # of ten: the lines of the first half


def test_rejected_request_is_one_error(part, server):
    server.fates.append(Fate(fail=("Ask 2.0!",)))
    records = part.run(allowed_failures=0.1)
    (failed,) = [record for record in records if record["status"] == "error"]
    assert (failed["sample_id"], failed["error"]) == ("q2/c0", "HTTP 400: bad request")
    assert len(server.batches) == 1


@only("anthropic")
def test_unusable_replies_are_billed_and_the_last_is_no_retry(part, server):
    server.stop = "pause_turn"
    records = part.run(items(1, 2), attempts=1, allowed_failures=1)
    reason = "incomplete response: finish_reason 'pause_turn'"
    assert column(records, "error") == [reason, reason]
    millionths = 2 * sum(map(words, prompts(items(1, 2)))) + 8 * 2 * 7
    assert part.spent(PRICE) == pytest.approx(millionths / 1e6)
    assert "retried" not in part.log.read_text()


@pytest.mark.quick(1)
@only("openai", "gemini")
def test_failed_batch_is_retried_up_to_attempts(part, server, engine):
    server.fates.extend([Fate("failed")] * 4)
    # The failed ones have the same requests, and must not be taken for the new one.
    server.faults[CREATE[engine]].extend([LOST] * 4)
    with pytest.raises(UserError, match=r"10 of 10 .*10 × batch failed: bad line"):
        part.run()
    assert len(server.batches) == 4
    part.run()  # a later run begins anew
    assert len(server.batches) == 5


@only("openai")
def test_batch_without_room_waits_for_others_at_no_attempt(part, server):
    full = Fate("failed", message=ROOM)
    server.fates.extend([Fate(), full, full, Fate(), full, Fate()])
    part.run(batch_requests=4, attempts=1)
    ended = [(batch["status"], batch["answered"]) for batch in state(part)["ended"]]
    assert ended == [("failed", 0), ("failed", 0), ("completed", 4), ("failed", 0),
                     ("completed", 4), ("completed", 2)]  # fmt: skip
    assert set(server.answered.values()) == {1}


@only("openai")
def test_batch_that_never_has_room_is_an_error(part, server):
    server.fates.extend([Fate("failed", message=ROOM)] * 2)
    with pytest.raises(UserError, match="10 × batch failed: Enqueued token limit reached"):
        part.run(attempts=2)
    assert len(server.batches) == 2


@only("openai")
def test_failed_batch_is_submitted_again_while_another_runs(part, server):
    server.fates.append(Fate("failed"))
    part.run(items(1, 8), batch_requests=4)
    events = re.findall(r"batch_(\d): .*(submitted|responses)", part.log.read_text())
    assert ["".join(event)[:2] for event in events] == ["0s", "1s", "0r", "2s", "1r", "2r"]


UNCONFIRMED = [("anthropic", LOST, True), *product(KINDS, LOST_REPLIES, [False])]
"""Providers, replies, and whether each page of the list of batches is the first."""


@pytest.mark.timeout(60)
@pytest.mark.quick(4)
@pytest.mark.parametrize(("engine", "fault", "stuck"), UNCONFIRMED, indirect=["engine"])
def test_unconfirmed_batch_is_found_and_not_created_again(part, server, engine, fault, stuck):
    part.run(items(1, 2))  # an older batch, of as many requests as one to come
    server.faults[CREATE[engine]].append(fault)
    server.page = 1
    server.stuck = stuck
    part.run(items(2, 2))
    assert server.batch_sizes() == [2, 2]


def test_unconfirmed_batch_is_found_behind_newer_ones(part, server, engine, tmp_path):
    server.faults[CREATE[engine]].append(LOST)
    with pytest.raises(UserError, match="failed 1 times"):
        part.run(attempts=1)
    Part(tmp_path / "later", server.url, engine, batch=True).run(items(1, 2))
    server.page = 1
    part.run()
    assert server.batch_sizes() == [10, 2]


@pytest.mark.quick(1)
def test_jobs_with_equal_requests_find_their_own_batches(tmp_path, engine, server):
    # No cache, since what it serves depends on the batches.
    first = Part(tmp_path / "first", server.url, engine, batch=True, cache=None)
    second = Part(tmp_path / "second", server.url, engine, batch=True, cache=None)
    run_until_failure(first, server, POLL[engine])
    assert len(state(first)["open"]) == 1
    server.faults[CREATE[engine]].append(LOST)
    second.run()
    assert len(server.batches) == 2
    first.run()
    assert same_bytes(first.directory, second.directory)
    ended = state(first)["ended"] + state(second)["ended"]
    assert len(set(column(ended, "batch_id"))) == 2


@only("openai", "gemini")
def test_uploaded_file_without_batch_is_used_by_the_next_run(part, server, engine):
    run_until_failure(part, server, CREATE[engine])
    assert (len(server.files), len(server.batches)) == (1, 0)
    part.run()
    assert server.submitted() == dict.fromkeys(prompts(), 1)


@only("anthropic")
def test_rejected_batch_is_not_searched_for(part, server, engine):
    server.refuse(CREATE[engine], 429, 529)
    part.run()
    assert server.calls["GET /v1/messages/batches"] == 1  # the newest one, before the first call


def test_failing_call_is_repeated_five_times_and_polls_become_rarer(monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    batches = ChatBatches(Mock(), Mock(retries=Counter()), Path("state"))
    with pytest.raises(TemporaryError, match="failed 6 times in a row"):
        batches.value(send := Mock(side_effect=OSError), Mock())
    assert (send.call_count, waits) == (6, [1, 2, 4, 8, 16])
    waits.clear()
    for _ in range(9):
        batches.pause()
    assert waits == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize(
    "fields",
    [
        {"errors": "x", "metadata": 3},
        {"errors": {"data": [3]}, "output_file_id": 5, "error_file_id": [1]},
        {"errors": {"data": [{"message": ["x"]}]}, "output_file_id": None},
    ],
)
def test_invalid_fields_of_a_batch_are_ignored(fields):
    remote = ChatBatches.remote(None, {"id": "b", "status": "failed", **fields})
    assert (remote.key, remote.files, remote.reason) == (None, (), "batch failed")


@only("openai", "gemini")
def test_batch_that_may_exist_stays_open(part, server, engine):
    server.refuse(CREATE[engine], None, 500, 429)
    with pytest.raises(UserError, match="2 times in a row"):
        part.run(batch_requests=4, attempts=2)
    assert [bool(batch["batch_id"]) for batch in state(part)["open"]] == [True, False]


@pytest.mark.quick(1)
def test_requests_of_a_running_batch_are_not_sent_live(part, server, engine):
    run_until_failure(part, server, POLL[engine], items(2, 3))
    with pytest.raises(UserError, match=r"batches.json: 6 of the requests are in running batches"):
        part.run(batch=False)
    part.run()
    assert server.submitted() == dict.fromkeys(prompts(), 1)


def test_rejected_api_key_is_reported(part, server, engine):
    server.refuse(CREATE[engine], 401)
    with pytest.raises(UserError, match="rejects the API key"):
        part.run()


@pytest.mark.quick(1)
def test_deleted_batch_is_reported_and_forgotten_with_the_state(part, server, engine):
    server.refuse(POLL[engine], 404)
    message = r"batch, file or model not found.* remove .*\.batches\.json"
    with pytest.raises(UserError, match=message):
        part.run()
    part.journal.with_suffix(".batches.json").unlink()
    assert column(part.run(), "response") == echoes()
    assert len(server.batches) == 2


def test_api_key_is_sent_to_no_other_host(part, server, monkeypatch):
    """The servers name URLs of uploads and results at another host."""
    monkeypatch.setenv("MY_KEY", "sk-ant-api03-Q7wEr5TyUi9OpAs2DfGh")
    part.run(api_key_env="MY_KEY")
    (key,) = server.keys
    assert key.removeprefix("Bearer ") == "sk-ant-api03-Q7wEr5TyUi9OpAs2DfGh"
    for path in part.directory.rglob("*.*"):
        assert "Q7wEr5TyUi9OpAs2DfGh" not in path.read_text()


@only("openai")
def test_max_spend_holds_back_new_batches_only(part, server):
    part.run(items(1, 2))
    spending = {"price": PRICE, "max_spend": 1e-6}
    with pytest.raises(UserError, match="max_spend"):
        part.run(**spending)
    assert len(server.batches) == 1
    run_until_failure(part, server, "GET /v1/batches/batch_1")
    with pytest.raises(UserError, match="max_spend"):
        part.run(items(2, 6), **spending)
    assert len(server.batches) == 2
    assert len(part.replies()) == 10  # those of the running batch too


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "moment",
    [
        lambda server: server.calls,  # perhaps before the batch is created
        lambda server: server.batches,  # perhaps before its id is stored
        lambda server: any(call.endswith(tuple(FETCH.values())) for call in server.calls),
    ],
    ids=["called", "created", "fetched"],
)
def test_killed_job_reattaches_and_submits_nothing_twice(tmp_path, engine, server, moment):
    server.looks = 5

    def job():
        options = {"batch": True, "batch_requests": 4, "cache": None}
        return Job(tmp_path / "killed", server, engine=engine, **options)

    assert job().kill(when=lambda: moment(server)) == -9
    code, errors = job().finish()
    assert code == 0, errors
    assert server.submitted() == dict.fromkeys(prompts(), 1)

    with running(kind=KINDS[engine]) as other:
        Part(tmp_path / "undisturbed", other.url, engine, batch=True, cache=None).run()
    assert same_bytes(tmp_path / "killed", tmp_path / "undisturbed")


# --- lines and files --------------------------------------------------------------------------


INVALID_LINES = {
    "torn": b'{"custom_id": "a", "resp',
    "no id": b'{"response": {"status_code": 200}}',
    "no object": b"[1]",
    "deep": b"[" * 100_000,
    "not utf-8": b'{"custom_id": "\xff"}',
}


def replies(content: bytes) -> list:
    """The outcomes in a file of OpenAI's format."""
    operation = {"api_key_env": None, "batch": True}
    setup = Setup({"engine": "openai", "model": "m"}, operation, journal=Path("journal"))
    return list(build(setup)._batches.replies(content))


@pytest.mark.parametrize("line", INVALID_LINES.values(), ids=INVALID_LINES)
def test_invalid_line_of_results_is_skipped(line):
    assert replies(line + b"\n") == []


FILTERED = {"error": {"code": "content_filter"}}


@pytest.mark.parametrize(
    ("record", "outcome"),
    [
        ({"response": None, "error": {"code": "batch_expired"}}, Retry("batch: batch_expired")),
        ({"error": {"message": "Request timeout", "code": "timeout"}}, Retry("batch: timeout")),
        ({"error": {"code": "x" * 61}}, Retry("batch: " + "x" * 60)),
        ({"response": None, "error": None}, Retry("batch: no response")),
        ({"response": {"status_code": 204}}, Retry("batch: no response")),
        ({"response": {"status_code": 200}, "error": {"code": "late"}}, Retry("batch: late")),
        ({"response": {"status_code": 200, "body": None}}, Retry("invalid reply: no choices")),
        ({"response": {"status_code": 500, "body": {}}}, Retry("HTTP 500", broken=True)),
        ({"response": {"status_code": 400, "body": None}, "error": "no such url"},
         Response("error", error="HTTP 400: no such url")),
        ({"response": {"status_code": 400, "body": FILTERED}},
         Response("refused", finish_reason="content_filter")),
    ],
)  # fmt: skip
def test_line_of_results_has_the_outcome_of_its_request(record, outcome):
    content = json.dumps({"custom_id": "a", **record}).encode()
    assert replies(content) == [("a", outcome)]


@pytest.mark.parametrize(
    ("kind", "record", "retry"),
    [
        ("anthropic", {"result": {"type": "errored"}}, Retry("HTTP 500", broken=True)),
        ("anthropic", {"result": {"type": "expired"}}, Retry("batch: expired")),
        ("anthropic", {}, Retry("batch: no response")),
        ("gemini", {"error": {"code": 99}}, Retry("HTTP 500", broken=True)),
        ("gemini", {"response": {}}, Retry("batch: no response")),
    ],
)
def test_line_without_a_response_of_a_dialect_is_retried(kind, record, retry):
    assert BATCHES[kind].outcome(BATCHES[kind], record) == retry


def test_lines_are_split_by_both_limits_in_order():
    sizes = [3, 4, 5, 1, 1, 1, 1]
    lines = [(item, b"x" * size) for item, size in zip(items(), sizes, strict=False)]
    files = []
    for file in batch_files.split(lines, 3, 7):
        files.append([len(line) for _, line in file])
    assert files == [[3, 4], [5, 1, 1], [1, 1]]
    assert len(list(batch_files.split(lines, 3, 5))) == 5  # 3, 4, 5, 1 + 1 + 1, 1
    with pytest.raises(UserError, match="has 5 bytes, more than the 4"):
        list(batch_files.split(lines, 3, 4))


def test_batch_limits_of_the_providers():
    limits = {name: (kind.facts["requests"], kind.facts["bytes"]) for name, kind in BATCHES.items()}
    assert limits["openai"] == (50_000, 200_000_000)
    assert limits["anthropic"][0] == 100_000
    assert limits["anthropic"][1] < 256_000_000
    assert limits["gemini"][1] <= 2_000_000_000
