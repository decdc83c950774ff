"""The closed schema of the config: every key, its type, its default and what it is for."""

from typing import Annotated, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from steadfast.base.names import nearest, shown
from steadfast.schema.corpora import Corpora
from steadfast.schema.judged import JudgingSettings
from steadfast.schema.models import ModelSettings
from steadfast.schema.strict import StrictModel, check_names, key, plan, section


class Hardware(StrictModel):
    """The machines of the jobs."""

    max_hours: float | None = key(
        "Hours that one job, or the jobs of one load of a model together, ask for at "
        "most, such as a partition's limit.",
        gt=0,
        le=10_000,
    )


class DisplaySettings(StrictModel):
    """How tables and figures look; no number depends on it."""

    digits: int = key("Decimals of printed scores.", 3, ge=1, le=6)
    group_order: list[str] = key("Order of the models' groups; others follow by name.", [])
    published: bool = key(
        "Show the papers' printed results beside those of the models, where a table "
        "has them; they compare with results on the released data, best in mode released.",
        False,
    )
    marks: Literal["ranks", "paper"] = key(
        "ranks: bold are the models that cannot be ruled out as best by the paired test; paper: as "
        "papers print, the best value of a column is bold and the second underlined, whatever the "
        "test says.",
        "ranks",
    )


class Nondeterminism(StrictModel):
    """Target nondeterminism: run-to-run variation of an engine's responses."""

    requests: int = key("Requests repeated, of each part.", 50, ge=1)
    repeats: int = key("Times that each is sent alone, and with all others.", 3, ge=2, le=100)


class Adaptive(StrictModel):
    """A run in rounds of contexts, which asks each model until it is known whether it is best."""

    contexts: int = key(
        "Rounds at most; each asks one context of each scenario and length, or as large a share "
        "of the groups, records or instances.",
        ...,
        ge=3,
        le=30,
    )
    top: int = key("How many of the best models are to be found.", 1, ge=1)


