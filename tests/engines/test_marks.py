"""Marks, keys and tiers: what a server is sent, what it bills, and that nothing is asked anew."""

from dataclasses import replace

import openai
import pytest

from caching_servers import MarkingServer, in_batches
from parts import Part, items, prompts
from servers import Server, echo, running
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.engines.asking.journal import final_tiers
from steadfast.engines.cost.bill import Bill

CONTEXT = "The register names many a harbour, and each of them its keeper. " * 120  # 1,560 tokens
MARKED = {"cache": "30m"}


def long_items(contexts=2, questions=5):
    """Items whose contexts are long enough for a provider's cache."""
    return [
        replace(item, context=f"{item.context_id}: {CONTEXT}")
        for item in items(contexts, questions)
    ]


def asked_of(kind, tmp_path, asked, **operation):
    """The server, and the records that a part got of it."""
    with running(kind=kind) as server:
        return server, Part(tmp_path, server.url).run(asked, **operation)


def test_a_marked_prompt_is_as_the_openai_client_sends_it(tmp_path):
    further = {"service_tier": "flex", "max_tokens_field": "max_completion_tokens"}
    server, _ = asked_of(Server, tmp_path, long_items(1, 2), cache="12h", **further)
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


@pytest.mark.parametrize(("operation", "written"), [({}, 10), (MARKED, 2)])
def test_a_mark_is_what_makes_exact_caches_hit(tmp_path, operation, written):
    server, records = asked_of(MarkingServer, tmp_path, long_items(), **operation)
    assert [bool(record["written_tokens"]) for record in records].count(True) == written
    assert sum(record["cached_tokens"] > 1500 for record in records) == 10 - written
    ours = Bill(server.price, 1.0, [tmp_path])
    (tmp_path / "out.jsonl").unlink()
    assert ours.spent() == pytest.approx(sum(server.bill))


def test_flex_is_billed_as_the_reply_says(tmp_path):
    server, _ = asked_of(MarkingServer, tmp_path, long_items(), **MARKED, service_tier="flex")
    assert set(final_tiers(tmp_path / "journal.jsonl").values()) - {None} == {"flex"}
    (tmp_path / "out.jsonl").unlink()
    bill = Bill(server.price | {"flex": 0.5}, 1.0, [tmp_path])
    assert bill.spent() == pytest.approx(sum(server.bill))


def test_a_batch_is_marked_and_billed_as_one(tmp_path):
    with running(kind=in_batches(MarkingServer)) as server:
        part = Part(tmp_path, server.url)
        records = part.run(long_items(), **MARKED, batch=True)
    assert set(final_tiers(part.journal).values()) == {"batch"}
    assert sum(bool(record["written_tokens"]) for record in records) == 2
    (tmp_path / "out.jsonl").unlink()
    bill = Bill(server.price | {"batch": 0.5}, 1.0, [tmp_path])
    assert bill.spent() == pytest.approx(sum(server.bill))


WRONG = {
    "cache works with chat completions only": {"cache": "30m", "template": "base"},
    "batch and service_tier are different pricing options": {"service_tier": "flex", "batch": True},
    "extra_body and cache both set": {
        "cache": "30m", "extra_body": {"prompt_cache_options": {}},
    },
}  # fmt: skip


@pytest.mark.parametrize(("message", "settings"), WRONG.items(), ids=WRONG)
def test_settings_that_contradict_each_other_are_refused(message, settings):
    model = {"engine": "openai", "model": "m", **settings}
    with pytest.raises(UserError, match=message):
        load_config({"models": {"m": model}})
