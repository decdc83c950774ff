"""The closed schema of the config: every key, its type, its default and what it is for.

A field's ``role`` says who may notice a change of it:

- ``answer``: it determines a model's responses, and is part of their hash (promise 2);
- ``operation``: how requests are sent; a change re-runs nothing;
- ``plan``: what the plan reckons with; a change re-runs the plan only;
- ``resource``: what a job asks of the machine or the cluster; a change re-runs nothing;
- ``display``: how results are shown; a change re-runs tables and figures only.
"""

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from steadfast.config.names import nearest

MAX_LENGTH = 2 * 1024 * 1024  # tokens; section 3.3: one prompt of up to 2M tokens
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Closed(BaseModel):
    """A section whose unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _role(role: str, default: Any, description: str, **kwargs: Any) -> Any:
    return Field(default, description=description, json_schema_extra={"role": role}, **kwargs)


# --- corpora -------------------------------------------------------------------------------


class LocalFiles(Closed):
    """Where one corpus lies in the local directory."""

    glob: str = Field(description="Files below the directory, as a glob; .jsonl or .json.")
    fields: dict[Literal["id", "title", "date", "text"], str] = Field(
        description="Which field of a record is the id, title, date and text; text is required."
    )


class HubFiles(Closed):
    """A data set on the Hugging Face hub."""

    repo: str = Field(description="Data set id, such as yahma/alpaca-cleaned.")
    revision: str = Field(description="Commit, 40 hexadecimal digits.", pattern=r"^[0-9a-f]{40}$")
    files: list[str] = Field(description="Files of the data set, or globs of them.", min_length=1)
    sha256: dict[str, str] = Field(
        default={},
        description="Checksum per file; without one the first fetch records it in the lock file.",
    )
    limit: int | None = Field(
        default=None, ge=1, description="Records to take from the start; by default all."
    )
    fields: dict[Literal["id", "title", "date", "text"], str] = Field(
        description="Which field of a record is the id, title, date and text; text is required."
    )


CorpusName = Literal["alpaca", "paul_graham", "govreport", "xsum", "qmsum"]


class Corpora(Closed):
    """Where the raw text comes from."""

    source: Literal["synthetic", "local", "hub"] = Field(
        default="synthetic",
        description=(
            "synthetic: seeded English-like text, no network; local: a directory; hub: the "
            "published data sets at pinned revisions."
        ),
    )
    directory: str | None = Field(
        default=None, description="source local: the directory that holds the corpora."
    )
    local: dict[CorpusName, LocalFiles] = Field(
        default={},
        description="source local: glob and fields per corpus, where they differ from the usual "
        "(resources/corpora/local.yaml).",
    )
    hub: dict[CorpusName, HubFiles] = Field(
        default={},
        description="source hub: data set per corpus, where it differs from the pinned one "
        "(resources/corpora/hub.yaml).",
    )
    lock: str = Field(
        default="config/corpora.lock.json",
        description="source hub: file that records the sha256 of every file at its first fetch.",
    )

    @model_validator(mode="after")
    def _local_needs_directory(self):
        if self.source == "local" and not self.directory:
            raise ValueError("source local needs corpora.directory, the folder with the corpora")
        return self


# --- lifbench ------------------------------------------------------------------------------


class Released(Closed):
    """Where LIFBench's own released files are taken from."""

    directory: str | None = Field(
        default=None,
        description=(
            "Directory with the released tasks.json and scores/*.csv; without one the pinned URLs "
            "are used."
        ),
    )


TaskName = Literal["OR", "OQ", "OE", "LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF"]


