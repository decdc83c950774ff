"""Pricing options: the requests sent, the server's bill, and the cost in the plan.

The servers cache by the rules of their providers.
"""

import sys
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import openai
import pandas as pd
import pytest

from batch_servers import AnthropicBatchServer
from caching_servers import (
    TEMPLATE,
    ImplicitServer,
    MarkingServer,
    PrefixServer,
    in_batches,
    tokens,
)
from dialect_servers import AnthropicServer, GeminiServer, words
from parts import Part, items, prompts, rated
from servers import running
from steadfast.contract.request import Request, Response
from steadfast.engines.cost.options import CacheRule, option_records
from steadfast.engines.fit import fit
from steadfast.engines.sending.journal import final_tiers
from steadfast.engines.sending.run import provenance
from steadfast.plan.make import plan_frame
from steadfast.plan.page import plan_page

PRICE = {"input": 4.0, "cached": 0.4, "output": 20.0, "flex": 0.5, "batch": 0.5}
PRICE_WITH_WRITES = PRICE | {"written": 5.0}
LONG = {"tokens": 1800, "input": 8.0, "cached": 0.8, "written": 10.0, "output": 30.0}
BATCH = {"batch": True}
FLEX = {"service_tier": "flex"}
MARKED = {"cache": "30m"}

CONTEXT = "The register names many a harbour, and each of them its keeper. " * 120  # 1,560 tokens


def long_items(contexts=2, questions=5):
    """Items whose contexts are long enough for a provider's cache."""
    short_items = items(contexts, questions)
    return [replace(item, context=f"{item.context_id}: {CONTEXT}") for item in short_items]


# --- requests -----------------------------------------------------------------------------------


def test_marked_prompt_is_as_the_openai_client_sends_it(part, server):
    options = {"service_tier": "flex", "max_tokens_field": "max_completion_tokens"}
    items = long_items(1, 2)
    part.run(items, cache="12h", **options)
    item = items[0]
    with openai.OpenAI(base_url=server.url, api_key="none") as client:
        client.chat.completions.create(
            model="echo-1",
            messages=[{"role": "user", "content": [
                {"type": "text", "text": item.head + item.context,
                 "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"}},
                {"type": "text", "text": item.tail},
            ]}],
            temperature=0.0,
            max_completion_tokens=50,
            prompt_cache_options={"mode": "explicit"},
            service_tier="flex",
        )  # fmt: skip
    assert server.bodies[0] == server.bodies[2]


def test_prompt_is_a_plain_string_by_default(part, server):
    part.run(long_items(1, 2))
    fields = ["max_tokens", "messages", "model", "temperature"]
    assert [sorted(body) for body in server.bodies] == [fields] * 2
    contents = {body["messages"][-1]["content"] for body in server.bodies}
    assert contents == {*prompts(long_items(1, 2))}


def test_provenance_counts_prompts_by_how_they_were_sent(part):
    part.run(long_items(1, 3))
    assert "prompts" not in part.provenance()
    part.run(long_items(1, 5), **MARKED)
    assert part.provenance()["prompts"] == {
        "as one string": 3, "in parts": 2, "parts read as": "the same text",
    }  # fmt: skip


def test_provenance_leaves_out_prompts_that_were_not_sent():
    sent = Response("ok", parts=2, served_model="m-1", prompt_tokens=3)
    responses = [sent, *map(Response, ("ok", "length", "error", "overflow"))]
    engine = Mock(packages=(), answers={}, provenance=dict)
    record = provenance("m", engine, {"engine": "openai"}, [], responses)
    assert (record["prompts"]["as one string"], record["prompts"]["in parts"]) == (2, 1)
    assert record["served"] == [{"model": "m-1", "fingerprint": None, "responses": 1}]
    assert (record["empty"], record["tokens"]["prompt"]) == (3, 3)  # of the answered ones


def test_context_of_one_prompt_is_not_marked(part, server):
    part.run(long_items(2, 1), **MARKED)
    for body in server.bodies:
        assert isinstance(body["messages"][-1]["content"], str)
        assert body["prompt_cache_options"] == {"mode": "explicit"}  # nothing is written


# --- costs --------------------------------------------------------------------------------------


def variant(server, **attributes):
    return type("Variant", (server,), attributes)


ServerWithLongPrice = variant(MarkingServer, above=LONG)
CachedBatchServer = in_batches(variant(ImplicitServer, in_batches=True))
CASES = {
    "live, before GPT-5.6": (PrefixServer, PRICE, {}),
    "flex, before GPT-5.6": (PrefixServer, PRICE, FLEX),
    "no cache in batches, before GPT-5": (in_batches(PrefixServer), PRICE, BATCH),
    "as one string": (MarkingServer, PRICE_WITH_WRITES, {}),
    "marked, flex": (MarkingServer, PRICE_WITH_WRITES, MARKED | FLEX),
    "marked, in a batch": (in_batches(MarkingServer), PRICE_WITH_WRITES, MARKED | BATCH),
    "long prompts": (ServerWithLongPrice, PRICE_WITH_WRITES | {"above": [LONG]}, MARKED),
    "Gemini": (ImplicitServer, PRICE, {}),
    "Gemini, flex": (ImplicitServer, PRICE, FLEX),
    "Gemini, in a batch": (CachedBatchServer, PRICE, BATCH),
}


