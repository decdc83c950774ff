"""The settings of a model that answers behind an API, whoever provides it."""

import re
from typing import Any, Literal, Self, get_args

from pydantic import field_validator, model_validator

from steadfast.base.resources import facts
from steadfast.schema.known_prices import known_price
from steadfast.schema.model_base import Price, SamplingModel
from steadfast.schema.strict import answer, operation

MOST_REQUESTS = 256
"""Requests under way at once, at most, where the config says nothing of it."""

BATCH_FORMATS = ("mistral", "together")
"""Values of ``batch`` that say how batches look, and not whether to make some."""
USER = re.compile(r"(\w+:)?(//)?[^/?#]*@")
"""The user and password at the start of an address, which a server is sent in place of the key."""
NO_USER = (
    "holds a user or password; take it out, and put the key in the environment variable that "
    "api_key_env names"
)


class ApiModel(SamplingModel):
    """What the engines behind an API have in common."""

    model: str = answer("The model's name at the server.", ...)
    revision: str | None = answer("Revision of the weights, where it is known.")
    system: str | None = answer("System message before the prompt.", verbatim=True)
    extra_body: dict[str, Any] = answer("Further fields of the request body, passed through.", {})
    structured: bool = answer(
        "A judge replies in JSON of the form that the benchmark reads, by a JSON schema; mode "
        "strict alone (docs/judging.md).",
        False,
    )
    base_url: str | None = operation(
        "Address of the API, without its version; by default the provider's."
    )
    api_key_env: str | None = operation(
        "Environment variable that holds the key; by default as each engine has it."
    )
    concurrency: int = operation("Requests under way at once when a job begins.", 8, ge=1, le=1024)
    max_concurrency: int | None = operation(
        "Requests under way at once, at most, while more bring more answers a second; by default "
        f"{MOST_REQUESTS}, or concurrency where that is stated.",
        ge=1,
        le=4096,
    )
    attempts: int = operation(
        "Times a request is tried before it counts as failed.", 6, ge=1, le=100
    )
    backoff: float = operation(
        "Seconds before the second attempt; it doubles with each.", 1.0, ge=0, le=3600
    )
    timeout: float = operation("Seconds until one attempt is given up.", 600.0, gt=0, le=604_800)
    price: Price | Literal["auto"] | None = operation(
        "What the tokens cost; the plan and max_spend reckon with it. auto: as the package "
        "genai-prices has it, for the provider at base_url, or else the engine's own."
    )
    max_spend: float | None = operation(
        "What the model may cost in all, by its journals; jobs stop there. Needs price.", gt=0
    )
    path: Literal["cheapest", "cheapest_live"] | None = operation(
        "In place of cache, service_tier and batch. cheapest: each job takes the path that is to "
        "cost least by price (docs/cost.md), which may be a batch of up to a day; cheapest_live: "
        "the same without batches."
    )
    batch: bool = operation("true: in batches, which cost half and take up to a day.", False)
    batch_interval: float = operation(
        "Seconds between two looks at a batch.", 60.0, gt=0, le=86_400
    )
    batch_requests: int | None = operation(
        "Requests of one batch, at most; by default as many as the provider takes.", ge=1
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
    def _price_is_there_where_it_is_needed(self) -> Self:
        if self.price == "auto":
            lifetime = getattr(self, "cache", None)
            found = known_price(self.model, self.engine, self.base_url, lifetime)
            self.price = Price.model_validate(found)
        if self.max_spend is not None and self.price is None:
            raise ValueError("max_spend needs price, what a million tokens cost")
        if self.path is None:
            return self
        if self.price is None:
            raise ValueError(f"path: {self.path} needs price, what a million tokens cost")
        for name in ("cache", "service_tier", "batch"):
            field = type(self).model_fields.get(name)
            value = field and getattr(self, name)
            if field and value not in (field.default, *BATCH_FORMATS):
                raise ValueError(f"path: {self.path} chooses {name}; leave one of the two out")
        return self
