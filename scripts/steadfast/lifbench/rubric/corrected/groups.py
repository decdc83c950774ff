"""Groups of documents in an MF answer: lists of lists, one a line, however they are spaced."""

import re
from typing import Any, NamedTuple

from steadfast.lifbench.rubric.corrected.reading import strict_json
from steadfast.lifbench.rubric.parsing import as_text
from steadfast.lifbench.rubric.text import normal
from steadfast.literals import parse_literal

Row = tuple[str | None, ...]
Group = list[Row]

# A bracket, or a string that may hold some; an unclosed string ends with its line.
_TOKEN = re.compile(r"""[\[\]]|"(?:[^"\\\n]|\\.)*"?|(?<=[\[, ])'(?:[^'\\\n]|\\.)*'(?=\s*[\],])""")
_NONE = re.compile(r'"(?:[^"\\\n]|\\.)*"?|\bNone\b')


class Part(NamedTuple):
    """A bracketed part of an answer.

    Attributes:
        is_json: whether it is JSON, ``None`` being let pass.
        value: what it says; None where it cannot be read.
        is_cut: whether its end is missing, and it was read as far as its last inner list.
    """

    is_json: bool
    value: Any
    is_cut: bool = False

    @property
    def is_group(self) -> bool:
        """Whether it is a list of lists, and these hold no lists again."""
        return _is_lists(self.value) and not any(map(_is_lists, self.value))


def parts_of(line: str) -> list[Part]:
    """The parts of a line from a ``[`` to the ``]`` that closes it, brackets in strings apart."""
    parts, position = [], 0
    while (start := line.find("[", position)) >= 0:
        depth, inner = 0, start
        for token in _TOKEN.finditer(line, start):
            depth += (token[0] == "[") - (token[0] == "]")
            if depth == 1 and token[0] == "]":
                inner = token.end()
            if depth == 0:
                position = token.end()
                parts.append(_read(line[start:position]))
                break
        else:
            if inner > start:
                parts.append(Part(False, _read(line[start:inner] + "]").value, is_cut=True))
            break
    return parts


def _read(text: str) -> Part:
    """A bracketed part read as JSON with null or None, else as a Python literal."""
    json_text = text
    if "None" in text:
        json_text = _NONE.sub(lambda match: "null" if match[0] == "None" else match[0], text)
    is_json, value = strict_json(json_text)
    if not is_json and "'" in text:
        _, value = parse_literal(text)
    return Part(is_json, value)


def groups_of(response: str, lines: list[list[Part]]) -> list[Group]:
    """The groups of documents that an answer gives, each document as its entries.

    Read are lists of lists, one after another or together in one more list. Lists that are in no
    other, and hold none, make a group with those of their line.

    Args:
        response: the answer.
        lines: the parts of each of its lines.
    """
    value = _read(response).value if len(lines) > 1 and response[0] == "[" else None
    if isinstance(value, list):
        return _groups([value])
    return [group for parts in lines for group in _groups([part.value for part in parts])]


def _groups(values: list[Any]) -> list[Group]:
    groups, rows = [], []
    for value in values:
        if not _is_lists(value):
            rows.append(value)
        elif all(map(_is_lists, value)):
            groups += value
        else:
            groups.append(value)
    found = [[_row(entries) for entries in group if entries] for group in [*groups, rows]]
    return [group for group in found if group]


def _is_lists(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, list) for v in value)


def _row(entries: Any) -> Row:
    return tuple(map(as_entry, entries)) if isinstance(entries, list) else (as_entry(entries),)


def as_entry(value: Any) -> str | None:
    """A field's value as it is compared; null, None and these words as text are None."""
    if value is None:
        return None
    text = normal(as_text(value) or "")
    return None if text in ("None", "null") else text
