"""The first error in a config or a data file, as one sentence that names the key or record."""

import types
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.names import quoted, suggestion
from steadfast.base.resources import facts
from steadfast.config.values import KeyPath, dotted_key
from steadfast.schema.strict import tag

Model = TypeVar("Model", bound=BaseModel)
MAPPINGS = ("dict_type", "model_type", "model_attributes_type")
EXPECTED = "Input should be "


def first_error(
    schema: type[BaseModel],
    error: ValidationError,
    where: str = "config",
    page: str = "docs/config.md",
) -> str:
    """One sentence on the first error in a config or another file.

    It begins with ``where``, and names the documentation ``page`` that lists the keys.
    """
    errors_by_path: dict[KeyPath, list[ErrorDetails]] = {}
    unknown_keys: list[KeyPath] = []
    for detail in error.errors():
        location = _location(detail)
        path, _ = _located(schema, location)
        errors_by_path.setdefault(path, []).append(detail)
        if detail["type"] == "extra_forbidden" or location != detail["loc"]:
            unknown_keys.append(path)
    if unknown_keys:
        # An unknown key explains most of the other errors.
        worst = unknown_keys[0]
    else:
        # Of a value's alternatives, the one that was checked furthest has the best error.
        first = next(iter(errors_by_path))
        within_first = [path for path in errors_by_path if path[: len(first)] == first]
        worst = max(within_first, key=len)
    return f"{where}: {_sentence(schema, worst, errors_by_path[worst], page)}"


def checked_records(
    schema: type[Model],
    raw: object,
    where: Path | str,
    page: str,
    key: Sequence[str],
    context: object = None,
) -> list[Model]:
    """The records of a file.

    Args:
        schema: of a record.
        raw: the content of the file.
        where: the name of the file in errors.
        page: of the documentation of the fields.
        key: fields whose values identify a record.
        context: for the schema's validators.

    Raises:
        UserError: there are no records, one does not follow the schema, or two have the same key.
    """
    if not isinstance(raw, list) or not raw:
        raise UserError(f"{where}: expected a list of records; see {page}")
    records: list[Model] = []
    numbers: dict[tuple[object, ...], int] = {}
    for number, value in enumerate(raw, start=1):
        fields = value if isinstance(value, dict) else {}
        place = f"{where}: record {number}"
        if key_text := ", ".join(f"{name} {fields[name]!r}" for name in key if name in fields):
            place += f" ({key_text[:80]})"
        try:
            record = schema.model_validate(value, context=context)
        except ValidationError as error:
            raise UserError(first_error(schema, error, place, page)) from None
        key_values = tuple(getattr(record, name) for name in key)
        first = numbers.setdefault(key_values, number)
        if first != number:
            raise UserError(
                f"{place}: record {first} has the same {' and '.join(key)}; remove one of the two, "
                "or give them different numbers"
            )
        records.append(record)
    return records


def _location(error: ErrorDetails) -> KeyPath:
    """An error's location, without pydantic's step "[key]" for an unknown key of a mapping."""
    location = error["loc"]
    is_key = error["type"] == "literal_error" and location[-1:] == ("[key]",)
    return location[:-1] if is_key else location


def _sentence(
    schema: type[BaseModel], path: KeyPath, errors: Sequence[ErrorDetails], page: str
) -> str:
    key = dotted_key(path)
    error = errors[0]
    value = error["input"]
    match error["type"]:
        case "extra_forbidden":
            if replacement := _replacement(key):
                return f"'{key}' is no longer a key: {replacement}"
            hint = suggestion(str(path[-1]), _keys_at(schema, error["loc"][:-1]))
            return f"unknown key '{key}'; {hint}"
        case "missing":
            return f"'{key}' is missing; add it (see {page})"
        case "union_tag_invalid" | "union_tag_not_found":
            return f"{key}{_tag_error(error, _located(schema, error['loc'])[1])}"
        case "literal_error" if isinstance(value, str) and len(errors) == 1:
            return f"{key}: {quoted(value)} is not one of {error['ctx']['expected']}"
        case "value_error":
            sentence = str(error["ctx"]["error"])
            return f"{key}: {sentence}" if key else sentence
        case "too_short":
            counts = error["ctx"]
            items = "item" if counts["min_length"] == 1 else "items"
            return (
                f"{key}: expected at least {counts['min_length']} {items}, "
                f"not {counts['actual_length']}; add what is missing (see {page})"
            )
        case "too_long":
            return f"{key}: {error['msg'].replace(' after validation', '')}"
        case _ if isinstance(value, str) and (replacement := _replacement(f"{key} {value}")):
            return f"{key}: {replacement}"
        case _:
            expected = " or ".join(dict.fromkeys(map(_expected, errors)))
            sentence = f"{expected}, not {quoted(value)}".replace(f" or {EXPECTED}", " or ")
            return f"{key}: {sentence}" if key else sentence


def _replacement(key: str) -> str | None:
    """What replaces a key (or a key and its value) of earlier versions; None for others."""
    removed: Settings = facts("removed_keys.yaml")
    for pattern, replacement in removed.items():
        if fnmatchcase(key, pattern):
            return str(replacement)
    return None


def _tag_error(error: ErrorDetails, kind: Any) -> str:
    """The error in the key that selects a section's alternative, such as its engine."""
    name = error["ctx"]["discriminator"].strip("'")
    tags = list(map(_tag, _alternatives(kind)))
    value = error["input"].get(name)
    if renamed := _replacement(f"{name} {value}"):
        return f".{name}: the {name} {quoted(value)} no longer exists: {renamed}"
    if isinstance(value, str):
        return f".{name}: unknown {name} {quoted(value)}; {suggestion(value, tags)}"
    if name == "engine":
        return f": every model needs an engine, one of {', '.join(tags)}"
    return f".{name}: write one of {', '.join(tags)}"


def _expected(error: ErrorDetails) -> str:
    return f"{EXPECTED}a mapping of keys" if error["type"] in MAPPINGS else error["msg"]


def _keys_at(schema: type[BaseModel], location: KeyPath) -> list[str]:
    """The keys of the section at a location."""
    section = _alternatives(_located(schema, location)[1])[0]
    return list(section.model_fields) if _is_section(section) else []


def _located(schema: type[BaseModel], location: KeyPath) -> tuple[KeyPath, Any]:
    """The keys of the config in an error's location, and the schema's type there.

    Between keys a location names the alternative of a type that pydantic tried, such as an
    engine, which is no key of the config.
    """
    path: list[int | str] = []
    kind: Any = schema
    for step in location:
        alternatives = _alternatives(kind)
        if len(alternatives) > 1:
            kind = next((option for option in alternatives if _tag(option) == step), None)
        else:
            path.append(step)
            kind = _type_at(alternatives[0], step)
    return tuple(path), kind


def _alternatives(kind: Any) -> list[Any]:
    """The types that a value may have, other than null."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) not in (Union, types.UnionType):
        return [kind]
    return [option for option in get_args(kind) if option is not types.NoneType]


def _tag(kind: Any) -> str:
    """The name of an alternative in a location."""
    if _is_section(kind):
        _, value = tag(kind) or ("", kind.__name__)
        return value
    return str(kind).replace(" ", "")


def _type_at(kind: Any, step: int | str) -> Any:
    """The type of the value at a key of a section, or in a mapping or list."""
    if not _is_section(kind):
        return (get_args(kind) or (None,))[-1]
    field = kind.model_fields.get(str(step))
    return field.annotation if field else None


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
