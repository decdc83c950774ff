"""The closed schema of the config: every key, its type, its default and what it is for."""

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from steadfast.config.closed import NAME, Closed
from steadfast.config.judged import Cfbench, Complexbench, Followbench, Judging
from steadfast.config.models import ModelSettings
from steadfast.config.names import nearest

MAX_LENGTH = 2 * 1024 * 1024  # tokens; section 3.3: one prompt of up to 2M tokens


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


class Display(Closed):
    """How tables and figures look; no number depends on it."""

    digits: int = Field(default=3, ge=1, le=6, description="Decimals of printed scores.")
    group_order: list[str] = Field(
        default=[], description="Order of the models' groups; others follow by name."
    )
    published: bool = Field(
        default=False,
        description="Show the papers' printed results beside those of the models, where a table "
        "has them; they compare with results on the released data, best in mode released.",
    )


class Noise(Closed):
    """Target noise: how much of a difference is the engine's own."""

    sample: int = Field(default=50, ge=1, description="Requests repeated, of each part.")
    repeats: int = Field(
        default=3, ge=2, le=100, description="Times that each is asked, cold and warm each."
    )


BenchmarkName = Literal["lifbench", "followbench", "cfbench", "complexbench"]


class Config(Closed):
    """The whole config."""

    seed: int = Field(default=1, description="The one seed: corpora, contexts, variables.")
    tokenizer: str = Field(
        default="o200k_base",
        description="tiktoken encoding that counts the contexts' budgets, as published.",
    )
    benchmarks: list[BenchmarkName] = Field(
        default=["lifbench"],
        description="Benchmarks that run: lifbench, followbench, cfbench, complexbench.",
        min_length=1,
    )
    corpora: Corpora = Field(default_factory=Corpora, description="Where the raw text comes from.")
    lifbench: Lifbench = Field(default_factory=Lifbench, description="LIFBench's settings.")
    followbench: Followbench = Field(
        default_factory=Followbench, description="FollowBench's settings."
    )
    cfbench: Cfbench = Field(default_factory=Cfbench, description="CFBench's settings.")
    complexbench: Complexbench = Field(
        default_factory=Complexbench, description="ComplexBench's settings."
    )
    judges: dict[str, ModelSettings] = Field(
        default={},
        description="The judges by name, with settings as under models. The first one's verdicts "
        "make the scores; what the others say is in the table of agreement.",
    )
    judging: Judging = Field(
        default_factory=Judging, description="How the judges' replies become verdicts."
    )
    models: dict[str, ModelSettings] = Field(
        description="The models by name; names starting with sim- are simulated readers.",
        min_length=1,
    )
    only: list[str] = Field(
        default=[], description="Names of the models that run; by default all of them."
    )
    noise: Noise = Field(default_factory=Noise, description="Which requests are repeated.")
    display: Display = Field(default_factory=Display, description="How tables and figures look.")

    @field_validator("models", "judges")
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

    @field_validator("judges")
    @classmethod
    def _judges_answer(cls, judges: dict[str, Any]) -> dict[str, Any]:
        for name, judge in judges.items():
            if judge.engine in ("scored", "replay"):
                raise ValueError(
                    f"judge {name!r}: engine {judge.engine} judges nothing; name another"
                )
        return judges

    @model_validator(mode="after")
    def _judged_benchmarks_have_a_judge(self):
        judged = [name for name in self.benchmarks if name != "lifbench"]
        if judged and not self.judges:
            raise ValueError(f"judges: {judged[0]} needs a judge; name one under judges")
        if len(set(self.benchmarks)) < len(self.benchmarks):
            raise ValueError("benchmarks: one is named twice")
        return self

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