class Lifbench(Closed):
    """LIFBench: which contexts and prompts are built, and how they are scored."""

    lengths: dict[str, int] = Field(
        default={"4k": 3072, "8k": 6144, "16k": 13312},
        description=(
            "Name of each length and its token budget for the context; the published ones are "
            "4k 3072, 8k 6144, 16k 13312, 32k 28672, 64k 61440, 128k 122880. Any up to 2M tokens."
        ),
        min_length=1,
    )
    contexts_per_length: int = Field(
        default=1, ge=1, le=100, description="Contexts of each scenario and length, by seed."
    )
    tasks: list[TaskName] = Field(
        default=["OR", "OQ", "OE", "LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF"],
        description="Tasks that run.",
        min_length=1,
    )
    expressions: Literal["own", "released"] = Field(
        default="own",
        description="own: the project's templates; released: the published ones.",
    )
    released: Released = Field(
        default_factory=Released, description="Where the published templates come from."
    )
    rubric: Literal["released", "corrected"] = Field(
        default="released",
        description=(
            "released: the published scorer, point by point, with its quirks; corrected: what each "
            "score point's name says (docs/rubrics.md). Scores have both; tables show this one."
        ),
    )
    weighting: Literal["rubric", "mean"] = Field(
        default="rubric",
        description="Overall ARS: weighted by the rubric (equation 3), or the plain mean.",
    )

    @field_validator("lengths")
    @classmethod
    def _lengths(cls, lengths: dict[str, int]) -> dict[str, int]:
        for name, budget in lengths.items():
            if not NAME.fullmatch(name):
                raise ValueError(f"length {name!r}: use letters, digits, '.', '_' and '-'")
            if not 512 <= budget <= MAX_LENGTH:
                raise ValueError(
                    f"length {name}: a budget of {budget:,} tokens is not between 512 and "
                    f"{MAX_LENGTH:,}"
                )
        return dict(sorted(lengths.items(), key=lambda item: item[1]))

    @field_validator("tasks")
    @classmethod
    def _tasks_once(cls, tasks: list[str]) -> list[str]:
        if len(set(tasks)) < len(tasks):
            raise ValueError("a task is named twice")
        return tasks


# --- models --------------------------------------------------------------------------------


class Throughput(Closed):
    """Tokens per second of one job, as measured or stated, for the plan's GPU-hours."""

    prefill: float = Field(gt=0, description="Prompt tokens computed per second.")
    decode: float = Field(gt=0, description="Answer tokens per second, of all requests together.")
    gpus: int = Field(default=1, ge=1, description="GPUs that the job holds.")


class Price(Closed):
    """What a provider charges per million tokens."""

    input: float = Field(ge=0, description="Prompt tokens.")
    output: float = Field(ge=0, description="Answer tokens.")
    cached: float | None = Field(
        default=None, ge=0, description="Prompt tokens from the provider's cache; by default input."
    )
    currency: str = Field(default="USD", description="Of all three.")


class BaseModelSettings(Closed):
    """What every engine's models have in common."""

    label: str | None = _role("display", None, "Name in tables; by default the config's.")
    group: str | None = _role("display", None, "Heading under which tables list it.")
    window: int | None = _role(
        "answer", None, "Tokens of prompt and answer together that the model takes.", ge=256
    )
    on_overflow: Literal["error", "truncate", "skip"] = _role(
        "answer",
        "error",
        "A prompt over the window: stop before anything is sent; cut the context from the right "
        "(the paper's policy, marked with a dagger); or leave the sample out, marked.",
    )
    tokenizer: str = _role(
        "answer", "o200k_base", "tiktoken encoding that counts tokens against the window."
    )
    template_tokens: int | None = _role(
        "answer",
        None,
        "Tokens that the chat template adds; by default the engine's estimate.",
        ge=0,
    )
    allowed_failures: float = _role(
        "operation",
        0.0,
        "Share of a job's requests that may fail for good before the job fails.",
        ge=0,
        le=1,
    )
    throughput: Throughput | None = _role(
        "plan", None, "Tokens per second, for the plan's GPU-hours."
    )
    gpus: int | None = _role(
        "resource", None, "GPUs of a job; by default those that share the model, or none.", ge=0
    )
    mem_gb: float | None = _role(
        "resource",
        None,
        "Memory of a job's host in GB, half as much again with each further attempt; by default "
        "48 a GPU, or 4.",
        gt=0,
    )
    hours: float = _role(
        "resource",
        4.0,
        "Hours that a job may take with contexts up to 32k tokens, in proportion more with longer "
        "ones, half as much again with each further attempt.",
        gt=0,
    )


class ReferenceModel(BaseModelSettings):
    """Gives the gold answer; every scorer must give it 1."""

    engine: Literal["reference"]


