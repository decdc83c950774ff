"""What all sections of the config share."""

import re
from collections.abc import Iterable
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from steadfast.base.names import shown

MAX_LENGTH = 2 * 1024 * 1024  # tokens
LONGEST_NAME = 100  # characters; a file's name has what precedes and follows, and ends at 255


VERBATIM = "verbatim"
"""Marks a field whose texts are passed on as they stand, empty ones and those of many lines too."""


class StrictModel(BaseModel):
    """A section whose unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


def key(
    description: str, default: Any = None, *, role: str = "", verbatim: bool = False, **kwargs: Any
) -> Any:
    """A key of a section, by default null; ``...`` for its default says that it is required."""
    extra: dict[str, Any] = {name: it for name, it in (("role", role), (VERBATIM, verbatim)) if it}
    return Field(default, description=description, json_schema_extra=extra, **kwargs)


def section(kind: type[BaseModel], description: str) -> Any:
    """A section that is there with its defaults where the config says nothing of it."""
    return Field(default_factory=kind, description=description)


# Keys of a model's settings, by who may notice a change of them (``schema.model_base``).
answer = partial(key, role="answer")
operation = partial(key, role="operation")
job_resource = partial(key, role="resource")
plan = partial(key, role="plan")
display = partial(key, role="display")


def check_names(kind: str, names: Iterable[str], dots: bool = True) -> None:
    """Raises ValueError unless names can name files and folders, no two of them the same one."""
    sign, signs = ("[A-Za-z0-9._-]", "'.', '_'") if dots else ("[A-Za-z0-9_-]", "'_'")
    seen: dict[str, str] = {}
    for name in names:
        if not re.fullmatch(f"[A-Za-z0-9]{sign}*", name):
            raise ValueError(
                f"{kind} name {shown(name)}: use letters, digits, {signs} and '-', a letter or "
                "digit first, since it names files"
            )
        if len(name) > LONGEST_NAME:
            raise ValueError(
                f"{kind} name {shown(name)}: it has {len(name)} characters, more than "
                f"{LONGEST_NAME}; shorten it, since it names files"
            )
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise ValueError(
                f"{kind} names {other!r} and {name!r} differ in case alone, and name the same "
                "files where the file system ignores case; rename one"
            )


def shown_text(text: str | None) -> str | None:
    """Returns a text that tables show; raises ValueError where Snakemake or a file cannot."""
    if text and ({"{", "}"} & set(text) or not text.isprintable()):
        raise ValueError("it has braces, or a sign that cannot be printed; write it without")
    return text


def checked_lengths(lengths: dict[str, int]) -> dict[str, int]:
    """Returns the token budget of each length, from the shortest on.

    Raises:
        ValueError: a name can name no file, or a budget is out of range.
    """
    check_names("length", lengths, dots=False)
    for name, budget in lengths.items():
        if not 512 <= budget <= MAX_LENGTH:
            raise ValueError(
                f"length {name}: a budget of {budget:,} tokens is not between 512 and "
                f"{MAX_LENGTH:,}"
            )
    return dict(sorted(lengths.items(), key=lambda item: item[1]))
