"""Errors in the dialects of the providers, where the API key goes, and settings they reject."""

import json
from contextlib import nullcontext
from unittest.mock import Mock

import pytest

from dialect_servers import AnthropicServer, served
from parts import items
from servers import Fault, running
from steadfast.base.errors import TemporaryError, UserError
from steadfast.engines.api.engine import ApiEngine
from steadfast.engines.api.replies import Retry, http_failure, permanent_error
from steadfast.engines.base import Setup, build_engine
from steadfast.schema.api_model import AnthropicModel, GeminiModel, OpenaiModel

SERVE = ["vllm", "serve", "m", "--port", "{port}"]
KEY = "sk-ant-api03-Q7wEr5TyUi9OpAs2DfGh"


# --- errors -----------------------------------------------------------------------------------


def anthropic_error(kind, text="No.", **details):
    inner = {"type": kind, "message": text, **({"details": details} if details else {})}
    return {"type": "error", "error": inner, "request_id": "req_1"}


def openai_error(code, text="No."):
    return {"error": {"message": text, "type": "fault", "code": code}}


def google_error(status, name, text="No.", *details):
    return {"error": {"code": status, "message": text, "status": name, "details": list(details)}}


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37.5s"}
INVALID = "invalid_request_error"
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
ERRORS = [
    # HTTP status, body, meaning: a reason to stop the job, the status of the response, or a retry,
    # with lower concurrency ("slower") or after the seconds that the server names.
    (400, anthropic_error(INVALID, "temperature: too warm"), "error"),
    (400, anthropic_error(INVALID, "prompt is too long: 9 tokens > 8 maximum"), "overflow"),
    (400, anthropic_error(INVALID, "input length and `max_tokens` exceed context limit: 9 + 1 > 8"),
     "overflow"),
    (400, anthropic_error(INVALID, "Your credit balance is too low to go on"), "quota"),
    (400, anthropic_error(INVALID, error_code="organization_on_hold"), "quota"),
    (400, anthropic_error(INVALID, "`temperature` is deprecated for this model."), "sampling"),
    (400, openai_error("unsupported_value", "Unsupported value: 'temperature' does not support 0.0 "
                       "with this model."), "sampling"),
    (400, openai_error("content_filter"), "refused"),
    (400, openai_error("content_policy_violation"), "refused"),
    (400, openai_error("context_length_exceeded"), "overflow"),
    (400, openai_error("x", "This model's maximum context length is 4096 tokens."), "overflow"),
    (400, openai_error("x", "'max_tokens' is unsupported. Use 'max_completion_tokens' instead."),
     "limit"),
    (400, openai_error("x", "Invalid service_tier argument"), "tier"),
    (429, openai_error("insufficient_quota"), "quota"),
    (401, anthropic_error("authentication_error"), "key"),
    (402, anthropic_error("billing_error"), "quota"),
    (403, anthropic_error("permission_error"), "key"),
    (404, anthropic_error("not_found_error"), "model"),
    (413, anthropic_error("request_too_large"), "overflow"),
    (429, anthropic_error("rate_limit_error"), "slower"),
    (429, anthropic_error("rate_limit_error", error_code="enforced_spend_limit_reached"), "quota"),
    (500, anthropic_error("api_error"), "retry"),
    (504, anthropic_error("timeout_error"), "retry"),
    (529, anthropic_error("overloaded_error"), "slower"),
    (400, google_error(400, "INVALID_ARGUMENT"), "error"),
    (400, google_error(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum "
                       "number of tokens allowed (8)."), "overflow"),
    (400, google_error(400, "INVALID_ARGUMENT", "API key not valid.", BAD_KEY), "key"),
    (400, google_error(400, "FAILED_PRECONDITION"), "quota"),
    (403, google_error(403, "PERMISSION_DENIED"), "key"),
    (404, google_error(404, "NOT_FOUND"), "model"),
    (429, google_error(429, "RESOURCE_EXHAUSTED"), "slower"),
    (429, google_error(429, "RESOURCE_EXHAUSTED", "Wait.", RETRY_INFO), "37.5 s"),
    (429, [google_error(429, "RESOURCE_EXHAUSTED", "Wait.", RETRY_INFO)], "37.5 s"),
    (500, google_error(500, "INTERNAL"), "retry"),
    (503, google_error(503, "UNAVAILABLE"), "slower"),
    (504, google_error(504, "DEADLINE_EXCEEDED"), "retry"),
]  # fmt: skip


def meaning(status, body):
    if reason := permanent_error(status, body):
        return reason
    outcome = http_failure(status, body, {}, 0.0)
    if not isinstance(outcome, Retry):
        return outcome.status
    if outcome.after is not None:
        return f"{outcome.after} s"
    return "slower" if outcome.overloaded else "retry"


