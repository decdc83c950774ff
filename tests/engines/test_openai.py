"""The openai engine against a real server: no answer is lost, none is requested twice."""

import asyncio
import signal
from contextlib import nullcontext
from dataclasses import replace
from unittest.mock import AsyncMock, Mock

import pandas as pd
import pytest
from aiohttp import ClientConnectorError, ClientError, ConnectionTimeoutError

from parts import items, prompts
from servers import Fault, echo, error
from steadfast.base.errors import TemporaryError, UserError
from steadfast.contract.request import Response
from steadfast.engines.api.engine import ApiEngine
from steadfast.engines.sending.run import _check_failures, _warnings, raise_on_sigterm


@pytest.mark.parametrize("questions", [2, 6])
def test_one_request_of_each_context_is_answered_before_the_others(part, server, questions):
    server.delay = 0.05
    part.run(items(3, questions))
    log = pd.DataFrame(server.log, columns=["prompt", "start", "end"]).sort_values("start")
    for _, requests in log.groupby(log.prompt.str[-2:]):  # by context
        first = requests.iloc[0]
        assert "Ask 0." in first.prompt
        assert (requests.start[1:] >= first.end).all()
        assert len(requests) == questions


NO_CONTEXT = [replace(item, context="", context_id="") for item in items(1, 12)]


@pytest.mark.parametrize("some_items", [items(3, 5), NO_CONTEXT], ids=["contexts", "no context"])
def test_max_concurrency_is_reached_and_not_exceeded(part, server, some_items):
    server.delay = 0.05
    part.run(some_items, max_concurrency=5)
    assert server.most_busy == 5


TRANSIENT = {
    "429": error(429, Retry_After="0"),
    "529": Fault(529, b'{"type": "error"}', headers={"retry_after": "0"}),
    "503": Fault(503, b"[]"),
    "half json": Fault(body=b'{"choices": [{"mess'),
    "dropped": Fault(drop=True),
}


@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT)
def test_passing_fault_loses_no_answer(part, server, fault):
    server.faults["Ask 0.0!"].append(fault)  # the first of a context
    server.faults["Ask 3.1!"].extend([fault, fault])
    responses = [record["response"] for record in part.run()]
    assert responses == [echo(prompt) for prompt in prompts()]
    request_counts = dict.fromkeys(prompts(), 1)
    request_counts |= {prompts()[0]: 2, prompts()[7]: 3}
    assert server.requested == request_counts


@pytest.mark.wide
def test_slow_request_times_out_and_is_retried(part, server):
    server.faults["Ask 1.0!"].append(Fault(delay=3600))
    records = part.run(timeout=2.0)
    assert {record["status"] for record in records} == {"ok"}


def test_long_retry_after_is_shortened_and_shown_once_a_minute(part, server, monkeypatch, capfd):
    monkeypatch.setattr("steadfast.engines.api.pace.LONGEST_WAIT", 0.2)
    server.faults["Ask 0.0!"].append(error(429, Retry_After="86400"))
    server.faults["Ask 1.0!"].append(error(503, Retry_After="86400"))
    part.run()  # within the day
    shown_lines = capfd.readouterr().err.splitlines()
    message = "HTTP 429: the server requests a wait of 86400 s (Retry-After), retrying in 0 s"
    assert [line for line in shown_lines if "requests a wait" in line] == [f"echo-1: {message}"]
    assert part.log.read_text("utf-8").count("requests a wait") == 2


