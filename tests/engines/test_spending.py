"""Costs of requests, the bill over a run's journals, and the cap ``max_spend``."""

import json
from dataclasses import replace

import pytest

from parts import items, items_with, prompts, rated
from servers import echo, replied
from steadfast.base.errors import UserError
from steadfast.contract.request import Request, Response
from steadfast.engines.api.engines import PROVIDERS
from steadfast.engines.base import Setup
from steadfast.engines.cost.bill import (
    Bill,
    CapReached,
    cost,
    counted_cost,
    estimated,
    failed_attempt,
    highest_cost,
    prompt_tokens,
)
from steadfast.engines.sending.journal import Journal

PRICE = {"input": 2.0, "cached": 0.5, "output": 8.0}
RATES = rated(PRICE)


def cost_of(record):
    names = ("prompt_tokens", "cached_tokens", "completion_tokens")
    return cost(RATES, *[record[name] for name in names])


def max_cost(item):
    """An upper limit: a prompt token for three bytes, and 50 tokens of answer."""
    (prompt,) = prompts([item])
    return cost(RATES, -(-len(prompt) // 3), 0, 50)


def request_count(server):
    return sum(server.requested.values())


TIERED = rated({
    **PRICE, "written": 2.5, "flex": 0.5, "batch": 0.25,
    "above": [
        {"tokens": 1000, "input": 4.0, "output": 12.0},
        {"tokens": 2000, "input": 6.0, "cached": 1.0, "written": 9.0, "output": 12.0},
    ],
})  # fmt: skip
COSTS = {
    "written": ((1000, 200, 10, 300), 500 * 2 + 200 * 0.5 + 300 * 2.5 + 10 * 8),
    "no more than the length": ((1000, 0, 0, 0), 1000 * 2),
    "longer": ((1001, 1, 10, 0), 1000 * 4 + 4 + 10 * 12),  # cached and written as input
    "longest": ((2001, 1, 10, 1000), 1000 * 6 + 1 + 1000 * 9 + 10 * 12),
    "flex": ((1000, 0, 10, 0, "flex"), (1000 * 2 + 80) / 2),
    "batch": ((1000, 0, 10, 0, "batch"), (1000 * 2 + 80) / 4),
    "nothing written": ((1000, 200, 10), 800 * 2 + 200 * 0.5 + 10 * 8),
    "another tier": ((1000, 0, 10, 0, "input"), 1000 * 2 + 80),
    "cached": ((1000, 400, 500, 0), 600 * 2 + 400 * 0.5 + 500 * 8),
}


@pytest.mark.parametrize(("tokens", "millionths"), COSTS.values(), ids=COSTS)
def test_cost_has_prices_of_cached_and_long_prompts_and_tiers(tokens, millionths):
    assert cost(TIERED, *tokens) == pytest.approx(millionths / 1e6)


@pytest.mark.parametrize(("tier", "share"), [(None, 1.0), ("batch", 0.25)])
def test_upper_limit_is_writing_at_the_highest_price(tier, share):
    assert highest_cost(TIERED, 100, 10, tier) == pytest.approx(share * (100 * 9 + 10 * 12) / 1e6)
    assert highest_cost(RATES, 100, 10) == cost(RATES, 100, 0, 10)
    assert highest_cost(rated(dict.fromkeys(PRICE, 0.0)), 100, 10) == 0


def test_request_needs_room_for_its_upper_limit(part, server):
    (prompt,) = prompts(items(1, 1))
    price = PRICE | {"cached": 20.0}
    upper_limit = (-(-len(prompt) // 3) * 20 + 50 * 8) / 1e6
    with pytest.raises(UserError, match="max_spend"):
        part.run(items(1, 1), price=price, max_spend=upper_limit * 0.99)
    assert len(part.run(items(1, 1), price=price, max_spend=upper_limit * 1.01)) == 1


def test_limit_can_be_spent_to_the_last_cent(tmp_path):
    request = Request("s", "c", ("", ""), "", "", 0, 1_000_000, 0, 1.0, None, "h")  # 2 USD
    Bill(RATES, 2.0, [tmp_path]).reserve(request)
    bill = Bill(RATES, 5.0, [tmp_path])
    bill.reserve(request)
    bill.reserve(replace(request, hash="i"))
    bill.settle(replace(request, hash="of no reservation"))
    with pytest.raises(CapReached, match=r"\(0 USD in the journals, up to 2 USD for the next"):
        bill.reserve(replace(request, hash="j"))
    bill.reserve(replace(request, hash="j"), sent=True)  # by an earlier run
    for name in "hij":
        assert bill.waiting
        bill.settle(replace(request, hash=name))
    assert not bill.waiting


@pytest.mark.parametrize("counts", [{}, {"prompt_tokens": 9}, {"completion_tokens": 9}])
def test_cost_is_unknown_unless_prompt_and_output_are_counted(counts):
    assert counted_cost(RATES, counts) is None


def test_counted_cost_is_in_total_and_of_the_output():
    counts = {"prompt_tokens": 9, "cached_tokens": 4, "completion_tokens": 3}
    total, output = counted_cost(RATES, counts)
    assert total == pytest.approx((5 * 2 + 4 * 0.5 + 3 * 8) / 1e6)
    assert output == pytest.approx(3 * 8 / 1e6)


def test_tokens_cannot_be_both_read_from_the_cache_and_written():
    record = {"prompt_tokens": 100, "cached_tokens": 60, "written_tokens": 90}
    total, _ = counted_cost(TIERED, record | {"completion_tokens": 10})
    assert total == pytest.approx((60 * 0.5 + 40 * 2.5 + 10 * 8) / 1e6)


def test_bill_grows_with_the_journals_of_other_jobs(tmp_path):
    bill = Bill(RATES, 1.0, [tmp_path / "journals"])
    assert bill.spent() == 0
    answer = Response("ok", "x", prompt_tokens=96, cached_tokens=0, completion_tokens=1)
    for number, name in enumerate(["4k", "8k"], start=1):
        with Journal(tmp_path / f"journals/{name}.jsonl") as journal:
            journal.append("a" * 64, answer)
            assert bill.spent() == pytest.approx(number * 0.0002)
    with open(tmp_path / "journals/8k.jsonl", "a") as torn:
        torn.write('{"hash": "b", "prompt_to')
    assert bill.spent() == pytest.approx(0.0004)
    with open(tmp_path / "journals/8k.jsonl", "a") as torn:
        torn.write('kens": 100, "completion_tokens": 0}\n')
    assert bill.spent() == pytest.approx(0.0006)


def test_cap_stops_the_job_before_it_is_exceeded(part, server):
    forty_items = items(1, 40)
    total = sum(map(cost_of, part.run(forty_items)))
    part.journal.unlink()
    cap = total / 2
    with pytest.raises(UserError, match=r"max_spend of .* USD is reached .* so far are cached"):
        part.run(forty_items, price=PRICE, max_spend=cap)
    spent = sum(map(cost_of, part.replies()))
    assert cap - max(map(max_cost, forty_items)) <= spent <= cap
    assert request_count(server) < 80
    part.run(forty_items, price=PRICE, max_spend=2 * total)
    assert request_count(server) == 80


def test_requests_in_flight_count_with_their_upper_limit(part, server):
    server.delay = 0.05
    short_items = [replace(item, context="", context_id="") for item in items(1, 8)]
    cap = 2.5 * max(map(max_cost, short_items))  # for two requests at once, of four
    records = part.run(short_items, price=PRICE, max_spend=cap)
    assert server.most_busy == 2
    assert len(records) == 8  # each costs less than its limit, which makes room


@pytest.mark.parametrize("room", [0.5, 1.5, 2.5, 3.5])
def test_cap_stops_a_job_with_concurrent_requests(part, server, room):
    short_items = []
    for item in items(1, 20):
        short_items.append(replace(item, head=item.tail, context="", context_id=""))
    cap = room * max(map(max_cost, short_items))
    reply = server.reply  # which counts as much as each may cost, or nearly
    server.reply = lambda *request: {**reply(*request), "usage": COUNTS}
    with pytest.raises(UserError, match="max_spend"):
        part.run(short_items, price=PRICE, max_spend=cap, max_concurrency=4)
    assert request_count(server) == int(room)
    assert len(part.run(short_items)) == 20
    assert set(server.requested.values()) == {1}


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}, [1]])
def test_uncounted_tokens_are_estimated(part, server, usage):
    echoes = [replied(echo(prompt), usage=usage) for prompt in prompts(items(1, 12))]
    twelve_items = items_with(server, echoes)
    with pytest.raises(UserError, match=r"max_spend of 1e-09 USD is reached"):
        part.run(twelve_items, price=PRICE, max_spend=1e-9)
    assert not server.requested
    records = part.run(twelve_items, price=PRICE, max_spend=100.0)
    assert {record["prompt_tokens"] for record in records} <= {None, 0}  # no estimate is shown
    assert "estimate" not in part.out.read_text("utf-8")
    expected = 0
    for prompt in prompts(twelve_items):
        expected += cost(RATES, -(-len(prompt) // 3), 0, -(-len(echo(prompt)) // 3))
    assert part.spent(PRICE) == pytest.approx(expected)
    assert part.run(twelve_items) == records  # from the journal


def test_truncated_answer_costs_its_limit(part, server):
    server.faults[""].append(replied("Hi", "length"))
    part.run(items(1, 1))
    assert part.spent(PRICE) == pytest.approx(max_cost(*items(1, 1)))


@pytest.mark.parametrize(("counted", "tokens"), [(7, 7), (0, 0), (None, 4)])
def test_uncounted_prompt_has_a_token_for_three_bytes(counted, tokens):
    turns = (("Q", "A"),)  # with the texts ten bytes
    request = Request("s", "c", ("", ""), "Read é", "!", 5, counted, 0, 1.0, None, "h", turns)
    assert prompt_tokens(request) == tokens


ESTIMATES = {
    "without an output count": (Response("ok", "Café", prompt_tokens=9), (7, 2)),
    "without a prompt count": (Response("ok", "Café", completion_tokens=3), (7, 2)),
    "refused": (Response("refused"), (7, 0)),
    "truncated": (Response("length", "a"), (7, 5)),
    "reasoning": (Response("ok", "a", reasoning="bcd"), (7, 2)),
    "counted": (Response("ok", "a", prompt_tokens=9, completion_tokens=1), None),
    "without output": (Response("ok", "", prompt_tokens=9), None),
    "failed": (Response("error", error="HTTP 500"), None),
}


@pytest.mark.parametrize(("response", "estimates"), ESTIMATES.values(), ids=ESTIMATES)
def test_tokens_of_a_billed_response_are_estimated_unless_counted(response, estimates):
    request = Request("s", "c", ("", ""), "", "", 5, 7, 0, 1.0, None, "h")
    billed = estimated(request, response)
    if estimates is None:
        assert billed is response
    else:
        assert (billed.prompt_estimate, billed.completion_estimate) == estimates


COUNTS = {"prompt_tokens": 40, "completion_tokens": 50}
INVALID_REPLY = replied("x", "insufficient_system_resource", usage=COUNTS)
INVALID_REPLIES = {
    "openai": json.loads(INVALID_REPLY.body),
    "anthropic": {
        "content": [{"type": "text", "text": "x"}],
        "stop_reason": "pause_turn",
        "usage": {"input_tokens": 30, "cache_read_input_tokens": 10, "output_tokens": 50},
    },
    "gemini": {
        "candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "OTHER"}],
        "usageMetadata": {
            "promptTokenCount": 40, "candidatesTokenCount": 30, "thoughtsTokenCount": 20,
        },
    },
}  # fmt: skip
"""Replies without an answer, with 40 tokens of prompt and 50 more."""


@pytest.mark.parametrize("engine", INVALID_REPLIES)
def test_invalid_reply_is_counted(engine):
    provider = PROVIDERS[engine](Setup({"engine": engine, "model": "m"}))
    outcome = provider.read(INVALID_REPLIES[engine])
    attempt = failed_attempt(outcome.reason, outcome.counts)
    assert (attempt.prompt_tokens, attempt.completion_tokens) == (40, 50)
    assert attempt.status == "error"


def test_invalid_reply_is_billed_but_not_in_the_outputs(part, server):
    (expected,) = part.run(items(1, 1))
    part.journal.unlink()
    server.faults[""].append(INVALID_REPLY)
    (record,) = part.run(items(1, 1))
    assert record == expected
    assert part.spent(PRICE) == pytest.approx(cost_of(record) + (40 * 2 + 50 * 8) / 1e6)


def test_retry_of_a_billed_reply_needs_room_under_the_cap(part, server):
    server.faults[""].extend([INVALID_REPLY] * 4)
    room_for_one = max_cost(*items(1, 1)) + 0.0004  # an attempt costs 0.00048
    with pytest.raises(UserError, match=r"max_spend of .* is reached"):
        part.run(items(1, 1), price=PRICE, max_spend=room_for_one)
    assert request_count(server) == 1


JOURNAL_LINES = {
    "counted": ({"prompt_tokens": 100, "completion_tokens": 10}, 100, 0, 10),
    "negative": ({"prompt_tokens": -100, "completion_tokens": -10, "text": ""}, 0, 0, 0),
    "more cached than there are": ({"prompt_tokens": 100, "cached_tokens": 300}, 100, 100, 1),
    "an old line without counts": ({"text": "Hello, Anna"}, 0, 0, 4),
    "unknown fields": ({"prompt_tokens": 100, "completion_tokens": 10, "check": "x"}, 100, 0, 10),
    "no text": ({"text": None, "prompt_tokens": True, "completion_tokens": "7"}, 0, 0, 0),
    "estimates": ({"prompt_estimate": 30, "completion_estimate": 5}, 30, 0, 5),
    "estimates beside counts": ({"prompt_tokens": 20, "prompt_estimate": 30}, 20, 0, 1),
    "an error": ({"status": "error", "text": ""}, 0, 0, 0),
}


@pytest.mark.parametrize(
    ("fields", "prompt", "cached", "output"), JOURNAL_LINES.values(), ids=JOURNAL_LINES
)
def test_no_journal_line_lowers_the_bill(tmp_path, fields, prompt, cached, output):
    line = json.dumps({"hash": "a", "status": "ok", "text": "Hi!", **fields})
    (tmp_path / "4k.jsonl").write_text(f"{line}\n[1]\n3\n{{\n")
    spent = Bill(RATES, 1.0, [tmp_path]).spent()
    assert spent == pytest.approx(cost(RATES, prompt, cached, output))
