"""The settings of models that are asked in their providers' own dialects."""

from typing import Literal, Self

from pydantic import model_validator

from steadfast.schema.api_model import ApiModel
from steadfast.schema.model_base import Price
from steadfast.schema.strict import answer, operation

LEAST_BUDGET = 1024
"""Tokens of a thought that Anthropic takes as a budget, at least."""


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
    seed: int | None = answer("Seed sent with each request, one more for each draw; null: none.")
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

    parts: Literal["apart"] | None = answer(
        "apart: a prompt's context and its question are two entries of the conversation, which is "
        "another model's answer; null: they are one."
    )
    cache: Literal["10m", "1h", "6h"] | None = operation(
        "Contexts that several prompts share are stored in explicit caches, each for so long at "
        "most, and deleted after its last prompt (docs/cost.md); null: none is. Needs parts: "
        "apart."
    )

    @model_validator(mode="after")
    def _contexts_are_stored_apart(self) -> Self:
        if self.cache is None:
            return self
        if self.parts is None:
            raise ValueError(
                "an explicit cache holds the context as an entry of its own; set parts: apart (its "
                "answers are another model's), or leave cache out"
            )
        if self.batch:
            raise ValueError("explicit caches are of live requests; leave cache out, or batch")
        if isinstance(self.price, Price) and self.price.storage is None:
            raise ValueError(
                "price: what an explicit cache costs is not known; add storage, the price of a "
                "million tokens for an hour, or leave cache out"
            )
        return self

    @model_validator(mode="after")
    def _one_way_to_think(self) -> Self:
        if self.thinking == "budget" and self.reasoning is None:
            raise ValueError(
                "thinking: budget takes its budget from reasoning; set reasoning: {tokens: N}"
            )
        if self.thinking and self.effort:
            raise ValueError("thinking and effort say the same twice; leave one out")
        return self
