"""Replies of odd shapes over HTTP 200: none ends a job, and none but a sound one is an answer."""

import copy
import json
import random

import pytest

from parts import items
from servers import Fault, echo
from steadfast.contract.request import ANSWERED, Response
from steadfast.engines.api.replies import Retry, completion

NO_JSON = [
    b"",
    b"<html><body>Bad gateway</body></html>",
    b"\xff\xfe\x00",
    b'{"choices": [{"mess',
    b"[" * 100_000,
    b'{"choices": ' * 100_000,
    b"9" * 10_000,
    b"null",
    b"[]",
    b"true",
    b'"stop"',
    '{"choices": []}'.encode("utf-16"),
    b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: [DONE]\n\n',
]
ODD = [None, True, False, -1, 0, 1.5, 10**400, float("nan"), "", "x", "\ud800", [], [1], [None]]
ODD += [{}, {"text": 1}, {"content": "Hi"}, [[[[]]]], ["Hi"], [{"type": "text"}], [{"type": 3}]]
MISSING = "(the field is missing)"
NO_END = [None, MISSING, 3, True, ["stop"], {"type": "stop"}, "error", "abort", "", "STOP", "null"]
NO_END += ["insufficient_system_resource", "tool_calls", "function_call", "load"]
NO_CONTENT = [None, MISSING, 3, True, 1.5, 10**400, [], ["Hi"], [1], [{"type": "text"}], {"a": 1}]
NO_CONTENT += [[{"type": "text", "text": 4}], [{"type": "image_url", "image_url": "x"}], {}]
NO_CHOICES = [None, MISSING, 3, "x", {}, [], [None], [[1]], ["stop"], {"0": {}}]
NO_MESSAGE = [None, MISSING, 3, "Hi", [], ["Hi"], True]
ERRORS = [{"message": "Upstream failed", "code": 502}, "overloaded", [1], {"a": "\ud800"}, 1, True]


def sound(prompt):
    """A reply as OpenAI describes it."""
    return {
        "id": "r",
        "model": "m",
        "system_fingerprint": "f",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": echo(prompt)}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


def put(place, name, value):
    if value is MISSING:
        place.pop(name, None)
    else:
        place[name] = value


def spoil(rng, reply):
    """Makes a reply one that is no answer, in one place."""
    choice = reply["choices"][0]
    what = rng.randrange(7)
    if what == 0:
        put(choice, "finish_reason", rng.choice(NO_END))
    elif what == 1:
        put(choice["message"], "content", rng.choice(NO_CONTENT))
    elif what == 2:
        put(reply, "choices", rng.choice(NO_CHOICES))
    elif what == 3:
        put(choice, "message", rng.choice(NO_MESSAGE))
    elif what == 4:
        put(rng.choice([reply, choice]), "error", rng.choice(ERRORS))
    elif what == 5:
        put(choice["message"], "refusal", rng.choice(["No.", ["No."], 3, True, {"a": 1}]))
    else:
        put(choice, "finish_reason", "content_filter")


def decorate(rng, reply):
    """Puts odd values where an answer does not depend on them."""
    choice = reply["choices"][0]
    odd = copy.deepcopy(rng.choice(ODD))
    place, name = rng.choice(
        [
            (reply, "usage"),
            (reply["usage"], "prompt_tokens"),
            (reply["usage"], "completion_tokens"),
            (reply["usage"], "total_tokens"),
            (reply["usage"], "completion_tokens_details"),
            (reply["usage"], "prompt_tokens_details"),
            (reply, "model"),
            (reply, "system_fingerprint"),
            (reply, "surplus"),
            (choice, "index"),
            (choice["message"], "reasoning_content"),
            (choice["message"], "reasoning"),
            (choice["message"], "reasoning_details"),
            (choice["message"], "tool_calls"),
        ]
    )
    place[name] = odd
    if rng.random() < 0.2:
        reply["choices"].append(rng.choice([None, 3, {"message": {"content": "other"}}]))
    reply.setdefault("usage", {})
    if not isinstance(reply["usage"], dict):
        reply["usage"] = {}


def test_two_hundred_odd_replies_end_no_job_and_only_sound_ones_are_answers(part, server):
    rng = random.Random(20261122)
    asked = items(2, 100)
    spoilt = {}
    for item in asked:
        prompt = item.head + item.context + item.tail
        reply = sound(prompt)
        for _ in range(rng.randrange(3)):
            decorate(rng, reply)
        spoilt[item.sample_id] = rng.random() < 0.6
        if spoilt[item.sample_id] and rng.random() < 0.3:
            body = rng.choice(NO_JSON)
        else:
            if spoilt[item.sample_id]:
                spoil(rng, reply)
            body = json.dumps(reply).encode()
        server.faults[item.tail.strip()].append(Fault(body=body))
    records = part.run(asked, attempts=1, max_concurrency=8, allowed_failures=1.0)
    for item, record in zip(asked, records, strict=True):
        assert (record["status"] not in ANSWERED) == spoilt[item.sample_id], item.sample_id
        if not spoilt[item.sample_id]:
            assert record["text"] == echo(item.head + item.context + item.tail)
    assert 80 < sum(spoilt.values()) < 160
    again = part.run(asked, attempts=1)  # what was no answer is asked once more
    assert {record["status"] for record in again} <= {"ok", "refused"}


@pytest.mark.parametrize(
    "mark", [{"object": "error"}, {"status": "failed"}, {"done": False}], ids=repr
)
def test_a_reply_that_says_it_failed_is_no_answer_whatever_else_it_holds(mark):
    assert isinstance(completion(sound("?") | mark), Retry)


@pytest.mark.parametrize("reason", NO_END, ids=repr)
def test_a_reply_without_an_end_is_asked_for_again(reason):
    reply = sound("?")
    put(reply["choices"][0], "finish_reason", reason)
    outcome = completion(reply)
    assert isinstance(outcome, Retry)
    assert outcome.reason.startswith("an answer without an end: finish_reason ")


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("stop", "ok"),
        ("length", "length"),
        ("eos", "ok"),
        ("eos_token", "ok"),
        ("stop_sequence", "ok"),
        ("content_filter", "refused"),
        ("model_length", "length"),
    ],
)
def test_finish_reasons_that_servers_end_an_answer_with(reason, status):
    reply = sound("?")
    reply["choices"][0]["finish_reason"] = reason
    assert completion(reply).status == status