def count(text):
    return len(tokens(text))


def mixed_items(factor=1):
    """Forty prompts each for a short and a longer context, and one prompt with its own."""
    long = [replace(item, context=item.context * 2) for item in long_items(1, 40)]
    short = [item for item in long_items(2, 40) if item.context_id == "c1"]
    single = [item for item in long_items(3, 1) if item.context_id == "c2"]
    return [replace(item, context=item.context * factor) for item in long + short + single]


def plan_options(
    price, operation, items, answers=None, count=count, template=TEMPLATE, cached_count=0
):
    """The plan's record of each option by name, the configured one first."""
    answers = answers or {"engine": "openai", "model": "gpt-4o"}
    tokenizer = SimpleNamespace(count=count)
    requests = fit(items, sys.maxsize, "error", tokenizer, answers={}, template_tokens=template)
    cached_hashes = {request.hash for request in requests[:cached_count]}
    rows = option_records(requests, cached_hashes, count, answers, rated(price), operation)
    return {row["option"]: row for row in rows}


@pytest.mark.quick(6)
@pytest.mark.parametrize(("kind", "price", "operation"), CASES.values(), ids=CASES)
def test_planned_cost_is_what_the_server_bills(tmp_path, kind, price, operation):
    is_gemini = issubclass(kind, GeminiServer)
    answers = {"engine": "gemini", "model": "gemini-2.5-pro"} if is_gemini else None
    items = mixed_items(3 if is_gemini else 1)  # 5,000 and 10,000 tokens
    row = next(iter(plan_options(price, operation, items, answers).values()))
    with running(kind=kind) as server:
        part = Part(tmp_path, server.url, "gemini" if is_gemini else "openai")
        part.run(items, **operation)
    assert row["cost"] == pytest.approx(sum(server.bill), rel=0.02)
    tier = "batch" if "batch" in operation else operation.get("service_tier")
    assert set(final_tiers(part.journal).values()) - {None} == ({tier} if tier else set())
    assert part.spent({"written": price["input"], **price}) == pytest.approx(sum(server.bill))


@pytest.mark.parametrize(("operation", "written"), [({}, 10), (MARKED, 2)])
def test_marked_prompts_hit_a_cache_of_exact_prefixes(tmp_path, operation, written):
    with running(kind=MarkingServer) as server:
        records = Part(tmp_path, server.url).run(long_items(), **operation)
    assert sum(bool(record["written_tokens"]) for record in records) == written
    assert sum(record["cached_tokens"] > 1500 for record in records) == 10 - written


def test_prompts_of_a_context_are_sent_while_it_is_cached(tmp_path):
    items = long_items(6, 4)  # question by question, as tasks have them
    with running(kind=variant(MarkingServer, lifetime=2)) as server:  # requests
        Part(tmp_path, server.url).run(items, **MARKED, max_concurrency=1)
    row = plan_options(PRICE_WITH_WRITES, MARKED, items)["live"]
    assert row["cost"] == pytest.approx(sum(server.bill), rel=0.02)
    assert sum(written > 0 for _, _, written in server.usage) == 6


def test_requests_that_miss_the_cache_cost_less_than_uncached(tmp_path):
    with running(kind=variant(PrefixServer, spills=True)) as server:
        Part(tmp_path, server.url).run(mixed_items())
    row = plan_options(PRICE, {}, mixed_items())["live"]
    assert row["cost"] * 1.2 < sum(server.bill) < row["cost_uncached"]


