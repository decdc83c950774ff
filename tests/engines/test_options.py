"""Pricing options: what a server is sent, bills, and what the plan says of it.

The servers have their providers' rules for what they cache.
"""

import sys
from dataclasses import replace
from types import SimpleNamespace

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
from servers import echo, running
from steadfast.engines.asking.journal import final_tiers
from steadfast.engines.cost.options import option_records
from steadfast.engines.fit import fit
from steadfast.plan.make import plan_frame
from steadfast.plan.page import plan_page

OLDER = {"input": 4.0, "cached": 0.4, "output": 20.0, "flex": 0.5, "batch": 0.5}
NEWER = OLDER | {"written": 5.0}
LONG = {"tokens": 1800, "input": 8.0, "cached": 0.8, "written": 10.0, "output": 30.0}
BATCH = {"batch": True}
FLEX = {"service_tier": "flex"}
MARKED = {"cache": "30m"}
CONTEXT = "The register names many a harbour, and each of them its keeper. " * 120  # 1,560 tokens


def long_items(contexts=2, questions=5):
    """Items whose contexts are long enough for a provider's cache."""
    return [
        replace(item, context=f"{item.context_id}: {CONTEXT}")
        for item in items(contexts, questions)
    ]


# --- what is sent -----------------------------------------------------------------------------


def test_a_marked_prompt_is_as_the_openai_client_sends_it(part, server):
    further = {"service_tier": "flex", "max_tokens_field": "max_completion_tokens"}
    part.run(long_items(1, 2), cache="12h", **further)
    ours, _ = server.bodies
    (item, _) = long_items(1, 2)
    with running() as other, openai.OpenAI(base_url=other.url, api_key="none") as client:
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
    (theirs,) = other.bodies
    assert ours == theirs


def test_without_these_settings_a_prompt_is_a_plain_string(part, server):
    part.run(long_items(1, 2))
    assert [sorted(body) for body in server.bodies] == [
        ["max_tokens", "messages", "model", "temperature"]
    ] * 2
    assert {body["messages"][-1]["content"] for body in server.bodies} == {
        *prompts(long_items(1, 2))
    }


def test_marks_keys_and_tiers_ask_nothing_anew(part, server):
    part.run(long_items())
    bodies = len(server.bodies)
    part.out.unlink()
    again = part.run(long_items(), **MARKED, service_tier="flex")
    assert len(server.bodies) == bodies
    assert [record["response"] for record in again] == [
        echo(prompt) for prompt in prompts(long_items())
    ]


def test_the_provenance_says_how_prompts_went_that_two_runs_sent_otherwise(part):
    part.run(long_items(1, 3))
    assert "prompts" not in part.provenance()
    part.run(long_items(1, 5), **MARKED)
    assert part.provenance()["prompts"] == {
        "as one string": 3, "in parts": 2, "parts read as": "the same text",
    }  # fmt: skip


def test_a_context_that_nobody_shares_is_not_marked(part, server):
    part.run(long_items(2, 1), **MARKED)
    for body in server.bodies:
        assert isinstance(body["messages"][-1]["content"], str)
        assert body["prompt_cache_options"] == {"mode": "explicit"}  # nothing is written


# --- what it costs ----------------------------------------------------------------------------


class Forgetful(MarkingServer):
    lifetime = 2  # requests


class Spilling(PrefixServer):
    spills = True


class LongerIsDearer(MarkingServer):
    above = LONG


class CachedInBatches(ImplicitServer):
    in_batches = True


CASES = {
    "live, before GPT-5.6": (PrefixServer, OLDER, {}),
    "flex, before GPT-5.6": (PrefixServer, OLDER, FLEX),
    "no cache in batches, before GPT-5": (in_batches(PrefixServer), OLDER, BATCH),
    "as one string": (MarkingServer, NEWER, {}),
    "marked, flex": (MarkingServer, NEWER, MARKED | FLEX),
    "marked, in a batch": (in_batches(MarkingServer), NEWER, MARKED | BATCH),
    "longer prompts": (LongerIsDearer, NEWER | {"above": [LONG]}, MARKED),
    "Gemini": (ImplicitServer, OLDER, {}),
    "Gemini, flex": (ImplicitServer, OLDER, FLEX),
    "Gemini, in a batch": (in_batches(CachedInBatches), OLDER, BATCH),
}