class Config(StrictModel):
    """The whole config; each benchmark adds a section of its own (``config.load.config_model``)."""

    name: str | None = key(
        "What the run is called in its HTML report, beside other runs; by default as the "
        "config file, without its ending.",
        max_length=80,
    )
    seed: int = key("Seed of everything that is drawn: corpora, contexts, variables.", 1)
    tokenizer: str = key(
        "tiktoken encoding in which contexts are measured: that of LIFBench's release, and not "
        "GPT-4's own, cl100k_base, which its paper names.",
        "o200k_base",
    )
    benchmarks: list[str] = key("Benchmarks that run.", ..., min_length=1)
    corpora: Corpora = section(Corpora, "Where the raw text comes from.")
    judges: dict[str, ModelSettings] = key(
        "The judges by name, with settings as under models. The first one's verdicts "
        "make the scores, or most of them (judging.count); what the others say is in the table of "
        "agreement.",
        {},
    )
    rewriters: dict[str, ModelSettings] = key(
        "Models that reword instructions, by name, with settings as under models "
        "(lifbench.expressions: recs).",
        {},
    )
    judging: JudgingSettings = section(JudgingSettings, "How the judges' replies become verdicts.")
    models: dict[str, ModelSettings] = key(
        "The models by name; names starting with sim- are simulated models.", ..., min_length=1
    )
    only: list[str] = key("Names of the models that run; by default all of them.", [])
    limit: int | None = key(
        "A trial: so many prompts of each task and part are asked, or so many groups "
        "of FollowBench and ComplexBench, and every table says so; null: all.",
        ge=1,
    )
    nondeterminism: Nondeterminism = section(Nondeterminism, "Which requests are repeated.")
    power_analysis: list[Annotated[float, Field(gt=0, le=1)]] = plan(
        "Differences between two models (shares of full marks) of which the plan says how many "
        "contexts (groups, records) tell them apart, by the run that is there; such as "
        "[0.02, 0.05].",
        [],
    )
    adaptive: Adaptive | None = key(
        "A run in rounds that ends when the best model is known (docs/cost.md); declared before "
        "its first request, and not changed after a look; null: every model is asked everything."
    )
    hardware: Hardware = section(Hardware, "What jobs run on; a change re-runs the plan alone.")
    display: DisplaySettings = section(DisplaySettings, "How tables and figures look.")
    pathvars: dict[Literal["results", "logs", "benchmarks"], str] = key(
        "Snakemake's path variables: `results` is the folder of all results.", {}
    )

    @field_validator("pathvars")
    @classmethod
    def _plain_folders(cls, folders: dict[str, str]) -> dict[str, str]:
        for name, folder in folders.items():
            if folder.startswith("~") or set(folder) & set("<>{}*"):
                raise ValueError(
                    f"{name}: {shown(folder)} is no plain path: write it without < > {{ }} *, "
                    "and your home folder in full in place of ~"
                )
        return folders

    @field_validator("models", "judges", "rewriters")
    @classmethod
    def _model_names(cls, models: dict[str, ModelSettings]) -> dict[str, ModelSettings]:
        check_names("model", models)
        for name, model in models.items():
            if name.startswith("sim-") != (model.engine == "simulated"):
                raise ValueError(
                    f"model {name!r}: names of simulated models start with sim-, and no others"
                )
        return models

    @field_validator("judges", "rewriters")
    @classmethod
    def _can_be_asked(
        cls, models: dict[str, ModelSettings], info: ValidationInfo
    ) -> dict[str, ModelSettings]:
        judge = info.field_name == "judges"
        kind, does = ("judge", "judges") if judge else ("rewriter", "rewords")
        for name, model in models.items():
            if model.engine in ("scored", "baseline") or (judge and model.engine == "replay"):
                raise ValueError(
                    f"{kind} {name!r}: engine {model.engine} {does} nothing; name another"
                )
            if model.repeats > 1 and not judge:
                raise ValueError(f"rewriter {name!r}: it is asked once; leave repeats out")
            if isinstance(model.max_tokens, dict):
                raise ValueError(
                    f"{kind} {name!r}: max_tokens must be one number, since what a {kind} is asked "
                    "has no task"
                )
        return models

    @model_validator(mode="after")
    def _only_known_models(self) -> Self:
        for name in self.only:
            if name not in self.models:
                raise ValueError(f"only: unknown model {shown(name)}; {nearest(name, self.models)}")
        return self

    @model_validator(mode="after")
    def _majority_of_several(self) -> Self:
        if self.judging.count == "majority":
            if self.judging.mode == "released":
                raise ValueError(
                    "judging: released code asks one judge; set count to first, or mode to strict"
                )
            if len(self.judges) < 3:
                raise ValueError(
                    f"judging.count: a majority needs three judges, there are {len(self.judges)}; "
                    "add some under judges, or set count to first"
                )
            if "majority" in self.judges:
                raise ValueError("judges: 'majority' names the verdict of most; rename that judge")
        return self

    @model_validator(mode="after")
    def _structured_verdicts(self) -> Self:
        for kind, named in (("models", self.models), ("rewriters", self.rewriters)):
            for name, model in named.items():
                if getattr(model, "structured", False):
                    raise ValueError(f"{kind}: {name!r}: structured is of judges; leave it out")
        for name, judge in self.judges.items():
            if getattr(judge, "structured", False) and self.judging.mode == "released":
                raise ValueError(
                    f"judges: {name!r}: released code reads no JSON; leave out structured, or set "
                    "judging.mode to strict"
                )
        return self

    @model_validator(mode="after")
    def _rounds_of_models_asked(self) -> Self:
        if self.adaptive is None:
            return self
        if self.limit is not None:
            raise ValueError("adaptive: a trial has no rounds; leave out limit or adaptive")
        for name in self.running:
            if self.models[name].engine == "scored":
                raise ValueError(
                    f"adaptive: {name!r} has released scores, which come in no rounds; leave it out"
                )
        return self

    @model_validator(mode="after")
    def _labels_differ(self) -> Self:
        """Of the models that run; a released one is told by its mark."""
        seen: dict[str, str] = {}
        for name in self.running:
            model = self.models[name]
            label = " ".join((model.label or name).split())
            if model.engine != "scored" and seen.setdefault(label, name) != name:
                raise ValueError(
                    f"models: {seen[label]!r} and {name!r} are both shown as {shown(label)}; give "
                    "one of them another label"
                )
        return self

    @property
    def running(self) -> list[str]:
        """Names of the models that run, in the config's order."""
        return [name for name in self.models if not self.only or name in self.only]
