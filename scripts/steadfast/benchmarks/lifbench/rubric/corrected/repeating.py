"""Corrected rubric of OR: key sentences repeated with their types, a line each."""

import re
from typing import NamedTuple

from steadfast.benchmarks.lifbench.gold import TYPE_NAMES
from steadfast.benchmarks.lifbench.rubric.corrected.onedoc import origin
from steadfast.benchmarks.lifbench.rubric.corrected.sentence_lines import TYPE, lines_of, type_of
from steadfast.benchmarks.lifbench.rubric.facts import OneDocFacts, untagged
from steadfast.benchmarks.lifbench.rubric.marks import Marks
from steadfast.benchmarks.lifbench.rubric.text import core, normal

_TYPES = {name.lower(): name for name in TYPE_NAMES}
_BRACKETED = re.compile(r"([^()\[\]]*)[(\[]([^()\[\]]{1,20})[)\]]\W*")
_MARKUP = re.compile(r'<\w+\s+\w+="?$|^"?>')
_MOST = 64  # different rows that may hold a slip of a sentence


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
    rows = [row for found in of_lines for row in found]
    meant = _meant(rows, facts)
    named = {sentence for sentences in meant.values() for sentence in sentences}
    hits = sum(facts.is_true(sentence) for sentence in named)
    right = len({s for row, found in meant.items() for s in found if _is_right(s, row, facts)})
    claimed = max(n, len(rows), len(named))
    apart = bool(rows) and all(len(found) == 1 for found in of_lines)
    apart &= all(line.as_written for line in lines)
    plain = sum(row.is_plain for row in rows) / max(n, len(rows))
    points = {
        "format": 0.5 * apart + 0.5 * (bool(rows) and separator in response) + 2 * plain,
        "ori": 2 * origin([row.text for row in rows], facts),
        "hit": 2 * min(hits, n) / claimed,
        "num": _number(len(rows), n) + _number(hits, n),
        "correct": 3 * min(right, n) / claimed,
    }
    read = {"rows": len(rows), "hits": hits, "fakes": len(named) - hits, "right": right}
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
            known = normal(text) in facts.labelled
            if known or not (separator in text or TYPE.search(text)):
                return [Row(text, name, known or _alone(text, facts))]
    texts, types = TYPE.split(line), [_TYPES[name.lower()] for name in TYPE.findall(line)]
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


def _alone(text: str, facts: OneDocFacts) -> bool:
    """Tells whether a text is a sentence without tags, or other words around it."""
    found = facts.finder.find(text)
    return text == untagged(text) and (not found or core(text) in map(core, found))


def _bare(part: str, separator: str) -> str:
    """Returns what stands between two types, without tags, ids and separators around it."""
    text = untagged(_MARKUP.sub("", part.replace(separator, " ")))
    text = re.sub(r"^-?[0-9]*>|<$", "", text).strip()
    return text if re.search(r"[^\W\d_]", text) else ""


def _meant(rows: list[Row], facts: OneDocFacts) -> dict[Row, list[str]]:
    """Returns the labelled sentences in each row, or the one of which it is a slip."""
    found: dict[Row, list[str]] = {}
    for number, row in enumerate(dict.fromkeys(rows)):
        found[row] = facts.finder.find(row.text)
        if not found[row] and number < _MOST:
            near = facts.finder.nearest(untagged(row.text))
            found[row] = [near] if near else []
    return found


def _is_right(sentence: str, row: Row, facts: OneDocFacts) -> bool:
    """Tells whether a sentence is a true key sentence of the type that is named with it."""
    return any(s["type"] == row.type and not s["fake"] for s in facts.labelled[sentence])
