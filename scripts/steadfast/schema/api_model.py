"""The settings of models behind an API: those that all share, then those of each provider."""

import re
from typing import Any, Literal, Self, get_args

from pydantic import field_validator, model_validator

from steadfast.base.resources import facts
from steadfast.schema.known_prices import rates
from steadfast.schema.model_base import OpenModel, Price, SamplingModel
from steadfast.schema.strict import operation, response

# Concurrent requests when a job begins, and the default of ``max_concurrency``.
FIRST_REQUESTS = 8
MOST_REQUESTS = 256
# Anthropic's smallest budget of reasoning tokens.
LEAST_BUDGET = 1024
# User and password at the start of a URL: a client sends them in place of the key.
USER = re.compile(r"(\w+:)?(//)?[^/?#]*@")
NO_USER = (
    "contains a user name or password; remove it, and put the key in the environment variable "
    "that api_key_env names"
)


class ApiModel(SamplingModel):
    """Settings that all engines behind an API share."""

    model: str = response("The model's name in the API.", ...)
    extra_body: dict[str, Any] = response(
        "Additional fields of the request body, passed through unchanged.", {}
    )
    structured: bool = response(
        "Structured outputs for a judge: its replies follow the benchmark's JSON schema. Only with "
        "judging.mode strict (docs/judging.md).",
        False,
    )
    base_url: str | None = operation(
        "URL of the API, for engine openai with its version (…/v1); by default the provider's."
    )
    api_key_env: str | None = operation(
        "Environment variable that holds the API key; the default depends on the engine."
    )
    max_concurrency: int = operation(
        "Maximum number of concurrent requests; a job raises concurrency up to it for as long as "
        "throughput grows.",
        MOST_REQUESTS,
        ge=1,
        le=4096,
    )
    timeout: float = operation(
        "Seconds after which one attempt at a request times out.", 600.0, gt=0, le=604_800
    )
    price: Price | Literal["auto"] | None = operation(
        "Price of the tokens, for the plan and max_spend. auto: the price that the package "
        "genai-prices lists for the provider at base_url, or else for the engine's provider."
    )
    max_spend: float | None = operation(
        "Spending limit in USD for the model, by the costs in its journals; jobs stop when it is "
        "reached. Needs price.",
        gt=0,
    )
    batch: bool = operation(
        "true: the Batch API, for half the price and with results within a day; with engine openai "
        "in OpenAI's format.",
        False,
    )

    @field_validator("api_key_env")
    @classmethod
    def _names_a_variable(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError(  # without the value, which may be the key itself
                "not a valid name of an environment variable (letters, digits and _, no digit "
                "first); put the API key into that variable, never into the config"
            )
        return name

    @field_validator("base_url")
    @classmethod
    def _address_holds_no_secret(cls, base_url: str | None) -> str | None:
        if base_url and USER.match(base_url):
            raise ValueError(f"the URL {NO_USER}")
        return base_url

    @field_validator("extra_body")
    @classmethod
    def _body_sets_nothing_twice(cls, body: dict[str, Any]) -> dict[str, Any]:
        (engine,) = get_args(cls.model_fields["engine"].annotation)
        reserved_fields = facts("engines/request_fields.yaml")[engine]
        names = list(body)
        for outer, value in body.items():
            if isinstance(value, dict):  # such as Gemini's generationConfig
                names += [f"{outer}.{inner}" for inner in value]
        for name in names:
            if name in reserved_fields:
                key = reserved_fields[name]
                instead = f"use the model's key {key} instead" if key else "remove it"
                raise ValueError(f"the workflow already sets {name}; {instead}")
        return body

    @model_validator(mode="after")
    def _price_is_known_where_it_is_needed(self) -> Self:
        rates(self.model_dump(include={"engine", "model", "base_url", "cache", "price"}))
        if self.max_spend is not None and self.price is None:
            raise ValueError("max_spend needs price; add the price of a million tokens")
        return self


class FlexModel(ApiModel):
    """Settings of APIs that take a seed, and have a cheaper service tier."""

    seed: int | None = response(
        "Seed sent with each request, plus the number of the repeat; null: none."
    )
    service_tier: Literal["flex"] | None = operation(
        "flex: slower, at about half the price (price.flex)."
    )

    @model_validator(mode="after")
    def _one_tier(self) -> Self:
        if self.service_tier and self.batch:
            raise ValueError(
                "batch and service_tier are different pricing options; remove one of the two"
            )
        return self


class OpenaiModel(FlexModel, OpenModel):
    """A model on any server with an OpenAI-compatible API."""

    engine: Literal["openai"]
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = operation(
        "Name of the request field for the output limit.", "max_tokens"
    )
    cache: Literal["30m", "12h"] | None = operation(
        "Prompt caching with explicit breakpoints (OpenAI from GPT-5.6 on): how long the cache "
        "keeps a shared context after each use; null: no breakpoints, prompts are plain strings."
    )
    tokenizer: str = response(
        "Tokenizer that counts tokens against the window and truncates contexts: a tiktoken "
        "encoding, or the hub id or directory of the model's own tokenizer, with a slash, such as "
        "./model (needs transformers, which comes with vLLM).",
        "o200k_base",
    )
    serve: list[str] | None = response(
        "In place of base_url: command and arguments of a server that the job starts, once for all "
        "its parts; {port} stands for the port (docs/slurm.md).",
        verbatim=True,
        min_length=1,
    )
    serve_operation_args: list[str] = operation(
        "Additional arguments of that command that do not affect responses.", [], verbatim=True
    )
    api_key_env: str | None = operation(
        "Environment variable that holds the API key; null for a server that needs none.",
        "OPENAI_API_KEY",
    )

    @model_validator(mode="after")
    def _structured_has_one_form(self) -> Self:
        if self.structured and self.template == "base":
            raise ValueError(
                "structured needs template: chat; remove structured, or change template"
            )
        if self.structured and "response_format" in self.extra_body:
            raise ValueError("structured sets response_format; remove it from extra_body")
        return self

    @model_validator(mode="after")
    def _sent_in_one_way(self) -> Self:
        fields = {"cache": "prompt_cache_options", "service_tier": "service_tier"}
        for name, field in fields.items():
            if getattr(self, name) is not None and field in self.extra_body:
                raise ValueError(f"extra_body and {name} both set {field}; remove one of them")
        if self.cache is not None and self.template == "base":
            raise ValueError(
                "cache works with chat completions only; remove it, or set template: chat"
            )
        return self

    @model_validator(mode="after")
    def _served_by_the_job_or_by_others(self) -> Self:
        if self.serve is None:
            if self.parts_per_load is not None:
                raise ValueError(
                    "parts_per_load is only for models that jobs load; set serve, or remove it"
                )
            return self
        for excluded in ("base_url", "batch"):
            if getattr(self, excluded):
                raise ValueError(
                    f"serve starts a server in the job and cannot be combined with {excluded}; "
                    "remove one of the two"
                )
        if not any("{port}" in argument for argument in [*self.serve, *self.serve_operation_args]):
            raise ValueError("the server needs its port; write {port} for it in serve")
        return self


class AnthropicModel(ApiModel):
    """A Claude model, by Anthropic's Messages API, with prompt caching of shared contexts."""

    engine: Literal["anthropic"]
    api_key_env: str | None = operation(
        "Environment variable that holds the API key.", "ANTHROPIC_API_KEY"
    )
    temperature: float | None = response(
        "Sampling temperature; null: none is sent, as reasoning models and many newer models "
        "require.",
        0.0,
        ge=0,
        le=1,
    )
    thinking: Literal["adaptive", "budget", "disabled"] | None = response(
        "Extended thinking. adaptive: the model decides how much it reasons; budget: up to "
        "reasoning.tokens; null: the model's default."
    )
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = response(
        "The API's effort parameter; null: the model's default."
    )
    cache: Literal["5m", "1h"] | None = operation(
        "Prompt caching: how long a shared context is kept after each use; writes for 1h cost "
        "more; null: no cache breakpoints.",
        "5m",
    )

    @model_validator(mode="after")
    def _thinking_as_the_api_takes_it(self) -> Self:
        if self.thinking in (None, "disabled"):
            return self
        tokens = self.reasoning.tokens if self.reasoning else 0
        if tokens < (LEAST_BUDGET if self.thinking == "budget" else 1):
            raise ValueError(
                "thinking needs a limit on reasoning tokens; set reasoning: {tokens: N}, with N of "
                f"at least {LEAST_BUDGET} for thinking: budget"
            )
        if self.temperature not in (None, 1.0) or self.top_k is not None:
            raise ValueError(
                "Claude with thinking accepts no temperature other than 1, and no top_k; set "
                "temperature to null and remove top_k"
            )
        return self


class GeminiModel(FlexModel):
    """A Gemini model, by Google's generateContent."""

    engine: Literal["gemini"]
    api_key_env: str | None = operation(
        "Environment variable that holds the API key.", "GEMINI_API_KEY"
    )
    temperature: float | None = response(
        "Sampling temperature; null: the model's default.", 0.0, ge=0, le=2
    )
    thinking: Literal["budget", "disabled"] | None = response(
        "budget: reason for up to reasoning.tokens; disabled: a budget of 0, which not every model "
        "accepts; null: the model's default."
    )
    effort: Literal["minimal", "low", "medium", "high", "xhigh"] | None = response(
        "Thinking level, in place of a budget; null: the model's default."
    )

    @model_validator(mode="after")
    def _one_way_to_think(self) -> Self:
        if self.thinking == "budget" and self.reasoning is None:
            raise ValueError(
                "thinking: budget needs a limit on reasoning tokens; set reasoning: {tokens: N}"
            )
        if self.thinking and self.effort:
            raise ValueError("thinking and effort exclude each other; remove one of the two")
        return self
