"""Building blocks of all sections of the config."""

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field

from steadfast.base.names import quoted

MAX_LENGTH = 2 * 1024 * 1024  # tokens
LONGEST_NAME = 100  # characters; names of files add to it, and are limited to 255 bytes
# Marks a field whose strings are passed on unchanged, empty or multi-line ones too.
VERBATIM = "verbatim"


class StrictModel(BaseModel):
    """A section in which unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


def tag(kind: type[BaseModel]) -> tuple[str, str] | None:
    """The key by which a section is chosen among alternatives, and its value, as engine, vllm."""
    for name, field in kind.model_fields.items():
        values = get_args(field.annotation)
        if field.is_required() and get_origin(field.annotation) is Literal and len(values) == 1:
            return name, values[0]
    return None


def key(
    description: str, default: Any = None, *, role: str = "", verbatim: bool = False, **kwargs: Any
) -> Any:
    """A key of a section, by default null; with ``...`` as its default it is required."""
    extra: dict[str, Any] = {}
    if role:
        extra["role"] = role
    if verbatim:
        extra[VERBATIM] = verbatim
    return Field(default, description=description, json_schema_extra=extra, **kwargs)


def section(kind: type[BaseModel], description: str) -> Any:
    """A section whose defaults apply where the config leaves it out."""
    return Field(default_factory=kind, description=description)


# Keys of a model's settings, by what a change of them re-runs (``schema.model_base``).
response = partial(key, role="response")
operation = partial(key, role="operation")
job_resource = partial(key, role="resource")
plan = partial(key, role="plan")
display = partial(key, role="display")


def check_names(kind: str, names: Iterable[str], dots: bool = True) -> None:
    """Raises ValueError unless all names are valid and distinct as names of files and folders."""
    sign = "[A-Za-z0-9._-]" if dots else "[A-Za-z0-9_-]"
    signs = "'.', '_'" if dots else "'_'"
    seen: dict[str, str] = {}
    for name in names:
        if not re.fullmatch(f"[A-Za-z0-9]{sign}*", name):
            raise ValueError(
                f"{kind} name {quoted(name)} cannot name files; use letters, digits, {signs} and "
                "'-', beginning with a letter or digit"
            )
        if len(name) > LONGEST_NAME:
            raise ValueError(
                f"{kind} name {quoted(name)} has {len(name)} characters, more than {LONGEST_NAME}; "
                "shorten it, since it names files"
            )
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise ValueError(
                f"{kind} names {other!r} and {name!r} differ only in case, which some file systems "
                "ignore; rename one of them"
            )


def shown_text(text: str | None) -> str | None:
    """A string for tables; raises ValueError for characters that Snakemake does not allow."""
    if text and ({"{", "}"} & set(text) or not text.isprintable()):
        raise ValueError("contains braces or an unprintable character; remove it")
    return text


def checked_lengths(lengths: dict[str, int]) -> dict[str, int]:
    """The token budget of each length, from the shortest on.

    Raises:
        ValueError: a name cannot name files, or a budget is out of range.
    """
    check_names("length", lengths, dots=False)
    for name, budget in lengths.items():
        if not 512 <= budget <= MAX_LENGTH:
            raise ValueError(
                f"length {name}: {budget:,} tokens is out of range; choose a number between 512 "
                f"and {MAX_LENGTH:,}"
            )
    return dict(sorted(lengths.items(), key=lambda item: item[1]))
