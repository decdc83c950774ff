"""The lines of an OR answer: as they are, or with what another form has put elsewhere."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from steadfast.benchmarks.lifbench.gold import TYPE_NAMES
from steadfast.benchmarks.lifbench.rubric.corrected.reading import read_value, strings
from steadfast.benchmarks.lifbench.rubric.facts import OneDocFacts
from steadfast.benchmarks.lifbench.rubric.text import core

TYPE = re.compile("|".join(map(re.escape, TYPE_NAMES)), re.IGNORECASE)
BARE = {name[1:-1].lower(): name for name in TYPE_NAMES}
_LABEL = re.compile(r"\b(?:type|tag|label|category)\b", re.IGNORECASE)


class Line(NamedTuple):
    """A line, and whether the answer has it so."""

    text: str
    as_written: bool = True


def lines_of(response: str, separator: str, facts: OneDocFacts) -> list[Line]:
    """Returns the lines of an answer that hold a sentence and its type each, or anything else.

    Of JSON each record is a line. A type in a line of its own goes with the sentence before it, or
    with all up to the next type if it is a heading.
    """
    lines = [line.strip() for line in response.split("\n") if line.strip()]
    starts = [at for at, line in enumerate(lines) if line[0] in "[{"]
    ends = [at for at, line in enumerate(lines, start=1) if line[-1] in "]}"]
    if starts and ends:
        known, value = read_value("\n".join(lines[starts[0] : ends[-1]]))
        items = list(_items(value, separator, facts)) if known else []
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
    types, rest = set(TYPE.findall(line)), _LABEL.sub("", TYPE.sub("", line).replace(separator, ""))
    return types.pop() if len(types) == 1 and not re.search(r"[^\W\d_]", rest) else None


def _under_headings(lines: list[tuple[str, str | None]], separator: str) -> Iterator[Line]:
    heading, used = None, True
    for line, lone in [*lines, ("", "")]:
        if lone is None:
            typed = heading and not TYPE.search(line)
            yield Line(f"{line} {separator} {heading}", False) if typed else Line(line)
            used = True
            continue
        if heading and not used:
            yield Line(heading)
        heading, used = lone, False


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
