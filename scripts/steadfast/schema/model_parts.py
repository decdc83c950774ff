"""Sections within the settings of a model: its throughput, its price, how it thinks."""

from typing import Self

from pydantic import Field, field_validator, model_validator

from steadfast.base.names import nearest, shown
from steadfast.base.resources import facts
from steadfast.schema.strict import VERBATIM, StrictModel

MOST_TOKENS, MOST_GPUS = 10**9, 100_000


class Throughput(StrictModel):
    """Tokens per second of one job, as measured or stated, for the plan's GPU-hours."""

    prefill: float = Field(gt=0, le=1e9, description="Prompt tokens computed per second.")
    decode: float = Field(
        gt=0, le=1e9, description="Answer tokens per second, of all requests together."
    )
    gpus: int = Field(default=1, ge=1, le=MOST_GPUS, description="GPUs that the job holds.")


class Size(StrictModel):
    """A model's size; what is left out is taken to be as in most models of so many parameters."""

    parameters: float = Field(gt=0, le=1e5, description="Parameters, in billions.")
    active: float | None = Field(
        default=None,
        gt=0,
        le=1e5,
        description="Those that a token takes part in, of a mixture of experts.",
    )
    layers: int | None = Field(
        default=None, ge=1, le=10**6, description="num_hidden_layers of its config."
    )
    hidden: int | None = Field(
        default=None, ge=1, le=10**6, description="hidden_size of its config."
    )
    kv: int | None = Field(
        default=None, ge=1, le=10**6, description="num_key_value_heads × head_dim of its config."
    )
    bits: float = Field(default=16, ge=0.1, le=64, description="Of a weight.")

    @model_validator(mode="after")
    def _active_are_some_of_all(self) -> Self:
        if self.active is not None and self.active > self.parameters:
            raise ValueError("active is more than parameters, of which they are some")
        return self


class Slurm(StrictModel):
    """How SLURM is asked to run a model's jobs, each key in place of what the profile says."""

    partition: str | None = Field(
        default=None, description="Partition, in place of the one that would fit best."
    )
    account: str | None = Field(default=None, description="Account that the jobs are charged to.")
    qos: str | None = Field(default=None, description="Quality of service.")
    constraint: str | None = Field(
        default=None, description="Features that the nodes must have, such as h100."
    )
    extra: list[str] = Field(
        default=[],
        description="Further options of sbatch, one a word, such as [--exclude=g7].",
        json_schema_extra={VERBATIM: True},
    )

    @field_validator("partition", "account", "qos", "constraint")
    @classmethod
    def _is_one_word(cls, value: str | None) -> str | None:
        if value is not None and (value.startswith("-") or len(value.split()) != 1):
            raise ValueError(f"{shown(value)} is no single word; write the name as SLURM has it")
        return value

    @field_validator("extra")
    @classmethod
    def _has_options_that_nothing_else_sets(cls, extra: list[str]) -> list[str]:
        own = facts("slurm/own_options.yaml")
        for word in extra:
            option = word.partition("=")[0]
            name = option if option.startswith("--") else option[:2]
            if name in own:
                raise ValueError(f"{own[name]} sets {name}; take {shown(word)} out of extra")
            if not word.startswith("-"):
                raise ValueError(
                    f"{shown(word)} is no option of sbatch; write each with its value in one word, "
                    "such as --exclude=g7"
                )
        return extra


class Price(StrictModel):
    """What a provider charges per million tokens."""

    input: float = Field(ge=0, le=1e6, description="Prompt tokens.")
    output: float = Field(ge=0, le=1e6, description="Answer tokens.")
    cached: float | None = Field(
        default=None,
        ge=0,
        le=1e6,
        description="Prompt tokens from the provider's cache; by default input.",
    )
    currency: str = Field(default="USD", description="Currency of the three prices.")


class Reasoning(StrictModel):
    """A model that thinks before it answers; only the answer is scored, judged and shown."""

    tags: list[str] | None = Field(
        default=None,
        description="Start and end tag of a thought in the text, such as [<think>, </think>].",
        min_length=2,
        max_length=2,
        json_schema_extra={VERBATIM: True},
    )
    parser: str | None = Field(
        default=None,
        description="In place of tags, the name of vLLM's reasoning parser for the model, such as "
        "qwen3 or openai_gptoss; it says which marks to look for.",
    )
    tokens: int = Field(
        ge=0,
        le=MOST_TOKENS,
        description="Tokens that a thought may take, on top of the answer's limit.",
    )
    prefilled: bool | None = Field(
        default=None,
        description="Whether the chat template opens the thought, so that replies begin inside it; "
        "by default what the template shows, where it is known.",
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
