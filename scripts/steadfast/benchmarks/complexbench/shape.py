"""Instances out of JSON: what has not the schema's shape is named, and the rest still read."""

from collections.abc import Sequence
from copy import deepcopy
from typing import NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from steadfast.base.files import Record
from steadfast.base.names import nearest
from steadfast.benchmarks.complexbench.instance import Finding, Instance, Question, SubInstruction

EXTRA = "extra_forbidden"
"""A field that the schema does not know: the instance can be read without it."""

# What stands in for a field that cannot be read, so that the others can be checked.
_NEUTRAL: Record = {
    **dict.fromkeys(("main_id", "point_id"), 0),
    **dict.fromkeys(("instruction", "question", "task_types", "category"), "?"),
    **{field: [] for field in ("constraint_dimensions", "composition_types", "dep")},
}
_NEUTRAL["scoring_questions"] = [{field: _NEUTRAL.get(field) for field in Question.model_fields}]
_HOLDERS: dict[int | str, type[BaseModel]] = {
    "scoring_questions": Question,
    "sub_instructions": SubInstruction,
}
_TYPES = {
    "string": "a text in quotation marks",
    "int": "a whole number",
    "list": "a list in brackets",
    "dict": "an object with sub_instruction_0, sub_instruction_1 …",
}


class Shaped(NamedTuple):
    """An instance as far as it can be read."""

    instance: Instance | None  # None where nothing can be made of it
    # fields that were not of the schema's shape, of the instance or a question
    unread: frozenset[str] = frozenset()
    findings: Sequence[Finding] = ()  # what is wrong with them


def shape(position: int, value: object) -> Shaped:
    """Reads one instance."""
    try:
        return Shaped(Instance.model_validate(value))
    except ValidationError as error:
        wrong = error.errors()
    main_id = value.get("main_id") if isinstance(value, dict) else None
    main_id = main_id if isinstance(main_id, int) else None
    # A union complains once for each of its members.
    places = {_place(one["loc"]): one for one in reversed(wrong)}
    findings = [
        Finding("error", position, main_id, place, _sentence(one), one["type"] != EXTRA)
        for place, one in reversed(places.items())
    ]
    if not isinstance(value, dict):
        return Shaped(None, findings=findings)
    mended: Record = deepcopy(value)
    # The deepest places first: what holds others may be replaced as a whole.
    deepest = sorted(wrong, key=lambda found: -len(found["loc"]))
    fields = [(_mend(mended, one), one["type"]) for one in deepest]
    unread = frozenset(field for field, kind in fields if kind != EXTRA)
    return Shaped(Instance.model_validate(mended), unread, findings)


def _mend(instance: Record, error: ErrorDetails) -> str:
    """Puts something harmless where the wrong value is; the name of the field that it is in."""
    location = error["loc"]
    holder, field, depth = instance, str(location[0]), 1
    if field == "scoring_questions" and len(location) > 2:
        holder, field, depth = instance[field][location[1]], str(location[2]), 3
    if error["type"] == EXTRA and len(location) == depth:
        del holder[field]
    else:
        holder[field] = deepcopy(_NEUTRAL.get(field))
    return field


def _place(location: tuple[int | str, ...]) -> str:
    text = ""
    for step in location:
        if isinstance(step, int):
            text += f"[{step}]"
        elif not step.startswith("list["):  # a member of a union, no field
            text += f".{step}" if text else step
    return text or "all of it"


def _sentence(error: ErrorDetails) -> str:
    match error["type"]:
        case "missing":
            return "is missing; add it"
        case kind if kind == EXTRA:
            *above, field = error["loc"]
            known = _HOLDERS[above[0]] if above else Instance
            return f"there is no such field; {nearest(str(field), list(known.model_fields))}"
        case "model_type" | "model_attributes_type":
            return "is no JSON object; write one with the fields of docs/complexbench.md"
        case "string_too_short" | "too_short":
            return "is empty; fill it"
        case kind if kind.endswith("_type"):
            given = repr(error["input"])
            given = given if len(given) < 60 else given[:57] + "..."
            return f"is {given}; write {_TYPES[kind.removesuffix('_type')]}"
        case _:
            return f"{error['msg'][:1].lower()}{error['msg'][1:]}; correct it"
