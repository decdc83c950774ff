"""Marks, keys and tiers: what a server is sent, what it bills, and that nothing is asked anew."""

from dataclasses import replace

import openai
import pytest

from parts import items, prompts
from servers import echo, running
from steadfast.base.errors import UserError
from steadfast.config.load import load_config

CONTEXT = "The register names many a harbour, and each of them its keeper. " * 120  # 1,560 tokens
MARKED = {"cache": "30m"}


def long_items(contexts=2, questions=5):
    """Items whose contexts are long enough for a provider's cache."""
    return [
        replace(item, context=f"{item.context_id}: {CONTEXT}")
        for item in items(contexts, questions)
    ]


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
