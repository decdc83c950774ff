"""What servers' replies mean: any reply has a meaning, and none but a sound one is an answer."""

import copy
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
from steadfast.engines.api.replies import Retry, failure, retry_after
from steadfast.engines.base import Setup

PLAIN, WITH_TOOLS = (
    Chat(Setup({"model": "m", "extra_body": {"tools": tools}}, {"api_key_env": None}))
    for tools in ([], [{}])
)
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
CHOICE = ("choices", 0)
MESSAGE = (*CHOICE, "message")
SPOILT = [
    *(((*CHOICE, "finish_reason"), value) for value in NO_END),
    *(((*MESSAGE, "content"), value) for value in NO_CONTENT),
    *((("choices",), value) for value in NO_CHOICES),
    *((MESSAGE, value) for value in NO_MESSAGE),
    *((("error",), value) for value in ERRORS),
    *(((*CHOICE, "error"), value) for value in ERRORS),
    *(((*MESSAGE, "refusal"), value) for value in (["No."], 3, True, {"a": 1})),
    (("object",), "error"),
    (("status",), "failed"),
    (("done",), False),
]
"""Places of a reply, with values by which it is no answer."""
NEEDLESS = [
    ("usage",), ("usage", "prompt_tokens"), ("usage", "completion_tokens"),
    ("usage", "total_tokens"), ("usage", "completion_tokens_details"),
    ("usage", "prompt_tokens_details"), ("model",), ("system_fingerprint",), ("surplus",),
    (*CHOICE, "index"), (*MESSAGE, "reasoning_content"), (*MESSAGE, "reasoning"),
    (*MESSAGE, "reasoning_details"), (*MESSAGE, "tool_calls"),
]  # fmt: skip
"""Places on which an answer does not depend."""


def sound(prompt="?"):
    """A reply as OpenAI describes it."""
    return {
        "id": "r",
        "model": "m",
        "system_fingerprint": "f",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": echo(prompt)}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


def changed(place, value):
    """A sound reply with another value at a place."""
    reply = copy.deepcopy(sound())
    *outer, last = place
    inner = reply
    for key in outer:
        inner = inner[key]
    if value == MISSING:
        inner.pop(last, None)
    else:
        inner[last] = value
    return reply


def read(message, reason="stop", **usage):
    choice = {"finish_reason": reason, "message": message}
    return PLAIN.read({"choices": [choice], "usage": usage})


# --- answers and what is none -----------------------------------------------------------------


def test_a_response_is_what_the_reply_says():
    assert PLAIN.read(sound("Why?")) == Response(
        "ok",
        "You said: Why?",
        finish_reason="stop",
        prompt_tokens=3,
        completion_tokens=2,
        served_model="m",
        fingerprint="f",
    )


@pytest.mark.parametrize(("place", "value"), SPOILT)
def test_a_spoilt_reply_is_asked_for_again(place, value):
    outcome = PLAIN.read(changed(place, value))
    assert isinstance(outcome, Retry)
    if place[-1] == "finish_reason":
        assert outcome.reason.startswith("incomplete response: finish_reason ")


@pytest.mark.parametrize("place", NEEDLESS, ids=lambda place: ".".join(map(str, place)))
def test_odd_values_where_an_answer_does_not_depend_on_them_change_none(place):
    for value in ODD:
        reply = changed(place, value)
        reply["choices"].append({"message": {"content": "other"}})
        assert PLAIN.read(reply).text == "You said: ?"


ENDS = {"stop": "ok", "eos": "ok", "eos_token": "ok", "stop_sequence": "ok", "length": "length",
        "model_length": "length", "content_filter": "refused"}  # fmt: skip


@pytest.mark.parametrize(("reason", "status"), ENDS.items())
def test_finish_reasons_that_servers_end_an_answer_with(reason, status):
    response = PLAIN.read(changed((*CHOICE, "finish_reason"), reason))
    assert response.status == status
    assert bool(response.text) == (status != "refused")


@pytest.mark.parametrize("reason", ["tool_calls", "function_call"])
def test_a_call_of_a_tool_is_an_answer_where_tools_were_offered(reason):
    message = {"content": None, "tool_calls": [{}]}
    reply = {"choices": [{"finish_reason": reason, "message": message}]}
    assert isinstance(PLAIN.read(reply), Retry)
    called = WITH_TOOLS.read(reply)
    assert (called.status, called.text) == ("ok", "")


def test_an_error_beside_the_choices_is_named():
    outcome = PLAIN.read(sound() | {"error": {"code": 502, "message": "Upstream failed"}})
    assert outcome.reason == "error in the reply: 502"


@pytest.mark.parametrize("value", [-5, True, 1.0, "7", 10**13, None, [3]], ids=repr)
def test_a_count_that_is_none_is_not_taken(value):
    usage = {"prompt_tokens": value, "completion_tokens": 2, "total_tokens": value}
    response = PLAIN.read(sound() | {"usage": usage})
    assert (response.prompt_tokens, response.completion_tokens) == (None, 2)


def test_an_answer_may_be_in_any_unicode_but_for_half_a_character():
    assert read({"content": "λ 中文 \U0001f600 \x00"}).text == "λ 中文 \U0001f600 \x00"
    assert read({"content": "a \ud800 b"}).text == "a � b"


# --- failures ---------------------------------------------------------------------------------


def test_the_refusal_of_a_field_names_it():
    detail = [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "type": "extra"}]
    refused = failure(422, {"detail": detail}, {}, 0.0)  # Mistral's
    assert refused.error == "HTTP 422: seed: Extra inputs are not permitted"


