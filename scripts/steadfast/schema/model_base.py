"""The settings that models of several engines share.

A field's ``role`` says what a change of it re-runs:

- ``response``: it determines a model's responses, and is part of their request hash (promise 2);
- ``operation``: how requests are sent; a change re-runs nothing;
- ``resource``: what a job requests of the machine or cluster; a change re-runs nothing;
- ``plan``: input of the plan; a change re-runs the plan only;
- ``display``: how results are shown; a change re-runs tables and figures only.
"""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from steadfast.base.names import quoted, suggestion
from steadfast.base.resources import facts
from steadfast.schema.strict import (
    StrictModel,
    display,
    job_resource,
    key,
    operation,
    plan,
    response,
    shown_text,
)

MOST_TOKENS = 10**9
MOST_GPUS = 100_000


class Throughput(StrictModel):
    """Tokens per second of one job, for the plan's GPU-hours."""

    prefill: float = key("Prompt tokens computed (prefilled) per second.", ..., gt=0, le=1e9)
    decode: float = key(
        "Output tokens per second, over all concurrent requests.", ..., gt=0, le=1e9
    )


class Price(StrictModel):
    """What a provider charges, in USD per million tokens."""

    input: float = key("Prompt tokens.", ..., ge=0, le=1e6)
    output: float = key("Output tokens.", ..., ge=0, le=1e6)
    cached: float | None = key("Cached prompt tokens; by default the price of input.", ge=0, le=1e6)
    flex: float = key("Factor on these prices with service_tier flex.", 1, gt=0, le=10)
    batch: float = key("Factor on these prices with batch.", 1, gt=0, le=10)


class Reasoning(StrictModel):
    """A reasoning model; only its response after the reasoning is scored, judged and shown."""

    tags: list[str] | None = key(
        "Start and end tag of reasoning in responses, such as [<think>, </think>].",
        min_length=2,
        max_length=2,
        verbatim=True,
    )
    parser: str | None = key(
        "In place of tags: the name of vLLM's reasoning parser for the model, such as qwen3 or "
        "openai_gptoss."
    )
    tokens: int = key(
        "Maximum reasoning tokens, in addition to the output limit of the response.",
        ...,
        ge=0,
        le=MOST_TOKENS,
    )
    prefilled: bool | None = key(
        "Whether the chat template ends with the start tag of reasoning, so that replies begin "
        "inside the reasoning; by default taken from the template where it is available."
    )

    @field_validator("parser")
    @classmethod
    def _known_parser(cls, parser: str | None) -> str | None:
        parsers = facts("engines/reasoning.yaml")["parsers"]
        if parser is not None and parser not in parsers:
            raise ValueError(f"unknown parser {quoted(parser)}; {suggestion(parser, parsers)}")
        return parser

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.tags and self.parser:
            raise ValueError("tags and parser exclude each other; remove one of the two")
        if self.tags and not all(tag.strip() for tag in self.tags):
            raise ValueError("a tag is empty; write the start tag and the end tag")
        if self.tags and self.tags[0] == self.tags[1]:
            raise ValueError("the two tags are the same; write the start tag and the end tag")
        return self


# Maximum output tokens of a response.
Limit = Annotated[int, Field(ge=1, le=MOST_TOKENS)]


