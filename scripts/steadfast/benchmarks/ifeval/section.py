"""IFEval's section of the config."""

from typing import Literal, Self

from pydantic import field_validator, model_validator

from steadfast.benchmarks.ifeval.facts import ALONE, Place
from steadfast.schema.lengths import checked_lengths
from steadfast.schema.strict import StrictModel, key


class Ifeval(StrictModel):
    """IFEval and IFBench: their prompts alone (length 0), and behind texts of any length."""

    source: Literal["synthetic", "local", "released"] = key(
        "synthetic",
        "synthetic: seeded prompts of kinds that need no further package; local: a directory with "
        "the published files; released: these files at their pinned revisions. The last two need "
        "make verifiers.",
    )
    directory: str | None = key(
        None,
        "source local: the directory with input_data.jsonl (IFEval), IFBench_test.jsonl, or files "
        "of your own in their schema under these names.",
    )
    sets: list[Literal["ifeval", "ifbench"]] = key(
        ["ifeval", "ifbench"], "source local and released: which sets are asked.", min_length=1
    )
    prompts: int = key(24, "source synthetic: prompts, of all kinds in turn.", ge=4, le=2000)
    lengths: dict[str, int] = key(
        {"4k": 3072, "8k": 6144, "16k": 13312},
        "Name of each length and its token budget for the text, up to 2M tokens. Length 0, the "
        "prompts alone, is always asked; {}: that alone.",
    )
    contexts_per_length: int = key(
        2, "Texts of each length; prompts are spread over them.", ge=1, le=100
    )
    context: Literal["multidoc", "onedoc", "list"] = key(
        "multidoc",
        "What the texts are, built as LIFBench's contexts are: documents, essays or a list.",
    )
    places: list[Place] = key(
        ["after"],
        "Where the prompt stands: after the text, before it, or both. Prompts after a text share "
        "it as a prefix; the others cost its tokens each. Tables are of the first, but for one "
        "that compares them.",
        min_length=1,
    )
    wordings: int = key(
        4,
        "Wordings of the sentences that set text and prompt apart, in each of which each prompt "
        "is asked.",
        ge=1,
        le=4,
    )
    max_tokens: int = key(2048, "Limit of an answer, in tokens.", ge=1)
    reading: Literal["released", "corrected"] = key(
        "released",
        "released: instructions as published; corrected: known errors of the data mended "
        "(docs/ifeval.md). Scores have both; tables show this one.",
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
