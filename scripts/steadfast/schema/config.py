"""The closed schema of the config: every key with its type, default and description."""

from typing import Annotated, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from steadfast.base.names import quoted, suggestion
from steadfast.schema.corpora import Corpora
from steadfast.schema.judged import JudgingSettings
from steadfast.schema.models import ModelSettings
from steadfast.schema.strict import StrictModel, check_names, key, plan, section


class Hardware(StrictModel):
    """The machines on which jobs run."""

    max_hours: float | None = key(
        "Maximum hours that one job, or all jobs of a shared model load, may request, such as the "
        "time limit of a partition.",
        gt=0,
        le=10_000,
    )


class DisplaySettings(StrictModel):
    """How tables and figures look; no number depends on it."""

    digits: int = key("Decimals of printed scores.", 3, ge=1, le=6)
    group_order: list[str] = key(
        "Order of the groups of models in tables; groups not listed follow by name.", []
    )
    published: bool = key(
        "Show the papers' published results next to your models', where a table has them. They "
        "compare with results on the released data, best with judging.mode released.",
        False,
    )


class Nondeterminism(StrictModel):
    """Target ``nondeterminism``: run-to-run variation of a model's responses."""

    requests: int = key("Requests sampled from each part.", 50, ge=1)
    repeats: int = key(
        "Times that each request is sent alone, and again with all others in one batch.",
        3,
        ge=2,
        le=100,
    )


class Adaptive(StrictModel):
    """A run in rounds of contexts that stops evaluating models once they are ruled out as best."""

    contexts: int = key(
        "Maximum number of rounds; each evaluates one context of each scenario and length, or an "
        "equal share of the groups, records or instances.",
        ...,
        ge=3,
        le=30,
    )
    top: int = key("Number of best models to identify.", 1, ge=1)


