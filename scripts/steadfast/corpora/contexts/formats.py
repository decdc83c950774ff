"""The formats in which the same content of a context is shown: numbered, bulleted, JSON."""

import json
from collections.abc import Callable, Mapping, Sequence

from steadfast.base.files import Record
from steadfast.base.tokens import Tokenizer

NUMBERED = "numbered"
FORMATS = (NUMBERED, "bulleted", "json")
STARS = "*" * 20


def show_list(elements: Sequence[str], format: str = NUMBERED) -> str:
    """Returns the elements of a list, the first on the first line.

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
    """Returns documents by their fields, each under its name, from doc-1 on."""
    shown = (show_document(number, of, format) for number, of in enumerate(documents, start=1))
    return "{" + ",\n\n".join(shown) + "}" if format == "json" else "\n\n".join(shown)


def show_document(number: int, fields: Mapping[str, str], format: str = NUMBERED) -> str:
    """Returns one document and its name."""
    match format:
        case "json":
            return f'"doc-{number}": {_json(fields)}'
        case "bulleted":
            lines = (f"  - {field}: {value}" for field, value in fields.items())
            return "\n".join((f"- doc-{number}", *lines))
        case _:
            lines = (f"{field}: {value}" for field, value in fields.items())
            return "\n".join((f"{STARS} doc-{number} {STARS}", *lines))


CONTENT: Mapping[str, tuple[str, Callable[..., str]]] = {
    "list": ("elements", show_list),
    "multidoc": ("documents", show_documents),
}
"""Of each scenario with formats, the field of a context's record that they show, and how."""


def formats_of(scenario: str, formats: Sequence[str]) -> list[str]:
    """Returns those of the formats in which a scenario is shown; a running text has one."""
    return list(formats) if scenario in CONTENT else [NUMBERED]


def in_format(context: Record, format: str) -> Record:
    """Returns a context's record with its text and tokens in a format that it was made for."""
    if format == NUMBERED:
        return context
    content, show = CONTENT[context["scenario"]]
    tokens = context["format_tokens"][format]
    return {**context, "text": show(context[content], format), "tokens": tokens}


def token_counts(
    scenario: str, content: Sequence[object], formats: Sequence[str], tokenizer: Tokenizer
) -> dict[str, int]:
    """Returns the tokens of a content's text in the numbered format and in each of the formats."""
    show = CONTENT[scenario][1]
    wanted = dict.fromkeys((NUMBERED, *formats))
    return {format: tokenizer.count(show(content, format)) for format in wanted}


def token_fields(counts: Mapping[str, int]) -> Record:
    """Returns a context's ``tokens``, as numbered, and ``format_tokens`` of several formats."""
    whole: Record = {"tokens": counts[NUMBERED]}
    return whole | ({"format_tokens": dict(counts)} if len(counts) > 1 else {})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
