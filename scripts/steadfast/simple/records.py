"""The records of a data set's file as instances, each line checked."""

import json
import math
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl, read_jsonl_with_positions
from steadfast.base.names import quoted, suggestion
from steadfast.contract.judge_template import SLOT
from steadfast.simple.instance import TEMPLATE, Instance

# Fields with a meaning; others are for the template, for ``by`` and for a judge's template.
KNOWN = ("id", "prompt", "context", "choices", "group", "answer", "reference")
# Their slots in a template.
CONTEXT = "{{context}}"
PROMPT = "{{prompt}}"
CHOICES = "{{choices}}"
# The field that names the contexts a record is about, where they are another benchmark's.
SCENARIO = "scenario"
PATH = re.compile(r"\{\{(\w+(?:\.[^{}.\s]+)+)\}\}")
PLACE = re.compile(r"(?P<number>-?[0-9]{1,9})|(?P<share>[0-9]{1,3})%(?P<further>[+-][0-9]{1,9})?")
LIKE = 0.8  # similarity from which an unused field is taken for a misspelt known one
MOST_CHOICES = len(string.ascii_uppercase)


def instances(
    part: str, inputs: Mapping[str, Path] | None = None, **settings: Any
) -> Iterator[Instance]:
    """Yields the instances of a file; with ``inputs`` (files of contexts by name), one for each
    context of a record's ``scenario``."""
    contexts = {name: list(read_jsonl(path)) for name, path in (inputs or {}).items()}
    return (instance for _, instance in located_instances(**settings, contexts=contexts))


def located_instances(
    path: str,
    template: str | Sequence[str] | None,
    choices: bool,
    by: Sequence[str],
    fields: Sequence[str],
    max_tokens: int,
    contexts: Mapping[str, Sequence[Record]] | None = None,
) -> Iterator[tuple[str, Instance]]:
    """Yields each record's file and line, and its instance.

    ``choices`` says whether records have choices, ``fields`` are those of a judge's template; the
    others are keys of ``datasets.DataSet``.

    Raises:
        UserError: a line is no such record; the sentence names file and line.
    """
    templates = [template] if template is None or isinstance(template, str) else template
    slots = SLOT.findall("".join(form or "" for form in templates))
    used = {*KNOWN, *slots, *by, *fields, *([SCENARIO] if contexts else [])}
    scored_fields = [*fields, "choices"] if choices else fields
    lines: dict[str, int] = {}
    for number, record in _about(contexts, path) if contexts else _records(path):
        try:
            _check(record, choices, used)
            name = str(record.get("id", number))
            if (first := lines.setdefault(name, number)) != number:
                raise ValueError(f"duplicate id {quoted(name)}, also in line {first}; change one")
            for paraphrase, template in enumerate(templates, start=1):
                form = _default(record, choices) if template is None else template
                before, context, prompt = _texts(record, form)
                instance = Instance(
                    id=name,
                    before=before,
                    context=context,
                    prompt=prompt,
                    answer=record.get("answer"),
                    reference=record.get("reference", ""),
                    group=str(record.get("group", "")),
                    by={field: _printable(record, field) for field in by},
                    fields={field: record.get(field) for field in scored_fields},
                    max_tokens=max_tokens,
                )
                if len(templates) > 1:  # the record, its group or context, is what is sampled
                    instance = replace(
                        instance,
                        id=f"{name}/t{paraphrase}",
                        group=instance.cluster,
                        by={**instance.by, TEMPLATE: str(paraphrase)},
                    )
                yield f"{path}:{number}", instance
        except ValueError as error:
            raise UserError(f"{path}:{number}: {error}") from None


def _texts(record: Record, template: str) -> tuple[str, str, str]:
    """Returns what precedes the context of a record, the context, and what follows it."""
    before, slot, behind = template.rpartition(CONTEXT)
    if record.get("context") and not slot:
        raise ValueError(
            "the record has a context and the template no {{context}}; add it to the template"
        )
    context = _text(record, "context") if slot else ""
    return _filled(before, record), context, _filled(behind, record)


def _records(path: str) -> Iterator[tuple[int, Record]]:
    return ((number, record) for number, _, record in read_jsonl_with_positions(path))


