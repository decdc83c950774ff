"""What the sections of benchmarks whose answers a model judges have in common."""

from collections.abc import Collection
from typing import Literal, Self

from pydantic import model_validator

from steadfast.base.files import Record
from steadfast.schema.strict import StrictModel, key

Source = Literal["synthetic", "local", "released"]
TemplateSource = Literal["own", "printed", "released"]


class JudgingSettings(StrictModel):
    """How the judges' replies become verdicts."""

    mode: Literal["strict", "released"] = key(
        "strict: a reply that cannot be read is asked for again, then its sample is invalid "
        "and in no mean; released: what each benchmark's released code does with it, and its "
        "roundings, so that published numbers compare.",
        "strict",
    )
    attempts: int = key("How often, at most, a readable reply is asked for.", 3, ge=1, le=10)
    count: Literal["first", "majority"] = key(
        "Whose verdicts make the scores: first, the first judge's; majority, those of most judges, "
        "of three at least; mode strict alone (docs/judging.md).",
        "first",
    )
    rule_items: bool = key(
        "Judges are asked also about what rules decide (FollowBench, ComplexBench): the table of "
        "agreement says how well they do; scores stay the rules'.",
        False,
    )

    @property
    def asked(self) -> Record:
        """What changes what a judge is asked about: nothing, unless it is wanted."""
        return {"rule_items": True} if self.rule_items else {}

    def attempts_of(self, released: int) -> int:
        """Times that a reply is asked for; in mode released as often as released code does."""
        return released if self.mode == "released" else self.attempts


class JudgedSection(StrictModel):
    """What the judged benchmarks have in common."""

    source: Source = key(
        "synthetic: instances of the project's own, of every kind, no network; local: a directory; "
        "released: the published files at their pinned revision.",
        "synthetic",
    )
    directory: str | None = key("source local: the directory that holds the benchmark's files.")
    templates: dict[str, str] = key(
        "Judge templates of your own: file per name of those in resources/*/judge.", {}
    )
    template_source: TemplateSource = key(
        "Where judge templates come from. own: the project's, or templates of yours; printed: "
        "your templates hold what the paper prints; released: that of the benchmark's released "
        "program, fetched at its pinned revision, but for templates of yours. Where tables show "
        "the paper's numbers, a note says if the prompt is another.",
        "own",
    )
    labels: str | None = key(
        "File with human verdicts, JSON lines: for the table of agreement, and to correct what the "
        "judge says."
    )

    @model_validator(mode="after")
    def _local_needs_directory(self) -> Self:
        if self.source == "local" and not self.directory:
            raise ValueError("source local needs directory, the folder with the benchmark's files")
        return self

    @model_validator(mode="after")
    def _printed_needs_templates(self) -> Self:
        if self.template_source == "printed" and not self.templates:
            raise ValueError(
                "template_source printed needs templates, the files that hold the paper's text"
            )
        return self

    def in_print(self, template: str, released: Collection[str]) -> bool:
        """Whether a template has the paper's text; ``released``: those out of the program."""
        return template in (self.templates if self.template_source == "printed" else released)

    @property
    def metrics_of_people(self) -> tuple[str, ...]:
        """Metrics that there are where people's verdicts are."""
        return ("corrected",) if self.labels else ()

    def required_files(self, name: str) -> list[tuple[str, str]]:
        """The config's key and the path of each file of the user's, by the benchmark's name."""
        found = [(f"{name}.templates.{key}", path) for key, path in self.templates.items()]
        if self.source == "local" and self.directory:
            found.insert(0, (f"{name}.directory", self.directory))
        return [*found, *([(f"{name}.labels", self.labels)] if self.labels else [])]