@pytest.mark.parametrize("reason", ["tool_calls", "function_call"])
def test_a_call_of_a_tool_is_an_answer_where_tools_were_offered(part, server, reason):
    choice = {"finish_reason": reason, "message": {"content": None, "tool_calls": [{}]}}
    call = Fault(body=json.dumps({"choices": [choice]}).encode())
    server.faults[""].append(call)
    (record,) = part.run(items(1, 1), attempts=1, allowed_failures=1.0)
    assert record["status"] == "error"
    part.answers["extra_body"] = {"tools": [{"type": "function", "function": {"name": "f"}}]}
    server.faults[""].append(call)
    (record,) = part.run(items(1, 1))
    assert (record["status"], record["text"]) == ("ok", "")


def test_an_error_beside_the_choices_is_named_and_no_answer(part, server):
    reply = sound("?") | {"error": {"code": 502, "message": "Upstream failed"}}
    server.faults["Ask 0.0!"].extend([Fault(body=json.dumps(reply).encode())] * 4)
    records = part.run(allowed_failures=0.1)
    assert (records[0]["status"], records[0]["error"]) == ("error", "an error in the reply: 502")
    assert part.run()[0]["status"] == "ok"


@pytest.mark.parametrize("value", [-5, True, 1.0, "7", 10**13, None, [3]], ids=repr)
def test_a_count_that_is_none_is_not_taken(value):
    reply = sound("?")
    reply["usage"] = {"prompt_tokens": value, "completion_tokens": 2, "total_tokens": value}
    response = completion(reply)
    assert (response.prompt_tokens, response.completion_tokens) == (None, 2)


@pytest.mark.parametrize("status", [400, 418, 429, 500])
@pytest.mark.parametrize("body", NO_JSON, ids=lambda body: repr(body[:8]))
def test_a_failure_with_an_odd_body_is_still_that_failure(part, server, status, body):
    server.faults["Ask 0.0!"].append(Fault(status, body))
    (record, *_) = part.run(attempts=1, allowed_failures=1.0)
    assert (record["status"], record["error"]) == ("error", f"HTTP {status}")


ODD_HEADERS = [
    Fault(headers={"Content-Encoding": "gzip"}),
    Fault(headers={"Content-Encoding": "nonsense", "Content-Type": "text/html; charset=none"}),
    Fault(400, b"\xff", headers={"Content-Type": "text/plain; charset=none"}),
    Fault(400, headers={"Content-Encoding": "deflate"}),
    Fault(301, b"", headers={"Location": "http://[::1"}),
    Fault(302, b"", headers={"Location": "http://127.0.0.1:99999/"}),
    Fault(303, b"", headers={"Location": ""}),
    Fault(304, b""),
    Fault(307, b"", headers={"Location": "\xff\x80"}),
    Fault(429, headers={"Retry-After": "1e400"}),
    Fault(503, headers={"Retry-After": "\xff"}),
    Fault(599, headers={"Retry-After-Ms": "-1"}),
    Fault(999, reason="\xff odd"),
]


@pytest.mark.parametrize("fault", ODD_HEADERS, ids=lambda fault: f"{fault.status} {fault.headers}")
def test_odd_headers_end_no_job(part, server, fault):
    server.faults["Ask 0.0!"].append(fault)
    records = part.run(attempts=1, allowed_failures=1.0)
    assert {record["status"] for record in records[1:]} == {"ok"}
    assert part.run()[0]["status"] == "ok"


def test_an_answer_may_be_in_any_unicode(part, server):
    reply = sound("?")
    reply["choices"][0]["message"]["content"] = "λ 中文 \U0001f600 \x00"
    server.faults["Ask 0.0!"].append(Fault(body=json.dumps(reply).encode()))
    assert part.run()[0]["text"] == "λ 中文 \U0001f600 \x00"


def test_a_response_is_what_the_reply_says():
    assert completion(sound("Why?")) == Response(
        "ok",
        "You said: Why?",
        finish_reason="stop",
        prompt_tokens=3,
        completion_tokens=2,
        served_model="m",
        fingerprint="f",
    )
