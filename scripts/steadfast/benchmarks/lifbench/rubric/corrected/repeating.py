"""Corrected rubric of OR: key sentences repeated with their types, a line each."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from steadfast.benchmarks.lifbench.expected import TYPE_NAMES
from steadfast.benchmarks.lifbench.rubric.corrected.onedoc import is_alone, origin
from steadfast.benchmarks.lifbench.rubric.corrected.reading import read_value, strings
from steadfast.benchmarks.lifbench.rubric.facts import Marks, OneDocFacts, untagged
from steadfast.benchmarks.lifbench.rubric.text import core, normal

_TYPES = {name.lower(): name for name in TYPE_NAMES}
_BRACKETED = re.compile(r"([^()\[\]]*)[(\[]([^()\[\]]{1,20})[)\]]\W*")
_MARKUP = re.compile(r'<\w+\s+\w+="?$|^"?>')
_MOST = 64  # different rows that may hold a slip of a sentence
TYPE = re.compile("|".join(map(re.escape, TYPE_NAMES)), re.IGNORECASE)
BARE = {name[1:-1].lower(): name for name in TYPE_NAMES}
_LABEL = re.compile(r"\b(?:type|tag|label|category)\b", re.IGNORECASE)


class Row(NamedTuple):
    """A sentence in an answer, and what stands with it."""

    text: str  # the sentence as it is written
    type: str | None  # the one type named with it; None for none, or several
    is_plain: bool  # whether it is a line of sentence, separator and type, and nothing else


def repeat(response: str, facts: OneDocFacts, n: int, separator: str) -> Marks:
    """Marks OR: n lines of a true key sentence, the separator and the sentence's type."""
    lines = lines_of(response, separator, facts)
    of_lines = [
        [
            row._replace(is_plain=row.is_plain and as_written)
            for row in _rows(line, separator, facts)
        ]
        for line, as_written in lines
    ]
    rows = [row for line_rows in of_lines for row in line_rows]
    meant = _meant(rows, facts)
    named = {sentence for sentences in meant.values() for sentence in sentences}
    hits = sum(facts.is_true(sentence) for sentence in named)
    right = {
        sentence
        for row, places in meant.items()
        for sentence in places
        if any(s["type"] == row.type and not s["fake"] for s in facts.labelled[sentence])
    }
    claimed = max(n, len(rows), len(named))
    apart = bool(rows) and all(len(line_rows) == 1 for line_rows in of_lines)
    apart &= all(line.as_written for line in lines)
    plain = sum(row.is_plain for row in rows) / max(n, len(rows))
    points = {
        "format": 0.5 * apart + 0.5 * (bool(rows) and separator in response) + 2 * plain,
        "ori": 2 * origin([row.text for row in rows], facts),
        "hit": 2 * min(hits, n) / claimed,
        "num": _number(len(rows), n) + _number(hits, n),
        "correct": 3 * min(len(right), n) / claimed,
    }
    read = {"rows": len(rows), "hits": hits, "fakes": len(named) - hits, "right": len(right)}
    return Marks(points, read)


def _number(given: int, n: int) -> float:
    """Returns a point for the number that was asked for, and one for being near it."""
    return (given == n) + max(0, 1 - abs(given - n) / n)


def _rows(line: str, separator: str, facts: OneDocFacts) -> list[Row]:
    """Returns the sentences of a line with their types; none in a line of other text."""
    for name in TYPE_NAMES:
        # From its end first: there the type stands, while the sentence may hold anything.
        before = line.removesuffix(name).rstrip()
        text = before.removesuffix(separator).strip()
        if line.endswith(name) and before.endswith(separator):
            is_labelled = normal(text) in facts.labelled
            if is_labelled or not (separator in text or TYPE.search(text)):
                return [Row(text, name, is_labelled or is_alone(text, facts))]
    texts = TYPE.split(line)
    types = [_TYPES[name.lower()] for name in TYPE.findall(line)]
    sentence, _, last = line.rpartition(separator)
    if not types and sentence.strip() and (named := type_of(last)):
        return [Row(sentence.strip(), named, False)]
    if not types and (match := _BRACKETED.fullmatch(line)) and (named := type_of(match[2])):
        return [Row(_bare(match[1], separator), named, False)]
    start, _, sentence = line.partition(":")
    if not types and sentence.strip() and (named := type_of(start)):
        return [Row(_bare(sentence, separator), named, False)]
    if not types and separator not in line and not facts.finder.find(line):
        return []
    rows: list[tuple[str, list[str]]] = [("", [])]
    for number, part in enumerate(texts):
        text = _bare(part, separator)
        if text and rows[-1][0]:
            rows.append((text, []))
        elif text:
            rows[-1] = (text, rows[-1][1])
        rows[-1][1].extend(types[number : number + 1])
    # What follows the type and has none of its own is a remark.
    rows = [row for row in rows if row is rows[0] or row[1] or facts.finder.find(row[0])]
    return [Row(text, named[0] if len(set(named)) == 1 else None, False) for text, named in rows]


