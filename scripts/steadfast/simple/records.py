"""The records of a data set's file as instances, each line checked."""

import json
import string
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, placed_jsonl
from steadfast.base.names import nearest, shown
from steadfast.contract.judge_template import SLOT
from steadfast.simple.instance import Instance

KNOWN = ("id", "prompt", "context", "choices", "group", "answer", "reference")
"""Fields with a meaning; others are for the template, for ``by`` and for a judge's template."""
CONTEXT, PROMPT, CHOICES = "{{context}}", "{{prompt}}", "{{choices}}"
"""Their slots in a template."""
LIKE = 0.8
"""From which likeness on an unused field is taken for a misspelt one of these."""
MOST_CHOICES = len(string.ascii_uppercase)


def instances(part: str, **settings: Any) -> Iterator[Instance]:
    """Yields the instances of a file, all of which are in one part; see ``placed``."""
    return (one for _, one in placed(**settings))


def placed(
    path: str,
    template: str | None,
    choices: bool,
    by: Sequence[str],
    fields: Sequence[str],
    max_tokens: int,
) -> Iterator[tuple[str, Instance]]:
    """Yields each record's file and line, and its instance.

    ``choices`` says whether each record has some, ``fields`` names those that the template of a
    judge has; the others are keys of ``datasets.DataSet``.

    Raises:
        UserError: a line is no such record; the sentence names file and line.
    """
    used = {*KNOWN, *SLOT.findall(template or ""), *by, *fields}
    lines: dict[str, int] = {}
    for number, _, record in placed_jsonl(path):
        try:
            _check(record, choices, used)
            own = template if template is not None else _default(record, choices)
            before, slot, behind = own.rpartition(CONTEXT)
            if record.get("context") and not slot:
                raise ValueError("it has a context, but the template no {{context}}; add it there")
            one = Instance(
                id=str(record.get("id", number)),
                before=_filled(before, record),
                context=_text(record, "context") if slot else "",
                prompt=_filled(behind, record),
                answer=record.get("answer"),
                reference=record.get("reference", ""),
                group=str(record.get("group", "")),
                by={name: _text(record, name) for name in by},
                fields={name: record.get(name) for name in (*fields, *["choices"] * choices)},
                max_tokens=max_tokens,
            )
            if (first := lines.setdefault(one.id, number)) != number:
                raise ValueError(f"its id {shown(one.id)} is that of line {first}; change one")
        except ValueError as error:
            raise UserError(f"{path}:{number}: {error}") from None
        yield f"{path}:{number}", one


def _default(record: Record, choices: bool) -> str:
    above = f"{CONTEXT}\n\n" if record.get("context") else ""
    return above + PROMPT + (f"\n{CHOICES}" if choices else "")


def _check(record: Record, choices: bool, used: set[str]) -> None:
    try:
        json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a text holds half a character; write it whole") from None
    for name in record.keys() - used:
        if meant := get_close_matches(name, [*{*KNOWN} - record.keys()], 1, LIKE):
            raise ValueError(
                f"nothing uses the field {shown(name)}; did you mean {meant[0]!r}? Rename or "
                "remove it"
            )
    for name in ("prompt", "context", "reference"):
        if not isinstance(record.get(name, ""), str):
            raise ValueError(f"{name} is {shown(record[name])}; write a text")
    for name in ("id", "group"):
        if not isinstance(record.get(name, ""), str | int):
            raise ValueError(f"{name} is {shown(record[name])}; write a text or a whole number")
    given = record.get("choices")
    if choices and not (
        isinstance(given, list) and 2 <= len(given) == len({*map(str, given)}) <= MOST_CHOICES
    ):
        raise ValueError(f"choices must be a list of 2 to {MOST_CHOICES} different texts; mend it")


def _filled(template: str, record: Record) -> str:
    """Returns a part of a template with the record's fields; what a field holds is data."""
    return SLOT.sub(lambda slot: _text(record, slot[1]), template)


def _text(record: Record, name: str) -> str:
    """Returns a field as text; choices as lines that begin with ``A.``, ``B.`` …"""
    if name not in record:
        raise ValueError(f"it has no field {name!r}; {nearest(name, record)}")
    value = record[name]
    if name == "choices" and isinstance(value, list):
        pairs = zip(string.ascii_uppercase, value, strict=False)
        return "\n".join(f"{letter}. {choice}" for letter, choice in pairs)
    if not isinstance(value, str | int | float):
        raise ValueError(f"{name} is {shown(value)}; write a text or a number")
    return str(value)