CLAUDE = {"input": 3.0, "cached": 0.3, "written": 3.75, "output": 15.0, "batch": 0.5}
SONNET = {"engine": "anthropic", "model": "claude-sonnet-4-5"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("cache", [None, "5m"])
@pytest.mark.parametrize("kind", [AnthropicServer, AnthropicBatchServer])
def test_claude_bills_what_is_planned(tmp_path, kind, cache):
    is_batch = kind is AnthropicBatchServer
    operation = {"cache": cache, "batch": is_batch}
    options = plan_options(CLAUDE, operation, mixed_items(), SONNET, words, 0)
    row = next(iter(options.values()))
    with running(kind=kind) as server:
        Part(tmp_path, server.url, "anthropic").run(mixed_items(), **operation)
    billed = server.plain * 3 + server.read * 0.3 + server.written * 3.75
    assert row["prompts_cost"] == pytest.approx(billed * (0.5 if is_batch else 1) / 1e6, rel=0.02)


MARKED_CLAUDE = ("anthropic", CLAUDE, {"cache": "5m"})
GEMINI = ("gemini", PRICE, {})
MISTRAL = ("openai", PRICE, {"base_url": "https://api.mistral.ai/v1"})
WITH_KEY = {"extra_body": {"prompt_cache_key": "k"}}


@pytest.mark.parametrize(
    ("provider", "model", "fields", "hits"),
    [
        # Contexts of 1,560 and 3,120 tokens; a cache's minimum by the providers' documentation
        # of November 2026.
        (MARKED_CLAUDE, "claude-sonnet-4-5-20250929", {}, True),
        (MARKED_CLAUDE, "claude-haiku-4-5", {}, False),
        (MARKED_CLAUDE, "claude-nobody-knows", {}, False),
        (GEMINI, "gemini-2.5-flash", {}, True),
        (GEMINI, "gemini-2.5-pro", {}, False),
        (GEMINI, "gemini-9-flash", {}, False),
        (MISTRAL, "mistral-large-latest", {}, False),
        (MISTRAL, "m", WITH_KEY, True),
    ],
)
def test_cache_hits_are_planned_where_the_provider_caches(provider, model, fields, hits):
    engine, price, operation = provider
    answers = {"engine": engine, "model": model, **fields}
    row = plan_options(price, operation, mixed_items(), answers)["live"]
    assert (row["cost"] < row["cost_uncached"]) is hits


@pytest.mark.parametrize(
    ("rule", "minimum", "counts"),  # read from and written to the cache, by request
    [
        ("mark", 300, [(0, 300), (300, 0)]),
        ("mark", 301, [(0, 0), (0, 0)]),
        ("prefix", 300, [(0, 0), (256, 0)]),  # in steps of 128 tokens
        ("prefix", 301, [(0, 0), (0, 0)]),
        ("whole", 310, [(0, 310), (0, 310)]),
        ("whole", 311, [(0, 0), (0, 0)]),
    ],
)
def test_prefix_is_cached_from_the_least_length_on(rule, minimum, counts):
    request = Request("s", "c", ("c", ""), "p", "s", 10, 310, 0, 1.0, None, "s")
    readings = CacheRule(rule, minimum).readings([request, request], lambda prefix: 300)
    assert [tokens for _, *tokens in readings] == [list(pair) for pair in counts]
    alone = next(CacheRule("mark", 300).readings([request], lambda prefix: 300))
    assert alone == (request, 0, 0)  # no other prompt would read it


def test_planned_cost_is_as_computed_by_hand():
    items = long_items(1, 3)
    first = items[0]
    single = replace(first, sample_id="single", context_id="short", context="Short.")
    row = plan_options(PRICE_WITH_WRITES, MARKED, [*items, single])["live"]
    prefix = count(first.head + first.context)
    tails = sum(count(item.tail) for item in items)
    plain = tails + count(single.head + "Short.") + count(single.tail) + 4 * 7
    prompts_cost = plain * 4 + 2 * prefix * 0.4 + prefix * 5
    uncached_cost = plain * 4 + 3 * prefix * 5
    answers_cost = 4 * 50 * 20
    assert row["cost"] == pytest.approx((prompts_cost + answers_cost) / 1e6)
    assert row["cost_uncached"] == pytest.approx((uncached_cost + answers_cost) / 1e6)
    assert row["prompts_cost"] == pytest.approx(prompts_cost / 1e6)
    cached_row = plan_options(PRICE_WITH_WRITES, MARKED, [*items, single], cached_count=4)["live"]
    assert cached_row == row | {"cost": 0, "cost_uncached": 0}


def test_options_with_their_own_price_are_listed_configured_one_first():
    same_price = {"input": 1.0, "output": 2.0, "flex": 1, "batch": 1}
    assert list(plan_options(PRICE, {}, [])) == ["live", "flex", "batch"]
    assert list(plan_options(PRICE, BATCH, [])) == ["batch", "live", "flex"]
    assert list(plan_options(same_price, {}, [])) == ["live"]


def test_plan_has_a_row_for_each_option_and_marks_the_configured_one():
    options = plan_options(PRICE, FLEX, mixed_items())
    frame = pd.DataFrame(options.values()).assign(benchmark="b", role="models", model="m")
    rows = pd.concat([frame.assign(part="4k"), frame.assign(part="8k")])
    empty = plan_frame([])
    page = "\n".join(plan_page(empty, rows, [], [], [], []))
    cost = 2 * options["flex"]["cost"]
    assert f"| m | responses | flex (configured) | {cost:,.2f} |" in page
    assert page.count("| m | responses |") == 3
    assert "Pricing options" not in "\n".join(plan_page(empty, empty, [], [], [], []))