def test_failed_requests_are_reported_and_only_they_are_retried(part, server):
    server.faults["Ask 2.0!"].extend([error(500)] * 4)
    server.faults["Ask 3.1!"].append(error(400, message="bad parameter"))
    server.faults["Ask 4.1!"].append(Fault(307, b"{}"))
    server.faults["Ask 4.0!"].append(Fault(300))  # with a valid reply
    with pytest.raises(UserError, match=r"4 of 10 requests of model echo failed") as failure:
        part.run()
    for reason in ("HTTP 500", "HTTP 400: bad parameter", "HTTP 300"):
        assert f"1 × {reason}" in str(failure.value)
    assert "HTTP 307" in [reply.get("error") for reply in part.replies()]
    assert not part.out.exists()
    assert len(server.answered) == 6
    assert {record["status"] for record in part.run()} == {"ok"}
    assert server.answered == dict.fromkeys(prompts(), 1)


def test_allowed_failures_are_records_without_a_response(part, server):
    server.faults["Ask 2.0!"].extend([error(500)] * 4)
    records = {record["sample_id"]: record for record in part.run(allowed_failures=0.1)}
    assert list(records) == [item.sample_id for item in items()]
    failed = records.pop("q2/c0")
    assert (failed["status"], failed["response"], failed["error"]) == ("error", "", "HTTP 500")
    assert {record["status"] for record in records.values()} == {"ok"}


def test_failure_of_any_request_stops_the_job_at_once(part, server):
    server.faults["Ask 4.0!"].extend([error(404)] * 10)
    with pytest.raises(UserError, match="model 'echo-1' not found"):
        part.run(max_concurrency=1)
    assert sum(server.requested.values()) == 5
    server.faults.clear()
    part.run()
    assert set(server.answered.values()) == {1}


def test_output_limit_beyond_what_claude_sends_unstreamed_is_refused(part):
    part.answers = {"engine": "anthropic", "model": "claude-x"}
    with pytest.raises(UserError, match=r"claude-x: .* 21,334 tokens.* 21,333 .* batch: true"):
        part.run([replace(item, max_tokens=21_334) for item in items(1, 1)])


def test_no_wait_follows_the_last_attempt(part, server, monkeypatch):
    attempts = []

    async def wait(pace, attempt, after):
        attempts.append(attempt)

    monkeypatch.setattr("steadfast.engines.api.pace.Pace.wait", wait)
    server.faults[""].extend([error(500)] * 4)
    with pytest.raises(TemporaryError):
        part.run(items(1, 1))
    assert attempts == [1, 2, 3]


@pytest.mark.parametrize("replies", [0, 1])
@pytest.mark.parametrize(
    ("failure", "unreachable"),
    [
        (ConnectionTimeoutError(), True), (ClientConnectorError(Mock(), OSError()), True),
        (TimeoutError(), False), (ClientError(), False),
    ],
)  # fmt: skip
def test_server_that_was_ever_reached_is_overloaded(failure, unreachable, replies):
    engine = object.__new__(ApiEngine)
    engine._reply_count = replies
    engine._timeout = 5
    engine._access = engine._provider = Mock()
    engine._client = Mock(post=AsyncMock(side_effect=failure))
    retry = asyncio.run(engine._attempt(Mock()))
    is_overloaded = replies > 0 or not unreachable
    assert (retry.unreachable, retry.overloaded) == (unreachable, is_overloaded)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, None)])
def test_stopped_job_ends_by_its_signal(part, server, monkeypatch, number, code):
    received = nullcontext([number])
    monkeypatch.setattr("steadfast.engines.api.engine._deferred_signals", lambda *_: received)
    with pytest.raises((SystemExit, KeyboardInterrupt)) as end:
        part.run()
    assert getattr(end.value, "code", None) == code


def test_unreachable_server_is_reported(part):
    with pytest.raises(UserError, match=r"127\.0\.0\.1:9 is unreachable \(4 attempts\)"):
        part.run(base_url="http://127.0.0.1:9/v1")


def test_prompts_beyond_the_window_are_reported_or_skipped(part, server):
    part.answers |= {"window": 120}
    with pytest.raises(UserError, match=r"model echo: 10 of 10 prompts .* 120 tokens.* q0/c0"):
        part.run()
    part.answers |= {"on_overflow": "skip"}
    assert {record["status"] for record in part.run()} == {"overflow"}
    assert not server.requested


