"""Corrected rubric of the MultiDoc scenario: MB (label documents) and MF (find duplicates)."""

from collections import Counter, defaultdict
from typing import Any

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.rubric.corrected.groups import (
    Group,
    GroupPart,
    Row,
    as_entry,
    as_row,
    groups_of,
    parts_of,
    without_names,
    written_groups,
)
from steadfast.benchmarks.lifbench.rubric.corrected.labels import labels_of
from steadfast.benchmarks.lifbench.rubric.facts import Marks, MultiDocFacts
from steadfast.benchmarks.lifbench.rubric.text import normal


def label_documents(
    response: str, facts: MultiDocFacts, labels: list[str], candidates: list[str]
) -> Marks:
    """Marks MB: the answer is a JSON object from doc1, doc2 … to labels out of the candidates."""
    labels = list(map(normal, labels))
    candidates = list(map(normal, candidates))
    n = len(labels)
    given = labels_of(response, candidates, n)
    right = sum(given.by_number.get(k) == label for k, label in enumerate(labels, start=1))
    claimed = max(n, given.size, len(given.by_number))
    named = sum(f"doc{k}" in given.names for k in range(1, n + 1))
    points = {
        "num_doc": 2.5 * max(0, 1 - abs(given.size - n) / n) + 0.5 * (given.size == n),
        "format": given.form + 2 * named / n,
        "logit_correct": 3 * right / claimed,
        "candi_ori": 3 * sum(map(bool, given.by_number.values())) / claimed,
    }
    return Marks(points, {"size": given.size, "right": right})


def find_duplicates(
    response: str,
    facts: MultiDocFacts,
    expected: list[list[Record]],
    keys: list[str],
    around: list[str],  # of the context in the prompt, which no point is about
) -> Marks:
    """Marks MF: a line per group of duplicates, each a list of lists of the asked fields."""
    lines = list(map(parts_of, response.split("\n")))
    groups = without_names(groups_of(response, lines, keys), keys, facts.values)
    if not _is_read(groups, lines, facts):
        groups = written_groups(response, facts.values_of(tuple(keys))) or groups
    expected_entries = [[tuple(map(as_entry, d.values())) for d in group] for group in expected]
    n = len(expected_entries)
    m = len(groups)
    points = {
        "correct": 3 * _documents(expected_entries, groups) + _pairs(expected_entries, groups),
        "num_text": (m == n) + 4 * max(0, 1 - abs(m - n) / (n + 2)) if m else 0,
        "ori": 6 * _origin(groups, facts, keys),
        "format": _line_form(response, lines, groups, len(keys)),
    }
    return Marks(points, {"lines": len(lines), "read": m})


def _is_read(groups: list[Group], lines: list[list[GroupPart]], facts: MultiDocFacts) -> bool:
    """Tells whether lists are groups: of documents' values, or of the form asked for."""
    known_parts = [
        group
        for group in groups
        if any(entry is None or entry in facts.values for row in group for entry in row)
    ]
    has_group = any(part.is_group for line in lines for part in line)
    return any(len(group) > 1 or has_group for group in known_parts)


def _line_form(
    response: str, lines: list[list[GroupPart]], groups: list[Group], width: int
) -> float:
    parts = [part for line in lines for part in line if not part.is_cut]
    form = 0.5 * ("[" in response and "]" in response)
    form += 0.5 * (response[0] == "[" and response[-1] == "]")
    form += len(parts) == len(lines)
    parsed = [part for part in parts if part.is_json]
    if parsed:
        form += 1 + (len(parsed) == len(parts))
        if all(part.is_group for part in parsed):
            form += _documents_form([row for part in parsed for row in part.value], groups, width)
    return form


def _documents_form(written: list[Any], groups: list[Group], width: int) -> float:
    """Returns the share of inner lists that are a document as asked for: a value for each field.

    ``groups`` are the documents as they were read. An inner list that was read as something else
    had several values in one string, or the fields' names before them.
    """
    read = {row for group in groups for row in group}
    is_read = [len(row) == width and as_row(row) in read for row in written]
    return sum(is_read) / len(is_read)


def _documents(expected: list[Group], groups: list[Group]) -> float:
    """Returns the right documents as a share of those expected, or of those given if more."""
    wanted, given = (Counter(row for group in part for row in group) for part in (expected, groups))
    return (wanted & given).total() / max(wanted.total(), given.total(), 1)


def _pairs(expected: list[Group], groups: list[Group]) -> float:
    """Returns the same share of ordered pairs of documents put together, each with itself too."""
    places: dict[Row, list[tuple[int, int]]] = defaultdict(list)
    for number, group in enumerate(expected):
        for row, count in Counter(group).items():
            places[row].append((number, count))
    right = 0
    for group in groups:
        shared: Counter[int] = Counter()
        for row, count in Counter(group).items():
            for number, other_place in places.get(row, ()):
                shared[number] += min(count, other_place)
        right += sum(size**2 for size in shared.values())
    wanted, given = (sum(len(group) ** 2 for group in part) for part in (expected, groups))
    return min(right, wanted, given) / max(wanted, given, 1)


def _origin(groups: list[Group], facts: MultiDocFacts, keys: list[str]) -> float:
    """Returns the share of entries that are documents' values, or fields that some lack."""
    lacking = [any(as_entry(d.get(key)) is None for d in facts.documents) for key in keys]
    rows = [row for group in groups for row in group]
    entries = [(place, entry) for row in rows for place, entry in enumerate(row)]
    common = sum(
        place < len(lacking) and lacking[place] if entry is None else entry in facts.values
        for place, entry in entries
    )
    return common / len(entries) if entries else 0.0
