"""The openai engine against a real server: nothing lost, nothing asked twice."""

from dataclasses import replace

import pytest

from parts import items, prompts
from servers import Fault, echo, error
from steadfast.base.errors import PassingError, UserError
from steadfast.contract.request import Response
from steadfast.engines.asking.run import _check_failures


def test_one_request_warms_each_context_before_the_rest(part, server):
    server.delay = 0.05
    part.run(items(contexts=3, questions=6))
    for context in range(3):
        log = sorted(
            (entry for entry in server.log if entry[0].endswith(f".{context}!")),
            key=lambda entry: entry[1],
        )
        assert log[0][0].endswith(f"Ask 0.{context}!")
        assert all(start >= log[0][2] for _, start, _ in log[1:])


NO_CONTEXT = [replace(item, context="", context_id="") for item in items(1, 12)]


@pytest.mark.parametrize("asked", [items(3, 5), NO_CONTEXT], ids=["contexts", "no context"])
def test_the_concurrency_is_used_and_never_exceeded(part, server, asked):
    server.delay = 0.05
    part.run(asked, max_concurrency=5)
    assert server.most_busy == 5


TRANSIENT = {
    "429": error(429, Retry_After="0"),
    "529": Fault(529, b'{"type": "error"}', headers={"retry_after": "0"}),
    "503": Fault(503, b"[]"),
    "half json": Fault(body=b'{"choices": [{"mess'),
    "dropped": Fault(drop=True),
}


@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT)
def test_a_passing_fault_loses_nothing(part, server, fault):
    server.faults["Ask 0.0!"].append(fault)  # the first of a context
    server.faults["Ask 3.1!"].extend([fault, fault])
    records = part.run()
    assert [r["response"] for r in records] == [echo(p) for p in prompts()]
    asked = {prompt.split("\n")[-1]: count for prompt, count in server.asked.items()}
    assert (asked["Ask 0.0!"], asked["Ask 3.1!"]) == (2, 3)
    assert sorted(asked.values())[:-2] == [1] * 8


@pytest.mark.wide
def test_a_slow_answer_is_given_up_and_asked_again(part, server):
    server.faults["Ask 1.0!"].append(Fault(delay=3600))
    records = part.run(timeout=2.0)
    assert {r["status"] for r in records} == {"ok"}


def test_retry_after_is_kept_by_the_request_that_was_refused(part, server):
    server.faults["Ask 0.0!"].append(error(429, Retry_After="0.3"))
    part.run()
    ends = [end for prompt, _, end in server.log if prompt.endswith("Ask 0.0!")]
    starts = [start for prompt, start, _ in server.log if prompt.endswith("Ask 0.0!")]
    assert max(starts) - min(ends) >= 0.29
    # Those of the other context do not wait with it.
    assert all(start < max(starts) for prompt, start, _ in server.log if prompt.endswith(".1!"))
    assert "requests a wait" in part.log.read_text()


def test_a_long_retry_after_is_cut_and_shown_once_a_minute(part, server, monkeypatch, capfd):
    monkeypatch.setattr("steadfast.engines.api.pace.LONGEST_WAIT", 0.2)
    server.faults["Ask 0.0!"].append(error(429, Retry_After="86400"))
    server.faults["Ask 1.0!"].append(error(503, Retry_After="86400"))
    part.run()  # within the day
    shown = capfd.readouterr().err.splitlines()
    sentence = "HTTP 429: the server requests a wait of 86400 s (Retry-After), retrying in 0 s"
    assert [line for line in shown if "requests a wait" in line] == [f"echo-1: {sentence}"]
    log = part.log.read_text("utf-8").splitlines()
    assert sum("requests a wait" in line for line in log) == 2


def test_what_fails_for_good_is_reported_and_the_rest_kept(part, server):
    server.faults["Ask 2.0!"].extend([error(500)] * 4)
    server.faults["Ask 3.1!"].append(error(400, message="bad parameter"))
    server.faults["Ask 4.1!"].append(Fault(307, b"{}"))
    with pytest.raises(UserError, match=r"3 of 10 requests of model echo failed") as raised:
        part.run()
    for reason in ("HTTP 500", "HTTP 400: bad parameter", "HTTP 307"):
        assert f"1 × {reason}" in str(raised.value)
    assert not part.out.exists()
    before = dict(server.answered)
    records = part.run()
    assert {r["status"] for r in records} == {"ok"}
    assert all(server.answered[prompt] == count for prompt, count in before.items())
    assert len(server.answered) == 10


