"""Replies of OpenAI-compatible servers: which are answers, which are retried, and any is one."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import items_with, prompts
from servers import Fault, echo
from steadfast.base.files import canonical_json
from steadfast.contract.request import STATUSES, Response
from steadfast.engines.api.body import parsed
from steadfast.engines.api.chat import Chat
from steadfast.engines.api.replies import Retry, http_failure, retry_after
from steadfast.engines.base import Setup


def chat(**extra_body):
    return Chat(Setup({"model": "m", "extra_body": extra_body}, {"api_key_env": None}))


CHAT = chat()
INVALID_BODIES = [
    b"", b"<html><body>Bad gateway</body></html>", b"\xff\xfe\x00", b'{"choices": [{"mess',
    b"[" * 100_000, b'{"choices": ' * 100_000, b"9" * 10_000, b"null", b"[]", b"true", b'"stop"',
    '{"choices": []}'.encode("utf-16"),
    b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: [DONE]\n\n',
]  # fmt: skip
ANY_VALUES = [
    None, True, False, -1, 0, 1.5, 10**400, float("nan"), "", "x", "\ud800", [], [1], [None], {},
    {"text": 1}, {"content": "Hi"}, [[[[]]]], ["Hi"], [{"type": "text"}], [{"type": 3}],
]  # fmt: skip
UPSTREAM_FAILED = {"message": "Upstream failed", "code": 502}
MISSING = "(the field is missing)"
ERRORS = [UPSTREAM_FAILED, "overloaded", [1], {"a": "\ud800"}, 1, True]
CHOICE = ("choices", 0)
MESSAGE = (*CHOICE, "message")
FINISH_REASON = (*CHOICE, "finish_reason")
INVALID = {
    FINISH_REASON: [
        None, MISSING, 3, True, ["stop"], {"type": "stop"}, "error", "abort", "", "STOP", "null",
        "insufficient_system_resource", "tool_calls", "function_call", "load",
    ],
    (*MESSAGE, "content"): [
        None, MISSING, 3, True, 1.5, 10**400, [], ["Hi"], [1], [{"type": "text"}], {"a": 1}, {},
        [{"type": "text", "text": 4}], [{"type": "image_url", "image_url": "x"}],
    ],
    ("choices",): [None, MISSING, 3, "x", {}, [], [None], [[1]], ["stop"], {"0": {}}],
    MESSAGE: [None, MISSING, 3, "Hi", [], ["Hi"], True],
    ("error",): ERRORS,
    (*CHOICE, "error"): ERRORS,
    (*MESSAGE, "refusal"): [["No."], 3, True, {"a": 1}],
    ("object",): ["error"],
    ("status",): ["failed"],
    ("done",): [False],
}  # fmt: skip
"""Fields of a reply, with values that make it no answer."""
IRRELEVANT = [
    ("usage",), ("usage", "prompt_tokens"), ("usage", "completion_tokens"),
    ("usage", "total_tokens"), ("usage", "completion_tokens_details"),
    ("usage", "prompt_tokens_details"), ("model",), ("system_fingerprint",), ("surplus",),
    (*CHOICE, "index"), (*MESSAGE, "reasoning_content"), (*MESSAGE, "reasoning"),
    (*MESSAGE, "reasoning_details"), (*MESSAGE, "tool_calls"),
]  # fmt: skip
"""Fields on which an answer does not depend."""


def valid_reply(prompt="?"):
    """A reply as OpenAI describes it."""
    return {
        "id": "r",
        "model": "m",
        "system_fingerprint": "f",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": echo(prompt)}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


def reply_with(field, value):
    """A valid reply with another value of one field."""
    reply = valid_reply()
    *outer_keys, last_key = field
    parent = reply
    for key in outer_keys:
        parent = parent[key]
    if value == MISSING:
        parent.pop(last_key, None)
    else:
        parent[last_key] = value
    return reply


def read(message, reason="stop", **usage):
    choice = {"finish_reason": reason, "message": message}
    return CHAT.read({"choices": [choice], "usage": usage})


# --- answers and invalid replies ----------------------------------------------------------------


def test_valid_reply_is_read_in_full():
    tokens = {"prompt_tokens": 3, "completion_tokens": 2}
    source = {"served_model": "m", "fingerprint": "f"}
    response = Response("ok", "You said: Why?", finish_reason="stop", **tokens, **source)
    assert CHAT.read(valid_reply("Why?")) == response


def field_name(field):
    return ".".join(map(str, field))


@pytest.mark.parametrize("field", INVALID, ids=field_name)
def test_invalid_reply_is_retried(field):
    for value in INVALID[field]:
        outcome = CHAT.read(reply_with(field, value))
        assert isinstance(outcome, Retry), value
        if field == FINISH_REASON:
            assert outcome.reason.startswith("incomplete response: finish_reason ")
        if value == UPSTREAM_FAILED:
            assert outcome.reason == "error in the reply: 502"


@pytest.mark.parametrize("field", IRRELEVANT, ids=field_name)
def test_irrelevant_fields_do_not_change_the_answer(field):
    for value in ANY_VALUES:
        reply = reply_with(field, value)
        reply["choices"].append({"message": {"content": "other"}})
        assert CHAT.read(reply).text == "You said: ?"


STATUS_BY_REASON = {
    "stop": "ok", "eos": "ok", "eos_token": "ok", "stop_sequence": "ok", "length": "length",
    "model_length": "length", "content_filter": "refused",
}  # fmt: skip


@pytest.mark.parametrize(("reason", "status"), STATUS_BY_REASON.items())
def test_finish_reason_gives_the_status(reason, status):
    response = CHAT.read(reply_with(FINISH_REASON, reason))
    assert response.status == status
    assert bool(response.text) == (status != "refused")


@pytest.mark.parametrize("reason", ["tool_calls", "function_call"])
def test_tool_call_is_an_answer_only_with_tools(reason):
    message = {"content": None, "tool_calls": [{}]}
    reply = {"choices": [{"finish_reason": reason, "message": message}]}
    assert isinstance(CHAT.read(reply), Retry)
    response = chat(tools=[{}]).read(reply)
    assert (response.status, response.text) == ("ok", "")


@pytest.mark.parametrize("value", [-5, True, 1.0, "7", 10**12 + 1, None, [3]], ids=repr)
def test_invalid_token_count_is_ignored(value):
    usage = {"prompt_tokens": value, "completion_tokens": 2, "total_tokens": value}
    response = CHAT.read(valid_reply() | {"usage": usage})
    assert (response.prompt_tokens, response.completion_tokens) == (None, 2)


@pytest.mark.parametrize("value", [0, 10**12])
def test_least_and_largest_token_count_are_read(value):
    response = read({"content": "4"}, prompt_tokens=value, completion_tokens=value)
    assert (response.prompt_tokens, response.completion_tokens) == (value, value)


def test_answer_keeps_unicode_and_replaces_lone_surrogates():
    assert read({"content": "λ 中文 \U0001f600 \x00"}).text == "λ 中文 \U0001f600 \x00"
    assert read({"content": "a \ud800 b"}).text == "a � b"


def test_incomplete_reply_has_the_tokens_that_it_costs():
    assert read({"content": "4"}, "error").counts is None
    assert read({"content": "4"}, "error", prompt_tokens=40).counts["prompt_tokens"] == 40
    assert read({"content": "4"}, "error", completion_tokens=5).counts["completion_tokens"] == 5


# --- failures ---------------------------------------------------------------------------------


def test_rejected_field_is_named():
    detail = [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "type": "extra"}]
    response = http_failure(422, {"detail": detail}, {}, 0.0)  # as Mistral words it
    assert response.error == "HTTP 422: seed: Extra inputs are not permitted"


def test_passing_failures_are_those_of_load_and_of_the_server():
    retries = {}
    for status in range(300, 1000):
        outcome = http_failure(status, {}, {}, 0.0)
        if isinstance(outcome, Retry):
            retries[status] = outcome
    assert list(retries) == [408, 409, 429, *range(500, 600)]
    assert [status for status in retries if retries[status].overloaded] == [429, 503, 529]
    assert [status for status in retries if retries[status].broken] == [*range(500, 600)]


def test_messages_of_a_server_are_shortened():
    assert http_failure(400, {"detail": "x" * 201}, {}, 0.0).error == "HTTP 400: " + "x" * 200
    reason = "x" * 61
    assert CHAT.read({"error": reason}).reason == "error in the reply: " + "x" * 60
    quoted = repr("x" * 60)
    assert read({"content": "4"}, reason).reason == f"incomplete response: finish_reason {quoted}"


@pytest.mark.parametrize("status", [400, 418, 429, 500])
def test_failure_with_invalid_body_keeps_its_status(status):
    for body in INVALID_BODIES:
        outcome = http_failure(status, parsed(body), {}, 0.0)
        reason = outcome.reason if isinstance(outcome, Retry) else outcome.error
        assert reason == f"HTTP {status}"


UNUSUAL_HEADERS = [
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


INVALID_REPLIES = [Fault(body=body) for body in INVALID_BODIES]


@pytest.mark.parametrize("faults", [INVALID_REPLIES, UNUSUAL_HEADERS], ids=["bodies", "headers"])
def test_job_survives_unusual_replies(part, server, faults):
    items = items_with(server, [*faults, Fault()])
    records = part.run(items, attempts=1, max_concurrency=8, allowed_failures=1.0)
    *statuses, last_status = [record["status"] for record in records]
    assert last_status == "ok"
    assert faults is UNUSUAL_HEADERS or set(statuses) == {"error"}
    second_run = part.run(items, attempts=1)  # what was no answer is requested once more
    responses = [record["response"] for record in second_run]
    assert responses == [echo(prompt) for prompt in prompts(items)]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3.0), ("-3", 0.0), ("1.5", 1.5), ("soon", None), ("nan", None), ("inf", None),
        ("", None), (formatdate(1007, usegmt=True), 7.0), (formatdate(900, usegmt=True), 0.0),
    ],
)  # fmt: skip
def test_retry_after_header_gives_seconds(value, seconds):
    assert retry_after({"retry-after": value}, 1000.0) == seconds


def test_retry_after_header_in_milliseconds_comes_first():
    assert retry_after({"retry-after-ms": "250", "retry-after": "1"}, 1000.0) == 0.25
    assert retry_after({}, 1000.0) is None


NAMES = ["choices", "message", "content", "text", "usage", "error", "code", "model"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=12,
)
BODIES = st.binary(max_size=50) | JSON.map(lambda value: canonical_json(value).encode())


@given(BODIES, st.integers(400, 599), st.text(max_size=40))
def test_any_reply_is_a_response_or_a_retry(body, status, header):
    outcome = CHAT.read(parsed(body))
    assert isinstance(outcome, Retry) or outcome.status in STATUSES
    if isinstance(outcome, Response):
        outcome.text.encode("utf-8")
    failed = http_failure(status, parsed(body), {"retry-after": header}, 1000.0)
    assert isinstance(failed, Retry) or failed.status in ("error", "overflow", "refused")
    if isinstance(failed, Retry):
        assert failed.after is None or 0 <= failed.after < float("inf")


# --- reasoning in separate fields ---------------------------------------------------------------

REASONING = "2+2"
ANSWER = "4"
TEXT_PART = {"type": "text", "text": ANSWER}
THINKING_PART = {"type": "thinking", "thinking": [{"type": "text", "text": REASONING}]}
ENCRYPTED = {"type": "reasoning.encrypted", "data": "AAA"}
DETAILS = [{"type": "reasoning.text", "text": REASONING, "signature": None}, ENCRYPTED]
SUMMARY_AND_TEXT = [
    {"type": "reasoning.summary", "summary": "First."},
    {"type": "reasoning.text", "text": "Then."},
]


@pytest.mark.parametrize(
    ("fields", "reasoning"),
    [
        ({"reasoning_content": REASONING}, REASONING),
        ({"reasoning": REASONING}, REASONING),
        ({"reasoning_content": "", "reasoning": REASONING}, REASONING),
        ({"reasoning_content": None, "reasoning": REASONING}, REASONING),
        ({"reasoning_content": "a", "reasoning": "b"}, "a"),
        ({"reasoning": REASONING, "reasoning_details": DETAILS}, REASONING),
        ({"reasoning_details": DETAILS}, REASONING),
        ({"reasoning_details": SUMMARY_AND_TEXT}, "First.\nThen."),
        ({"reasoning_details": [ENCRYPTED]}, None),
        ({"content": [THINKING_PART, TEXT_PART]}, REASONING),
        ({"content": [{"type": "thinking", "thinking": REASONING}, TEXT_PART]}, REASONING),
        ({"content": [TEXT_PART]}, None),
        ({"reasoning_content": "\n"}, None),
        ({"reasoning": {"effort": "low"}}, None),
    ],
)
def test_reasoning_is_read_from_the_first_field_with_some(fields, reasoning):
    response = read({"content": ANSWER, **fields})
    assert (response.status, response.text, response.reasoning) == ("ok", ANSWER, reasoning)


def details(reasoning_tokens):
    return {"completion_tokens_details": {"reasoning_tokens": reasoning_tokens}}


@pytest.mark.parametrize(
    ("message", "usage"),
    [
        ({"content": None, "reasoning": "2+2 is"}, {}),
        ({"content": ""}, details(300)),
        ({"content": None}, details(300)),
    ],
)
@pytest.mark.parametrize(("reason", "status"), [("stop", "ok"), ("length", "length")])
def test_reasoning_without_answer_gives_an_empty_response(message, usage, reason, status):
    response = read(message, reason, completion_tokens=300, **usage)
    assert (response.status, response.text) == (status, "")
    assert response.reasoning == message.get("reasoning")


def test_neither_reasoning_nor_answer_is_retried():
    assert read({"content": None}, **details(0)) == Retry("invalid reply: no content")


@pytest.mark.parametrize(
    ("message", "usage", "tokens"),
    [
        ({}, details(64), 64),
        ({}, {"reasoning_tokens": 64}, 64),
        ({}, {"reasoning_tokens": 9, **details(0)}, 9),
        ({}, {"reasoning_tokens": 0}, 0),
        ({}, details(0), 0),
        ({"reasoning": "2+2"}, details(0), None),
        ({}, details(-1), None),
        ({}, {"completion_tokens_details": None}, None),
    ],
)
def test_reasoning_tokens_are_read_from_usage(message, usage, tokens):
    assert read({"content": "4", **message}, **usage).reasoning_tokens == tokens


@pytest.mark.parametrize(("total", "completion_tokens"), [(115, 105), (15, 5), (0, 5)])
def test_tokens_only_in_the_total_are_completion_tokens(total, completion_tokens):
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": total}
    assert read({"content": "4"}, **usage).completion_tokens == completion_tokens


def test_refusal_has_no_reasoning_and_no_text():
    response = read({"content": "Half", "reasoning": "Hm.", "refusal": "I cannot."})
    assert response == Response("refused", finish_reason="stop")