class BaseModelSettings(StrictModel):
    """Settings of every model, whatever its engine."""

    engine: str

    label: str | None = display("Name in tables; by default the name in the config.")
    group: str | None = display("Heading under which tables list the model.")
    window: int | None = response(
        "Context window: maximum tokens of prompt and response together.", ge=256, le=MOST_TOKENS
    )
    on_overflow: Literal["error", "truncate", "skip"] = response(
        "What happens to prompts longer than the window. error: stop before anything is sent; "
        "truncate: cut the context from the right (as the paper; tables mark it with a dagger); "
        "skip: leave the sample out (status overflow).",
        "error",
    )
    tokenizer: str = response(
        "tiktoken encoding that counts tokens against the window.", "o200k_base"
    )
    max_tokens: Limit | dict[str, Limit] | None = response(
        "Maximum output tokens, in place of the benchmarks' own limits: one number, or a mapping "
        "from tasks to numbers."
    )
    repeats: int = response(
        "Responses requested for each prompt; each is a sample. For a judge: verdicts requested "
        "for each item; the first one counts, and all are compared (docs/judging.md).",
        1,
        ge=1,
        le=1000,
    )
    allowed_failures: float = operation(
        "Share of a job's requests that may fail permanently before the job fails.", 0.0, ge=0, le=1
    )
    throughput: Throughput | None = plan(
        "Tokens per second, for the plan's hours and the jobs' time limits, until runs of the "
        "model have measured them."
    )
    gpus: int | None = job_resource(
        "GPUs of a job; by default as many as the model is split over, or none.", ge=0, le=MOST_GPUS
    )
    mem_gb: float | None = job_resource(
        "Host memory of a job in GB; by default 48 per GPU, or 4 without one.",
        gt=0,
        le=100_000,
    )
    hours: float | None = job_resource(
        "Time limit of a job in hours; by default twice the plan's estimate, or 4 where the "
        "model's throughput is unknown.",
        gt=0,
        le=10_000,
    )
    slurm: dict[str, str | int | bool] = job_resource(
        "sbatch options for the model's jobs, such as {partition: large, exclude: g7}, in place of "
        "those of the profile; true: an option without a value (docs/slurm.md).",
        {},
    )

    @field_validator("slurm", mode="before")
    @classmethod
    def _options_that_nothing_else_sets(cls, options: object) -> object:
        reserved = facts("slurm/own_options.yaml")
        # What is no mapping is left to pydantic, whose error says so.
        for option in options if isinstance(options, dict) else ():
            if option in reserved:
                raise ValueError(f"{option} cannot be set here; {reserved[option]}")
            if not re.fullmatch("[a-z][a-z0-9-]+", str(option)):
                raise ValueError(
                    f"{quoted(option)} is not a long option of sbatch; write one without leading "
                    "hyphens, such as exclude"
                )
        return options

    _names_are_shown = field_validator("label", "group")(shown_text)


class ThinkingModel(BaseModelSettings):
    """Settings of engines whose responses may contain reasoning."""

    reasoning: Reasoning | None = response(
        "How the model marks its reasoning, and its maximum length; null: no reasoning model."
    )


class SamplingModel(ThinkingModel):
    """Settings of engines that sample from a model."""

    revision: str | None = response("Revision of the weights, such as a commit on the hub.")
    system: str | None = response("System message.", verbatim=True)
    temperature: float | None = response(
        "Sampling temperature; the paper uses 0. null: the server's default, or for engine vllm "
        "all sampling settings of the model's generation config.",
        0.0,
        ge=0,
        le=100,
    )
    top_p: float | None = response(
        "Nucleus sampling: cumulative probability of the tokens sampled from.", gt=0, le=1
    )
    top_k: int | None = response("Top-k sampling: number of tokens sampled from.", ge=1)


class OpenModel(SamplingModel):
    """Settings of engines whose models may have open weights."""

    template: Literal["chat", "base"] = response(
        "chat: the prompt as a user message (engine vllm applies the model's chat template); base: "
        "the plain prompt with the suffix 'Output: ' (appendix E), with engine openai by the "
        "completions endpoint.",
        "chat",
    )
    min_p: float | None = response(
        "Min-p sampling: minimum probability of a token, relative to the most likely one.",
        ge=0,
        le=1,
    )
    examples: str | None = response(
        "For a base model: your own few-shot examples, put before each prompt; JSON lines with "
        "instruction and output."
    )

    parts_per_load: int | None = job_resource(
        "Maximum number of parts that share one load of the model (or one server of serve), so "
        "that several jobs divide them up; by default all parts of all benchmarks.",
        ge=1,
    )

    @model_validator(mode="after")
    def _examples_are_for_base_models(self) -> Self:
        if self.examples is not None and self.template != "base":
            raise ValueError(
                "examples are only for base models; set template: base, or remove examples"
            )
        return self
