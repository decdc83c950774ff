"""The settings that models of several engines have.

A field's ``role`` says who may notice a change of it:

- ``answer``: it determines a model's responses, and is part of their hash (promise 2);
- ``operation``: how requests are sent; a change re-runs nothing;
- ``resource``: what a job asks of the machine or the cluster; a change re-runs nothing;
- ``plan``: what the plan reckons with; a change re-runs the plan only;
- ``display``: how results are shown; a change re-runs tables and figures only.
"""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from steadfast.base.names import nearest, shown
from steadfast.base.resources import facts
from steadfast.schema.strict import (
    StrictModel,
    answer,
    display,
    job_resource,
    key,
    operation,
    plan,
    shown_text,
)

MOST_TOKENS, MOST_GPUS = 10**9, 100_000


class Throughput(StrictModel):
    """Tokens per second of one job, as measured or stated, for the plan's GPU-hours."""

    prefill: float = key("Prompt tokens computed per second.", ..., gt=0, le=1e9)
    decode: float = key("Answer tokens per second, of all requests together.", ..., gt=0, le=1e9)


class Price(StrictModel):
    """What a provider charges, in USD per million tokens."""

    input: float = key("Prompt tokens.", ..., ge=0, le=1e6)
    output: float = key("Answer tokens.", ..., ge=0, le=1e6)
    cached: float | None = key(
        "Prompt tokens from the provider's cache; by default input.", ge=0, le=1e6
    )
    flex: float = key("With service_tier flex, the share of these prices.", 1, gt=0, le=10)
    batch: float = key("In a batch, the share of these prices.", 1, gt=0, le=10)


class Reasoning(StrictModel):
    """A model that thinks before it answers; only the answer is scored, judged and shown."""

    tags: list[str] | None = key(
        "Start and end tag of reasoning in the text, such as [<think>, </think>].",
        min_length=2,
        max_length=2,
        verbatim=True,
    )
    parser: str | None = key(
        "In place of tags, the name of vLLM's reasoning parser for the model, such as "
        "qwen3 or openai_gptoss; it says which marks to look for."
    )
    tokens: int = key(
        "Tokens that reasoning may take, on top of the answer's limit.", ..., ge=0, le=MOST_TOKENS
    )
    prefilled: bool | None = key(
        "Whether the chat template opens the reasoning, so that replies begin inside it; "
        "by default what the template shows, where it is known."
    )

    @field_validator("parser")
    @classmethod
    def _known_parser(cls, parser: str | None) -> str | None:
        known = facts("engines/reasoning.yaml")["parsers"]
        if parser is not None and parser not in known:
            raise ValueError(f"unknown parser {shown(parser)}; {nearest(parser, known)}")
        return parser

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.tags and self.parser:
            raise ValueError("give tags or parser, not both")
        if self.tags and not all(tag.strip() for tag in self.tags):
            raise ValueError("a tag is empty; give the start and the end tag")
        if self.tags and self.tags[0] == self.tags[1]:
            raise ValueError("both tags are the same; give the start and the end tag")
        return self


Limit = Annotated[int, Field(ge=1, le=MOST_TOKENS)]
"""Tokens of an answer, at most."""


class BaseModelSettings(StrictModel):
    """What every engine's models have in common."""

    engine: str

    label: str | None = display("Name in tables; by default the config's.")
    group: str | None = display("Heading under which tables list it.")
    window: int | None = answer(
        "Tokens of prompt and answer together that the model takes.", ge=256, le=MOST_TOKENS
    )
    on_overflow: Literal["error", "truncate", "skip"] = answer(
        "A prompt over the window: stop before anything is sent; cut the context from the right "
        "(the paper's policy, marked with a dagger); or leave the sample out, marked.",
        "error",
    )
    tokenizer: str = answer(
        "tiktoken encoding that counts tokens against the window.", "o200k_base"
    )
    max_tokens: Limit | dict[str, Limit] | None = answer(
        "Output limit in place of the benchmarks' own: one for all tasks, or a mapping from tasks."
    )
    repeats: int = answer(
        "Answers drawn for each prompt; each of them is a sample. Of a judge: times that each "
        "verdict is asked for; the first counts, all are compared (docs/judging.md).",
        1,
        ge=1,
        le=1000,
    )
    allowed_failures: float = operation(
        "Share of a job's requests that may fail for good before the job fails.", 0.0, ge=0, le=1
    )
    throughput: Throughput | None = plan(
        "Tokens per second, for the plan's hours and the jobs' time, until past runs of the model "
        "have measured them."
    )
    gpus: int | None = job_resource(
        "GPUs of a job; by default those that share the model, or none.", ge=0, le=MOST_GPUS
    )
    mem_gb: float | None = job_resource(
        "Memory of a job's host in GB; by default 48 a GPU, or 4 without one.",
        gt=0,
        le=100_000,
    )
    hours: float | None = job_resource(
        "Hours that a job may take; by default twice what the plan's tokens take, or 4 where "
        "nothing is known of the model's speed.",
        gt=0,
        le=10_000,
    )
    slurm: dict[str, str | int | bool] = job_resource(
        "Options of sbatch for its jobs, as sbatch has them, such as {partition: large, exclude: "
        "g7}, in place of what the profile says; true: the option alone (docs/slurm.md).",
        {},
    )

    @field_validator("slurm", mode="before")
    @classmethod
    def _options_that_nothing_else_sets(cls, options: object) -> object:
        reserved = facts("slurm/own_options.yaml")
        for option in options if isinstance(options, dict) else ():
            if option in reserved:
                raise ValueError(f"{option} is no option here; {reserved[option]}")
            if not re.fullmatch("[a-z][a-z0-9-]+", str(option)):
                raise ValueError(
                    f"{shown(option)} is no long option of sbatch; write one without its hyphens, "
                    "such as exclude"
                )
        return options

    _names_are_shown = field_validator("label", "group")(shown_text)


class ThinkingModel(BaseModelSettings):
    """What the engines with a model have in common."""

    reasoning: Reasoning | None = answer(
        "How reasoning is marked and how long it may be; null: the model has none."
    )


class SamplingModel(ThinkingModel):
    """What the engines that ask a model have in common."""

    revision: str | None = answer("Revision of the weights: a commit on the hub, or where known.")
    system: str | None = answer("System message before the prompt.", verbatim=True)
    temperature: float | None = answer(
        "Sampling temperature; the paper uses 0; null: the server's default, or with vllm that of "
        "the model's own generation config, with all else that stands there.",
        0.0,
        ge=0,
        le=100,
    )
    top_p: float | None = answer("Share of probability that tokens are sampled from.", gt=0, le=1)
    top_k: int | None = answer("Tokens that are sampled from, at most.", ge=1)


class OpenModel(SamplingModel):
    """What the engines have in common whose models may have open weights."""

    template: Literal["chat", "base"] = answer(
        "chat: one user message, with vllm by the model's chat template; base: the prompt alone "
        "(with openai the completions endpoint), with the suffix 'Output: ' (appendix E).",
        "chat",
    )
    min_p: float | None = answer(
        "Least probability of a token, as a share of the likeliest's.", ge=0, le=1
    )
    examples: str | None = answer(
        "For a base model: file with examples of your own, JSON lines with instruction and output, "
        "which stand before each prompt; what counts is its content."
    )

    parts_per_load: int | None = job_resource(
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