@pytest.mark.parametrize(("status", "body", "expected"), ERRORS)
def test_documented_errors_are_understood(status, body, expected):
    assert meaning(status, body) == expected
    if expected == "overflow":
        assert "window" in http_failure(status, body, {}, 0.0).error


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, anthropic_error("authentication_error"), "rejects the API key (HTTP 401)"),
        (402, anthropic_error("billing_error"), "quota exceeded; add credit"),
        (400, openai_error("x", "Use 'max_completion_tokens' instead."),
         "set max_tokens_field: max_completion_tokens"),
        (400, anthropic_error(INVALID, "top_k is deprecated."),
         "(top_k is deprecated.); set temperature to null"),
    ],
)  # fmt: skip
def test_error_of_every_request_stops_the_job(tmp_path, status, body, message):
    with served(tmp_path, "anthropic") as (server, part):
        server.faults[""].extend([Fault(status, json.dumps(body).encode())] * 9)
        with pytest.raises(UserError) as raised:
            part.run()
    assert message in str(raised.value)
    assert not isinstance(raised.value, TemporaryError)


@pytest.mark.parametrize("option", ["live", "flex"])
def test_missing_flex_stops_the_job_only_where_it_is_set(option):
    engine = object.__new__(ApiEngine)
    engine.option = option
    engine.answers = {"model": "m"}
    engine._access = Mock(address="host")
    stops = pytest.raises(UserError, match=r"host does not offer flex .* service_tier to null")
    with stops if option == "flex" else nullcontext():
        engine.raise_permanent_error(400, openai_error("x", "Invalid service_tier argument"))


# --- the key ----------------------------------------------------------------------------------


def test_redirect_does_not_get_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    with running(kind=AnthropicServer) as thief, served(tmp_path, "anthropic") as (server, part):
        redirect = Fault(307, b"", headers={"Location": f"{thief.url}/messages"})
        server.faults[""].extend([redirect] * 9)
        with pytest.raises(UserError, match="requests of model echo failed"):
            part.run(items(1, 1), api_key_env="MY_KEY", attempts=1)
        assert thief.keys == set()


def test_missing_default_key_stops_before_any_request(tmp_path, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with served(tmp_path, "anthropic") as (server, part):
        del part.operation["api_key_env"]
        with pytest.raises(UserError, match="ANTHROPIC_API_KEY contains no API key"):
            part.run()
        assert not server.requested


@pytest.mark.parametrize(
    ("engine", "host"),
    [("anthropic", "api.anthropic.com"), ("gemini", "generativelanguage.googleapis.com")],
)
def test_default_address_is_the_provider_s(engine, host, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere/v1")
    engine = build_engine(Setup({"engine": engine, "model": "m"}, {}))
    assert engine._access.address == host


# --- the settings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (AnthropicModel, {"thinking": "adaptive", "reasoning": {"tokens": 9}},
         "accepts no temperature other than 1"),
        (AnthropicModel, {"thinking": "adaptive", "reasoning": {"tokens": 9}, "temperature": 1,
                          "top_k": 3}, "and no top_k"),
        (AnthropicModel, {"thinking": "adaptive", "temperature": 1}, "set reasoning"),
        (AnthropicModel, {"thinking": "budget", "temperature": None}, "set reasoning"),
        (AnthropicModel, {"thinking": "budget", "temperature": None, "reasoning": {"tokens": 512}},
         "at least 1024 for thinking: budget"),
        (AnthropicModel, {"temperature": 1.5}, "less than or equal to 1"),
        (AnthropicModel, {"temperature": -0.1}, "greater than or equal to 0"),
        (AnthropicModel, {"min_p": 0.1}, "min_p"),
        (AnthropicModel, {"extra_body": {"max_tokens": 5}}, "use the model's key max_tokens"),
        (AnthropicModel, {"extra_body": {"output_config": {"effort": "low"}}}, "key effort"),
        (GeminiModel, {"thinking": "budget"}, "set reasoning"),
        (GeminiModel, {"service_tier": "flex", "batch": True},
         "batch and service_tier are different pricing options"),
        (GeminiModel, {"thinking": "disabled", "effort": "low"}, "remove one of the two"),
        (GeminiModel, {"extra_body": {"generationConfig": {"topK": 5}}}, "key top_k"),
        (OpenaiModel, {"cache": "30m", "template": "base"}, "works with chat completions only"),
        (OpenaiModel, {"service_tier": "flex", "batch": True}, "different pricing options"),
        (OpenaiModel, {"cache": "30m", "extra_body": {"prompt_cache_options": {}}},
         "extra_body and cache both set"),
        (OpenaiModel, {"serve": SERVE, "base_url": "http://localhost:1/v1"},
         "cannot be combined with base_url; remove"),
        (OpenaiModel, {"serve": SERVE, "batch": True}, "cannot be combined with batch; remove"),
        (OpenaiModel, {"serve": SERVE[:3]}, "write {port} for it in serve"),
        (OpenaiModel, {"serve": None, "parts_per_load": 2}, "set serve, or remove it"),
    ],
)  # fmt: skip
def test_settings_that_the_provider_rejects_are_refused(kind, settings, message):
    engine = kind.__name__.removesuffix("Model").lower()
    with pytest.raises(ValueError, match=message):
        kind(engine=engine, model="m", **settings)


def test_claude_with_reasoning_accepts_temperature_1():
    reasoning = {"thinking": "budget", "reasoning": {"tokens": 1024}, "temperature": 1}
    settings = {"engine": "anthropic", "model": "m", **reasoning}
    assert AnthropicModel.model_validate(settings).temperature == 1
