"""Writes docs/config.md from the schema: keys, types, defaults and descriptions have one source."""

import inspect
import json
import re
from collections.abc import Collection, Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from steadfast.base.markdown import markdown_table
from steadfast.config.load import config_model
from steadfast.config.settings import role_of
from steadfast.contract.registry import installed
from steadfast.schema.strict import StrictModel, tag


def sections() -> dict[type[BaseModel], tuple[str, str]]:
    """The schema of each section of docs/config.md, with its title and the prefix of its keys.

    Classes from which engines inherit keys precede them, as sections of their own. A section at
    several places, as models and judges are, has the last of them.
    """
    root = config_model(frozenset(installed()))
    titles_and_prefixes: dict[type[BaseModel], tuple[str, str]] = {root: ("The whole config", "")}
    pending: list[type[BaseModel]] = [root]
    for kind in pending:  # which grows by the sections within
        prefix = titles_and_prefixes[kind][1]
        for name, field in kind.model_fields.items():
            for inner, inner_prefix in _sections_in(field.annotation, f"{prefix}{name}."):
                if inner not in titles_and_prefixes:
                    pending.append(inner)
                for parent in _parents(inner):
                    titles_and_prefixes[parent] = (_text(parent).rstrip("."), inner_prefix)
                title = " ".join(tag(inner) or ()).capitalize() or inner_prefix.rstrip(".")
                titles_and_prefixes[inner] = (title, inner_prefix)
    return titles_and_prefixes


def _parents(kind: type[BaseModel]) -> list[type[BaseModel]]:
    """The classes from which an engine inherits keys, the most general first; else none."""
    if not tag(kind):
        return []
    ancestors = kind.__mro__[-1:0:-1]
    return [parent for parent in ancestors if StrictModel in parent.__mro__[1:]]


def _sections_in(annotation: Any, prefix: str) -> Iterator[tuple[type[BaseModel], str]]:
    """The sections that the value of a key may be or contain, with the prefix of their keys."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, prefix
    inner_prefix = f"{prefix}{{name}}." if get_origin(annotation) is dict else prefix
    for inner in get_args(annotation):
        yield from _sections_in(inner, inner_prefix)


def _text(kind: type[BaseModel]) -> str:
    return inspect.getdoc(kind) or ""


INTRODUCTION = """# The config

One YAML file, checked before anything runs; an unknown key is an error that names the most similar
key. `config/config.yaml` is the default; `--configfile FILE` replaces it entirely, `--config
key=value` changes single keys. This page is made from the schema by `make docs`.

What a change re-runs: keys marked *response* determine a model's responses: requests that a change
affects are sent again, all others come from the journal. Keys marked *operation* or *resource*
re-run nothing. Keys marked *plan* re-run the plan only, keys marked *display* tables and figures
only. The other keys re-run the stages that read them.
"""


def document() -> str:
    """docs/config.md, with an index of its sections."""
    links = []
    texts = []
    listed = sections()
    for kind, (title, prefix) in listed.items():
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")  # as GitHub makes it
        links.append(f"[{title}](#{anchor})")
        inherited: set[str] = set()
        for parent in kind.__mro__[1:]:
            if parent in listed:
                inherited.update(parent.model_fields)
        texts.append(_section(title, prefix, kind, inherited))
    return "\n".join([INTRODUCTION, f"{' · '.join(links)}\n", *texts])


def _section(title: str, prefix: str, kind: type[BaseModel], inherited: Collection[str]) -> str:
    rows = []
    for name, field in kind.model_fields.items():
        # An inherited key is listed again where the section gives it another type or default.
        if field.description and (name not in inherited or name in kind.__annotations__):
            rows.append((f"`{prefix}{name}`", _default(field), role_of(field), field.description))
    lines = [f"## {title}", ""]
    if _text(kind) != f"{title}.":
        lines += [_text(kind), ""]
    if rows:
        header = ["key", "default", "role", "description"]
        lines += [markdown_table(header, rows, padded=False), ""]
    return "\n".join(lines)


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "as below"
    if field.default is PydanticUndefined:
        return "*required*"
    choices = [choice for choice in get_args(field.annotation) if isinstance(choice, str)]
    alternatives = [f"`{choice}`" for choice in choices if choice != field.default]
    default = f"`{json.dumps(field.default)}`"
    return f"{default}, or {', '.join(alternatives)}" if alternatives else default


if __name__ == "__main__":
    print(document(), end="")
