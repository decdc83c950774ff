"""Corrected rubric of OR: key sentences repeated with their types, a line each."""

import re
from collections.abc import Iterator
from itertools import chain, dropwhile
from typing import Any, NamedTuple

from steadfast.benchmarks.lifbench.expected import TYPE_NAMES
from steadfast.benchmarks.lifbench.rubric.corrected.onedoc import is_alone, origin
from steadfast.benchmarks.lifbench.rubric.corrected.reading import read_value, strings
from steadfast.benchmarks.lifbench.rubric.facts import Marks, OneDocFacts, untagged
from steadfast.benchmarks.lifbench.rubric.text import core, normal

_TYPES = {name.lower(): name for name in TYPE_NAMES}
_BRACKETED = re.compile(r"([^()\[\]]*)[(\[]([^()\[\]]{1,20})[)\]]\W*")
_MARKUP = re.compile(r'<\w+\s+\w+="?$|^"?>')
_MOST = 64  # different rows that may hold a misspelt sentence
TYPE = re.compile("|".join(map(re.escape, TYPE_NAMES)), re.IGNORECASE)
BARE = {name[1:-1].lower(): name for name in TYPE_NAMES}
_LABEL = re.compile(r"\b(?:type|tag|label|category)\b", re.IGNORECASE)


class Row(NamedTuple):
    """A sentence in an answer, with its type."""

    text: str  # the sentence as it is written
    type: str | None  # the one type named with it; None for none, or several
    is_plain: bool  # whether it is a line of sentence, separator and type, and nothing else


def repeat(response: str, facts: OneDocFacts, n: int, separator: str) -> Marks:
    """Marks OR: n lines of a true key sentence, the separator and the sentence's type."""
    lines = lines_of(response, separator, facts)
    rows: list[Row] = []
    plain_rows = 0
    one_row_a_line = True  # in the answer's own lines
    for line in lines:
        line_rows = _rows(line.text, separator, facts)
        one_row_a_line &= line.as_written and len(line_rows) == 1
        for row in line_rows:
            is_plain = row.is_plain and line.as_written
            plain_rows += is_plain
            rows.append(row._replace(is_plain=is_plain))
    one_row_a_line &= bool(rows)
    sentences_of = _sentences(rows, facts)
    named = set(chain.from_iterable(sentences_of.values()))
    hits = sum(map(facts.is_true, named))
    right = set()
    for row, sentences in sentences_of.items():
        for sentence in sentences:
            records = facts.labelled[sentence]
            if row.type in [record["type"] for record in records if not record["fake"]]:
                right.add(sentence)
    # Rows beyond the requested number lower the shares, so that a list of all earns little.
    claimed = max(n, len(rows), len(named))
    has_separator = bool(rows) and separator in response
    plain_share = plain_rows / max(n, len(rows))
    points = {
        "format": 0.5 * one_row_a_line + 0.5 * has_separator + 2 * plain_share,
        "ori": 2 * origin([row.text for row in rows], facts),
        "hit": 2 * min(hits, n) / claimed,
        "num": _number_points(len(rows), n) + _number_points(hits, n),
        "correct": 3 * min(len(right), n) / claimed,
    }
    extracted = {"rows": len(rows), "hits": hits, "fakes": len(named) - hits, "right": len(right)}
    return Marks(points, extracted)


def _number_points(count: int, n: int) -> float:
    """Returns a point for the requested number, and one for being near it."""
    return (count == n) + max(0, 1 - abs(count - n) / n)


def _rows(line: str, separator: str, facts: OneDocFacts) -> list[Row]:
    """Returns the sentences of a line with their types; none in a line of other text."""
    for name in TYPE_NAMES:
        # From its end first: the type stands there, while the sentence may hold anything.
        before = line.removesuffix(name).rstrip()
        text = before.removesuffix(separator).strip()
        if line.endswith(name) and before.endswith(separator):
            is_labelled = normal(text) in facts.labelled
            if is_labelled or not (separator in text or TYPE.search(text)):
                return [Row(text, name, is_labelled or is_alone(text, facts))]
    if not TYPE.search(line):
        if row := _with_bare_type(line, separator):
            return [row]
        if separator not in line and not facts.finder.find(line):
            return []
    return _between_types(line, separator, facts)


def _with_bare_type(line: str, separator: str) -> Row | None:
    """Returns the row of a line that names a type without its signs; None for another line."""
    sentence, _, last = line.rpartition(separator)
    if sentence.strip() and (bare_type := type_of(last)):
        return Row(sentence.strip(), bare_type, False)
    bracketed = _BRACKETED.fullmatch(line)
    if bracketed and (bare_type := type_of(bracketed[2])):
        return Row(_bare(bracketed[1], separator), bare_type, False)
    start, _, sentence = line.partition(":")
    if sentence.strip() and (bare_type := type_of(start)):
        return Row(_bare(sentence, separator), bare_type, False)
    return None


