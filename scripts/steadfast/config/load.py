"""Checks a config against the schema; every complaint is one sentence that names the key."""

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from steadfast.config.models import engines
from steadfast.config.names import nearest
from steadfast.config.schema import Config
from steadfast.errors import UserError


def load_config(raw: dict[str, Any]) -> Config:
    """The typed config.

    Args:
        raw: what Snakemake read from YAML and the command line.

    Raises:
        UserError: one sentence for the first thing that is wrong.
    """
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        # An unknown key explains most of what else is wrong: it comes first.
        first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
        raise UserError(_sentence(raw, first)) from None


def _sentence(raw: dict[str, Any], error: dict[str, Any]) -> str:
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


def _keys_at(raw: dict[str, Any], place: list[Any]) -> list[str]:
    """The keys that the schema knows at a place of the config."""
    model: Any = Config
    for depth, step in enumerate(place):
        if model is Config and step in ("models", "judges") and depth + 1 < len(place):
            engine = raw[step][place[depth + 1]]["engine"]
            return list(engines()[engine].model_fields)
        model = (
            _section(model.model_fields[step].annotation) if step in model.model_fields else model
        )
    return list(model.model_fields)


def _section(annotation: Any) -> Any:
    """The section a field holds: itself, or the value type of a mapping of sections."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    raise TypeError(f"{annotation} holds no section")