def count(text):
    return len(tokens(text))


def asked(times=1):
    """Forty prompts a context, one context longer than the other, and one prompt alone."""
    long = [replace(item, context=item.context * 2) for item in long_items(1, 40)]
    others = [item for item in long_items(2, 40) if item.context_id == "c1"]
    (alone,) = (item for item in long_items(3, 1) if item.context_id == "c2")
    return [replace(item, context=item.context * times) for item in (*long, *others, alone)]


def planned(price, how, items, answers=None, count=count, template=TEMPLATE, known=0):
    """What the plan has of each option by name, the configured one first."""
    answers = answers or {"engine": "openai", "model": "gpt-4o"}
    tokenizer = SimpleNamespace(count=count)
    requests = fit(items, sys.maxsize, "error", tokenizer, answers={}, template_tokens=template)
    hashes = {request.hash for request in requests[:known]}
    rows = option_records(requests, hashes, count, answers, rated(price), how)
    return {row["option"]: row for row in rows}


@pytest.mark.quick(6)
@pytest.mark.parametrize(("kind", "price", "how"), CASES.values(), ids=CASES)
def test_a_server_bills_what_the_plan_says_of_the_option(tmp_path, kind, price, how):
    gemini = issubclass(kind, GeminiServer)
    answers = {"engine": "gemini", "model": "gemini-2.5-pro"} if gemini else None
    items = asked(3 if gemini else 1)  # 5,000 and 10,000 tokens
    row = next(iter(planned(price, how, items, answers).values()))
    with running(kind=kind) as server:
        part = Part(tmp_path, server.url, "gemini" if gemini else "openai")
        part.run(items, **how)
    assert row["cost"] == pytest.approx(sum(server.bill), rel=0.02)
    tier = "batch" if "batch" in how else how.get("service_tier")
    assert set(final_tiers(part.journal).values()) - {None} == ({tier} if tier else set())
    prices = price if "written" in price else price | {"written": price["input"]}
    assert part.spent(prices) == pytest.approx(sum(server.bill))


@pytest.mark.parametrize(("operation", "written"), [({}, 10), (MARKED, 2)])
def test_a_mark_is_what_makes_exact_caches_hit(tmp_path, operation, written):
    with running(kind=MarkingServer) as server:
        records = Part(tmp_path, server.url).run(long_items(), **operation)
    assert sum(bool(record["written_tokens"]) for record in records) == written
    assert sum(record["cached_tokens"] > 1500 for record in records) == 10 - written


def test_the_order_keeps_what_is_soon_forgotten(tmp_path):
    items = long_items(6, 4)  # question by question, as tasks have them
    with running(kind=Forgetful) as server:
        Part(tmp_path, server.url).run(items, **MARKED, max_concurrency=1)
    assert planned(NEWER, MARKED, items)["live"]["cost"] == pytest.approx(
        sum(server.bill), rel=0.02
    )
    assert sum(written > 0 for _, _, written in server.usage) == 6


def test_what_spills_costs_between_the_expected_and_no_hits(tmp_path):
    with running(kind=Spilling) as server:
        Part(tmp_path, server.url).run(asked())
    row = planned(OLDER, {}, asked())["live"]
    assert row["cost"] * 1.2 < sum(server.bill) < row["cost_uncached"]