class SimulatedModel(BaseModelSettings):
    """A seeded reader with a limited span, position bias and formatting slips; no real model."""

    engine: Literal["simulated"]
    span: int = _role(
        "answer", 65536, "Context length in tokens at which recall has fallen to half.", gt=0
    )
    position_bias: float = _role(
        "answer", 0.3, "How much worse the middle is read than the ends, 0 to 1.", ge=0, le=1
    )
    slip: float = _role("answer", 0.1, "Share of answers with a formatting slip.", ge=0, le=1)
    seed: int = _role("answer", 1, "Seed of the reader's slips.")


class ReplayModel(BaseModelSettings):
    """Responses from a file that someone else produced."""

    engine: Literal["replay"]
    file: str = Field(
        description="JSON lines with sample_id and text; {part} in the path stands for the length.",
        json_schema_extra={"role": "answer"},
    )
    fields: dict[Literal["sample_id", "text", "finish_reason", "status"], str] = _role(
        "answer", {}, "Which field of a record is what, where the names differ."
    )


class OpenaiModel(BaseModelSettings):
    """Any server with an OpenAI-compatible API."""

    engine: Literal["openai"]
    model: str = Field(
        description="The model's name at the server.", json_schema_extra={"role": "answer"}
    )
    revision: str | None = _role("answer", None, "Revision of the weights, where it is known.")
    template: Literal["chat", "base"] = _role(
        "answer",
        "chat",
        "chat: one user message; base: the completions endpoint with the suffix 'Output: ' "
        "(appendix E).",
    )
    system: str | None = _role("answer", None, "System message before the prompt.")
    temperature: float | None = _role(
        "answer", 0.0, "Sampling temperature; the paper uses 0; null: not sent.", ge=0
    )
    seed: int | None = _role(
        "answer", None, "Seed sent with each request, where the server has one."
    )
    logprobs: int | None = _role(
        "answer",
        None,
        "Log probabilities of the answer's tokens, with so many alternatives each; null: none.",
        ge=0,
        le=20,
    )
    extra_body: dict[str, Any] = _role(
        "answer", {}, "Further fields of the request body, passed through."
    )
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = _role(
        "operation", "max_tokens", "The request field that carries the output limit."
    )
    base_url: str | None = _role(
        "operation", None, "Address of the server, with /v1; by default OpenAI's."
    )
    api_key_env: str | None = _role(
        "operation",
        "OPENAI_API_KEY",
        "Environment variable that holds the key; null for a server that needs none.",
    )
    concurrency: int = _role("operation", 8, "Requests under way at once.", ge=1, le=1024)
    attempts: int = _role(
        "operation", 6, "Times a request is tried before it counts as failed.", ge=1
    )
    backoff: float = _role(
        "operation", 1.0, "Seconds before the second attempt; it doubles with each.", ge=0
    )
    timeout: float = _role("operation", 600.0, "Seconds until one attempt is given up.", gt=0)
    price: Price | None = _role(
        "operation", None, "What the tokens cost; the plan and max_spend reckon with it."
    )
    max_spend: float | None = _role(
        "operation",
        None,
        "What the model may cost in all, by its journals; jobs stop there. Needs price.",
        gt=0,
    )
    batch: bool | Literal["files"] = _role(
        "operation",
        False,
        "true: through the provider's Batch API; files: only write the request files, and read "
        "the results that another runner has put beside them.",
    )
    batch_interval: float = _role("operation", 60.0, "Seconds between two looks at a batch.", gt=0)
    batch_requests: int | None = _role(
        "operation", None, "Requests of one batch, at most; by default the provider's 50,000.", ge=1
    )

    @model_validator(mode="after")
    def _spend_needs_price(self):
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