def _between_types(line: str, separator: str, facts: OneDocFacts) -> list[Row]:
    """Returns the texts between a line's types, each with the types that follow it."""
    types = [_TYPES[name.lower()] for name in TYPE.findall(line)]
    texts = [""]
    types_of_text: list[list[str]] = [[]]
    for number, part in enumerate(TYPE.split(line)):
        text = _bare(part, separator)
        # A type before the first text is its type, too.
        if text and texts[-1]:
            texts.append(text)
            types_of_text.append([])
        elif text:
            texts[-1] = text
        types_of_text[-1] += types[number : number + 1]
    rows: list[Row] = []
    for text, named in zip(texts, types_of_text, strict=True):
        # What follows the type and has none of its own is a remark.
        if not rows or named or facts.finder.find(text):
            rows.append(Row(text, named[0] if len(set(named)) == 1 else None, False))
    return rows


def _bare(part: str, separator: str) -> str:
    """Returns what stands between two types, without tags, ids and separators around it."""
    text = untagged(_MARKUP.sub("", part.replace(separator, " ")))
    text = re.sub(r"^-?[0-9]*>|<$", "", text).strip()
    return text if re.search(r"[^\W\d_]", text) else ""


def _sentences(rows: list[Row], facts: OneDocFacts) -> dict[Row, list[str]]:
    """Returns the labelled sentences in each row, or the one that it misspells."""
    by_row: dict[Row, list[str]] = {}
    for number, row in enumerate(dict.fromkeys(rows)):
        by_row[row] = facts.finder.find(row.text)
        if not by_row[row] and number < _MOST:
            near = facts.finder.nearest(untagged(row.text))
            by_row[row] = [near] if near else []
    return by_row


class Line(NamedTuple):
    """A line of an answer, as written or made from several lines or JSON."""

    text: str
    as_written: bool = True


def lines_of(response: str, separator: str, facts: OneDocFacts) -> list[Line]:
    """Returns an answer's lines, or records of JSON, each with its type where that stands apart."""
    lines = list(filter(None, map(str.strip, response.split("\n"))))
    # JSON, which may stand between other lines.
    json_lines = list(dropwhile(lambda line: line[0] not in "[{", lines))
    while json_lines and json_lines[-1][-1] not in "]}":
        json_lines.pop()
    is_value, value = read_value("\n".join(json_lines))
    items = list(_items(value, separator, facts)) if is_value else []
    if any(map(facts.finder.find, items)):
        return [Line(item, False) for item in items]
    types = [_lone_type(line, separator) for line in lines]
    if not any(types):
        return list(map(Line, lines))
    # A type that has a line to itself stands before its sentences, or else after each.
    first = next((i for i, line in enumerate(lines) if facts.finder.find(line)), 0)
    with_types = _under_headings if any(types[:first]) else _with_the_next
    return list(with_types(list(zip(lines, types, strict=True)), separator))


def type_of(text: str) -> str | None:
    """Returns the type that a text is the name of, with its signs or without."""
    return BARE.get(core(text).strip("<>[]#@!|*- "))


def _lone_type(line: str, separator: str) -> str | None:
    """Returns the type that a line has, and no other word."""
    types = set(TYPE.findall(line))
    content = _LABEL.sub("", TYPE.sub("", line).replace(separator, ""))
    return types.pop() if len(types) == 1 and not re.search(r"[^\W\d_]", content) else None


def _under_headings(lines: list[tuple[str, str | None]], separator: str) -> Iterator[Line]:
    """Yields lines, with the type from the heading above appended to each."""
    heading: str | None = None
    unused: str | None = None  # the heading, until a line has it
    # The empty heading at the end has the last one yielded if no line is below it.
    for line, lone_type in [*lines, ("", "")]:
        if lone_type is None:
            typed = heading and not TYPE.search(line)
            yield Line(f"{line} {separator} {heading}", False) if typed else Line(line)
            unused = None
            continue
        if unused:
            yield Line(unused)
        heading = unused = lone_type


def _with_the_next(lines: list[tuple[str, str | None]], separator: str) -> Iterator[Line]:
    """Yields lines, with the type from the next line appended to each; separators go."""
    untyped: str | None = None  # the line that waits for its type
    for line, lone_type in lines:
        if untyped is not None and lone_type:
            yield Line(f"{untyped} {separator} {lone_type}", False)
            untyped = None
        elif untyped is None or line != separator:
            if untyped is not None:
                yield Line(untyped)
            untyped = None if lone_type or TYPE.search(line) else line
            if untyped is None:
                yield Line(line)
    if untyped is not None:
        yield Line(untyped)


def _items(value: Any, separator: str, facts: OneDocFacts) -> Iterator[str]:
    """Yields a line for each sentence in a JSON value, its type at the end."""
    parts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(parts, list):
        yield from strings(value)
    elif isinstance(value, dict) and any(map(type_of, value)):
        for key, texts in value.items():
            for text in strings(texts):
                yield f"{text} {separator} {type_of(key) or key}"
    elif isinstance(value, dict) and any(map(facts.finder.find, value)):
        for key, named in value.items():
            yield f"{key} {separator} {' '.join(strings(named))}"
    elif sum(isinstance(part, str) and bool(type_of(part)) for part in parts) == 1:
        texts = sorted(strings(parts), key=lambda text: bool(type_of(text)))
        yield f" {separator} ".join(texts)
    else:
        for part in parts:
            yield from _items(part, separator, facts)
