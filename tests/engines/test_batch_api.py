"""The Batch API against a real server: nothing submitted twice, whatever happens."""

import json

import pytest

from batch_server import BatchServer, Fate
from parts import Job, Part, items, prompts, same_bytes
from servers import echo, running
from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json
from steadfast.contract.request import Response
from steadfast.engines.api import batch_files
from steadfast.engines.api.replies import Retry


@pytest.fixture
def server():
    with running(kind=BatchServer) as started:
        yield started


@pytest.fixture
def part(part):
    part.operation |= {"batch": True}
    return part


def state(part):
    return json.loads(part.journal.with_suffix(".batches.json").read_text("utf-8"))


def test_every_item_is_answered_in_order_by_one_batch(part, server):
    records = part.run()
    assert [r["text"] for r in records] == [echo(p) for p in prompts()]
    assert len(server.batches) == 1
    assert server.submitted() == dict.fromkeys(prompts(), 1)
    assert (records[0]["cached_tokens"], records[0]["status"]) == (2, "ok")


def test_a_line_has_the_fields_of_the_format(part, server):
    (record,) = part.run(items(1, 1))
    (content,) = [server.files[b["input_file_id"]] for b in server.batches.values()]
    assert content.endswith(b"\n")
    line = json.loads(content)
    assert line.pop("body")["messages"][-1]["content"] == prompts(items(1, 1))[0]
    assert line == {
        "custom_id": record["request_hash"],
        "method": "POST",
        "url": "/v1/chat/completions",
    }


def test_a_base_model_uses_the_completions_endpoint(part, server):
    part.answers["template"] = "base"
    part.run(items(1, 1))
    (batch,) = server.batches.values()
    assert batch["endpoint"] == "/v1/completions"
    assert json.loads(batch["lines"][0])["body"]["prompt"].endswith("\nOutput: ")


def test_requests_and_outputs_are_those_of_the_live_engine(part, server, tmp_path):
    settings = {"system": "Be brief.", "seed": 7, "extra_body": {"top_k": 1}}
    part.answers |= settings
    part.run()
    with running() as live:
        other = Part(tmp_path / "live", live.url)
        other.answers |= settings
        other.run()
    (batch,) = server.batches.values()
    bodies = {canonical_json(json.loads(line)["body"]) for line in batch["lines"]}
    assert bodies == set(map(canonical_json, live.bodies))
    assert same_bytes(tmp_path, tmp_path / "live")


def test_requests_are_split_into_files_within_the_limit(part, server):
    part.run(batch_requests=4)
    assert sorted(len(batch["lines"]) for batch in server.batches.values()) == [2, 4, 4]
    assert set(server.submitted().values()) == {1}


def test_what_an_expired_batch_left_goes_into_a_further_one(part, server):
    server.fates.append(Fate("expired", lose=("Ask 1.0!", "Ask 3.1!")))
    records = part.run()
    assert {r["status"] for r in records} == {"ok"}
    assert [len(batch["lines"]) for batch in server.batches.values()] == [10, 2]
    assert set(server.answered.values()) == {1}


def test_a_failed_batch_is_tried_again_up_to_attempts(part, server):
    server.fates.extend([Fate("failed")] * 4)
    with pytest.raises(UserError, match=r"10 of 10 .*10 × batch failed: bad line"):
        part.run()
    assert len(server.batches) == 4
    part.run()  # a later run begins anew
    assert len(server.batches) == 5
    assert set(server.answered.values()) == {1}


def test_what_there_is_no_room_for_waits_for_other_batches_and_is_no_attempt(part, server):
    said = "Enqueued token limit reached for gpt-x. Limit: 90,000 enqueued tokens."
    full = Fate("failed", message=said)
    server.fates.extend([Fate(), full, full, Fate(), full, Fate()])
    part.run(batch_requests=4, attempts=1)
    ended = [(batch["status"], batch["answered"]) for batch in state(part)["ended"]]
    assert ended == [("failed", 0), ("failed", 0), ("completed", 4), ("failed", 0),
                     ("completed", 4), ("completed", 2)]  # fmt: skip
    assert set(server.answered.values()) == {1}