class Config(StrictModel):
    """The whole config; each benchmark adds a section of its own (``config.load.config_model``)."""

    name: str | None = key(
        "Name of the run in its HTML report and in comparisons; by default the config file's name "
        "without its suffix.",
        max_length=80,
    )
    seed: int = key("Seed of all sampling: corpora, contexts, variables.", 1)
    tokenizer: str = key(
        "tiktoken encoding that measures context lengths. The default is that of LIFBench's "
        "release; its paper names GPT-4's, cl100k_base.",
        "o200k_base",
    )
    benchmarks: list[str] = key("Benchmarks that run.", ..., min_length=1)
    corpora: Corpora = section(Corpora, "Source of the raw text of long contexts.")
    judges: dict[str, ModelSettings] = key(
        "LLM judges by name, with settings as under models. The first judge's verdicts make the "
        "scores, or the majority's (judging.count); the agreement table compares all judges.",
        {},
    )
    rewriters: dict[str, ModelSettings] = key(
        "Models that paraphrase instruction templates (lifbench.expressions: recs), by name, with "
        "settings as under models.",
        {},
    )
    judging: JudgingSettings = section(JudgingSettings, "How judges' replies become verdicts.")
    models: dict[str, ModelSettings] = key(
        "The models to evaluate, by name; names starting with sim- are simulated models.",
        ...,
        min_length=1,
    )
    only: list[str] = key("Names of the models to run; by default all.", [])
    limit: int | None = key(
        "A trial run on this many prompts of each task and part (groups for FollowBench and "
        "ComplexBench); every table notes it. null: all prompts.",
        ge=1,
    )
    nondeterminism: Nondeterminism = section(
        Nondeterminism, "How run-to-run variation is measured."
    )
    power_analysis: list[Annotated[float, Field(gt=0, le=1)]] = plan(
        "Differences between two models (as shares of full marks, such as [0.02, 0.05]) for which "
        "the plan computes the contexts (groups, records) needed to detect them, from the "
        "results of an earlier run.",
        [],
    )
    adaptive: Adaptive | None = key(
        "An adaptive run in rounds, which ends once the best model is identified (docs/cost.md). "
        "Set it before the first request, and do not change it later. null: every model is "
        "evaluated on all prompts."
    )
    hardware: Hardware = section(
        Hardware, "Machines on which jobs run; a change re-runs only the plan."
    )
    display: DisplaySettings = section(DisplaySettings, "How tables and figures look.")
    pathvars: dict[Literal["results", "logs", "benchmarks"], str] = key(
        "Snakemake's path variables; `results` is the folder of all results.", {}
    )

    @field_validator("pathvars")
    @classmethod
    def _plain_folders(cls, folders: dict[str, str]) -> dict[str, str]:
        for name, folder in folders.items():
            if folder.startswith("~") or set(folder) & set("<>{}*"):
                raise ValueError(
                    f"{name}: {quoted(folder)} is not a plain path; write it without < > {{ }} *, "
                    "and your home folder in full instead of ~"
                )
        return folders

    @field_validator("models", "judges", "rewriters")
    @classmethod
    def _model_names(cls, models: dict[str, ModelSettings]) -> dict[str, ModelSettings]:
        check_names("model", models)
        for name, model in models.items():
            if name.startswith("sim-") != (model.engine == "simulated"):
                raise ValueError(
                    f"model {name!r}: the names of simulated models, and only those, start with "
                    "sim-; rename it"
                )
        return models

    @field_validator("judges", "rewriters")
    @classmethod
    def _engine_fits_role(
        cls, models: dict[str, ModelSettings], info: ValidationInfo
    ) -> dict[str, ModelSettings]:
        judge = info.field_name == "judges"
        kind = "judge" if judge else "rewriter"
        for name, model in models.items():
            if model.engine in ("scored", "baseline") or (judge and model.engine == "replay"):
                raise ValueError(
                    f"{kind} {name!r}: engine {model.engine} cannot be used for a {kind}; choose "
                    "another engine"
                )
            if model.repeats > 1 and not judge:
                raise ValueError(f"rewriter {name!r}: rewriters have no repeats; remove repeats")
            if isinstance(model.max_tokens, dict):
                raise ValueError(
                    f"{kind} {name!r}: max_tokens must be one number, since a {kind}'s prompts "
                    "have no tasks; write one number"
                )
        return models

    @model_validator(mode="after")
    def _only_known_models(self) -> Self:
        for name in self.only:
            if name not in self.models:
                raise ValueError(
                    f"only: unknown model {quoted(name)}; {suggestion(name, self.models)}"
                )
        return self

    @model_validator(mode="after")
    def _majority_of_several(self) -> Self:
        if self.judging.count == "majority":
            if self.judging.mode == "released":
                raise ValueError(
                    "judging: mode released uses one judge, as the released code does; set count "
                    "to first, or mode to strict"
                )
            if len(self.judges) < 3:
                raise ValueError(
                    f"judging.count: a majority needs at least three judges, but the config has "
                    f"{len(self.judges)}; add judges, or set count to first"
                )
            if "majority" in self.judges:
                raise ValueError(
                    "judges: the name 'majority' is reserved for the majority's verdict; rename "
                    "that judge"
                )
        return self

    @model_validator(mode="after")
    def _structured_verdicts(self) -> Self:
        for kind, models in (("models", self.models), ("rewriters", self.rewriters)):
            for name, model in models.items():
                if getattr(model, "structured", False):
                    raise ValueError(f"{kind}: {name!r}: structured is only for judges; remove it")
        for name, judge in self.judges.items():
            if getattr(judge, "structured", False) and self.judging.mode == "released":
                raise ValueError(
                    f"judges: {name!r}: structured needs judging.mode strict, since the released "
                    "code reads no JSON; remove structured, or change the mode"
                )
        return self

    @model_validator(mode="after")
    def _adaptive_models_are_evaluated(self) -> Self:
        if self.adaptive is None:
            return self
        if self.limit is not None:
            raise ValueError("adaptive: a trial (limit) has no rounds; remove limit or adaptive")
        for name in self.running:
            if self.models[name].engine == "scored":
                raise ValueError(
                    f"adaptive: {name!r} has released scores, which cannot be evaluated in rounds; "
                    "remove that model"
                )
        return self

    @model_validator(mode="after")
    def _labels_differ(self) -> Self:
        """Checks the labels of running models; released scores are marked and may share one."""
        seen: dict[str, str] = {}
        for name in self.running:
            model = self.models[name]
            label = " ".join((model.label or name).split())  # as a table shows it
            if model.engine != "scored" and seen.setdefault(label, name) != name:
                raise ValueError(
                    f"models: {seen[label]!r} and {name!r} have the same label {quoted(label)}; "
                    "change the label of one of them"
                )
        return self

    @property
    def running(self) -> list[str]:
        """Names of the models that run, in the config's order."""
        return [name for name in self.models if not self.only or name in self.only]
