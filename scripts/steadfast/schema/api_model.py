"""The settings of models that answer behind an API: of any, and by who provides it."""

import re
from typing import Any, Literal, Self, get_args

from pydantic import field_validator, model_validator

from steadfast.base.resources import facts
from steadfast.schema.known_prices import rates
from steadfast.schema.model_base import OpenModel, Price, SamplingModel
from steadfast.schema.strict import answer, operation

FIRST_REQUESTS, MOST_REQUESTS = 8, 256
"""Requests under way at once when a job begins, and at most, where the config says nothing."""
LEAST_BUDGET = 1024
"""Tokens of reasoning that Anthropic takes as a budget, at least."""
USER = re.compile(r"(\w+:)?(//)?[^/?#]*@")
"""The user and password at the start of an address, which a server is sent in place of the key."""
NO_USER = (
    "holds a user or password; take it out, and put the key in the environment variable that "
    "api_key_env names"
)


class ApiModel(SamplingModel):
    """What the engines behind an API have in common."""

    model: str = answer("The model's name at the server.", ...)
    extra_body: dict[str, Any] = answer("Further fields of the request body, passed through.", {})
    structured: bool = answer(
        "A judge replies in JSON of the form that the benchmark reads, by a JSON schema; mode "
        "strict alone (docs/judging.md).",
        False,
    )
    base_url: str | None = operation(
        "Address of the API, with openai its version too (…/v1); by default the provider's."
    )
    api_key_env: str | None = operation(
        "Environment variable that holds the key; by default as each engine has it."
    )
    max_concurrency: int = operation(
        "Requests under way at once, at most, while more bring more answers a second.",
        MOST_REQUESTS,
        ge=1,
        le=4096,
    )
    timeout: float = operation("Seconds until one attempt is given up.", 600.0, gt=0, le=604_800)
    price: Price | Literal["auto"] | None = operation(
        "What the tokens cost; the plan and max_spend reckon with it. auto: as the package "
        "genai-prices has it, for the provider at base_url, or else the engine's own."
    )
    max_spend: float | None = operation(
        "What the model may cost in all, by its journals; jobs stop there. Needs price.", gt=0
    )
    batch: bool = operation("true: in batches, which cost half and take up to a day.", False)

    @field_validator("api_key_env")
    @classmethod
    def _names_a_variable(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise ValueError(  # without the value, which may be the key itself
                "it is no name of an environment variable: letters, digits and _, no digit first; "
                "the key itself stands in that variable, and in no config"
            )
        return name

    @model_validator(mode="after")
    def _one_tier(self) -> Self:
        if getattr(self, "service_tier", None) and self.batch:
            raise ValueError("a batch has a price of its own; leave service_tier out, or batch")
        return self

    @field_validator("base_url")
    @classmethod
    def _address_holds_no_secret(cls, base_url: str | None) -> str | None:
        if base_url and USER.match(base_url):
            raise ValueError(f"it {NO_USER}")
        return base_url

    @field_validator("extra_body")
    @classmethod
    def _body_sets_nothing_twice(cls, body: dict[str, Any]) -> dict[str, Any]:
        (engine,) = get_args(cls.model_fields["engine"].annotation)
        own = facts("engines/request_fields.yaml")[engine]
        within = {name: value for name, value in body.items() if isinstance(value, dict)}
        for name in [*body, *(f"{outer}.{name}" for outer in within for name in within[outer])]:
            if name in own:
                instead = f"use the model's key {own[name]}" if own[name] else "leave it out"
                raise ValueError(f"the workflow itself sets {name}; {instead}")
        return body

    @model_validator(mode="after")
    def _price_is_known_where_it_is_needed(self) -> Self:
        rates(self.model_dump(include={"engine", "model", "base_url", "cache", "price"}))
        if self.max_spend is not None and self.price is None:
            raise ValueError("max_spend needs price, what a million tokens cost")
        return self


class OpenaiModel(ApiModel, OpenModel):
    """Any server with an OpenAI-compatible API."""

    engine: Literal["openai"]
    seed: int | None = answer("Seed sent with each request, one more for each repeat; null: none.")
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = operation(
        "The request field that carries the output limit.", "max_tokens"
    )
    cache: Literal["30m", "12h"] | None = operation(
        "How long a context that several prompts share is kept after each use, by a mark between "
        "two content parts (OpenAI from GPT-5.6 on); null: prompts are plain strings, unmarked."
    )
    service_tier: Literal["flex"] | None = operation(
        "flex: slower, for about half the price (price.flex)."
    )
    tokenizer: str = answer(
        "What counts tokens against the window, and cuts: a tiktoken encoding, or hub id or "
        "directory of the model's own tokenizer, with a slash, such as ./model (needs "
        "transformers, which comes with vLLM).",
        "o200k_base",
    )
    serve: list[str] | None = answer(
        "In place of base_url, the command of a server that the jobs start for themselves, once "
        "for all parts, word by word; {port} stands for its port (docs/slurm.md).",
        verbatim=True,
        min_length=1,
    )
    serve_operation_args: list[str] = operation(
        "Further words of that command, which change no answer.", [], verbatim=True
    )
    api_key_env: str | None = operation(
        "Environment variable that holds the key; null for a server that needs none.",
        "OPENAI_API_KEY",
    )
    batch: bool = operation("Through the provider's Batch API, in OpenAI's format.", False)

    @field_validator("batch", mode="before")
    @classmethod
    def _batches_are_openai_s(cls, batch: object) -> object:
        if batch == "files":
            raise ValueError(
                "request files for other batch runners are written no more; let engine vllm ask "
                "the model, or a server that serve starts"
            )
        if batch in ("mistral", "together"):
            raise ValueError(
                f"{batch}'s own format of batches is written no more; set true for a server that "
                "takes OpenAI's, or leave batch out"
            )
        return batch

    @model_validator(mode="after")
    def _structured_has_one_form(self) -> Self:
        if self.structured and self.template == "base":
            raise ValueError("structured needs template chat; leave one of the two out")
        if self.structured and "response_format" in self.extra_body:
            raise ValueError("structured sets response_format; take it out of extra_body")
        return self

    @model_validator(mode="after")
    def _sent_in_one_way(self) -> Self:
        for name, sent in {"cache": "prompt_cache_options", "service_tier": "service_tier"}.items():
            if getattr(self, name) is not None and sent in self.extra_body:
                raise ValueError(f"extra_body and {name} both set {sent}; leave one of them out")
        if self.cache is not None and self.template == "base":
            raise ValueError("cache is of chat completions; leave it out with template: base")
        return self

    @model_validator(mode="after")
    def _served_by_the_job_or_by_others(self) -> Self:
        if self.serve is None:
            if self.parts_per_load is not None:
                raise ValueError(
                    "parts_per_load is of models that jobs load; set serve, or leave it out"
                )
            return self
        other = next((one for one in ("base_url", "batch") if getattr(self, one)), None)
        if other:
            raise ValueError(f"serve starts a server in the job; leave {other} out, or serve")
        if not any("{port}" in word for word in [*self.serve, *self.serve_operation_args]):
            raise ValueError("serve must tell the server its port; write {port} where it stands")
        return self


class AnthropicModel(ApiModel):
    """A Claude model, by Anthropic's Messages API; contexts are marked for its cache."""

    engine: Literal["anthropic"]
    api_key_env: str | None = operation(
        "Environment variable that holds the key.", "ANTHROPIC_API_KEY"
    )
    temperature: float | None = answer(
        "Sampling temperature; null: none is sent, as models that think, and many newer ones, "
        "want it.",
        0.0,
        ge=0,
        le=1,
    )
    thinking: Literal["adaptive", "budget", "disabled"] | None = answer(
        "adaptive: the model decides how long it thinks; budget: up to reasoning.tokens; null: as "
        "the model does by itself."
    )
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = answer(
        "How much the model puts into an answer; null: its default."
    )
    cache: Literal["5m", "1h"] | None = operation(
        "How long a context that several prompts share is kept after each use; 1h costs more to "
        "write; null: nothing is marked.",
        "5m",
    )

    @model_validator(mode="after")
    def _thinking_as_the_api_takes_it(self) -> Self:
        if self.thinking in (None, "disabled"):
            return self
        tokens = self.reasoning.tokens if self.reasoning else 0
        if tokens < (LEAST_BUDGET if self.thinking == "budget" else 1):
            raise ValueError(
                f"thinking takes its tokens from reasoning; set reasoning: {{tokens: N}}, "
                f"{LEAST_BUDGET} at least for a budget"
            )
        if self.temperature not in (None, 1.0) or self.top_k is not None:
            raise ValueError(
                "a Claude model that thinks takes no temperature but 1, and no top_k; set "
                "temperature to null, and leave top_k out"
            )
        return self


class GeminiModel(ApiModel):
    """A Gemini model, by Google's generateContent."""

    engine: Literal["gemini"]
    api_key_env: str | None = operation(
        "Environment variable that holds the key.", "GEMINI_API_KEY"
    )
    temperature: float | None = answer(
        "Sampling temperature; null: the model's default.", 0.0, ge=0, le=2
    )
    seed: int | None = answer("Seed sent with each request, one more for each repeat; null: none.")
    thinking: Literal["budget", "disabled"] | None = answer(
        "budget: up to reasoning.tokens; disabled: a budget of 0, which not every model takes; "
        "null: as the model does by itself."
    )
    effort: Literal["minimal", "low", "medium", "high", "xhigh"] | None = answer(
        "Level of thinking, in place of a budget; null: the model's default."
    )

    service_tier: Literal["flex"] | None = operation(
        "flex: slower, for about half the price (price.flex)."
    )

    @model_validator(mode="after")
    def _one_way_to_think(self) -> Self:
        if self.thinking == "budget" and self.reasoning is None:
            raise ValueError(
                "thinking: budget takes its budget from reasoning; set reasoning: {tokens: N}"
            )
        if self.thinking and self.effort:
            raise ValueError("thinking and effort say the same twice; leave one out")
        return self