def test_what_there_is_never_room_for_is_an_error(part, server):
    server.fates.extend([Fate("failed", message="Enqueued token limit reached for x.")] * 2)
    with pytest.raises(UserError, match="10 × batch failed: Enqueued token limit reached"):
        part.run(attempts=2)
    assert len(server.batches) == 2


def test_a_request_that_is_refused_is_an_error_of_its_own(part, server):
    server.fates.append(Fate(fail=("Ask 2.0!",)))
    records = part.run(allowed_failures=0.1)
    (failed,) = [r for r in records if r["status"] == "error"]
    assert (failed["sample_id"], failed["error"]) == ("q2/c0", "HTTP 400: bad request")
    assert len(server.batches) == 1


def test_a_batch_whose_making_was_not_heard_of_is_not_made_again(part, server):
    server.lost_replies = 1
    part.run()
    assert len(server.batches) == 1
    assert set(server.submitted().values()) == {1}


@pytest.mark.parametrize("call", ["POST /v1/files", "POST /v1/batches", "GET /v1/batches/batch_0"])
def test_a_passing_fault_is_waited_out(part, server, call):
    server.refusals[call] = [500, 429, 503]
    part.run()
    assert len(server.batches) == 1


ODD_BODIES = [b"", b"<html>", b"null", b"[]", b'{"id": 3}', b'{"id": "", "status": ""}', b"\xff"]


@pytest.mark.parametrize("body", ODD_BODIES, ids=repr)
@pytest.mark.parametrize("call", ["POST /v1/files", "POST /v1/batches", "GET /v1/batches/batch_0"])
def test_a_call_that_brings_something_else_is_made_again(part, server, call, body):
    server.odd[call] = [body, body]
    part.run()
    assert len(server.batches) == 1
    assert set(server.answered.values()) == {1}


@pytest.mark.parametrize(
    "said",
    [
        {"errors": "x", "metadata": 3},
        {"errors": {"data": [3]}, "output_file_id": 5, "error_file_id": [1]},
        {"errors": {"data": [{"message": ["x"]}]}, "output_file_id": None},
    ],
)
def test_odd_words_about_a_batch_end_no_job(part, server, said):
    server.odd_words = said
    with pytest.raises(UserError, match=r"10 of 10 .*10 × batch failed"):
        part.run(attempts=1)
    server.odd_words = {}
    part.run(attempts=1)
    assert len(server.batches) == 2


def test_a_batch_is_found_on_a_later_page(part, server):
    server.lost_replies = 1
    server.page = 1
    server.strangers = 3
    part.run()
    assert len(server.batches) == 1


def test_a_server_that_stays_away_stops_the_job_and_the_next_re_attaches(part, server):
    server.refusals["GET /v1/batches/batch_0"] = [500] * 4
    with pytest.raises(UserError, match=r"failed 4 times in a row .* submits none twice"):
        part.run()
    assert len(state(part)["open"]) == 1
    part.run()
    assert len(server.batches) == 1
    assert state(part)["open"] == []


def test_what_a_batch_has_is_not_asked_live_too(part, server):
    server.refusals["GET /v1/batches/batch_0"] = [500] * 4
    with pytest.raises(UserError, match="in a row"):
        part.run(items(2, 3))
    with pytest.raises(UserError, match=r"batches.json: 6 of the requests are in batches"):
        part.run(batch=False)
    assert not server.calls["POST /v1/chat/completions"]
    part.run()
    assert server.submitted() == dict.fromkeys(prompts(), 1)


def test_a_key_that_is_not_accepted_is_said(part, server):
    server.refusals["POST /v1/files"] = [401]
    with pytest.raises(UserError, match="does not accept the key"):
        part.run()


