"""The plan: what is reckoned is what a run then takes."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import items
from steadfast.base.tokens import load_tokenizer
from steadfast.engines.asking.journal import final_tiers
from steadfast.engines.cost.forecast import (
    CachedTokenizer,
    distinct_tokens,
    misfits,
    plan_part,
    shared_tokens,
    taken,
)
from steadfast.engines.cost.roofline import Work
from steadfast.engines.fit import fit

TOKENIZER = load_tokenizer("o200k_base")
PRICE = {"input": 2.0, "cached": 0.5, "output": 8.0, "currency": "EUR"}
ANSWERS = {"engine": "openai", "model": "echo-1", "template": "chat", "temperature": 0.0}


def requests(asked=None, window=None, on_overflow="truncate"):
    asked = items() if asked is None else asked
    return fit(asked, window, on_overflow, TOKENIZER, answers=ANSWERS)


@given(st.lists(st.lists(st.integers(0, 2), max_size=5)))
def test_shared_tokens_are_the_nodes_of_the_prefix_tree(sequences):
    nodes = {tuple(s[:n]) for s in sequences for n in range(1, len(s) + 1)}
    assert shared_tokens(sequences) == len(nodes)


def test_a_context_counts_once_and_every_question_by_itself():
    row = plan_part(requests(items(1, 5)), (), TOKENIZER)
    prefix = TOKENIZER.count(requests(items(1, 1))[0].prefix)
    tails = [TOKENIZER.encode(item.tail) for item in items(1, 5)]
    assert row["prompt_tokens"] == 5 * prefix + sum(map(len, tails))
    assert row["distinct_tokens"] == prefix + shared_tokens(tails)
    assert row["output_budget"] == 250


def test_equal_requests_are_distinct_once_and_asked_once():
    asked = [*items(1, 2), replace(items(1, 1)[0], sample_id="again")]
    row, once = (plan_part(requests(some), (), TOKENIZER) for some in (asked, asked[:2]))
    assert (row["requests"], row["to_ask"]) == (3, 2)
    assert row["distinct_tokens"] == once["distinct_tokens"]
    assert row["ask"].prompt == once["ask"].prompt < row["prompt_tokens"]


def test_cuts_of_one_context_share_all_of_the_shorter_one():
    asked = [replace(item, max_tokens=50 if n else 40) for n, item in enumerate(items(1, 2))]
    cut = requests(asked, window=130)
    assert len({request.prefix for request in cut}) == 2
    assert distinct_tokens(cut, TOKENIZER) < sum(r.prompt_tokens for r in cut) - 30


def test_what_the_journal_holds_is_not_asked(part, server):
    part.run(items(2, 3))
    known = final_tiers(part.journal)
    row = plan_part(requests(), known, TOKENIZER)
    assert (row["requests"], row["known"], row["to_ask"]) == (10, 6, 4)
    part.run()
    assert plan_part(requests(), final_tiers(part.journal), TOKENIZER)["to_ask"] == 0


def test_a_torn_or_missing_journal_is_read_as_far_as_it_goes(part, server, tmp_path):
    part.run(items(1, 2))
    with open(part.journal, "a") as torn:
        torn.write('{"hash": "x", "status": "ok"')
    assert len(final_tiers(part.journal)) == 2
    assert final_tiers(tmp_path / "none.jsonl") == {}


def test_hours_and_cost_are_of_what_is_still_to_be_asked():
    def seconds(work):
        return work.distinct / 100 + work.output / 10

    asked = requests()
    row = plan_part(asked, (), TOKENIZER)
    row |= taken(row["ask"], row["whole"], seconds, 2, PRICE)
    hours = (row["distinct_tokens"] / 100 + 500 / 10) / 3600
    assert row["hours"] == pytest.approx(hours)
    assert row["gpu_hours"] == pytest.approx(2 * hours)
    cached = row["prompt_tokens"] - row["distinct_tokens"]
    money = (row["distinct_tokens"] * 2 + cached * 0.5 + 500 * 8) / 1e6
    assert (row["cost"], row["currency"]) == (pytest.approx(money), "EUR")
    assert row["cost_uncached"] == pytest.approx((row["prompt_tokens"] * 2 + 500 * 8) / 1e6)
    done = plan_part(asked, {r.hash for r in asked}, TOKENIZER)
    done |= taken(done["ask"], done["whole"], seconds, 2, PRICE)
    assert done["whole_cost"] == pytest.approx(money)
    assert (done["gpu_hours"], done["cost"], done["cost_uncached"]) == (0, 0, 0)
    assert done["prompt_tokens"] == row["prompt_tokens"]


def test_prompts_that_do_not_fit_are_named():
    cut = list(misfits(requests(window=130), "truncate"))
    assert len(cut) == 10
    assert all(what == "truncated" and tokens <= 80 and lost > 0 for _, what, tokens, lost in cut)
    over = requests(window=60, on_overflow="skip")
    assert {what for _, what, _, _ in misfits(over, "skip")} == {"left out"}
    assert {what for _, what, _, _ in misfits(over, "error")} == {"stops the job"}
    assert plan_part(over, (), TOKENIZER)["unfit"] == 10
    assert list(misfits(requests(), "error")) == []


def test_a_cached_tokenizer_counts_as_its_own_does():
    cached = CachedTokenizer(TOKENIZER)
    assert cached.count("one two") == cached.count("one two") == TOKENIZER.count("one two")


def test_work_without_a_known_speed_or_price_has_neither_hours_nor_cost():
    work = Work(requests=2, prompt=100, distinct=60, output=10, contexts=1)
    row = taken(work, work)
    assert (row["hours"], row["gpu_hours"], row["whole_gpu_hours"]) == (None, None, None)
    assert (row["cost"], row["whole_cost"], row["currency"]) == (None, None, None)
    assert (row["ask_prompt_tokens"], row["ask_distinct_tokens"]) == (100, 60)
    assert row["ask_output_budget"] == 10


def test_hours_and_cost_of_what_is_to_ask_and_of_all_stand_apart():
    ask = Work(requests=1, prompt=100, distinct=60, output=10, contexts=1)
    whole = Work(requests=4, prompt=400, distinct=500, output=40, contexts=2)
    row = taken(ask, whole, lambda work: 3600.0 * work.requests, 3, PRICE)
    assert (row["hours"], row["gpu_hours"], row["whole_gpu_hours"]) == (1.0, 3.0, 12.0)
    # EUR a million: 2 for a computed token, .5 for a cached one, 8 for one of the answer.
    assert row["cost"] == pytest.approx((60 * 2 + 40 * 0.5 + 10 * 8) / 1e6)
    assert row["cost_uncached"] == pytest.approx((100 * 2 + 10 * 8) / 1e6)
    # No more is cached than there is, where templates make distinct tokens more than the prompts'.
    assert row["whole_cost"] == row["whole_cost_uncached"] == pytest.approx((800 + 320) / 1e6)
