"""IFEval's section of the config."""

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from steadfast.benchmarks.ifeval.facts import ALONE, Place
from steadfast.schema.lengths import checked_lengths
from steadfast.schema.strict import StrictModel


class Ifeval(StrictModel):
    """IFEval and IFBench: their prompts alone (length 0), and behind texts of any length."""

    source: Literal["synthetic", "local", "released"] = Field(
        default="synthetic",
        description="synthetic: seeded prompts of kinds that need no further package; local: a "
        "directory with the published files; released: these files at their pinned revisions. "
        "The last two need make verifiers.",
    )
    directory: str | None = Field(
        default=None,
        description="source local: the directory with input_data.jsonl (IFEval), "
        "IFBench_test.jsonl, or files of your own in their schema under these names.",
    )
    sets: list[Literal["ifeval", "ifbench"]] = Field(
        default=["ifeval", "ifbench"],
        description="source local and released: which sets are asked.",
        min_length=1,
    )
    prompts: int = Field(
        default=24, ge=4, le=2000, description="source synthetic: prompts, of all kinds in turn."
    )
    lengths: dict[str, int] = Field(
        default={"4k": 3072, "8k": 6144, "16k": 13312},
        description="Name of each length and its token budget for the text, up to 2M tokens. "
        "Length 0, the prompts alone, is always asked; {}: that alone.",
    )
    contexts_per_length: int = Field(
        default=2, ge=1, le=100, description="Texts of each length; prompts are spread over them."
    )
    context: Literal["multidoc", "onedoc", "list"] = Field(
        default="multidoc",
        description="What the texts are, built as LIFBench's contexts are: documents, essays or a "
        "list.",
    )
    places: list[Place] = Field(
        default=["after"],
        description="Where the prompt stands: after the text, before it, or both. Prompts after a "
        "text share it as a prefix; the others cost its tokens each. Tables are of the first, "
        "but for one that compares them.",
        min_length=1,
    )
    wordings: int = Field(
        default=4,
        ge=1,
        le=4,
        description="Wordings of the sentences that set text and prompt apart, in each of which "
        "each prompt is asked.",
    )
    max_tokens: int = Field(default=2048, ge=1, description="Limit of an answer, in tokens.")
    reading: Literal["released", "corrected"] = Field(
        default="released",
        description="released: instructions as published; corrected: known errors of the data "
        "mended (docs/ifeval.md). Scores have both; tables show this one.",
    )

    @field_validator("lengths")
    @classmethod
    def _lengths(cls, lengths: dict[str, int]) -> dict[str, int]:
        if ALONE in lengths:
            raise ValueError(f"length {ALONE} is always asked, without a text; leave it out")
        return checked_lengths(lengths)

    @field_validator("sets", "places")
    @classmethod
    def _once(cls, names: list[str]) -> list[str]:
        if len(set(names)) < len(names):
            raise ValueError("one is named twice; name it once")
        return names

    @model_validator(mode="after")
    def _local_needs_directory(self) -> Self:
        if self.source == "local" and not self.directory:
            raise ValueError("source local needs directory, the folder with the published files")
        return self
