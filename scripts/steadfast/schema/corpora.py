"""The schema of ``corpora``: where the raw text comes from."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from steadfast.schema.strict import StrictModel, key


def _text_is_named(fields: dict[str, str]) -> dict[str, str]:
    if "text" not in fields:
        raise ValueError("text is missing; name the field that holds the text")
    return fields


Fields = Annotated[
    dict[Literal["id", "title", "date", "text"], str],
    AfterValidator(_text_is_named),
    Field(description="Which field of a record is the id, title, date and text; text is required."),
]


class LocalFiles(StrictModel):
    """Where one corpus lies in the local directory."""

    glob: str = key("Files below the directory, as a glob (docs/lifbench-prompts.md).", ...)
    fields: Fields


class HubFiles(StrictModel):
    """A data set on the Hugging Face hub."""

    repo: str = key("Data set id, such as yahma/alpaca-cleaned.", ..., pattern=r"^[\w.-]+/[\w.-]+$")
    revision: str = key("Commit, 40 hexadecimal digits.", ..., pattern=r"^[0-9a-f]{40}$")
    sha256: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]] = key(
        "Checksum per file; without one the first fetch records it in the lock file.", {}
    )
    fields: Fields


CorpusName = Literal["alpaca", "paul_graham", "govreport", "xsum", "qmsum"]


class Corpora(StrictModel):
    """Where the raw text comes from."""

    source: Literal["synthetic", "local", "hub"] = key(
        "synthetic: seeded English-like text, no network; local: a directory; hub: the "
        "published data sets at pinned revisions.",
        "synthetic",
    )
    directory: str | None = key("source local: the directory that holds the corpora.")
    local: dict[CorpusName, LocalFiles] = key(
        "source local: glob and fields per corpus, where they differ from the usual "
        "(resources/corpora/local.yaml).",
        {},
    )
    hub: dict[CorpusName, HubFiles] = key(
        "source hub: data set per corpus, where it differs from the pinned one "
        "(resources/corpora/hub.yaml).",
        {},
    )

    @model_validator(mode="after")
    def _local_needs_directory(self) -> Self:
        if self.source == "local" and not self.directory:
            raise ValueError("source local needs corpora.directory, the folder with the corpora")
        return self
