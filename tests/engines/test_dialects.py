"""What providers are sent in their own dialects, and what their replies mean."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialect_servers import SERVERS, served, words
from parts import items, prompts
from servers import echo
from steadfast.contract.request import Request
from steadfast.engines.api.engines import PROVIDERS
from steadfast.engines.api.replies import Retry
from steadfast.engines.base import Setup
from steadfast.engines.cost.bill import Bill


def asked(tmp_path, engine, operation=None, items_=None, **answers):
    """The one body that is sent."""
    with served(tmp_path, engine, **answers) as (server, part):
        part.run(items(1, 1) if items_ is None else items_, **(operation or {}))
        return server.bodies[-1]


def message(engine, reply, **answers):
    """What a reply means."""
    setup = Setup({"engine": engine, "model": "m", **answers}, {"api_key_env": None})
    return PROVIDERS[engine](setup).read(reply)


# --- what is sent -----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", SERVERS)
def test_every_item_is_answered_in_order_and_nothing_is_asked_twice(tmp_path, engine):
    with served(tmp_path, engine) as (server, part):
        records = part.run()
        part.run()
        assert [r["response"] for r in records] == [echo(p) for p in prompts()]
        assert set(server.asked.values()) == {1}
    assert {r["status"] for r in records} == {"ok"}
    assert part.provenance()["served"][0]["model"].endswith(("echo-1", "echo-001"))


def test_a_message_says_what_the_settings_say(tmp_path):
    body = asked(
        tmp_path,
        "anthropic",
        system="Be brief.",
        temperature=None,
        top_p=0.95,
        thinking="budget",
        reasoning={"tokens": 2048},
        effort="low",
        extra_body={"stop_sequences": ["END"], "output_config": {"task": "x"}},
    )
    head = "Read.\n" + "text of context 0 " * 20
    assert body == {
        "model": "echo-1",
        "max_tokens": 2098,
        "system": "Be brief.",
        "top_p": 0.95,
        "thinking": {"type": "enabled", "budget_tokens": 2048},
        "output_config": {"effort": "low", "task": "x"},
        "stop_sequences": ["END"],
        "messages": [
            {
                "role": "user",
                "content": [{"type": "text", "text": head}, {"type": "text", "text": "\nAsk 0.0!"}],
            }
        ],
    }


def test_a_generation_says_what_the_settings_say(tmp_path):
    body = asked(
        tmp_path,
        "gemini",
        system="Be brief.",
        temperature=0.5,
        top_p=0.9,
        top_k=7,
        seed=11,
        thinking="budget",
        reasoning={"tokens": 512},
        extra_body={"generationConfig": {"stopSequences": ["END"]}},
        operation={"service_tier": "flex"},
    )
    assert body == {
        "contents": [{"parts": [{"text": prompts(items(1, 1))[0]}], "role": "user"}],
        "systemInstruction": {"parts": [{"text": "Be brief."}], "role": "user"},
        "generationConfig": {
            "maxOutputTokens": 562,
            "temperature": 0.5,
            "topP": 0.9,
            "topK": 7,
            "seed": 11,
            "thinkingConfig": {"thinkingBudget": 512, "includeThoughts": True},
            "stopSequences": ["END"],
        },
        "serviceTier": "flex",
    }


@pytest.mark.parametrize("own", [{}, {"system": "Be brief."}])
@pytest.mark.parametrize("engine", SERVERS)
def test_a_prompt_s_own_system_message_follows_the_model_s(tmp_path, engine, own):
    items_ = [replace(item, system="In rhyme.") for item in items(1, 1)]
    body = asked(tmp_path, engine, items_=items_, **own)
    text = body.get("system") or body["systemInstruction"]["parts"][0]["text"]
    assert text == ("Be brief.\n\nIn rhyme." if own else "In rhyme.")


@pytest.mark.parametrize(
    ("engine", "answers", "place", "sent"),
    [
        ("anthropic", {"thinking": "adaptive"}, "thinking", {"type": "adaptive"}),
        ("anthropic", {"thinking": "disabled"}, "thinking", {"type": "disabled"}),
        ("gemini", {"effort": "low"}, "thinkingConfig",
         {"thinkingLevel": "LOW", "includeThoughts": True}),
        ("gemini", {"thinking": "disabled"}, "thinkingConfig", {"thinkingBudget": 0}),
    ],
)  # fmt: skip
def test_thinking_is_asked_for_in_the_dialect(tmp_path, engine, answers, place, sent):
    body = asked(tmp_path, engine, **answers)
    assert body.get("generationConfig", body)[place] == sent


def test_reasoning_s_budget_is_part_of_what_a_request_is_known_by(tmp_path):
    def hash_of(tokens, limit):
        folder = tmp_path / f"{tokens}"
        folder.mkdir()
        answers = {"thinking": "budget", "reasoning": {"tokens": tokens}, "max_tokens": limit}
        with served(folder, "anthropic", **answers) as (_, part):
            return part.run(items(1, 1))[0]["request_hash"]

    assert hash_of(2000, 100) != hash_of(2050, 50)  # the same limit in all


def test_each_draw_has_a_seed_of_its_own_where_the_dialect_has_seeds(tmp_path):
    drawn = [replace(items(1, 1)[0], repeat=repeat) for repeat in (0, 1)]
    with served(tmp_path, "gemini", seed=5) as (server, part):
        part.run(drawn)
        assert {body["generationConfig"]["seed"] for body in server.bodies} == {5, 6}


@pytest.mark.parametrize(
    ("engine", "roles"),
    [("anthropic", ["user", "assistant", "user"]), ("gemini", ["user", "model", "user"])],
)
def test_a_conversation_is_one_of_turns(tmp_path, engine, roles):
    first = items(1, 1)[0]
    second = replace(first, sample_id="next", head="", context="", tail="More?", follows=first.key)
    body = asked(tmp_path, engine, items_=[first, second])
    turns = body.get("messages") or body["contents"]
    assert [turn["role"] for turn in turns] == roles
    said = turns[1].get("content") or turns[1]["parts"][0]["text"]
    assert said == echo(prompts([first])[0])


def test_blocks_are_never_blank(tmp_path):
    alone = replace(items(1, 1)[0], head="", context="", tail="Say hi.")
    body = asked(tmp_path, "anthropic", items_=[alone])
    assert body["messages"][0]["content"] == [{"type": "text", "text": "Say hi."}]


def test_the_model_stands_in_the_path_of_a_generation(tmp_path):
    with served(tmp_path, "gemini", model="tunedModels/my model") as (server, part):
        part.run(items(1, 1))
        assert server.paths == {"/v1/tunedModels/my%20model:generateContent"}
    with served(tmp_path / "2", "gemini") as (server, part):
        (tmp_path / "2").mkdir()
        part.run(items(1, 1))
        assert server.paths == {"/v1/models/echo-1:generateContent"}


@pytest.mark.parametrize(
    ("answers", "version"), [({"temperature": None}, "2026-10-21"), ({}, "2023-06-01"),
                             ({"temperature": None, "top_k": 3}, "2023-06-01")],
)  # fmt: skip
def test_sampling_is_asked_for_in_the_version_that_has_it(answers, version):
    setup = Setup({"engine": "anthropic", "model": "m", **answers}, {"api_key_env": None})
    assert PROVIDERS["anthropic"](setup).headers("k")["anthropic-version"] == version


# --- the cache --------------------------------------------------------------------------------


def test_a_context_is_written_once_and_read_by_all_other_prompts(tmp_path):
    long = [replace(one, context=one.context * 50) for one in items(contexts=3, questions=6)]
    with served(tmp_path, "anthropic") as (server, part):
        records = part.run(long, max_concurrency=6)
        shared = sum(words(item.head + item.context) for item in long[:3])
        assert (server.written, server.read) == (shared, 5 * shared)
    whole = sum(words(prompt) for prompt in prompts(long))
    assert sum(record["prompt_tokens"] for record in records) == whole
    assert sum(record["cached_tokens"] for record in records) == 5 * shared


def test_the_bill_is_what_the_provider_bills(tmp_path):
    price = {"input": 4.0, "written": 5.0, "cached": 0.4, "output": 20.0}
    with served(tmp_path, "anthropic") as (server, part):
        part.journal = tmp_path / "journals" / "4k.jsonl"
        part.run(items(contexts=3, questions=6))
        billed = server.plain * 4.0 + server.written * 5.0 + server.read * 0.4 + 18 * 7 * 20.0
    assert Bill(price, 1.0, [part.journal.parent]).spent() == pytest.approx(billed / 1e6)


def test_marks_are_operation(tmp_path):
    with served(tmp_path, "anthropic") as (server, part):
        part.run(items(2, 3), cache="1h")
        first = [body["messages"][0]["content"][0] for body in server.bodies]
        assert [one["cache_control"] for one in first] == [{"type": "ephemeral", "ttl": "1h"}] * 6
        part.run(items(2, 3), cache=None)
        assert set(server.asked.values()) == {1}
        part.journal.unlink()
        part.run(items(2, 3), cache=None)
        texts = [[one["text"] for one in b["messages"][0]["content"]] for b in server.bodies]
        assert not any("cache_control" in json.dumps(body) for body in server.bodies[6:])
        assert sorted(texts[:6]) == sorted(texts[6:])


def test_what_was_asked_of_flex_is_billed_as_flex_and_asked_nothing_anew(tmp_path):
    with served(tmp_path, "gemini") as (server, part):
        part.run(items(1, 2), service_tier="flex")
        part.run(items(1, 2))
        assert set(server.asked.values()) == {1}
    kept = map(json.loads, part.journal.read_text("utf-8").splitlines())
    assert [reply["tier"] for reply in kept] == ["flex"] * 2


def test_a_context_of_one_prompt_is_not_written(tmp_path):
    with served(tmp_path, "anthropic") as (server, part):
        part.run(items(contexts=3, questions=1))
        assert (server.written, server.read) == (0, 0)


# --- what comes back --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stop", "status"),
    [
        ("end_turn", "ok"),
        ("stop_sequence", "ok"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refused"),
        ("pause_turn", None),
        ("tool_use", None),
        ("something_new", None),
        (None, None),
    ],
)
def test_stop_reasons(stop, status):
    reply = {"content": [{"type": "text", "text": "Hi"}], "stop_reason": stop, "usage": {}}
    found = message("anthropic", reply)
    assert (None if isinstance(found, Retry) else found.status) == status
    if status:
        assert found.finish_reason == stop


@pytest.mark.parametrize(
    ("finish", "status"),
    [
        ("STOP", "ok"),
        ("MAX_TOKENS", "length"),
        *((reason, "refused") for reason in ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST",
                                             "PROHIBITED_CONTENT", "SPII")),
        *((reason, None) for reason in ("OTHER", "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE",
                                        "FINISH_REASON_UNSPECIFIED", "UNEXPECTED_TOOL_CALL", None)),
    ],
)  # fmt: skip
def test_finish_reasons(finish, status):
    candidate = {"content": {"parts": [{"text": "Hi"}]}, "finishReason": finish}
    found = message("gemini", {"candidates": [candidate]})
    assert (None if isinstance(found, Retry) else found.status) == status


@pytest.mark.parametrize("reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT"])
def test_a_blocked_prompt_is_a_refusal(reason):
    reply = {"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 9}}
    found = message("gemini", reply)
    assert (found.status, found.finish_reason, found.prompt_tokens) == ("refused", reason, 9)


def test_a_claude_reasoning_is_kept_apart_from_the_answer():
    blocks = [
        {"type": "thinking", "thinking": "Let me see.", "signature": "x"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "It is "},
        {"type": "text", "text": "4."},
    ]
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 40},
    }
    found = message(
        "anthropic",
        {"content": blocks, "stop_reason": "end_turn", "usage": usage, "model": "claude-x"},
    )
    assert (found.text, found.reasoning) == ("It is 4.", "Let me see.")
    assert (found.prompt_tokens, found.cached_tokens, found.written_tokens) == (3210, 3000, 200)
    assert (found.completion_tokens, found.reasoning_tokens) == (50, 40)
    assert found.served_model == "claude-x"


@pytest.mark.parametrize("mark", [True, 1, "true"])
def test_a_gemini_reasoning_is_kept_apart_and_counted_with_the_answer(mark):
    parts = [{"text": "Let me see.", "thought": mark}, {"text": "4.", "thoughtSignature": "x"}]
    usage = {"promptTokenCount": 3000, "cachedContentTokenCount": 2900, "candidatesTokenCount": 10,
             "thoughtsTokenCount": 40, "totalTokenCount": 3050}  # fmt: skip
    candidate = {"content": {"parts": parts}, "finishReason": "STOP"}
    found = message("gemini", {"candidates": [candidate], "usageMetadata": usage})
    assert (found.text, found.reasoning) == ("4.", "Let me see.")
    assert (found.prompt_tokens, found.cached_tokens) == (3000, 2900)
    assert (found.completion_tokens, found.reasoning_tokens) == (50, 40)


@pytest.mark.parametrize(
    ("engine", "reply"),
    [
        ("anthropic", {"content": [], "stop_reason": "max_tokens", "usage": {
            "output_tokens": 50, "output_tokens_details": {"thinking_tokens": 50}}}),
        ("gemini", {"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}],
                    "usageMetadata": {"thoughtsTokenCount": 50, "totalTokenCount": 60}}),
    ],
)  # fmt: skip
def test_reasoning_may_spend_the_whole_limit(engine, reply):
    found = message(engine, reply)
    assert (found.status, found.text, found.completion_tokens) == ("length", "", 50)


@pytest.mark.parametrize(
    ("engine", "reply"),
    [
        ("anthropic", {}),
        ("anthropic", {"content": [], "stop_reason": "end_turn"}),
        ("anthropic", {"content": [{"type": "tool_use"}], "stop_reason": "end_turn"}),
        ("anthropic", {"type": "error", "error": {"type": "api_error", "message": "x"}}),
        ("gemini", {}),
        ("gemini", {"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}]}),
        ("gemini", {"candidates": [
            {"content": {"parts": [{"functionCall": {}}]}, "finishReason": "STOP"}]}),
        ("gemini", {"error": {"code": 503, "status": "UNAVAILABLE"}}),
    ],
)  # fmt: skip
def test_a_reply_without_an_answer_is_worth_another_attempt(engine, reply):
    assert isinstance(message(engine, reply), Retry)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["content", "type", "text", "thinking", "stop_reason", "usage", "input_tokens",
             "candidates", "parts", "finishReason", "usageMetadata", "promptFeedback",
             "blockReason", "thought", "error", "message"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize("engine", SERVERS)
@given(reply=JSON)
def test_whatever_comes_back_is_an_answer_or_a_reason(engine, reply):
    found = message(engine, reply)
    assert isinstance(found, Retry) or found.status in ("ok", "length", "refused")


@pytest.mark.parametrize(
    ("engine", "place", "sent"),
    [
        ("anthropic", "output_config", {"format": {"type": "json_schema", "schema": {"a": 1}}}),
        ("gemini", "generationConfig", {"responseMimeType": "application/json",
                                        "responseJsonSchema": {"a": 1}}),
    ],
)  # fmt: skip
def test_a_schema_of_the_reply_is_sent_in_the_dialect(engine, place, sent):
    setup = Setup({"engine": engine, "model": "m"}, {"api_key_env": None})
    request = Request("s", "c", ("", ""), "A", "B", 9, None, 0, 1.0, None, "h", schema='{"a": 1}')
    body = PROVIDERS[engine](setup).body(request)
    assert sent.items() <= body[place].items()