def test_equal_requests_are_sent_once(part, server):
    first, second = items(1, 2)
    records = part.run([first, second, replace(first, sample_id="duplicate")])
    assert records[2]["response"] == records[0]["response"]
    assert set(server.requested.values()) == {1}


def test_only_settings_of_answers_cause_new_requests(part, server):
    part.run()
    records = part.records()
    options = {"cache": "30m", "service_tier": "flex"}
    assert part.run(max_concurrency=1, attempts=2, timeout=3.0, **options) == records
    assert set(server.requested.values()) == {1}
    part.answers["seed"] = 3
    part.run()
    assert set(server.requested.values()) == {2}


def test_changed_template_requests_only_its_prompts(part, server):
    changed_items = items()
    part.run(changed_items)
    changed_items[3] = replace(changed_items[3], tail="\nAsk otherwise!")
    part.run(changed_items)
    assert set(server.requested.values()) == {1}
    assert len(server.requested) == 11


def test_provenance_describes_the_model_and_not_the_machine(part, server):
    part.run()
    provenance = part.provenance()
    served = {"model": "echo-1-0001", "fingerprint": "fp_1", "responses": 10}
    assert provenance["served"] == [served]
    answers = {"engine": "openai", "model": "echo-1", "template": "chat", "temperature": 0.0}
    assert provenance["answers"] == answers
    assert provenance["tokens"]["cached"] == 20
    assert provenance["tokens"]["reasoning"] == 0  # not counted by this server
    assert provenance["statuses"] == {"ok": 10}
    assert {"steadfast", "openai"} <= set(provenance["packages"])
    text = part.provenance_out.read_text("utf-8")
    assert "127.0.0.1" not in text
    assert str(part.directory) not in text


@pytest.mark.parametrize(
    ("reasons", "is_passing"),
    [
        (["HTTP 400: bad request", "HTTP 404"], False),
        (["HTTP 400: bad request", "HTTP 429"], True),
        (["HTTP 408"], True),
        (["HTTP 500"], True),
        (["connection lost"], True),
    ],
)
def test_failures_are_passing_unless_all_would_recur(reasons, is_passing):
    responses = [Response("error", "", error=reason) for reason in reasons]
    with pytest.raises(UserError, match=f"{len(reasons)} of {len(reasons)} requests") as failure:
        _check_failures("m", responses, 0.5)
    assert isinstance(failure.value, TemporaryError) == is_passing
    _check_failures("m", responses, 1.0)


@pytest.mark.parametrize(
    ("reasons", "shown"),
    [
        ("cab", "1 × c, 1 × a, 1 × b"),
        ("bacba", "2 × b, 2 × a, 1 × c"),
        ("abcdd", "2 × d, 1 × a, 1 × b, …"),
    ],
)
def test_three_most_frequent_reasons_of_failures_are_shown(reasons, shown):
    responses = [Response("error", "", error=reason) for reason in reasons]
    with pytest.raises(UserError, match=rf"failed \({shown}\);"):
        _check_failures("m", responses, 0.0)


def test_reasoning_of_a_model_without_settings_for_it_is_reported():
    responses = [Response("ok", "4", reasoning="2+2"), Response("ok", "4"), Response("unfinished")]
    with_reasoning, unfinished = _warnings("m", responses, None)
    assert with_reasoning.startswith("1 of 3 responses of model m contain reasoning")
    assert unfinished.startswith("1 of 3 replies of model m end before the reasoning does")
    assert list(_warnings("m", responses, {"tokens": 9})) == [unfinished]


def test_terminated_job_exits_with_128_and_the_signal():
    before = signal.getsignal(signal.SIGTERM)
    with raise_on_sigterm(), pytest.raises(SystemExit) as end:
        signal.getsignal(signal.SIGTERM)(signal.SIGTERM, None)
    assert end.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is before