def _bare(part: str, separator: str) -> str:
    """Returns what stands between two types, without tags, ids and separators around it."""
    text = untagged(_MARKUP.sub("", part.replace(separator, " ")))
    text = re.sub(r"^-?[0-9]*>|<$", "", text).strip()
    return text if re.search(r"[^\W\d_]", text) else ""


def _meant(rows: list[Row], facts: OneDocFacts) -> dict[Row, list[str]]:
    """Returns the labelled sentences in each row, or the one of which it is a slip."""
    by_row: dict[Row, list[str]] = {}
    for number, row in enumerate(dict.fromkeys(rows)):
        by_row[row] = facts.finder.find(row.text)
        if not by_row[row] and number < _MOST:
            near = facts.finder.nearest(untagged(row.text))
            by_row[row] = [near] if near else []
    return by_row


class Line(NamedTuple):
    """A line, and whether the answer has it so."""

    text: str
    as_written: bool = True


def lines_of(response: str, separator: str, facts: OneDocFacts) -> list[Line]:
    """Returns the lines (or records of JSON) that hold a sentence and its type each, or else."""
    lines = [line.strip() for line in response.split("\n") if line.strip()]
    starts = [at for at, line in enumerate(lines) if line[0] in "[{"]
    ends = [at for at, line in enumerate(lines, start=1) if line[-1] in "]}"]
    if starts and ends:
        is_value, value = read_value("\n".join(lines[starts[0] : ends[-1]]))
        items = list(_items(value, separator, facts)) if is_value else []
        if any(map(facts.finder.find, items)):
            return [Line(item, False) for item in items]
    types = [_lone_type(line, separator) for line in lines]
    if not any(types):
        return list(map(Line, lines))
    first = next((at for at, line in enumerate(lines) if facts.finder.find(line)), 0)
    joined = _under_headings if any(types[:first]) else _with_the_next
    return list(joined([*zip(lines, types, strict=True)], separator))


def type_of(text: str) -> str | None:
    """Returns the type that a text is the name of, with its signs or without."""
    return BARE.get(core(text).strip("<>[]#@!|*- "))


def _lone_type(line: str, separator: str) -> str | None:
    """Returns the type that a line has, and no other word."""
    types = set(TYPE.findall(line))
    content = _LABEL.sub("", TYPE.sub("", line).replace(separator, ""))
    return types.pop() if len(types) == 1 and not re.search(r"[^\W\d_]", content) else None


def _under_headings(lines: list[tuple[str, str | None]], separator: str) -> Iterator[Line]:
    heading = None
    used = True
    for line, lone in [*lines, ("", "")]:
        if lone is None:
            typed = heading and not TYPE.search(line)
            yield Line(f"{line} {separator} {heading}", False) if typed else Line(line)
            used = True
            continue
        if heading and not used:
            yield Line(heading)
        heading = lone
        used = False


def _with_the_next(lines: list[tuple[str, str | None]], separator: str) -> Iterator[Line]:
    held: str | None = None
    for line, lone in lines:
        if held is not None and lone:
            yield Line(f"{held} {separator} {lone}", False)
            held = None
        elif held is None or line != separator:
            if held is not None:
                yield Line(held)
            held = None if lone or TYPE.search(line) else line
            if held is None:
                yield Line(line)
    if held is not None:
        yield Line(held)


def _items(value: Any, separator: str, facts: OneDocFacts) -> Iterator[str]:
    """Yields what a JSON value says of each sentence, its type at the end."""
    parts = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(parts, list):
        yield from strings(value)
    elif isinstance(value, dict) and any(type_of(key) for key in value):
        for key, texts in value.items():
            yield from (f"{text} {separator} {type_of(key) or key}" for text in strings(texts))
    elif isinstance(value, dict) and any(map(facts.finder.find, value)):
        for key, named in value.items():
            yield f"{key} {separator} {' '.join(strings(named))}"
    elif sum(isinstance(part, str) and bool(type_of(part)) for part in parts) == 1:
        texts = sorted(strings(parts), key=lambda text: bool(type_of(text)))
        yield f" {separator} ".join(texts)
    else:
        for part in parts:
            yield from _items(part, separator, facts)
