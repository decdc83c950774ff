"""The closed schema of the config: every key, its type, its default and what it is for.

A field's ``role`` says who may notice a change of it:

- ``answer``: it determines a model's responses, and is part of their hash (promise 2);
- ``operation``: how requests are sent; a change re-runs nothing;
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
        description="Directory with the released tasks.json; without one the pinned URL is used.",
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
    rubric: Literal["released"] = Field(
        default="released",
        description="released: the published scorer, point by point, with its quirks.",
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


ModelSettings = Annotated[
    ReferenceModel | SimulatedModel | ReplayModel | OpenaiModel,
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

    @property
    def running(self) -> list[str]:
        """Names of the models that run, in the config's order."""
        return [name for name in self.models if not self.only or name in self.only]