def test_the_cap_holds_back_batches_and_keeps_those_under_way(part, server):
    price = {"input": 2.0, "cached": None, "output": 8.0}
    part.journal = part.directory / "journals" / "4k.jsonl"
    part.run(items(1, 2))
    spending = {"price": price, "max_spend": 1e-6}
    with pytest.raises(UserError, match="max_spend"):
        part.run(**spending)
    assert len(server.batches) == 1
    server.refusals["GET /v1/batches/batch_1"] = [500] * 4
    with pytest.raises(UserError, match="in a row"):
        part.run()
    with pytest.raises(UserError, match="max_spend"):
        part.run(items(2, 6), **spending)
    assert len(server.batches) == 2
    assert len(part.journal.read_text("utf-8").splitlines()) == 10


@pytest.mark.parametrize(
    "moment",
    [
        lambda server: server.files,  # uploaded, perhaps not yet kept
        lambda server: server.batches,  # made, perhaps not yet kept
        lambda server: len(server.batches) == 3,
        lambda server: any("GET /v1/batches/" in call for call in server.calls),
        lambda server: any(call.endswith("/content") for call in server.calls),
    ],
    ids=["uploaded", "made", "all made", "polling", "importing"],
)
def test_a_killed_job_re_attaches_and_submits_nothing_twice(tmp_path, server, moment):
    server.looks = 5

    def job():
        options = {"batch": True, "batch_requests": 4}
        return Job(tmp_path / "killed", server, **options)

    assert job().kill(when=lambda: moment(server)) == -9
    code, errors = job().finish()
    assert code == 0, errors
    assert server.submitted() == dict.fromkeys(prompts(), 1)

    with running() as live:
        Part(tmp_path / "undisturbed", live.url).run()
    assert same_bytes(tmp_path / "killed", tmp_path / "undisturbed")


ODD_LINES = {
    "torn": b'{"custom_id": "a", "resp',
    "no id": b'{"response": {"status_code": 200}}',
    "no object": b"[1]",
    "deep": b"[" * 100_000,
    "not utf-8": b'{"custom_id": "\xff"}',
}


@pytest.mark.parametrize("line", ODD_LINES.values(), ids=ODD_LINES)
def test_a_line_that_is_no_reply_is_passed_over(line):
    assert list(batch_files.parse(line + b"\n", batch_files.outcome)) == []


@pytest.mark.parametrize(
    ("record", "outcome"),
    [
        ({"response": None, "error": {"code": "batch_expired"}}, Retry("batch: batch_expired")),
        ({"error": {"message": "Request timeout", "code": "timeout"}}, Retry("batch: timeout")),
        ({"response": None, "error": None}, Retry("batch: no response")),
        ({"response": {"status_code": 200, "body": None}}, Retry("a body without choices")),
        ({"response": {"status_code": 500, "body": {}}}, Retry("HTTP 500", broken=True)),
        (
            {"response": {"status_code": 400, "body": None}, "error": "no such url"},
            Response("error", error="HTTP 400: no such url"),
        ),
        (
            {"response": {"status_code": 400, "body": {"error": {"code": "content_filter"}}}},
            Response("refused", finish_reason="content_filter"),
        ),
    ],
)
def test_a_line_says_what_became_of_its_request(record, outcome):
    content = json.dumps({"custom_id": "a", **record}).encode()
    assert list(batch_files.parse(content, batch_files.outcome)) == [("a", outcome)]


def test_files_keep_to_the_limits_and_the_order():
    lines = [
        (item, b"x" * size) for item, size in zip(items(), (3, 4, 5, 1, 1, 1, 1), strict=False)
    ]
    files = [[len(line) for _, line in file] for file in batch_files.split(lines, 3, 8)]
    assert files == [[3, 4], [5, 1, 1], [1, 1]]
    with pytest.raises(UserError, match="makes a line of 5 bytes"):
        list(batch_files.split(lines, 3, 4))


def test_files_keep_to_the_providers_own_limits():
    limits = batch_files.FACTS["requests"], batch_files.FACTS["bytes"]
    (item,) = items(1, 1)
    for size, number, files in ((10, 50_001, [50_000, 1]), (50_000_000, 9, [4, 4, 1])):
        lines = ((item, line) for line in [b"x" * size] * number)
        assert [len(file) for file in batch_files.split(lines, *limits)] == files
