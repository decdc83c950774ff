"""Requests in each provider's dialect, and how its replies are read."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialect_servers import SERVERS, served, words
from parts import column, echoes, items, prompts
from servers import prompt_of
from steadfast.engines.api.engines import PROVIDERS
from steadfast.engines.api.replies import Retry
from steadfast.engines.base import Setup
from steadfast.engines.fit import fitted_requests

(ITEM,) = items(1, 1)
(PROMPT,) = prompts([ITEM])
HEAD = ITEM.head + ITEM.context
EXTRA = {"stop_sequences": ["END"], "output_config": {"task": "x"}}
BUDGET = {"thinking": "budget", "reasoning": {"tokens": 512}}


def dialect_of(engine, operation=None, **answers):
    settings = {"engine": engine, "model": "echo-1", **answers}
    return PROVIDERS[engine](Setup(settings, {"api_key_env": None, **(operation or {})}))


def request_of(engine, item=ITEM, operation=None, **answers):
    """The request of an item, and its body."""
    dialect = dialect_of(engine, operation, **answers)
    (request,) = fitted_requests("m", dialect, answers, [item])
    return request, dialect.body(request)


# --- what is sent -----------------------------------------------------------------------------


PATHS = {
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
    "gemini": "/v1/models/echo-1:generateContent",
}

SERVED_MODELS = {"openai": "echo-1-0001", "anthropic": "claude-echo-1", "gemini": "gemini-echo-001"}


@pytest.mark.parametrize("engine", SERVERS)
def test_items_are_answered_in_order_and_requested_once(tmp_path, engine, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-1234567890")
    with served(tmp_path, engine) as (server, part):
        records = part.run(api_key_env="MY_KEY")
        part.run()
    assert {key.removeprefix("Bearer ") for key in server.keys} == {"sk-1234567890"}
    assert column(records, "sample_id") == [item.sample_id for item in items()]
    assert column(records, "response") == echoes()
    assert records[0]["prompt_tokens"] == words(prompts()[0])
    assert set(column(records, "status")) == {"ok"}
    assert set(column(records, "prompt_truncated_tokens")) == {0}
    assert set(server.requested.values()) == {1}
    assert {path for path, _, _ in server.requests} == {PATHS[engine]}
    assert part.provenance()["served"][0]["model"] == SERVED_MODELS[engine]


USER = {"role": "user", "content": PROMPT}
BODIES = {
    "openai": (
        "openai", {"system": "Be brief.", "seed": 7, "extra_body": {"top_k": 1}}, {},
        {"model": "echo-1", "temperature": 0.0, "seed": 7, "top_k": 1, "max_tokens": 50,
         "messages": [{"role": "system", "content": "Be brief."}, USER]}),
    "openai, newer models": (
        "openai", {"temperature": None}, {"max_tokens_field": "max_completion_tokens"},
        {"model": "echo-1", "max_completion_tokens": 50, "messages": [USER]}),
    "openai, a base model": (
        "openai", {"template": "base", "temperature": None}, {},
        {"model": "echo-1", "max_tokens": 50, "prompt": f"{PROMPT}\nOutput: "}),
    "Mistral": (
        "openai", {"seed": 7, "temperature": None}, {"base_url": "https://api.mistral.ai/v1"},
        {"model": "echo-1", "random_seed": 7, "max_tokens": 50, "messages": [USER]}),
    "anthropic": (
        "anthropic",
        {"system": "Be brief.", "temperature": None, "top_p": 0.95, "thinking": "budget",
         "reasoning": {"tokens": 2048}, "effort": "low", "extra_body": EXTRA}, {},
        {"model": "echo-1", "max_tokens": 2098, "system": "Be brief.", "top_p": 0.95,
         "thinking": {"type": "enabled", "budget_tokens": 2048},
         "output_config": {"effort": "low", "task": "x"}, "stop_sequences": ["END"],
         "messages": [{"role": "user", "content": [{"type": "text", "text": HEAD},
                                                   {"type": "text", "text": ITEM.tail}]}]}),
    "gemini": (
        "gemini",
        {"system": "Be brief.", "temperature": 0.5, "top_p": 0.9, "top_k": 7, "seed": 11,
         "extra_body": {"generationConfig": {"stopSequences": ["END"]}}, **BUDGET},
        {"service_tier": "flex"},
        {"contents": [{"parts": [{"text": PROMPT}], "role": "user"}],
         "systemInstruction": {"parts": [{"text": "Be brief."}], "role": "user"},
         "generationConfig": {
             "maxOutputTokens": 562, "temperature": 0.5, "topP": 0.9, "topK": 7, "seed": 11,
             "thinkingConfig": {"thinkingBudget": 512, "includeThoughts": True},
             "stopSequences": ["END"]},
         "serviceTier": "flex"}),
}  # fmt: skip


@pytest.mark.parametrize(("engine", "answers", "operation", "body"), BODIES.values(), ids=BODIES)
def test_body_follows_the_settings(engine, answers, operation, body):
    assert request_of(engine, operation=operation, **answers)[1] == body


SCHEMA = {"schema": '{"a": 1}'}
BRIEF = {"system": "Be brief."}
RHYME = {"system": "In rhyme."}  # of the prompt
FIELDS = [
    ("anthropic", {"thinking": "adaptive"}, {}, {"thinking": {"type": "adaptive"}}),
    ("anthropic", {"thinking": "disabled"}, {}, {"thinking": {"type": "disabled"}}),
    ("gemini", {"effort": "low"}, {},
     {"thinkingConfig": {"thinkingLevel": "LOW", "includeThoughts": True}}),
    ("gemini", {"thinking": "disabled"}, {}, {"thinkingConfig": {"thinkingBudget": 0}}),
    ("gemini", {"seed": 5}, {"repeat": 1}, {"seed": 6}),
    ("openai", {"seed": 7, "top_p": 0.9, "top_k": 40, "min_p": 0.05}, {"repeat": 2},
     {"seed": 9, "top_p": 0.9, "top_k": 40, "min_p": 0.05}),
    ("anthropic", {}, SCHEMA,
     {"output_config": {"format": {"type": "json_schema", "schema": {"a": 1}}}}),
    ("gemini", {}, SCHEMA,
     {"responseMimeType": "application/json", "responseJsonSchema": {"a": 1}}),
    ("openai", {}, SCHEMA, {"response_format": {"type": "json_schema", "json_schema": {
        "name": "reply", "strict": True, "schema": {"a": 1}}}}),
    ("anthropic", {}, RHYME, {"system": "In rhyme."}),
    ("anthropic", BRIEF, RHYME, {"system": "Be brief.\n\nIn rhyme."}),
    ("gemini", {}, RHYME,
     {"systemInstruction": {"parts": [{"text": "In rhyme."}], "role": "user"}}),
    ("gemini", BRIEF, RHYME,
     {"systemInstruction": {"parts": [{"text": "Be brief.\n\nIn rhyme."}], "role": "user"}}),
    ("anthropic", {}, {"head": "", "context": "", "tail": "Say hi."},  # no block is blank
     {"messages": [{"role": "user", "content": [{"type": "text", "text": "Say hi."}]}]}),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "answers", "changes", "fields"), FIELDS)
def test_setting_has_its_field_in_the_dialect(engine, answers, changes, fields):
    _, body = request_of(engine, replace(ITEM, **changes), **answers)
    assert fields.items() <= {**body, **body.get("generationConfig", {})}.items()


def test_request_hash_depends_on_the_reasoning_budget():
    hashes = set()
    for tokens, limit in ((2000, 100), (2050, 50)):  # the same limit in all
        reasoning = {"thinking": "budget", "reasoning": {"tokens": tokens}}
        request, _ = request_of("anthropic", max_tokens=limit, **reasoning)
        assert request.max_tokens == 2100
        hashes.add(request.hash)
    assert len(hashes) == 2


@pytest.mark.parametrize(("engine", "role"), [("anthropic", "assistant"), ("gemini", "model")])
def test_conversation_has_a_message_for_each_turn(engine, role):
    _, body = request_of(engine, replace(ITEM, turns=((PROMPT, "It is 4."),)))
    turns = body.get("messages") or body["contents"]
    assert [turn["role"] for turn in turns] == ["user", role, "user"]
    assert [prompt_of({"messages": [turn]}) for turn in turns] == [PROMPT, "It is 4.", PROMPT]


def test_gemini_path_contains_the_model():
    for model, path in (("tunedModels/my m", "tunedModels/my%20m"), ("echo-1", "models/echo-1")):
        assert dialect_of("gemini", model=model).path.endswith(f"/{path}:generateContent")


@pytest.mark.parametrize(
    ("answers", "version"),
    [({"temperature": None}, "2026-10-21"), ({}, "2023-06-01"),
     ({"temperature": None, "top_k": 3}, "2023-06-01")],
)  # fmt: skip
def test_sampling_settings_select_the_older_api_version(answers, version):
    assert dialect_of("anthropic", **answers).headers("k")["anthropic-version"] == version


# --- the cache --------------------------------------------------------------------------------


def test_context_is_written_once_then_read_and_billed_so(tmp_path):
    long = [replace(item, context=item.context * 50) for item in items(contexts=3, questions=6)]
    with served(tmp_path, "anthropic") as (server, part):
        records = part.run(long, max_concurrency=6)
    shared = sum(words(item.head + item.context) for item in long[:3])
    assert (server.written, server.read) == (shared, 5 * shared)
    assert sum(column(records, "prompt_tokens")) == sum(map(words, prompts(long)))
    assert sum(column(records, "cached_tokens")) == 5 * shared
    price = {"input": 4.0, "written": 5.0, "cached": 0.4, "output": 20.0}
    billed = server.plain * 4.0 + server.written * 5.0 + server.read * 0.4 + 18 * 7 * 20.0
    assert part.spent(price) == pytest.approx(billed / 1e6)


def test_cache_marks_do_not_change_the_request(tmp_path):
    with served(tmp_path, "anthropic") as (server, part):
        part.run(items(2, 3), cache="1h")
        part.run(items(2, 3), cache=None)
        assert set(server.requested.values()) == {1}
        part.journal.unlink()
        part.run(items(2, 3), cache=None)
    contents = [body["messages"][0]["content"] for body in server.bodies]
    marks = [blocks[0].get("cache_control") for blocks in contents]
    assert marks == [{"type": "ephemeral", "ttl": "1h"}] * 6 + [None] * 6
    assert "cache_control" not in json.dumps(server.bodies[6:])
    texts = [column(blocks, "text") for blocks in contents]
    assert sorted(texts[:6]) == sorted(texts[6:])


def test_context_of_one_prompt_is_not_written(tmp_path):
    with served(tmp_path, "anthropic") as (server, part):
        part.run(items(contexts=3, questions=1))
    assert (server.written, server.read) == (0, 0)


# --- replies ----------------------------------------------------------------------------------


def response_of(engine, reply):
    """The response in a reply; None where the request is retried."""
    response = dialect_of(engine).read(reply)
    return None if isinstance(response, Retry) else response


ENDS = {
    "anthropic": {
        "ok": ["end_turn", "stop_sequence"],
        "length": ["max_tokens", "model_context_window_exceeded"],
        "refused": ["refusal"],
        None: ["pause_turn", "tool_use", "something_new", None],
    },
    "gemini": {
        "ok": ["STOP"],
        "length": ["MAX_TOKENS"],
        "refused": ["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"],
        None: ["OTHER", "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE",
               "FINISH_REASON_UNSPECIFIED", "UNEXPECTED_TOOL_CALL", None],
    },
}  # fmt: skip


@pytest.mark.parametrize("engine", ENDS)
def test_finish_reason_gives_the_status(engine):
    for status, reasons in ENDS[engine].items():
        for reason in reasons:
            content = {"content": [{"type": "text", "text": "Hi"}], "stop_reason": reason}
            reply = {**content, "usage": {}, **candidates({"text": "Hi"}, reason=reason)}
            response = response_of(engine, reply)
            assert (response and response.status) == status, reason
            assert not response or response.finish_reason == reason


def candidates(*parts, reason="STOP"):
    return {"candidates": [{"content": {"parts": [*parts]}, "finishReason": reason}]}


def gemini_reasoning(mark):
    return {
        **candidates({"text": "Let me see.", "thought": mark},
                     {"text": "4.", "thoughtSignature": "x"}),
        "usageMetadata": {"promptTokenCount": 3000, "cachedContentTokenCount": 2900,
                          "candidatesTokenCount": 10, "thoughtsTokenCount": 40,
                          "totalTokenCount": 3050},
    }  # fmt: skip


CLAUDE_REASONING = {
    "content": [
        {"type": "thinking", "thinking": "Let me see.", "signature": "x"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "It is "}, {"type": "text", "text": "4."},
    ],
    "stop_reason": "end_turn", "model": "claude-x",
    "usage": {
        "input_tokens": 10, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000,
        "output_tokens": 50, "output_tokens_details": {"thinking_tokens": 40},
    },
}  # fmt: skip
REPLIES = {
    "Claude's reasoning": (
        "anthropic", CLAUDE_REASONING,
        {"text": "It is 4.", "reasoning": "Let me see.", "prompt_tokens": 3210,
         "cached_tokens": 3000, "written_tokens": 200, "completion_tokens": 50,
         "reasoning_tokens": 40, "served_model": "claude-x"}),
    **{f"Gemini's reasoning, marked {mark!r}": (
        "gemini", gemini_reasoning(mark),
        {"text": "4.", "reasoning": "Let me see.", "prompt_tokens": 3000, "cached_tokens": 2900,
         "completion_tokens": 50, "reasoning_tokens": 40})
       for mark in (True, 1, "true")},
    "Claude without a cache": (
        "anthropic",
        {"content": [{"type": "text", "text": "4"}], "stop_reason": "end_turn",
         "usage": {"input_tokens": 10, "output_tokens": 5}},
        {"prompt_tokens": 10, "cached_tokens": None, "completion_tokens": 5}),
    "Gemini without reasoning": (
        "gemini",
        {**candidates({"text": "4"}),
         "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 5}},
        {"prompt_tokens": 9, "completion_tokens": 5, "reasoning_tokens": None}),
    "Claude's reasoning took the whole limit": (
        "anthropic",
        {"content": [], "stop_reason": "max_tokens", "usage": {
            "output_tokens": 50, "output_tokens_details": {"thinking_tokens": 50}}},
        {"status": "length", "text": "", "completion_tokens": 50}),
    "Gemini's reasoning took the whole limit": (
        "gemini",
        {"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}],
         "usageMetadata": {"thoughtsTokenCount": 50, "totalTokenCount": 60}},
        {"status": "length", "text": "", "completion_tokens": 50}),
    **{f"a prompt blocked for {reason}": (
        "gemini",
        {"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 9}},
        {"status": "refused", "finish_reason": reason, "prompt_tokens": 9})
       for reason in ("SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT")},
}  # fmt: skip


@pytest.mark.parametrize(("engine", "reply", "fields"), REPLIES.values(), ids=REPLIES)
def test_parts_and_token_counts_of_a_reply_are_read(engine, reply, fields):
    response = response_of(engine, reply)
    assert {name: getattr(response, name) for name in fields} == fields


NO_RESPONSE = [
    ("anthropic", {}),
    ("anthropic", {"content": [], "stop_reason": "end_turn"}),
    *[("anthropic", {"content": [{"type": kind}], "stop_reason": "end_turn"})
      for kind in ("tool_use", "text", "thinking")],
    ("anthropic", {"type": "error", "error": {"type": "api_error", "message": "x"}}),
    ("gemini", {}),
    ("gemini", candidates()),
    ("gemini", candidates({"functionCall": {}})),
    ("gemini", {"error": {"code": 503, "status": "UNAVAILABLE"}}),
]  # fmt: skip


@pytest.mark.parametrize(("engine", "reply"), NO_RESPONSE)
def test_reply_without_a_response_is_retried(engine, reply):
    assert response_of(engine, reply) is None


def test_call_of_a_tool_is_left_out_only_where_tools_are_offered():
    claude = {"content": [{"type": "text", "text": "4"}, {"type": "tool_use"}]}
    gemini = candidates({"text": "4"}, {"functionCall": {}})
    for engine, reply in (("anthropic", claude), ("gemini", gemini)):
        called = reply | {"stop_reason": "end_turn"}
        assert response_of(engine, called) is None
        response = dialect_of(engine, extra_body={"tools": [{}]}).read(called)
        assert (response.status, response.text) == ("ok", "4")
    called = claude | {"stop_reason": "tool_use"}
    assert dialect_of("anthropic", extra_body={"tools": [{}]}).read(called).status == "ok"


NAMES = """content type text thinking stop_reason usage input_tokens candidates parts finishReason
usageMetadata promptFeedback blockReason thought error message"""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("engine", ["anthropic", "gemini"])
@given(reply=JSON)
def test_any_json_is_a_response_or_a_retry(engine, reply):
    response = dialect_of(engine).read(reply)
    assert isinstance(response, Retry) or response.status in ("ok", "length", "refused")