def test_allowed_failures_are_rows_and_no_answers(part, server):
    server.faults["Ask 2.0!"].extend([error(500)] * 4)
    records = part.run(allowed_failures=0.1)
    (failed,) = [r for r in records if r["status"] == "error"]
    assert failed["sample_id"] == "q2/c0"
    assert (failed["response"], failed["error"]) == ("", "HTTP 500")
    assert [r["sample_id"] for r in records] == [i.sample_id for i in items()]


def test_what_every_request_would_meet_stops_the_job_at_once(part, server):
    server.faults["Ask 4.0!"].extend([error(404)] * 10)
    with pytest.raises(UserError, match="model 'echo-1' not found"):
        part.run(max_concurrency=1)
    assert sum(server.asked.values()) == 5
    server.faults.clear()
    part.run()
    assert set(server.answered.values()) == {1}


def test_an_answer_too_long_to_come_without_a_stream_is_refused_before_it_is_asked(part):
    part.answers = {"engine": "anthropic", "model": "claude-x"}
    asked = [replace(item, max_tokens=21_334) for item in items(1, 1)]
    with pytest.raises(UserError, match=r"claude-x: .* 21,334 tokens.* 21,333 .* batch: true"):
        part.run(asked)


def test_an_unreachable_server_is_said(part):
    with pytest.raises(UserError, match=r"127\.0\.0\.1:9 is unreachable \(4 attempts\)"):
        part.run(base_url="http://127.0.0.1:9/v1")


def test_prompts_beyond_the_window_are_named_or_skipped_and_never_sent(part, server):
    part.answers |= {"window": 120}
    with pytest.raises(UserError, match=r"model echo: 10 of 10 prompts .* 120 tokens.* q0/c0"):
        part.run()
    part.answers |= {"on_overflow": "skip"}
    assert {r["status"] for r in part.run()} == {"overflow"}
    assert not server.asked


def test_equal_requests_are_asked_once(part, server):
    asked = items(1, 2)
    asked.append(replace(asked[0], sample_id="again"))
    records = part.run(asked)
    assert records[2]["response"] == records[0]["response"]
    assert set(server.asked.values()) == {1}


def test_operation_does_not_ask_again_but_an_answer_setting_does(part, server):
    part.run()
    part.run(max_concurrency=1, attempts=2, timeout=3.0)
    assert set(server.asked.values()) == {1}
    part.answers["seed"] = 3
    part.run()
    assert set(server.asked.values()) == {2}


def test_a_changed_template_asks_its_own_prompts_alone(part, server):
    asked = items()
    part.run(asked)
    asked[3] = replace(asked[3], tail="\nAsk otherwise!")
    part.run(asked)
    assert set(server.asked.values()) == {1}
    assert len(server.asked) == 11


def test_the_provenance_says_what_answered_and_nothing_of_the_machine(part, server):
    part.run()
    provenance = part.provenance()
    assert provenance["served"] == [
        {"model": "echo-1-0001", "fingerprint": "fp_1", "responses": 10}
    ]
    assert provenance["answers"] == {
        "engine": "openai",
        "model": "echo-1",
        "template": "chat",
        "temperature": 0.0,
    }
    assert provenance["tokens"]["cached"] == 20
    assert provenance["tokens"]["reasoning"] == 0  # of which this server says nothing
    assert provenance["statuses"] == {"ok": 10}
    assert {"steadfast", "openai"} <= set(provenance["packages"])
    text = part.provenance_out.read_text("utf-8")
    assert "127.0.0.1" not in text
    assert str(part.directory) not in text


@pytest.mark.parametrize(
    ("reasons", "passing"),
    [
        (["HTTP 400: bad request", "HTTP 404"], False),
        (["HTTP 400: bad request", "HTTP 429"], True),
        (["HTTP 408"], True),
        (["HTTP 500"], True),
        (["connection lost"], True),
    ],
)
def test_failures_pass_unless_the_server_will_say_them_all_again(reasons, passing):
    responses = [Response("error", "", error=reason) for reason in reasons]
    with pytest.raises(UserError, match=f"{len(reasons)} of {len(reasons)} requests") as raised:
        _check_failures("m", responses, 0.5)
    assert isinstance(raised.value, PassingError) == passing
    _check_failures("m", responses, 1.0)
