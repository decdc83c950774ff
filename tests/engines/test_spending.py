"""What a run costs, and a server that fails: against a real server."""

import json
from dataclasses import replace

import pytest

from parts import items, items_with, prompts, rated
from servers import echo, replied
from steadfast.base.errors import UserError
from steadfast.contract.request import Request, Response
from steadfast.engines.api.engines import PROVIDERS
from steadfast.engines.asking.journal import Journal
from steadfast.engines.base import Setup
from steadfast.engines.cost.bill import Bill, cost, dearest, failed_attempt, prompt_tokens

PRICE = {"input": 2.0, "cached": 0.5, "output": 8.0}
RATES = rated(PRICE)


def of(record):
    names = ("prompt_tokens", "cached_tokens", "completion_tokens")
    return cost(RATES, *(record[name] for name in names))


DEAR = rated({
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
    "another tier": ((1000, 0, 10, 0, "input"), 1000 * 2 + 80),
    "cached": ((1000, 400, 500, 0), 600 * 2 + 400 * 0.5 + 500 * 8),
}


@pytest.mark.parametrize(("tokens", "millionths"), COSTS.values(), ids=COSTS)
def test_cached_and_written_tokens_long_prompts_and_tiers_have_their_prices(tokens, millionths):
    assert cost(DEAR, *tokens) == pytest.approx(millionths / 1e6)


@pytest.mark.parametrize("option", [(), ("batch",)])
def test_the_dearest_reading_writes_at_the_price_of_the_longest_prompts(option):
    share = 0.25 if option else 1.0
    assert dearest(DEAR, 100, 10, *option) == pytest.approx(share * (100 * 9 + 10 * 12) / 1e6)
    assert dearest(RATES, 100, 10) == cost(RATES, 100, 0, 10)


def test_a_cap_has_room_for_the_dearest_reading_only(part, server):
    (prompt,) = prompts(items(1, 1))
    tokens = -(-len(prompt) // 3)
    cached = PRICE | {"cached": 20.0}
    room = (tokens * 20 + 50 * 8) / 1e6
    with pytest.raises(UserError, match="max_spend"):
        part.run(items(1, 1), price=cached, max_spend=room * 0.99)
    assert len(part.run(items(1, 1), price=cached, max_spend=room * 1.01)) == 1


def test_the_bill_grows_with_the_journals_of_other_jobs(tmp_path):
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


def most(prompt):
    """What a request of these tests may cost: bytes/3 of prompt, 50 tokens of answer."""
    return cost(RATES, -(-len(prompt) // 3), 0, 50)


def test_the_cap_stops_the_job_before_it_is_exceeded(part, server):
    records = part.run(items(1, 40))
    total = sum(map(of, records))
    part.journal.unlink()
    asked = sum(server.asked.values())
    cap = total / 2
    with pytest.raises(UserError, match=r"max_spend of .* USD is reached .* so far are cached"):
        part.run(items(1, 40), price=PRICE, max_spend=cap)
    spent = sum(map(of, part.replies()))
    assert cap - max(map(most, prompts(items(1, 40)))) <= spent <= cap
    assert sum(server.asked.values()) < asked + 40
    part.run(items(1, 40), price=PRICE, max_spend=2 * total)
    assert sum(server.asked.values()) == asked + 40


def test_requests_under_way_count_with_all_that_they_may_cost(part, server):
    server.delay = 0.05
    asked = [replace(item, context="", context_id="") for item in items(1, 8)]
    room = 2.5 * max(map(most, prompts(asked)))  # for two requests at once, of four
    records = part.run(asked, price=PRICE, max_spend=room)
    assert server.most_busy == 2
    assert len(records) == 8  # each turns out cheaper than it may be, and makes room


@pytest.mark.parametrize("room", [0.5, 1.5, 2.5, 3.5])
def test_the_cap_ends_a_job_whose_requests_go_side_by_side(part, server, room):
    asked = [replace(item, head=item.tail, context="", context_id="") for item in items(1, 20)]
    most_of_one = max(map(most, prompts(asked)))
    reply = server.reply  # which counts as much as each may cost, or nearly
    server.reply = lambda *request: {**reply(*request), "usage": COUNTS}
    with pytest.raises(UserError, match="max_spend"):
        part.run(asked, price=PRICE, max_spend=room * most_of_one, max_concurrency=4)
    assert sum(server.asked.values()) == int(room)
    assert len(part.run(asked)) == 20
    assert set(server.asked.values()) == {1}


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}, [1]])
def test_a_server_that_counts_nothing_is_not_free(part, server, usage):
    echoes = [replied(echo(prompt), usage=usage) for prompt in prompts(items(1, 12))]
    asked = items_with(server, echoes)
    with pytest.raises(UserError, match=r"max_spend of 1e-09 USD is reached"):
        part.run(asked, price=PRICE, max_spend=1e-9)
    assert not server.asked
    records = part.run(asked, price=PRICE, max_spend=100.0)
    assert {record["prompt_tokens"] for record in records} <= {None, 0}  # no estimate is shown
    assert not any("estimate" in name for record in records for name in record)
    by_hand = sum(
        cost(RATES, -(-len(prompt) // 3), 0, -(-len(echo(prompt)) // 3))
        for prompt in prompts(asked)
    )
    assert part.spent(PRICE) == pytest.approx(by_hand)
    assert part.run(asked) == records  # from the journal


def test_an_answer_that_the_limit_cut_has_the_limits_tokens(part, server):
    server.faults[""].append(replied("Hi", "length"))
    part.run(items(1, 1))
    (prompt,) = prompts(items(1, 1))
    assert part.spent(PRICE) == pytest.approx(most(prompt))


@pytest.mark.parametrize(("counted", "tokens"), [(7, 7), (0, 0), (None, 4)])
def test_a_prompt_has_the_tokens_that_were_counted_or_a_third_of_its_bytes(counted, tokens):
    turns = (("Q", "A"),)  # with the texts ten bytes
    asked = Request("s", "c", ("", ""), "Read é", "!", 5, counted, 0, 1.0, None, "h", turns)
    assert prompt_tokens(asked) == tokens


COUNTS = {"prompt_tokens": 40, "completion_tokens": 50}
NO_ANSWER = replied("x", "insufficient_system_resource", usage=COUNTS)
PAID = {
    "openai": json.loads(NO_ANSWER.body),
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
"""Replies that end no answer, of 40 tokens of prompt and 50 more."""


@pytest.mark.parametrize("engine", PAID)
def test_a_reply_that_is_no_answer_says_what_it_took(engine):
    outcome = PROVIDERS[engine](Setup({"engine": engine, "model": "m"})).read(PAID[engine])
    attempt = failed_attempt(outcome.reason, outcome.counts)
    assert (attempt.prompt_tokens, attempt.completion_tokens) == (40, 50)
    assert attempt.status == "error"


def test_a_reply_that_is_no_answer_is_in_the_bill_and_in_no_output(part, server):
    (alone,) = part.run(items(1, 1))
    part.journal.unlink()
    server.faults[""].append(NO_ANSWER)
    (record,) = part.run(items(1, 1))
    assert record == alone
    paid = part.spent(PRICE)
    assert paid == pytest.approx(of(record) + (40 * 2 + 50 * 8) / 1e6)


def test_another_try_of_what_is_paid_needs_room_under_the_cap(part, server):
    server.faults[""].extend([NO_ANSWER] * 4)
    first_and_no_second = most(*prompts(items(1, 1))) + 0.0004  # an attempt costs 0.00048
    with pytest.raises(UserError, match=r"max_spend of .* is reached"):
        part.run(items(1, 1), price=PRICE, max_spend=first_and_no_second)
    assert sum(server.asked.values()) == 1


LINES = {
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


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_line_of_a_journal_never_lowers_the_bill(tmp_path, line):
    record, prompt, cached, output = line
    (tmp_path / "4k.jsonl").write_text(
        json.dumps({"hash": "a", "status": "ok", "text": "Hi!", **record}) + "\n[1]\n3\n{\n"
    )
    spent = Bill(RATES, 1.0, [tmp_path]).spent()
    assert spent == pytest.approx(cost(RATES, prompt, cached, output))
