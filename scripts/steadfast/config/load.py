"""Checks a config against the schema; every complaint is one sentence that names the key."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args

from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from steadfast.errors import UserError
from steadfast.names import nearest
from steadfast.registry import benchmarks
from steadfast.schema.config import Config
from steadfast.schema.models import engines


@cache
def config_model() -> type[Config]:
    """The schema with a section for each benchmark that is installed."""
    names = tuple(benchmarks())
    chosen = Field(
        default=[names[0]], description=f"Benchmarks that run: {', '.join(names)}.", min_length=1
    )
    sections: dict[str, Any] = {
        name: (
            one.section,
            Field(default_factory=one.section, description=f"{one.title}'s settings."),
        )
        for name, one in benchmarks().items()
    }
    return create_model(
        "Config",
        __base__=Config,
        __doc__="The whole config.",
        benchmarks=(list[Literal[names]], chosen),  # type: ignore[valid-type]
        **sections,
    )


def load_config(raw: Mapping[str, Any]) -> Config:
    """The typed config.

    Args:
        raw: what Snakemake read from YAML and the command line.

    Raises:
        UserError: one sentence for the first thing that is wrong.
    """
    try:
        config = config_model().model_validate(dict(raw))
    except ValidationError as error:
        # An unknown key explains most of what else is wrong: it comes first.
        first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
        raise UserError(_sentence(raw, first)) from None
    for name in config.benchmarks:
        chosen = benchmarks()[name]
        try:
            if chosen.check:
                chosen.check(config, chosen.settings(config))
        except ValueError as error:
            raise UserError(f"config: {error}") from None
        if not config.judges and chosen.of(config).judging:
            raise UserError(f"config: judges: {name} needs a judge; name one under judges")
    return config


def _sentence(raw: Mapping[str, Any], error: ErrorDetails) -> str:
    # A union's location holds the engine's name, which is no key of the config.
    place = [step for step in error["loc"] if step not in engines()]
    key = ".".join(str(step) for step in place)
    match error["type"]:
        case "extra_forbidden":
            hint = nearest(str(place[-1]), _keys_at(raw, place[:-1]))
            return f"config: unknown key {key!r}; {hint}"
        case "missing":
            return f"config: {key!r} is missing; see docs/config.md"
        case "union_tag_invalid":
            given = error["ctx"]["tag"]
            return f"config: {key}.engine: unknown engine {given!r}; {nearest(given, engines())}"
        case "union_tag_not_found":
            return f"config: {key}: every model needs an engine, one of {', '.join(engines())}"
        case "literal_error" if isinstance(error["input"], str):
            return f"config: {key}: {error['input']!r} is not one of {error['ctx']['expected']}"
        case "value_error":
            sentence = str(error["ctx"]["error"])
            return f"config: {key}: {sentence}" if key else f"config: {sentence}"
        case _:
            given = repr(error["input"])
            given = given if len(given) < 60 else given[:57] + "..."
            return f"config: {key}: {error['msg']}, not {given}"


def _keys_at(raw: Mapping[str, Any], place: list[int | str]) -> list[str]:
    """The keys that the schema knows at a place of the config."""
    model: type[BaseModel] = config_model()
    for depth, step in enumerate(place):
        if model is config_model() and step in ("models", "judges") and depth + 1 < len(place):
            engine = raw[str(step)][place[depth + 1]]["engine"]
            return list(engines()[engine].model_fields)
        if step in model.model_fields:
            model = _section(model.model_fields[str(step)].annotation)
    return list(model.model_fields)


def _section(annotation: object) -> type[BaseModel]:
    """The section a field holds: itself, or the value type of a mapping of sections."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    raise TypeError(f"{annotation} holds no section")
