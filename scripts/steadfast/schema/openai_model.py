"""The settings of a model behind an OpenAI-compatible API."""

import re
from typing import Any, Literal, Self

from pydantic import field_validator, model_validator

from steadfast.base.resources import facts
from steadfast.schema.model_base import Price, SamplingModel
from steadfast.schema.strict import role

MOST_REQUESTS = 256
"""Requests under way at once, at most, where the config says nothing of it."""

USER = re.compile(r"(\w+:)?(//)?[^/?#]*@")
"""The user and password at the start of an address, which a server is sent in place of the key."""
NO_USER = (
    "holds a user or password; take it out, and put the key in the environment variable that "
    "api_key_env names"
)


class OpenaiModel(SamplingModel):
    """Any server with an OpenAI-compatible API."""

    engine: Literal["openai"]
    model: str = role("answer", ..., "The model's name at the server.")
    revision: str | None = role("answer", None, "Revision of the weights, where it is known.")
    template: Literal["chat", "base"] = role(
        "answer",
        "chat",
        "chat: one user message; base: the completions endpoint with the suffix 'Output: ' "
        "(appendix E).",
    )
    system: str | None = role("answer", None, "System message before the prompt.", verbatim=True)
    seed: int | None = role(
        "answer", None, "Seed sent with each request, one more for each draw; null: none."
    )
    logprobs: int | None = role(
        "answer",
        None,
        "Log probabilities of the answer's tokens, with so many alternatives each; null: none.",
        ge=0,
        le=20,
    )
    structured: bool = role(
        "answer",
        False,
        "A judge replies in JSON of the form that the benchmark reads, by response_format with a "
        "JSON schema; mode strict alone (docs/judging.md).",
    )
    extra_body: dict[str, Any] = role(
        "answer", {}, "Further fields of the request body, passed through."
    )
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = role(
        "operation", "max_tokens", "The request field that carries the output limit."
    )
    cache: Literal["30m", "12h"] | None = role(
        "operation",
        None,
        "How long a context that several prompts share is kept after each use, by a mark between "
        "two content parts (OpenAI from GPT-5.6 on); null: prompts are plain strings, unmarked.",
    )
    cache_keys: int | None = role(
        "operation",
        None,
        "Keys (prompt_cache_key) that the prompts of a context are spread over, so that none "
        "exceeds 15 requests a minute (docs/cost.md); null: none is sent.",
        ge=1,
        le=1000,
    )
    parts: Literal["apart"] | None = role(
        "answer",
        None,
        "apart: the server puts something between content parts, and prompts always go in two, "
        "which is another model's answer; null: parts reach the model as one string does.",
    )
    service_tier: Literal["flex"] | None = role(
        "operation", None, "flex: slower, for about half the price (price.flex)."
    )
    tokenizer: str = role(
        "answer",
        "o200k_base",
        "What counts tokens against the window, and cuts: a tiktoken encoding, or hub id or "
        "directory of the model's own tokenizer, with a slash, such as ./model (needs "
        "transformers, which comes with vLLM).",
    )
    base_url: str | None = role(
        "operation", None, "Address of the server, with /v1; by default OpenAI's."
    )
    serve: list[str] | None = role(
        "answer",
        None,
        "In place of base_url, the command of a server that the jobs start for themselves, once "
        "for all parts, word by word; {port} stands for its port (docs/slurm.md).",
        verbatim=True,
        min_length=1,
    )
    serve_operation_args: list[str] = role(
        "operation", [], "Further words of that command, which change no answer.", verbatim=True
    )
    serve_minutes: float = role(
        "operation", 30.0, "Minutes that such a server may take until it is ready.", gt=0, le=10_000
    )
    api_key_env: str | None = role(
        "operation",
        "OPENAI_API_KEY",
        "Environment variable that holds the key; null for a server that needs none.",
    )
    concurrency: int = role(
        "operation", 8, "Requests under way at once when a job begins.", ge=1, le=1024
    )
    max_concurrency: int | None = role(
        "operation",
        None,
        "Requests under way at once, at most, while more bring more answers a second; by default "
        f"{MOST_REQUESTS}, or concurrency where that is stated.",
        ge=1,
        le=4096,
    )
    attempts: int = role(
        "operation", 6, "Times a request is tried before it counts as failed.", ge=1, le=100
    )
    backoff: float = role(
        "operation", 1.0, "Seconds before the second attempt; it doubles with each.", ge=0, le=3600
    )
    timeout: float = role(
        "operation", 600.0, "Seconds until one attempt is given up.", gt=0, le=604_800
    )
    price: Price | None = role(
        "operation", None, "What the tokens cost; the plan and max_spend reckon with it."
    )
    max_spend: float | None = role(
        "operation",
        None,
        "What the model may cost in all, by its journals; jobs stop there. Needs price.",
        gt=0,
    )
    batch: bool | Literal["files"] = role(
        "operation",
        False,
        "true: through the provider's Batch API; files: only write the request files, and read "
        "the results that another runner has put beside them.",
    )
    batch_interval: float = role(
        "operation", 60.0, "Seconds between two looks at a batch.", gt=0, le=86_400
    )
    batch_requests: int | None = role(
        "operation", None, "Requests of one batch, at most; by default the provider's 50,000.", ge=1
    )

    @field_validator("api_key_env")
    @classmethod
    def _names_a_variable(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError(  # without the value, which may be the key itself
                "it is no name of an environment variable: letters, digits and _, no digit first; "
                "the key itself stands in that variable, and in no config"
            )
        return name

    @field_validator("base_url")
    @classmethod
    def _address_holds_no_secret(cls, base_url: str | None) -> str | None:
        if base_url and USER.match(base_url):
            raise ValueError(f"it {NO_USER}")
        return base_url

    @field_validator("extra_body")
    @classmethod
    def _body_sets_nothing_twice(cls, body: dict[str, Any]) -> dict[str, Any]:
        own = facts("engines/request_fields.yaml")
        for name in body:
            if name in own:
                instead = f"use the model's key {own[name]}" if own[name] else "leave it out"
                raise ValueError(f"the workflow itself sets {name}; {instead}")
        return body

    @model_validator(mode="after")
    def _concurrency_has_a_ceiling(self) -> Self:
        if self.max_concurrency is None:
            stated = "concurrency" in self.model_fields_set
            self.max_concurrency = self.concurrency if stated else MOST_REQUESTS
        if self.max_concurrency < self.concurrency:
            raise ValueError(
                f"max_concurrency {self.max_concurrency} is less than concurrency "
                f"{self.concurrency}; raise the one or lower the other"
            )
        return self

    @model_validator(mode="after")
    def _sent_in_one_way(self) -> Self:
        fields = {"cache": "prompt_cache_options", "cache_keys": "prompt_cache_key"}
        for name, sent in (fields | {"service_tier": "service_tier"}).items():
            if getattr(self, name) is not None and sent in self.extra_body:
                raise ValueError(f"extra_body and {name} both set {sent}; leave one of them out")
        if self.service_tier and self.batch:
            raise ValueError("a batch has a price of its own; leave service_tier out, or batch")
        chat = [name for name in (*fields, "parts") if getattr(self, name) is not None]
        if chat and self.template == "base":
            raise ValueError(f"{chat[0]} is of chat completions; leave it out with template: base")
        return self

    @model_validator(mode="after")
    def _served_by_the_job_or_by_others(self) -> Self:
        if self.serve is None:
            if self.parts_per_load is not None:
                raise ValueError(
                    "parts_per_load is of models that jobs load; set serve, or leave it out"
                )
            return self
        if self.base_url is not None or self.batch:
            other = "base_url" if self.base_url is not None else "batch"
            raise ValueError(f"serve starts a server in the job; leave {other} out, or serve")
        if not any("{port}" in word for word in [*self.serve, *self.serve_operation_args]):
            raise ValueError("serve must tell the server its port; write {port} where it stands")
        return self

    @model_validator(mode="after")
    def _structured_has_one_form(self) -> Self:
        if self.structured and self.template == "base":
            raise ValueError("structured needs template chat; leave one of the two out")
        if self.structured and "response_format" in self.extra_body:
            raise ValueError("structured sets response_format; take it out of extra_body")
        return self

    @model_validator(mode="after")
    def _spend_needs_price(self) -> Self:
        if self.max_spend is not None and self.price is None:
            raise ValueError("max_spend needs price, what a million tokens cost")
        return self
