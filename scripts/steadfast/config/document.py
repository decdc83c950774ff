"""Writes docs/config.md from the schema: keys, types, defaults and descriptions have one source."""

import inspect
import json
import re
from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from steadfast.base.markdown import markdown_table
from steadfast.config.load import config_model
from steadfast.config.settings import role_of
from steadfast.contract.registry import benchmarks, families, installed
from steadfast.schema import api_model, config, corpora, judged, model_base, models

# Sections whose keys others inherit; these keys are listed once.
SHARED = (
    api_model.ApiModel,
    model_base.OpenModel,
    model_base.SamplingModel,
    model_base.ThinkingModel,
    model_base.BaseModelSettings,
    judged.JudgedSection,
)


def sections() -> Iterator[tuple[str, str, type[BaseModel]]]:
    """Title, prefix of the keys and schema of each section of docs/config.md."""
    yield "The whole config", "", config_model(frozenset(installed()))
    yield "Corpora", "corpora.", corpora.Corpora
    yield "Files of a local corpus", "corpora.local.{corpus}.", corpora.LocalFiles
    yield "A dataset on the Hugging Face Hub", "corpora.hub.{corpus}.", corpora.HubFiles
    yield "Every judged benchmark", "{benchmark}.", judged.JudgedSection
    for name, benchmark in benchmarks(installed()).items():
        yield benchmark.title, f"{name}.", benchmark.section
        yield from _below(benchmark.title, f"{name}.", benchmark.section)
    for name, family in families().items():
        yield family.title, f"{name}.{{name}}.", family.section
    yield "Judging", "judging.", judged.JudgingSettings
    yield "Every model", "models.{name}.", model_base.BaseModelSettings
    title = "Engines whose responses may contain reasoning"
    yield title, "models.{name}.", model_base.ThinkingModel
    yield "Engines that sample", "models.{name}.", model_base.SamplingModel
    yield "Engines of models with open weights", "models.{name}.", model_base.OpenModel
    yield "Engines behind an API", "models.{name}.", api_model.ApiModel
    yield "Reasoning of a model", "models.{name}.reasoning.", model_base.Reasoning
    for engine, settings in models.engines().items():
        yield f"Engine {engine}", "models.{name}.", settings
    yield "Throughput of a model", "models.{name}.throughput.", model_base.Throughput
    yield "Price of a model", "models.{name}.price.", model_base.Price
    yield "Adaptive runs", "adaptive.", config.Adaptive
    yield "Nondeterminism", "nondeterminism.", config.Nondeterminism
    yield "Hardware", "hardware.", config.Hardware
    yield "Display", "display.", config.DisplaySettings


def _below(
    title: str, prefix: str, section: type[BaseModel]
) -> Iterator[tuple[str, str, type[BaseModel]]]:
    """The sections within a section, and each of their alternatives."""
    for key, field in section.model_fields.items():
        for kind in (field.annotation, *get_args(field.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                inner_title = f"{title}: {key}"
                inner_prefix = f"{prefix}{key}."
                yield inner_title, inner_prefix, kind
                yield from _below(inner_title, inner_prefix, kind)


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
    links: dict[str, None] = {}  # in order, each once: several sections may have one title
    texts = []
    for title, prefix, model in sections():
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")  # as GitHub makes it
        links[f"[{title}](#{anchor})"] = None
        texts.append(_section(title, prefix, model))
    return "\n".join([INTRODUCTION, f"{' · '.join(links)}\n", *texts])


def _section(title: str, prefix: str, model: type[BaseModel]) -> str:
    inherited: set[str] = set()
    for shared in SHARED:
        if issubclass(model, shared) and model is not shared:
            inherited.update(shared.model_fields)
    rows = []
    for name, field in model.model_fields.items():
        # An inherited key is listed again where the section gives it another type or default.
        if field.description and (name not in inherited or name in model.__annotations__):
            rows.append((f"`{prefix}{name}`", _default(field), role_of(field), field.description))
    lines = [f"## {title}", "", inspect.getdoc(model) or "", ""]
    if rows:
        head = ["key", "default", "role", "description"]
        lines += [markdown_table(head, rows, padded=False), ""]
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