class VllmModel(BaseModelSettings):
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
    revision: str | None = _role("answer", None, "Commit of the model on the hub.")
    tokenizer: str | None = _role(
        "answer", None, "Hub id or directory of the tokenizer, where it is not the model's own."
    )
    template: Literal["chat", "base"] = _role(
        "answer",
        "chat",
        "chat: the model's chat template; base: none, with the suffix 'Output: ' (appendix E).",
    )
    system: str | None = _role("answer", None, "System message before the prompt.")
    template_args: dict[str, Any] = _role(
        "answer", {}, "Further variables of the chat template, such as enable_thinking."
    )
    dtype: str = _role("answer", "auto", "Data type of weights and activations.")
    quantization: str | None = _role("answer", None, "Quantization method, as vLLM names it.")
    hf_overrides: dict[str, Any] = _role(
        "answer", {}, "Changes to the model's own config, such as rope_parameters for YaRN."
    )
    seed: int = _role("answer", 0, "Seed of the engine; answers are greedy.")
    engine_args: dict[str, Any] = _role(
        "answer", {}, "Further arguments of vLLM's LLM that may change answers."
    )
    batch_invariant: bool = _role(
        "answer",
        False,
        "vLLM's batch-invariant kernels: an answer does not depend on what is asked beside it.",
    )
    tensor_parallel_size: int = _role("operation", 1, "GPUs that share the model.", ge=1)
    gpu_memory_utilization: float = _role(
        "operation", 0.9, "Share of the GPUs' memory that vLLM takes.", gt=0, le=1
    )
    batch: int = _role("operation", 128, "Requests under way at once.", ge=1)
    engine_operation_args: dict[str, Any] = _role(
        "operation", {}, "Further arguments of vLLM's LLM that change no answer."
    )


ModelSettings = Annotated[
    ReferenceModel | SimulatedModel | ReplayModel | OpenaiModel | VllmModel | ScoredModel,
    Field(discriminator="engine"),
]


def engines() -> dict[str, type[BaseModelSettings]]:
    """The settings' type of each engine."""
    members = get_args(get_args(ModelSettings)[0])
    return {get_args(member.model_fields["engine"].annotation)[0]: member for member in members}


# --- the whole -----------------------------------------------------------------------------


class Display(Closed):
    """How tables and figures look; no number depends on it."""

    digits: int = Field(default=3, ge=1, le=6, description="Decimals of printed scores.")
    group_order: list[str] = Field(
        default=[], description="Order of the models' groups; others follow by name."
    )


class Noise(Closed):
    """Target noise: how much of a difference is the engine's own."""

    sample: int = Field(default=50, ge=1, description="Requests repeated, of each part.")
    repeats: int = Field(
        default=3, ge=2, le=100, description="Times that each is asked, cold and warm each."
    )


class Config(Closed):
    """The whole config."""

    seed: int = Field(default=1, description="The one seed: corpora, contexts, variables.")
    tokenizer: str = Field(
        default="o200k_base",
        description="tiktoken encoding that counts the contexts' budgets, as published.",
    )
    benchmarks: list[Literal["lifbench"]] = Field(
        default=["lifbench"], description="Benchmarks that run.", min_length=1
    )
    corpora: Corpora = Field(default_factory=Corpora, description="Where the raw text comes from.")
    lifbench: Lifbench = Field(default_factory=Lifbench, description="LIFBench's settings.")
    models: dict[str, ModelSettings] = Field(
        description="The models by name; names starting with sim- are simulated readers.",
        min_length=1,
    )
    only: list[str] = Field(
        default=[], description="Names of the models that run; by default all of them."
    )
    noise: Noise = Field(default_factory=Noise, description="Which requests are repeated.")
    display: Display = Field(default_factory=Display, description="How tables and figures look.")

    @field_validator("models")
    @classmethod
    def _model_names(cls, models: dict[str, Any]) -> dict[str, Any]:
        for name, model in models.items():
            if not NAME.fullmatch(name):
                raise ValueError(
                    f"model name {name!r}: use letters, digits, '.', '_' and '-', since it names "
                    "files"
                )
            if name.startswith("sim-") != (model.engine == "simulated"):
                raise ValueError(
                    f"model {name!r}: names of simulated readers start with sim-, and no others"
                )
        return models

    @model_validator(mode="after")
    def _only_known_models(self):
        for name in self.only:
            if name not in self.models:
                raise ValueError(f"only: unknown model {name!r}; {nearest(name, self.models)}")
        return self

    @model_validator(mode="after")
    def _released_scores_have_the_released_rubric(self):
        scored = [name for name, model in self.models.items() if model.engine == "scored"]
        if scored and self.lifbench.rubric != "released":
            raise ValueError(
                f"lifbench.rubric: {scored[0]} has released scores, which only the rubric "
                "'released' gave; take that rubric, or ask the model"
            )
        return self

    @property
    def running(self) -> list[str]:
        """Names of the models that run, in the config's order."""
        return [name for name in self.models if not self.only or name in self.only]
