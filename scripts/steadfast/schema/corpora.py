"""The schema of ``corpora``: the sources of raw text."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from steadfast.schema.strict import StrictModel, key


def _text_is_named(fields: dict[str, str]) -> dict[str, str]:
    if "text" not in fields:
        raise ValueError("text is missing; name the field that holds the text of a record")
    return fields


Fields = Annotated[
    dict[Literal["id", "title", "date", "text"], str],
    AfterValidator(_text_is_named),
    Field(description="Fields of a record with its id, title, date and text; text is required."),
]


class LocalFiles(StrictModel):
    """The files of one corpus in the local directory."""

    glob: str = key("Files below the directory, as a glob pattern (docs/lifbench-prompts.md).", ...)
    fields: Fields


class HubFiles(StrictModel):
    """A dataset on the Hugging Face Hub."""

    repo: str = key("Dataset id, such as yahma/alpaca-cleaned.", ..., pattern=r"^[\w.-]+/[\w.-]+$")
    revision: str = key("Commit, 40 hexadecimal digits.", ..., pattern=r"^[0-9a-f]{40}$")
    sha256: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = key(
        "sha256 of each file; a file without one gets it in the lock file on first download.", {}
    )
    fields: Fields


CorpusName = Literal["alpaca", "paul_graham", "govreport", "xsum", "qmsum"]


class Corpora(StrictModel):
    """Sources of raw text."""

    source: Literal["synthetic", "local", "hub"] = key(
        "synthetic: generated English-like text, no network; local: files in a directory; hub: the "
        "published datasets at pinned revisions.",
        "synthetic",
    )
    directory: str | None = key("With source local: the directory of the corpora.")
    local: dict[CorpusName, LocalFiles] = key(
        "With source local: glob pattern and fields of each corpus that differ from the defaults "
        "(resources/corpora/local.yaml).",
        {},
    )
    hub: dict[CorpusName, HubFiles] = key(
        "With source hub: the dataset of each corpus that differs from the pinned one "
        "(resources/corpora/hub.yaml).",
        {},
    )

    @model_validator(mode="after")
    def _local_needs_directory(self) -> Self:
        if self.source == "local" and not self.directory:
            raise ValueError(
                "source local needs corpora.directory; set it to the folder with the corpora"
            )
        return self
