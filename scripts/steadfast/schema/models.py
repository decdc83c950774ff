"""The settings of a model, by engine.

A field's ``role`` says who may notice a change of it:

- ``answer``: it determines a model's responses, and is part of their hash (promise 2);
- ``operation``: how requests are sent; a change re-runs nothing;
- ``resource``: what a job asks of the machine or the cluster; a change re-runs nothing;
- ``plan``: what the plan reckons with; a change re-runs the plan only;
- ``display``: how results are shown; a change re-runs tables and figures only.
"""

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from steadfast.resources import facts
from steadfast.schema.model_parts import Price, Reasoning, Size, Throughput
from steadfast.schema.strict import StrictModel, role

MOST_REQUESTS = 256
"""Requests under way at once, at most, where the config says nothing of it."""
Limit = Annotated[int, Field(ge=1)]
"""Tokens of an answer, at most."""


class BaseModelSettings(StrictModel):
    """What every engine's models have in common."""

    engine: str

    label: str | None = role("display", None, "Name in tables; by default the config's.")
    group: str | None = role("display", None, "Heading under which tables list it.")
    window: int | None = role(
        "answer", None, "Tokens of prompt and answer together that the model takes.", ge=256
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
        "resource", None, "GPUs of a job; by default those that share the model, or none.", ge=0
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


class ReferenceModel(BaseModelSettings):
    """Gives the expected (gold) answer, for which every scorer gives full marks."""

    engine: Literal["reference"]


class FloorModel(BaseModelSettings):
    """Answers in the right form and looks nothing up; scores are read beside its own."""

    engine: Literal["floor"]


class SimulatedModel(BaseModelSettings):
    """A seeded reader with a limited span, position bias and formatting slips; no real model."""

    engine: Literal["simulated"]
    span: int = role(
        "answer", 65536, "Context length in tokens at which recall has fallen to half.", gt=0
    )
    position_bias: float = role(
        "answer", 0.3, "How much worse the middle is read than the ends, 0 to 1.", ge=0, le=1
    )
    slip: float = role("answer", 0.1, "Share of answers with a formatting slip.", ge=0, le=1)
    seed: int = role("answer", 1, "Seed of the reader's slips.")


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

    @model_validator(mode="after")
    def _examples_are_for_base_models(self) -> Self:
        if self.examples is not None and getattr(self, "template", None) != "base":
            raise ValueError(
                "examples stand before the prompts of base models; set template to base, or leave "
                "examples out"
            )
        return self


class ReplayModel(ThinkingModel):
    """Responses from a file that someone else produced."""

    engine: Literal["replay"]
    file: str = Field(
        description="JSON lines with sample_id and text; {benchmark} and {part} in the path stand "
        "for the benchmark and its part, such as a length or a language.",
        json_schema_extra={"role": "answer"},
    )
    fields: dict[
        Literal["sample_id", "draw", "text", "thought", "finish_reason", "status"], str
    ] = role("answer", {}, "Which field of a record is what, where the names differ.")


class OpenaiModel(SamplingModel):
    """Any server with an OpenAI-compatible API."""

    engine: Literal["openai"]
    model: str = Field(
        description="The model's name at the server.", json_schema_extra={"role": "answer"}
    )
    revision: str | None = role("answer", None, "Revision of the weights, where it is known.")
    template: Literal["chat", "base"] = role(
        "answer",
        "chat",
        "chat: one user message; base: the completions endpoint with the suffix 'Output: ' "
        "(appendix E).",
    )
    system: str | None = role("answer", None, "System message before the prompt.")
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
    extra_body: dict[str, Any] = role(
        "answer", {}, "Further fields of the request body, passed through."
    )
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = role(
        "operation", "max_tokens", "The request field that carries the output limit."
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
        "In place of base_url, the command of a server that each job starts for itself, word by "
        "word; {port} stands for its port (docs/slurm.md).",
        min_length=1,
    )
    serve_operation_args: list[str] = role(
        "operation", [], "Further words of that command, which change no answer."
    )
    serve_minutes: float = role(
        "operation", 30.0, "Minutes that such a server may take until it is ready.", gt=0
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
    def _served_by_the_job_or_by_others(self) -> Self:
        if self.serve is None:
            return self
        if self.base_url is not None or self.batch:
            other = "base_url" if self.base_url is not None else "batch"
            raise ValueError(f"serve starts a server in the job; leave {other} out, or serve")
        if not any("{port}" in word for word in [*self.serve, *self.serve_operation_args]):
            raise ValueError("serve must tell the server its port; write {port} where it stands")
        return self

    @model_validator(mode="after")
    def _spend_needs_price(self) -> Self:
        if self.max_spend is not None and self.price is None:
            raise ValueError("max_spend needs price, what a million tokens cost")
        return self


class ScoredModel(BaseModelSettings):
    """Scores that the benchmark's authors released: nothing is asked, and nothing is scored.

    Label and group are by default the paper's.
    """

    engine: Literal["scored"]
    released_name: str | None = Field(
        default=None,
        description="The model's name in the released files; by default the config's.",
        json_schema_extra={"role": "answer"},
    )


class VllmModel(SamplingModel):
    """A model that runs in the job itself, offline, on this machine's GPUs (or CPU)."""

    engine: Literal["vllm"]
    model: str = Field(
        description="Hub id, such as Qwen/Qwen2.5-7B-Instruct, or a directory.",
        json_schema_extra={"role": "answer"},
    )
    window: int = Field(
        description="Tokens of prompt and answer together that the model takes; the engine's "
        "max_model_len.",
        ge=256,
        json_schema_extra={"role": "answer"},
    )
    revision: str | None = role("answer", None, "Commit of the model on the hub.")
    tokenizer: str | None = role(  # type: ignore[assignment]  # None: the model's own
        "answer", None, "Hub id or directory of the tokenizer, where it is not the model's own."
    )
    template: Literal["chat", "base"] = role(
        "answer",
        "chat",
        "chat: the model's chat template; base: none, with the suffix 'Output: ' (appendix E).",
    )
    system: str | None = role("answer", None, "System message before the prompt.")
    template_args: dict[str, Any] = role(
        "answer", {}, "Further variables of the chat template, such as enable_thinking."
    )
    dtype: str = role("answer", "auto", "Data type of weights and activations.")
    quantization: str | None = role("answer", None, "Quantization method, as vLLM names it.")
    hf_overrides: dict[str, Any] = role(
        "answer", {}, "Changes to the model's own config, such as rope_parameters for YaRN."
    )
    seed: int = role(
        "answer", 0, "Seed of the engine, and of sampling, where it is one more for each draw."
    )
    engine_args: dict[str, Any] = role(
        "answer", {}, "Further arguments of vLLM's LLM that may change answers."
    )
    batch_invariant: bool = role(
        "answer",
        False,
        "vLLM's batch-invariant kernels: an answer does not depend on what is asked beside it.",
    )
    python: str | None = role(
        "operation",
        None,
        "Interpreter of the jobs, with vLLM and the base requirements; by default the one they are "
        "in where it has vLLM, else that of `make vllm`, .venv-vllm.",
    )
    tensor_parallel_size: int = role("operation", 1, "GPUs that share the model.", ge=1)
    data_parallel_size: int = role(
        "operation",
        1,
        "Copies of the model in one job, which share out the contexts; each has GPUs of its own.",
        ge=1,
    )
    gpu_memory_utilization: float = role(
        "operation", 0.9, "Share of the GPUs' memory that vLLM takes.", gt=0, le=1
    )
    batch: int | None = role(
        "operation",
        None,
        "Requests under way at once; by default as many as vLLM has by itself.",
        ge=1,
    )
    parts_per_load: int | None = role(
        "resource",
        None,
        "Parts that one job asks once it has loaded the model, so that several jobs share them; by "
        "default all parts of all benchmarks.",
        ge=1,
    )
    engine_operation_args: dict[str, Any] = role(
        "operation", {}, "Further arguments of vLLM's LLM that change no answer."
    )


ModelSettings = Annotated[
    ReferenceModel
    | FloorModel
    | SimulatedModel
    | ReplayModel
    | OpenaiModel
    | VllmModel
    | ScoredModel,
    Field(discriminator="engine"),
]


def engines() -> dict[str, type[BaseModelSettings]]:
    """The settings' type of each engine."""
    members = get_args(get_args(ModelSettings)[0])
    return {get_args(member.model_fields["engine"].annotation)[0]: member for member in members}
