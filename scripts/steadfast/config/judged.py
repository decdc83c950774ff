"""The sections of the benchmarks whose answers a model judges."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from steadfast.config.closed import Closed, role

Source = Literal["synthetic", "local", "released"]


class Judging(Closed):
    """How the judges' replies become verdicts."""

    mode: Literal["strict", "released"] = Field(
        default="strict",
        description=(
            "strict: a reply that cannot be read is asked for again, then its sample is invalid "
            "and in no mean; released: what each benchmark's released code does with it, and its "
            "roundings, so that published numbers compare."
        ),
    )
    attempts: int = Field(
        default=3, ge=1, le=10, description="Times that a readable reply is asked for, at most."
    )
    answer_tokens: int = role(
        "plan", 500, "Tokens that the plan takes an answer to have when it is judged.", ge=1
    )


class JudgedBenchmark(Closed):
    """What the judged benchmarks have in common."""

    source: Source = Field(
        default="synthetic",
        description=(
            "synthetic: seeded instances of every kind, no network; local: a directory; released: "
            "the published files at their pinned revision."
        ),
    )
    directory: str | None = Field(
        default=None, description="source local: the directory that holds the benchmark's files."
    )
    templates: dict[str, str] = Field(
        default={},
        description="Judge templates of your own: file per name of those in resources/*/judge.",
    )
    labels: str | None = Field(
        default=None,
        description="File with human verdicts, JSON lines, for the table of agreement.",
    )

    @model_validator(mode="after")
    def _local_needs_directory(self):
        if self.source == "local" and not self.directory:
            raise ValueError("source local needs directory, the folder with the benchmark's files")
        return self


class Languages(Closed):
    """The languages of a benchmark that was published in two."""

    @field_validator("languages", check_fields=False)
    @classmethod
    def _once(cls, languages: list[str]) -> list[str]:
        if len(set(languages)) < len(languages):
            raise ValueError("a language is named twice")
        return languages


class Followbench(JudgedBenchmark, Languages):
    """FollowBench: constraints added one by one, five categories and mixed, five levels."""

    languages: list[Literal["en", "zh"]] = Field(
        default=["en", "zh"],
        description="Languages that run; headline values are the first one's.",
        min_length=1,
    )
    groups: int = Field(
        default=4, ge=1, le=100, description="source synthetic: groups of each category, at least."
    )


class Cfbench(JudgedBenchmark):
    """CFBench: Chinese instructions with checklists of primary and secondary requirements."""

    records: int = Field(
        default=24, ge=8, le=2000, description="source synthetic: instructions, half easy."
    )


class Complexbench(JudgedBenchmark, Languages):
    """ComplexBench: constraints composed by And, Chain and Selection, with scoring questions."""

    file: str = Field(
        default="data_final.json",
        description="source local: file of the directory; an array of instances, or one.",
    )
    extra: str | None = Field(
        default=None, description="File with instances of your own, added to the others."
    )
    languages: list[Literal["zh", "en"]] = Field(
        default=["zh"],
        description="Languages that run; headline values are the first one's. The rules are "
        "Chinese: in English the judge decides their questions.",
        min_length=1,
    )
    instances: int = Field(default=60, ge=1, le=2000, description="source synthetic: instances.")
    judging: Literal["rules", "plain"] = Field(
        default="rules",
        description="rules: where a question has a rule, the judge extracts and the rule decides; "
        "plain: the judge decides every question.",
    )
    decomposition: bool = Field(
        default=False,
        description="Ask Chain and Selection instructions also turn by turn, where an instance "
        "has sub_instructions.",
    )
