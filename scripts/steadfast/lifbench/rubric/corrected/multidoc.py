"""Corrected rubric of the MultiDoc scenario: MB (label documents) and MF (find duplicates)."""

import re
from itertools import pairwise

from steadfast.files import Record
from steadfast.lifbench.rubric.corrected.groups import (
    Group,
    Part,
    Row,
    as_entry,
    groups_of,
    parts_of,
)
from steadfast.lifbench.rubric.corrected.reading import found_json
from steadfast.lifbench.rubric.facts import MultiDocFacts
from steadfast.lifbench.rubric.marks import Marks
from steadfast.lifbench.rubric.pairs import agreement
from steadfast.lifbench.rubric.text import Finder, normal

_NAME = re.compile(r"doc(?:ument)?[ _-]?([0-9]{1,9})(?![0-9])", re.IGNORECASE)


def label_documents(
    response: str, facts: MultiDocFacts, labels: list[str], candidates: list[str]
) -> Marks:
    """MB: the answer is a JSON object from doc1, doc2 … to the labels, out of the candidates."""
    labels, candidates = list(map(normal, labels)), list(map(normal, candidates))
    n = len(labels)
    form, given = _json_labels(response)
    pairs = given.items() if isinstance(given, dict) else ()
    names = {name for name, _ in pairs}
    by_number = {
        int(match[1]): normal(label) if isinstance(label, str) else ""
        for name, label in pairs
        if (match := _NAME.fullmatch(name.strip()))
    }
    size = len(given or ())
    if not by_number:
        names, by_number = _text_labels(response, candidates)
        size = size if isinstance(given, list) else len(by_number)
    form += 2 * sum(f"doc{number}" in names for number in range(1, n + 1)) / n
    right = sum(by_number.get(number) == label for number, label in enumerate(labels, start=1))
    known = sum(label in candidates for label in by_number.values())
    points = {
        "num_doc": 2.5 * max(0, 1 - abs(size - n) / n) + 0.5 * (size == n),
        "format": form,
        "logit_correct": 3 * right / n,
        "candi_ori": 3 * known / max(n, size, len(by_number)),
    }
    return Marks(points, {"size": size, "right": right})


def _json_labels(response: str) -> tuple[float, Record | list[object] | None]:
    """Format points for JSON, and the object, or the list, that it is."""
    whole, is_json, value = found_json(response, "{")
    form = 2.0 * whole or 1.0 * is_json
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return form, {name: label for item in value for name, label in item.items()}
    if isinstance(value, dict):
        return form + bool(value), value
    return form, value if isinstance(value, list) else None


def _text_labels(response: str, candidates: list[str]) -> tuple[set[str], dict[int, str]]:
    """Documents' names in a text, and the first candidate that stands between each and the next."""
    finder = Finder(candidates)
    matches = list(_NAME.finditer(response))
    ends = [following.start() for _, following in pairwise(matches)] + [len(response)]
    labels = {
        int(match[1]): next(iter(finder.find(normal(response[match.end() : end]))), "")
        for match, end in zip(matches, ends, strict=False)
    }
    return {match[0] for match in matches}, labels


def find_duplicates(
    response: str, facts: MultiDocFacts, gold: list[list[Record]], keys: list[str]
) -> Marks:
    """MF: the answer is a line per group of duplicates, a list of lists of the asked fields.

    Args:
        response: stripped, not empty.
        facts: the documents.
        gold: the groups, each document as the asked fields in order (a missing one is None).
        keys: the asked fields, in order.
    """
    lines = list(map(parts_of, response.split("\n")))
    groups = groups_of(response, lines)
    expected = [[tuple(map(as_entry, d.values())) for d in group] for group in gold]
    n, m = len(expected), len(groups)
    points = {
        "correct": 3 * _found(expected, groups) + agreement(_numbered(expected), _numbered(groups)),
        "num_text": (m == n) + 4 * max(0, 1 - abs(m - n) / (n + 2)) if m else 0,
        "ori": 6 * _origin(groups, facts, keys),
        "format": _line_form(response, lines),
    }
    return Marks(points, {"lines": len(lines), "read": m})


def _line_form(response: str, lines: list[list[Part]]) -> float:
    parts = [part for line in lines for part in line if not part.is_cut]
    form = 0.5 * ("[" in response and "]" in response)
    form += 0.5 * (response[0] == "[" and response[-1] == "]")
    form += len(parts) == len(lines)
    parsed = [part for part in parts if part.is_json]
    if parsed:
        form += 1 + (len(parsed) == len(parts)) + all(part.is_group for part in parsed)
    return form


def _found(expected: list[Group], groups: list[Group]) -> float:
    """The share of the gold values that the groups hold; a missing one counts with its row."""
    rows = {row for group in groups for row in group}
    values = {value for row in rows for value in row}
    wanted = [(row, value) for group in expected for row in group for value in row]
    hits = sum(row in rows if value is None else value in values for row, value in wanted)
    return hits / len(wanted) if wanted else 0.0


def _origin(groups: list[Group], facts: MultiDocFacts, keys: list[str]) -> float:
    """The share of entries that are values of the documents' fields, or fields that some lack."""
    lacking = [any(as_entry(d.get(key)) is None for d in facts.documents) for key in keys]
    rows = [row for group in groups for row in group]
    entries = [(place, entry) for row in rows for place, entry in enumerate(row)]
    known = sum(
        place < len(lacking) and lacking[place] if entry is None else entry in facts.values
        for place, entry in entries
    )
    return known / len(entries) if entries else 0.0


def _numbered(groups: list[Group]) -> dict[Row, int]:
    return {row: number for number, group in enumerate(groups) for row in group}
