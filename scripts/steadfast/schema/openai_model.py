"""The settings of a model behind an OpenAI-compatible API."""

from typing import Literal, Self

from pydantic import model_validator

from steadfast.schema.api_model import ApiModel
from steadfast.schema.model_base import OpenModel
from steadfast.schema.strict import answer, operation


class OpenaiModel(ApiModel, OpenModel):
    """Any server with an OpenAI-compatible API."""

    engine: Literal["openai"]
    template: Literal["chat", "base"] = answer(
        "chat: one user message; base: the completions endpoint with the suffix 'Output: ' "
        "(appendix E).",
        "chat",
    )
    seed: int | None = answer("Seed sent with each request, one more for each draw; null: none.")
    logprobs: int | None = answer(
        "Log probabilities of the answer's tokens, with so many alternatives each; null: none.",
        ge=0,
        le=20,
    )
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = operation(
        "The request field that carries the output limit.", "max_tokens"
    )
    cache: Literal["30m", "12h"] | None = operation(
        "How long a context that several prompts share is kept after each use, by a mark between "
        "two content parts (OpenAI from GPT-5.6 on); null: prompts are plain strings, unmarked."
    )
    cache_keys: int | None = operation(
        "Keys (prompt_cache_key) that the prompts of a context are spread over, so that none "
        "exceeds 15 requests a minute (docs/cost.md); null: none is sent.",
        ge=1,
        le=1000,
    )
    cache_salt: bool = operation(
        "true: the server keeps caches apart by the field cache_salt, as vLLM does, so that make "
        "noise has an empty one whenever it needs that; no other request is sent with it.",
        False,
    )
    parts: Literal["apart"] | None = answer(
        "apart: the server puts something between content parts, and prompts always go in two, "
        "which is another model's answer; null: parts reach the model as one string does."
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
    base_url: str | None = operation("Address of the server, with /v1; by default OpenAI's.")
    serve: list[str] | None = answer(
        "In place of base_url, the command of a server that the jobs start for themselves, once "
        "for all parts, word by word; {port} stands for its port (docs/slurm.md).",
        verbatim=True,
        min_length=1,
    )
    serve_operation_args: list[str] = operation(
        "Further words of that command, which change no answer.", [], verbatim=True
    )
    serve_minutes: float = operation(
        "Minutes that such a server may take until it is ready.", 30.0, gt=0, le=10_000
    )
    api_key_env: str | None = operation(
        "Environment variable that holds the key; null for a server that needs none.",
        "OPENAI_API_KEY",
    )
    batch: bool | Literal["mistral", "together", "files"] = operation(  # type: ignore[assignment]  # other runners too
        "true: through the provider's Batch API, in OpenAI's format; mistral, together: in "
        "Mistral's or Together's; files: only write the request files, and read the results that "
        "another runner has put beside them.",
        False,
    )

    @model_validator(mode="after")
    def _structured_has_one_form(self) -> Self:
        if self.structured and self.template == "base":
            raise ValueError("structured needs template chat; leave one of the two out")
        if self.structured and "response_format" in self.extra_body:
            raise ValueError("structured sets response_format; take it out of extra_body")
        return self

    @model_validator(mode="after")
    def _sent_in_one_way(self) -> Self:
        fields = {"cache": "prompt_cache_options", "cache_keys": "prompt_cache_key"}
        for name, sent in (fields | {"service_tier": "service_tier"}).items():
            by_path = self.path is not None and name != "cache_keys"
            if (by_path or getattr(self, name) is not None) and sent in self.extra_body:
                said = "path" if by_path else name
                raise ValueError(f"extra_body and {said} both set {sent}; leave one of them out")
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
        other = next((one for one in ("base_url", "batch", "path") if getattr(self, one)), None)
        if other:
            raise ValueError(f"serve starts a server in the job; leave {other} out, or serve")
        if not any("{port}" in word for word in [*self.serve, *self.serve_operation_args]):
            raise ValueError("serve must tell the server its port; write {port} where it stands")
        return self
