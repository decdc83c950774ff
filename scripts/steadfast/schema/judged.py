"""Settings that the sections of all LLM-judged benchmarks share."""

from collections.abc import Collection
from typing import Literal, Self

from pydantic import model_validator

from steadfast.base.files import Record
from steadfast.schema.strict import StrictModel, key

Source = Literal["synthetic", "local", "released"]
TemplateSource = Literal["own", "printed", "released"]


class JudgingSettings(StrictModel):
    """How judges' replies become verdicts."""

    mode: Literal["strict", "released"] = key(
        "strict: an unreadable reply is re-requested; after the last attempt its sample is invalid "
        "and excluded from all means. released: unreadable replies and rounding as in each "
        "benchmark's released code, comparable with published numbers.",
        "strict",
    )
    attempts: int = key("Maximum number of requests for a readable reply.", 3, ge=1, le=10)
    count: Literal["first", "majority"] = key(
        "Whose verdicts make the scores. first: the first judge's; majority: the majority of at "
        "least three judges, only with mode strict (docs/judging.md).",
        "first",
    )
    rule_items: bool = key(
        "Also judge items that rules decide (FollowBench, ComplexBench), so that the agreement "
        "table compares judges with rules; scores still follow the rules.",
        False,
    )

    @property
    def prompt_settings(self) -> Record:
        """Settings that add items to judge prompts; empty by default, to keep request hashes."""
        return {"rule_items": True} if self.rule_items else {}

    def attempts_of(self, released: int) -> int:
        """Requests for a readable reply; in mode released as many as the released code makes."""
        return released if self.mode == "released" else self.attempts


class JudgedSection(StrictModel):
    """Settings that all judged benchmarks share."""

    source: Source = key(
        "synthetic: the project's own instances, a few of each kind, no network; local: files in a "
        "directory; released: the published files at a pinned revision.",
        "synthetic",
    )
    directory: str | None = key("With source local: the directory of the benchmark's files.")
    templates: dict[str, str] = key(
        "Your own judge templates: a file for each template name in resources/*/judge.", {}
    )
    template_source: TemplateSource = key(
        "Source of the judge templates. own: the project's, or yours (templates); printed: yours, "
        "with the text that the paper prints; released: those of the released code, downloaded "
        "at a pinned revision, except for yours. Tables with the paper's numbers note a "
        "different template.",
        "own",
    )
    labels: str | None = key(
        "JSON lines with human verdicts, for the agreement table and for scores corrected by them."
    )

    @model_validator(mode="after")
    def _local_needs_directory(self) -> Self:
        if self.source == "local" and not self.directory:
            raise ValueError(
                "source local needs directory; set it to the folder with the benchmark's files"
            )
        return self

    @model_validator(mode="after")
    def _printed_needs_templates(self) -> Self:
        if self.template_source == "printed" and not self.templates:
            raise ValueError(
                "template_source printed needs templates; name the files that hold the paper's text"
            )
        return self

    def in_print(self, template: str, released: Collection[str]) -> bool:
        """Whether a template has the paper's text; ``released`` names the released code's."""
        return template in (self.templates if self.template_source == "printed" else released)

    @property
    def metrics_of_people(self) -> tuple[str, ...]:
        """Metrics that need human verdicts."""
        return ("corrected",) if self.labels else ()

    def required_files(self, name: str) -> list[tuple[str, str]]:
        """Config key and path of each of the user's files, for the benchmark of this name."""
        files = [(f"{name}.templates.{key}", path) for key, path in self.templates.items()]
        if self.source == "local" and self.directory:
            files.insert(0, (f"{name}.directory", self.directory))
        if self.labels:
            files.append((f"{name}.labels", self.labels))
        return files