@pytest.mark.parametrize("status", [400, 418, 429, 500])
def test_a_failure_with_an_odd_body_is_still_that_failure(status):
    for body in NO_JSON:
        outcome = failure(status, parsed(body), {}, 0.0)
        reason = outcome.reason if isinstance(outcome, Retry) else outcome.error
        assert reason == f"HTTP {status}"


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


ODD_REPLIES = {"bodies": [Fault(body=body) for body in NO_JSON], "headers": ODD_HEADERS}


@pytest.mark.parametrize(("name", "faults"), ODD_REPLIES.items())
def test_odd_replies_end_no_job(part, server, name, faults):
    asked = items_with(server, [*faults, Fault()])
    records = part.run(asked, attempts=1, max_concurrency=8, allowed_failures=1.0)
    assert records[-1]["status"] == "ok"
    assert name == "headers" or {record["status"] for record in records[:-1]} == {"error"}
    again = part.run(asked, attempts=1)  # what was no answer is requested once more
    assert [record["response"] for record in again] == [echo(prompt) for prompt in prompts(asked)]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": formatdate(1007, usegmt=True)}, 7.0),
        ({"retry-after": formatdate(900, usegmt=True)}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after(headers, 1000.0) == seconds


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
def test_any_body_status_and_header_has_a_meaning(body, status, header):
    outcome = PLAIN.read(parsed(body))
    assert isinstance(outcome, Retry) or outcome.status in STATUSES
    if isinstance(outcome, Response):
        outcome.text.encode("utf-8")
    failed = failure(status, parsed(body), {"retry-after": header}, 1000.0)
    assert isinstance(failed, Retry) or failed.status in ("error", "overflow", "refused")
    if isinstance(failed, Retry):
        assert failed.after is None or 0 <= failed.after < float("inf")


# --- reasoning in fields of their own ----------------------------------------------------------

REASONING = "2+2"
ANSWER = "4"
DETAILS = [
    {"type": "reasoning.text", "text": REASONING, "signature": None},
    {"type": "reasoning.encrypted", "data": "AAA"},
]
LISTED = [
    {"type": "thinking", "thinking": [{"type": "text", "text": REASONING}]},
    {"type": "text", "text": ANSWER},
]
BOTH = [
    {"type": "reasoning.summary", "summary": "First."},
    {"type": "reasoning.text", "text": "Then."},
]


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        ({"content": ANSWER, "reasoning_content": REASONING}, REASONING),
        ({"content": ANSWER, "reasoning": REASONING}, REASONING),
        ({"content": ANSWER, "reasoning_content": "", "reasoning": REASONING}, REASONING),
        ({"content": ANSWER, "reasoning_content": None, "reasoning": REASONING}, REASONING),
        ({"content": ANSWER, "reasoning_content": "a", "reasoning": "b"}, "a"),
        ({"content": ANSWER, "reasoning": REASONING, "reasoning_details": DETAILS}, REASONING),
        ({"content": ANSWER, "reasoning_details": DETAILS}, REASONING),
        ({"content": ANSWER, "reasoning_details": BOTH}, "First.\nThen."),
        ({"content": ANSWER, "reasoning_details": DETAILS[1:]}, None),
        ({"content": LISTED}, REASONING),
        ({"content": [{"type": "thinking", "thinking": REASONING}, LISTED[1]]}, REASONING),
        ({"content": [{"type": "text", "text": ANSWER}]}, None),
        ({"content": ANSWER, "reasoning_content": "\n"}, None),
        ({"content": ANSWER, "reasoning": {"effort": "low"}}, None),
    ],
)
def test_the_first_field_that_holds_reasoning_is_taken(message, reasoning):
    response = read(message)
    assert (response.status, response.text, response.reasoning) == ("ok", ANSWER, reasoning)