def _about(contexts: Mapping[str, Sequence[Record]], path: str) -> Iterator[tuple[int, Record]]:
    """Yields each record once for each context of its scenario, with its slots filled."""
    for number, record in _records(path):
        scenario = record.get(SCENARIO)
        if not isinstance(scenario, str) or scenario not in contexts:
            raise UserError(
                f"{path}:{number}: {SCENARIO} is {quoted(scenario)}; write one of "
                f"{', '.join(contexts)}"
            )
        for context in contexts[scenario]:
            try:
                about = {key: fill_slots(value, context) for key, value in record.items()}
            except ValueError as error:
                raise UserError(f"{path}:{number}: {error}") from None
            name = f"{record.get('id', number)}-{context['context_id']}"
            # The lengths of a family of nested contexts are repeated measures of one question.
            group = {"group": context["family"]} if "family" in context else {}
            yield number, {**group, **about, "id": name, "context": context["text"]}


def fill_slots(value: Any, context: Record) -> Any:
    """Returns a field of a record with its slots filled from a context.

    A slot is a path into the context's record. A list's entries are counted from 1, from the end
    by -1, or by their share of the list; ``number`` behind one is its number.

    >>> context = {"context_id": "c", "elements": ["a", "b", "c", "d"]}
    >>> fill_slots("{{elements.2}} {{elements.-1}} {{elements.50%}} {{elements.50%+1}}", context)
    'b d b c'
    >>> fill_slots(["{{elements.75%.number}}"], context)
    ['3']
    """
    if isinstance(value, list):
        return [fill_slots(item, context) for item in value]
    if not isinstance(value, str):
        return value
    return PATH.sub(lambda slot: _looked_up(slot[1], context), value)


def _looked_up(path: str, context: Record) -> str:
    value = context
    number = None
    for step in path.split("."):
        if isinstance(value, list) and (place := PLACE.fullmatch(step)):
            number = _number(place, len(value))
            if not 1 <= number <= len(value):
                raise ValueError(
                    f"{{{{{path}}}}}: context {context['context_id']} has {len(value)} there, and "
                    f"no number {number}; name one that each context has"
                )
            value = value[number - 1]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        elif step == "number" and number is not None:
            value = number
        else:
            names = ", ".join(value) if isinstance(value, dict) else "numbers from 1, -1 or 50%"
            raise ValueError(f"{{{{{path}}}}}: there is no {quoted(step)}; it has {names}")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _number(place: re.Match[str], size: int) -> int:
    if place["share"]:
        return math.ceil(int(place["share"]) * size / 100) + int(place["further"] or 0)
    number = int(place["number"])
    return number if number >= 0 else size + 1 + number


def _default(record: Record, choices: bool) -> str:
    above = f"{CONTEXT}\n\n" if record.get("context") else ""
    return above + PROMPT + (f"\n{CHOICES}" if choices else "")


def _check(record: Record, choices: bool, used: set[str]) -> None:
    try:
        json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise ValueError(
            "a string has half a Unicode character (a lone surrogate); correct it"
        ) from None
    for name in record.keys() - used:
        if meant := get_close_matches(name, [*{*KNOWN} - record.keys()], 1, LIKE):
            raise ValueError(
                f"unknown field {quoted(name)}; did you mean {meant[0]!r}? Rename or remove it"
            )
    for name in ("prompt", "context", "reference"):
        if not isinstance(record.get(name, ""), str):
            raise ValueError(f"{name} is {quoted(record[name])}; write a string")
    for name in ("id", "group"):
        if not isinstance(record.get(name, ""), str | int):
            raise ValueError(f"{name} is {quoted(record[name])}; write a string or an integer")
    listed = record.get("choices")
    if choices and not (
        isinstance(listed, list) and 2 <= len(listed) == len({*map(str, listed)}) <= MOST_CHOICES
    ):
        raise ValueError(
            f"choices must be a list of 2 to {MOST_CHOICES} different strings; correct it"
        )


def _filled(template: str, record: Record) -> str:
    """Returns a part of a template with the record's fields; what a field holds is data."""
    return SLOT.sub(lambda slot: _text(record, slot[1]), template)


def _printable(record: Record, name: str) -> str:
    text = _text(record, name)
    if not text.isprintable():
        raise ValueError(
            f"{name} is {quoted(text)}, whose characters tables cannot print; correct it"
        )
    return text


def _text(record: Record, name: str) -> str:
    """Returns a field as text; choices as lines that begin with ``A.``, ``B.`` …"""
    if name not in record:
        raise ValueError(f"no field {name!r}; {suggestion(name, record)}")
    value = record[name]
    if name == "choices" and isinstance(value, list):
        pairs = zip(string.ascii_uppercase, value, strict=False)
        return "\n".join(f"{letter}. {choice}" for letter, choice in pairs)
    if not isinstance(value, str | int | float):
        raise ValueError(f"{name} is {quoted(value)}; write a string or a number")
    return str(value)
