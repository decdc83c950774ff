"""The formats of a context's content: numbered, bulleted, JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from steadfast.base.files import Record
from steadfast.base.tokens import Tokenizer
from steadfast.corpora.contexts.filling import fill

NUMBERED = "numbered"
FORMATS = (NUMBERED, "bulleted", "json")
STARS = "*" * 20


def show_list(elements: Sequence[str], format: str = NUMBERED) -> str:
    """The elements of a list in a format, each on its own line.

    >>> show_list(["a", 'b "c"'], "json")
    '["a",\\n"b \\\\"c\\\\""]'
    """
    match format:
        case "json":
            return "[" + ",\n".join(map(_json, elements)) + "]"
        case "bulleted":
            return "\n".join(f"- {element}" for element in elements)
        case _:
            return "\n".join(f"{number}. {text}" for number, text in enumerate(elements, start=1))


def show_documents(documents: Sequence[Mapping[str, str]], format: str = NUMBERED) -> str:
    """Documents in a format, each with its name and fields, from doc-1 on."""
    numbered = enumerate(documents, start=1)
    texts = [show_document(number, document, format) for number, document in numbered]
    return "{" + ",\n\n".join(texts) + "}" if format == "json" else "\n\n".join(texts)


def show_document(number: int, fields: Mapping[str, str], format: str = NUMBERED) -> str:
    """One document with its name."""
    if format == "json":
        return f'"doc-{number}": {_json(fields)}'
    bulleted = format == "bulleted"
    lines = [f"- doc-{number}" if bulleted else f"{STARS} doc-{number} {STARS}"]
    for field, value in fields.items():
        lines.append(f"  - {field}: {value}" if bulleted else f"{field}: {value}")
    return "\n".join(lines)


# By scenario: the field of a context's record that is shown in formats, and the function.
CONTENT: Mapping[str, tuple[str, Callable[..., str]]] = {
    "list": ("elements", show_list),
    "multidoc": ("documents", show_documents),
}


def formats_of(scenario: str, formats: Sequence[str]) -> list[str]:
    """The formats that apply to a scenario; a running text has only one."""
    return list(formats) if scenario in CONTENT else [NUMBERED]


def in_format(context: Record, format: str) -> Record:
    """A context's record with its text and tokens in one of its formats."""
    if format == NUMBERED:
        return context
    content, show = CONTENT[context["scenario"]]
    tokens = context["format_tokens"][format]
    return {**context, "text": show(context[content], format), "tokens": tokens}


def fill_formats(
    scenario: str,
    content: Callable[[int], Sequence[object]],
    sizes: list[int],
    budget: int,
    formats: Sequence[str],
    tokenizer: Tokenizer,
) -> tuple[int, Record] | None:
    """The number of units that fits into a budget in all formats, and the fields of their tokens:
    ``tokens`` (as numbered), and ``format_tokens`` if there are several formats.

    ``content`` returns that of so many units, ``sizes`` are estimates; None: all fit
    (``filling.fill``).
    """
    show = CONTENT[scenario][1]

    @cache
    def counts(units: int) -> dict[str, int]:
        parts = content(units)
        names = dict.fromkeys((NUMBERED, *formats))
        return {name: tokenizer.count(show(parts, name)) for name in names}

    filled = fill(sizes, budget, lambda units: max(counts(units).values()))
    if filled is None:
        return None
    tokens = counts(filled.units)
    record: Record = {"tokens": tokens[NUMBERED]}
    if len(tokens) > 1:
        record["format_tokens"] = tokens
    return filled.units, record


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