HIDDEN = {"completion_tokens": 300, "completion_tokens_details": {"reasoning_tokens": 300}}


@pytest.mark.parametrize(
    ("message", "usage"),
    [
        ({"content": None, "reasoning": "2+2 is"}, {}),
        ({"content": ""}, HIDDEN),
        ({"content": None}, HIDDEN),
    ],
)
@pytest.mark.parametrize(("reason", "status"), [("stop", "ok"), ("length", "length")])
def test_reasoning_without_an_answer_is_a_reply_without_text(message, usage, reason, status):
    response = read(message, reason, **usage)
    assert (response.status, response.text) == (status, "")
    assert response.reasoning == message.get("reasoning")


def test_neither_reasoning_nor_answer_is_no_reply():
    nothing = {"completion_tokens_details": {"reasoning_tokens": 0}}
    assert read({"content": None}, **nothing) == Retry("invalid reply: no content")


@pytest.mark.parametrize(
    ("message", "usage", "tokens"),
    [
        ({}, {"completion_tokens_details": {"reasoning_tokens": 64}}, 64),
        ({}, {"reasoning_tokens": 64}, 64),
        ({}, {"reasoning_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 0}}, 9),
        ({}, {"completion_tokens_details": {"reasoning_tokens": 0}}, 0),
        ({"reasoning": "2+2"}, {"completion_tokens_details": {"reasoning_tokens": 0}}, None),
        ({}, {"completion_tokens_details": {"reasoning_tokens": -1}}, None),
        ({}, {"completion_tokens_details": None}, None),
    ],
)
def test_the_tokens_of_a_reasoning(message, usage, tokens):
    assert read({"content": "4", **message}, **usage).reasoning_tokens == tokens


@pytest.mark.parametrize(("total", "completion_tokens"), [(115, 105), (15, 5), (0, 5)])
def test_reasoning_that_only_the_total_counts_belongs_to_the_completion(total, completion_tokens):
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": total}
    assert read({"content": "4"}, **usage).completion_tokens == completion_tokens


def test_a_refusal_has_no_reasoning_and_no_text():
    response = read({"content": "Half", "reasoning": "Hm.", "refusal": "I cannot."})
    assert response == Response("refused", finish_reason="stop")
