"""The settings that models of several engines have.

A field's ``role`` says who may notice a change of it:

- ``answer``: it determines a model's responses, and is part of their hash (promise 2);
- ``operation``: how requests are sent; a change re-runs nothing;
- ``resource``: what a job asks of the machine or the cluster; a change re-runs nothing;
- ``plan``: what the plan reckons with; a change re-runs the plan only;
- ``display``: how results are shown; a change re-runs tables and figures only.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from steadfast.schema.model_parts import (
    MOST_GPUS,
    MOST_TOKENS,
    Reasoning,
    Size,
    Slurm,
    Throughput,
)
from steadfast.schema.strict import StrictModel, role

Limit = Annotated[int, Field(ge=1, le=MOST_TOKENS)]
"""Tokens of an answer, at most."""


class BaseModelSettings(StrictModel):
    """What every engine's models have in common."""

    engine: str

    label: str | None = role("display", None, "Name in tables; by default the config's.")
    group: str | None = role("display", None, "Heading under which tables list it.")
    window: int | None = role(
        "answer",
        None,
        "Tokens of prompt and answer together that the model takes.",
        ge=256,
        le=MOST_TOKENS,
    )
    on_overflow: Literal["error", "truncate", "skip"] = role(
        "answer",
        "error",
        "A prompt over the window: stop before anything is sent; cut the context from the right "
        "(the paper's policy, marked with a dagger); or leave the sample out, marked.",
    )
    tokenizer: str = role(
        "answer", "o200k_base", "tiktoken encoding that counts tokens against the window."
    )
    template_tokens: int | None = role(
        "answer",
        None,
        "Tokens that the chat template adds; by default the engine's estimate.",
        ge=0,
        le=MOST_TOKENS,
    )
    max_tokens: Limit | dict[str, Limit] | None = role(
        "answer",
        None,
        "Output limit in place of the benchmarks' own: one for all tasks, or a mapping from tasks.",
    )
    draws: int = role(
        "answer", 1, "Answers drawn for each prompt; each of them is a sample.", ge=1, le=1000
    )
    allowed_failures: float = role(
        "operation",
        0.0,
        "Share of a job's requests that may fail for good before the job fails.",
        ge=0,
        le=1,
    )
    throughput: Throughput | None = role(
        "plan",
        None,
        "Tokens per second, for the plan's hours and the jobs' time; by default what past runs "
        "measured, or an estimate by size and hardware.gpu.",
    )
    size: Size | None = role(
        "plan",
        None,
        "Its size, for the same; by default as its own files have it, where they are on this "
        "machine.",
    )
    gpus: int | None = role(
        "resource",
        None,
        "GPUs of a job; by default those that share the model, or none.",
        ge=0,
        le=MOST_GPUS,
    )
    mem_gb: float | None = role(
        "resource",
        None,
        "Memory of a job's host in GB; by default 16, 8 a GPU and as much as the weights have, or "
        "48 a GPU where their size is not known, or 4.",
        gt=0,
        le=100_000,
    )
    hours: float | None = role(
        "resource",
        None,
        "Hours that a job may take; by default what the plan's tokens take, with hardware.margin, "
        "or 4 where nothing is known of the model's speed.",
        gt=0,
        le=10_000,
    )
    slurm: Slurm | None = role(
        "resource",
        None,
        "How SLURM is asked to run its jobs, in place of what the profile says (docs/slurm.md).",
    )


class ThinkingModel(BaseModelSettings):
    """What the engines with a model have in common."""

    reasoning: Reasoning | None = role(
        "answer", None, "How a thought is marked and how long it may be; null: the model has none."
    )


class SamplingModel(ThinkingModel):
    """What the engines that ask a model have in common."""

    temperature: float | None = role(
        "answer",
        0.0,
        "Sampling temperature; the paper uses 0; null: the server's default, or with vllm that of "
        "the model's own generation config, with all else that stands there.",
        ge=0,
        le=100,
    )
    top_p: float | None = role(
        "answer", None, "Share of probability that tokens are sampled from.", gt=0, le=1
    )
    top_k: int | None = role("answer", None, "Tokens that are sampled from, at most.", ge=1)
    min_p: float | None = role(
        "answer", None, "Least probability of a token, as a share of the likeliest's.", ge=0, le=1
    )
    examples: str | None = role(
        "answer",
        None,
        "For a base model: file with examples of your own, JSON lines with instruction and output, "
        "which stand before each prompt; what counts is its content.",
    )

    parts_per_load: int | None = role(
        "resource",
        None,
        "Parts that one job asks once it has loaded the model, or started its server with serve, "
        "so that several jobs share them; by default all parts of all benchmarks.",
        ge=1,
    )

    @model_validator(mode="after")
    def _examples_are_for_base_models(self) -> Self:
        if self.examples is not None and getattr(self, "template", None) != "base":
            raise ValueError(
                "examples stand before the prompts of base models; set template to base, or leave "
                "examples out"
            )
        return self
