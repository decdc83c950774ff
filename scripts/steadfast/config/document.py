"""docs/config.md from the schema, so that keys, types, defaults and words have one source."""

import inspect
import json
from typing import Any, get_args

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from steadfast.config import judged, models, schema

SECTIONS = (
    ("The whole", "", schema.Config),
    ("Corpora", "corpora.", schema.Corpora),
    ("Files of a local corpus", "corpora.local.{corpus}.", schema.LocalFiles),
    ("A data set on the hub", "corpora.hub.{corpus}.", schema.HubFiles),
    ("LIFBench", "lifbench.", schema.Lifbench),
    ("Released files of LIFBench", "lifbench.released.", schema.Released),
    ("Every judged benchmark", "{benchmark}.", judged.JudgedBenchmark),
    ("FollowBench", "followbench.", schema.Followbench),
    ("CFBench", "cfbench.", schema.Cfbench),
    ("ComplexBench", "complexbench.", schema.Complexbench),
    ("Judging", "judging.", schema.Judging),
    ("Every model", "models.{name}.", models.BaseModelSettings),
    *((f"Engine {engine}", "models.{name}.", model) for engine, model in models.engines().items()),
    ("Throughput of a model", "models.{name}.throughput.", models.Throughput),
    ("Price of a model", "models.{name}.price.", models.Price),
    ("Noise", "noise.", schema.Noise),
    ("Display", "display.", schema.Display),
)

SHARED = (models.BaseModelSettings, judged.JudgedBenchmark)
"""Sections whose keys others have too; they are listed once."""

INTRODUCTION = """# The config

One YAML file, checked before anything runs; an unknown key is an error that names the nearest
known one. `config/config.yaml` is the default; `--configfile FILE` replaces it whole, `--config
key=value` changes single keys. This page is made from the schema by `make docs`.

What a change re-runs: keys marked *answer* determine a model's responses, so its requests are asked
anew (those that the change does not touch come from the journal); keys marked *operation* or
*resource* re-run nothing; keys marked *plan* re-run the plan only; keys marked *display* re-run
tables and figures only. The other keys re-run the stages that read them.
"""


def document() -> str:
    """The page, in Markdown."""
    return "\n".join([INTRODUCTION, *(_section(*section) for section in SECTIONS)])


def _section(title: str, prefix: str, model: type[BaseModel]) -> str:
    inherited = next(
        (base.model_fields for base in SHARED if issubclass(model, base) and model is not base), {}
    )
    rows = [
        f"| `{prefix}{name}` | {_default(field)} | {_role(field)} | {field.description} |"
        for name, field in model.model_fields.items()
        if (name not in inherited or name in model.__annotations__) and name != "engine"
    ]
    lines = [f"## {title}", "", inspect.getdoc(model), ""]
    if rows:
        lines += ["| key | default | a change is | what it is |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _default(field: Any) -> str:
    if field.default_factory is not None:
        return "as below"
    if field.default is PydanticUndefined:
        return "*required*"
    choices = [choice for choice in get_args(field.annotation) if isinstance(choice, str)]
    others = [choice for choice in choices if choice != field.default]
    value = f"`{json.dumps(field.default)}`"
    return f"{value}, or {', '.join(f'`{choice}`' for choice in others)}" if others else value


def _role(field: Any) -> str:
    return (field.json_schema_extra or {}).get("role", "")


if __name__ == "__main__":
    print(document(), end="")
