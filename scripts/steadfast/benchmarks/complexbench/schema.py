"""Instances checked against the annotation guidelines (supplement, 5.1, 5.2 and 5.5).

``python -m steadfast.benchmarks.complexbench.schema FILE`` prints all that is wrong with
a file of instances, and exits with 1 where there are errors.
"""

import sys
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_json
from steadfast.base.names import nearest, shown
from steadfast.benchmarks.complexbench.branches import branch_findings
from steadfast.benchmarks.complexbench.guidelines import file_findings, instance_findings
from steadfast.benchmarks.complexbench.instance import (
    Finding,
    InstanceRecord,
    ScoringQuestion,
    SubInstruction,
)

EXTRA = "extra_forbidden"
"""A field that the schema does not know: the instance can be read without it."""

# What stands in for a field that cannot be read, so that the others can be checked.
_NEUTRAL: Record = {
    **dict.fromkeys(("main_id", "point_id"), 0),
    **dict.fromkeys(("instruction", "question", "task_types", "category"), "?"),
    **{field: [] for field in ("constraint_dimensions", "composition_types", "dep")},
}
_NEUTRAL["scoring_questions"] = [
    {field: _NEUTRAL.get(field) for field in ScoringQuestion.model_fields}
]
_HOLDERS: dict[int | str, type[BaseModel]] = {
    "scoring_questions": ScoringQuestion,
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

    instance: InstanceRecord | None  # None where nothing can be made of it
    # fields that were not of the schema's shape, of the instance or a question
    unread: frozenset[str] = frozenset()
    findings: Sequence[Finding] = ()  # what is wrong with them


def shape(position: int, value: object) -> Shaped:
    """Reads one instance."""
    try:
        return Shaped(InstanceRecord.model_validate(value))
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
    return Shaped(InstanceRecord.model_validate(mended), unread, findings)


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
            known = _HOLDERS[above[0]] if above else InstanceRecord
            return f"there is no such field; {nearest(str(field), list(known.model_fields))}"
        case "model_type" | "model_attributes_type":
            return "is no JSON object; write one with the fields of docs/complexbench.md"
        case "string_too_short" | "too_short":
            return "is empty; fill it"
        case kind if kind.endswith("_type"):
            return f"is {shown(error['input'])}; write {_TYPES[kind.removesuffix('_type')]}"
        case _:
            return f"{error['msg'][:1].lower()}{error['msg'][1:]}; correct it"


COMMAND = "PYTHONPATH=scripts python -m steadfast.benchmarks.complexbench.schema"


def read_instances(path: Path | str) -> list[object]:
    """Returns the instances of a JSON file: an array, or a single object."""
    value = read_json(path)
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list) or not value:
        raise UserError(f"{path}: no instances; write a JSON array of them, or a single object")
    return value


def check(
    raw: Sequence[object], published: bool = False
) -> tuple[list[InstanceRecord], list[Finding]]:
    """Returns the instances of the schema's shape, and all findings in the instances' order.

    What the benchmark's authors published is taken as it is: what no annotator may do, but can be
    scored all the same, is a warning there.
    """
    all_shaped = [shape(position, value) for position, value in enumerate(raw)]
    whole = {p: s.instance for p, s in enumerate(all_shaped) if s.instance and not s.unread}
    findings = [*file_findings(whole), *branch_findings(whole)]
    for position, shaped in enumerate(all_shaped):
        findings += shaped.findings
        if shaped.instance:
            findings += instance_findings(position, shaped.instance, shaped.unread)
    if published:
        findings = [f if f.structural else replace(f, severity="warning") for f in findings]
    findings.sort(key=lambda found: found.position)
    return list(whole.values()), findings


def stop_at_errors(path: Path | str, findings: Iterable[Finding]) -> None:
    """Ends with the first error and the number of the others."""
    errors = [found for found in findings if found.severity == "error"]
    if errors:
        more = f"; {len(errors) - 1} more errors: {COMMAND} {path}" if errors[1:] else ""
        raise UserError(f"{path}: {errors[0].place}: {errors[0].sentence}{more}")


def main(arguments: list[str]) -> int:
    """Prints all findings of each file; returns 1 where there is an error, 2 for no file."""
    if not arguments:
        print(f"usage: {COMMAND} FILE…", file=sys.stderr)
        return 2
    failed = 0
    for path in arguments:
        try:
            raw = read_instances(path)
        except UserError as error:
            print(f"error: {error}", file=sys.stderr)
            failed = 2
            continue
        findings = check(raw)[1]
        for found in findings:
            print(f"{found.severity:<7}  {found.place}: {found.sentence}")
        errors = sum(found.severity == "error" for found in findings)
        warnings = len(findings) - errors
        print(f"{path}: {len(raw)} instances, {errors} errors, {warnings} warnings")
        failed = max(failed, int(errors > 0))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