CLAUDE = {"input": 3.0, "cached": 0.3, "written": 3.75, "output": 15.0, "batch": 0.5}
SONNET = {"engine": "anthropic", "model": "claude-sonnet-4-5"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("cache", [None, "5m"])
@pytest.mark.parametrize("kind", [AnthropicServer, AnthropicBatchServer])
def test_claudes_own_dialect_is_billed_as_planned(tmp_path, kind, cache):
    how = {"cache": cache, "batch": kind is AnthropicBatchServer}
    row = next(iter(planned(CLAUDE, how, asked(), SONNET, words, 0).values()))
    with running(kind=kind) as server:
        Part(tmp_path, server.url, "anthropic").run(asked(), **how)
    billed = server.plain * 3 + server.read * 0.3 + server.written * 3.75
    share = 0.5 if how["batch"] else 1
    assert row["prompts_cost"] == pytest.approx(billed * share / 1e6, rel=0.02)


@pytest.mark.parametrize(
    ("engine", "model", "price", "how", "hits"),
    [
        # 1,560 and 3,120 tokens; least that is kept: PROVIDERS' documentation of November 2026
        ("anthropic", "claude-sonnet-4-5-20250929", CLAUDE, {"cache": "5m"}, True),
        ("anthropic", "claude-haiku-4-5", CLAUDE, {"cache": "5m"}, False),
        ("anthropic", "claude-nobody-knows", CLAUDE, {"cache": "5m"}, False),
        ("gemini", "gemini-2.5-flash", OLDER, {}, True),
        ("gemini", "gemini-2.5-pro", OLDER, {}, False),
        ("gemini", "gemini-9-flash", OLDER, {}, False),
        ("openai", "mistral-large-latest", OLDER, {"base_url": "https://api.mistral.ai/v1"}, False),
    ],
)
def test_hits_are_planned_of_prompts_that_the_models_cache_takes(engine, model, price, how, hits):
    row = planned(price, how, asked(), {"engine": engine, "model": model})["live"]
    assert (row["cost"] < row["cost_uncached"]) is hits


def test_mistral_keeps_prompts_that_have_a_key():
    answers = {"engine": "openai", "model": "m", "extra_body": {"prompt_cache_key": "k"}}
    row = planned(OLDER, {"base_url": "https://api.mistral.ai/v1"}, asked(), answers)["live"]
    assert row["cost"] < row["cost_uncached"]


def test_an_option_by_hand():
    first, second, third = long_items(1, 3)
    alone = replace(first, sample_id="alone", context_id="short", context="Short.")
    items = [first, second, third, alone]
    row = planned(NEWER, MARKED, items)["live"]
    prefix = count(first.head + first.context)
    tails = sum(count(item.tail) for item in (first, second, third))
    plain = tails + count(alone.head + "Short.") + count(alone.tail) + 4 * 7
    prompts = plain * 4 + 2 * prefix * 0.4 + prefix * 5
    answers = 4 * 50 * 20
    assert row["cost"] == pytest.approx((prompts + answers) / 1e6)
    assert row["cost_uncached"] == pytest.approx((plain * 4 + 3 * prefix * 5 + answers) / 1e6)
    assert row["prompts_cost"] == pytest.approx(prompts / 1e6)
    answered = planned(NEWER, MARKED, items, known=4)["live"]
    assert answered == row | {"cost": 0, "cost_uncached": 0}


def test_options_are_those_with_a_price_of_their_own_the_configured_one_first():
    plain = {"input": 1.0, "output": 2.0, "flex": 1, "batch": 1}
    assert list(planned(OLDER, {}, [])) == ["live", "flex", "batch"]
    assert list(planned(OLDER, BATCH, [])) == ["batch", "live", "flex"]
    assert list(planned(plain, {}, [])) == ["live"]


def test_the_page_has_a_row_an_option_and_marks_the_configured_one():
    place = {"benchmark": "b", "role": "models", "model": "m"}
    options = planned(OLDER, FLEX, asked()).values()
    rows = [{**place, **option, "part": part} for part in ("4k", "8k") for option in options]
    nothing = plan_frame([])
    page = "\n".join(plan_page(nothing, pd.DataFrame(rows), [], [], [], []))
    (flex,) = (option for option in options if option["option"] == "flex")
    assert f"| m | responses | flex (configured) | {2 * flex['cost']:,.2f} |" in page
    assert page.count("| m | responses |") == 3
    assert "Pricing options" not in "\n".join(plan_page(nothing, nothing, [], [], [], []))
