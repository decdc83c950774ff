"""What is wrong with a config, in one sentence that names the key as the user wrote it."""

import types
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from steadfast.base.files import Settings
from steadfast.base.names import nearest, shown
from steadfast.base.resources import facts
from steadfast.config.values import dotted

Place = tuple[int | str, ...]
MAPPINGS = ("dict_type", "model_type", "model_attributes_type")
EXPECTED = "Input should be "


def complaint(
    schema: type[BaseModel],
    error: ValidationError,
    where: str = "config",
    page: str = "docs/config.md",
) -> str:
    """One sentence for the first thing that is wrong in a config, or another file.

    It begins with ``where``, and names the ``page`` that lists the keys.
    """
    errors = error.errors()
    places = [_located(schema, _location(detail))[0] for detail in errors]
    about_keys = [at for at, detail in zip(places, errors, strict=True) if _is_about_key(detail)]
    if about_keys:
        # An unknown key explains most of what else is wrong.
        place = about_keys[0]
    else:
        # Of a value's alternatives, the one that came furthest says most.
        within_first = [at for at in places if at[: len(places[0])] == places[0]]
        place = max(within_first, key=len)
    at_place = [detail for at, detail in zip(places, errors, strict=True) if at == place]
    return f"{where}: {_sentence(schema, place, at_place, page)}"


def _is_about_key(error: ErrorDetails) -> bool:
    return error["type"] == "extra_forbidden" or _location(error) != error["loc"]


def _location(error: ErrorDetails) -> Place:
    """An error's location; that of an unknown key in a mapping without the step that says so."""
    location = error["loc"]
    is_key = error["type"] == "literal_error" and location[-1:] == ("[key]",)
    return location[:-1] if is_key else location


def _sentence(
    schema: type[BaseModel], place: Place, errors: Sequence[ErrorDetails], page: str
) -> str:
    key = dotted(place)
    error = errors[0]
    given = error["input"]
    match error["type"]:
        case "extra_forbidden":
            if instead := _instead(key):
                return f"'{key}' is no key any more: {instead}"
            hint = nearest(str(place[-1]), _known_keys(schema, error["loc"][:-1]))
            return f"unknown key '{key}'; {hint}"
        case "missing":
            return f"'{key}' is missing; see {page}"
        case "union_tag_invalid" | "union_tag_not_found":
            return f"{key}{_of_tag(error, _located(schema, error['loc'])[1])}"
        case "literal_error" if isinstance(given, str) and len(errors) == 1:
            return f"{key}: {shown(given)} is not one of {error['ctx']['expected']}"
        case "value_error":
            sentence = str(error["ctx"]["error"])
            return f"{key}: {sentence}" if key else sentence
        case "too_short" | "too_long":
            return f"{key}: {error['msg'].replace(' after validation', '')}"
        case _:
            wanted = " or ".join(dict.fromkeys(map(_wanted, errors)))
            sentence = f"{wanted}, not {shown(given)}".replace(f" or {EXPECTED}", " or ")
            return f"{key}: {sentence}" if key else sentence


def _instead(key: str) -> str | None:
    """What to do in place of a key that configs had once; None where they never had it."""
    removed: Settings = facts("removed_keys.yaml") or {}
    return next((removed[place] for place in removed if fnmatchcase(key, place)), None)


def _of_tag(error: ErrorDetails, kind: Any) -> str:
    """What is wrong with the key that says which alternative a section is, such as its engine."""
    name = error["ctx"]["discriminator"].strip("'")
    known = list(map(_tag, _alternatives(kind)))
    given = error["input"].get(name)
    if renamed := _instead(f"{name} {given}"):
        return f".{name}: {shown(given)} is no {name} any more: {renamed}"
    if isinstance(given, str):
        return f".{name}: unknown {name} {shown(given)}; {nearest(given, known)}"
    if name == "engine":
        return f": every model needs an engine, one of {', '.join(known)}"
    return f".{name}: write one of {', '.join(known)}"


def _wanted(error: ErrorDetails) -> str:
    return f"{EXPECTED}a mapping of keys" if error["type"] in MAPPINGS else error["msg"]


def _known_keys(schema: type[BaseModel], location: Place) -> list[str]:
    """The keys that the schema knows at the place of a section."""
    section = _alternatives(_located(schema, location)[1])[0]
    return list(section.model_fields) if _is_section(section) else []


def _located(schema: type[BaseModel], location: Place) -> tuple[Place, Any]:
    """The keys of the config that an error's location names, and the schema's type there.

    Between them a location names the alternative of a type that was tried, such as an engine: that
    stands nowhere in the config.
    """
    place: list[int | str] = []
    kind: Any = schema
    for step in location:
        alternatives = _alternatives(kind)
        if len(alternatives) > 1:
            kind = next((option for option in alternatives if _tag(option) == step), None)
        else:
            place.append(step)
            kind = _inner(alternatives[0], step)
    return tuple(place), kind


def _alternatives(kind: Any) -> list[Any]:
    """The types that a value may have beside null."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) not in (Union, types.UnionType):
        return [kind]
    return [option for option in get_args(kind) if option is not types.NoneType]


def _tag(kind: Any) -> str:
    """The name of an alternative in a location."""
    if _is_section(kind):
        for field in kind.model_fields.values():
            if field.is_required() and get_origin(field.annotation) is Literal:
                return str(get_args(field.annotation)[0])
        return str(kind.__name__)
    return str(kind).replace(" ", "")


def _inner(kind: Any, step: int | str) -> Any:
    """The type of what stands at a key of a section, or in a mapping or list."""
    if not _is_section(kind):
        return (get_args(kind) or (None,))[-1]
    field = kind.model_fields.get(str(step))
    return field.annotation if field else None


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
