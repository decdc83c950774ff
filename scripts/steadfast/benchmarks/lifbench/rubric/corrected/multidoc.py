"""Corrected rubric of the MultiDoc scenario: MB (label documents) and MF (find duplicates)."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Any

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.rubric.corrected import groups as reading
from steadfast.benchmarks.lifbench.rubric.corrected.groups import Group, GroupPart, Row
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
    answer = labels_of(response, candidates, n)
    right = 0
    named = 0
    for number, label in enumerate(labels, start=1):
        right += answer.by_number.get(number) == label
        named += f"doc{number}" in answer.names
    # Labels beyond the documents count against the answer.
    claimed = max(n, answer.size, len(answer.by_number))
    points = {
        "num_doc": 2.5 * max(0, 1 - abs(answer.size - n) / n) + 0.5 * (answer.size == n),
        "format": answer.form + 2 * named / n,
        "logit_correct": 3 * right / claimed,
        "candi_ori": 3 * sum(map(bool, answer.by_number.values())) / claimed,
    }
    return Marks(points, {"size": answer.size, "right": right})


def find_duplicates(
    response: str,
    facts: MultiDocFacts,
    expected: list[list[Record]],
    keys: list[str],
    around: list[str],  # what surrounds the context; only the released rubric uses it
) -> Marks:
    """Marks MF: a line per group of duplicates, each a list of lists of the requested fields."""
    lines = list(map(reading.parts_of, response.split("\n")))
    listed = reading.groups_of(response, lines, keys)
    groups = reading.without_names(listed, keys, facts.values)
    if not _is_read(groups, lines, facts):
        groups = reading.written_groups(response, facts.values_of(tuple(keys))) or groups
    expected_groups: list[Group] = []
    for documents in expected:
        expected_groups.append([reading.as_row(list(d.values())) for d in documents])
    n = len(expected_groups)
    m = len(groups)
    points = {
        "correct": 3 * _documents(expected_groups, groups) + _pairs(expected_groups, groups),
        "num_text": (m == n) + 4 * max(0, 1 - abs(m - n) / (n + 2)) if m else 0,
        "ori": 6 * _origin(groups, facts, keys),
        "format": _line_form(response, lines, groups, len(keys)),
    }
    return Marks(points, {"lines": len(lines), "read": m})


def _is_read(groups: list[Group], lines: list[list[GroupPart]], facts: MultiDocFacts) -> bool:
    """Returns whether lists are groups: of documents' values, or of the requested form."""
    has_groups = any(part.is_group for part in chain.from_iterable(lines))
    for group in groups:
        entries = set(chain.from_iterable(group))
        has_values = None in entries or not facts.values.isdisjoint(entries)
        if has_values and (len(group) > 1 or has_groups):
            return True
    return False


def _line_form(
    response: str, lines: list[list[GroupPart]], groups: list[Group], width: int
) -> float:
    """Returns the points of format, 0 to 5."""
    parts = [part for part in chain.from_iterable(lines) if not part.is_cut]
    form = 0.5 * ("[" in response and "]" in response)
    form += 0.5 * (response[0] == "[" and response[-1] == "]")
    form += len(parts) == len(lines)
    parsed = [part for part in parts if part.is_json]
    if parsed:
        form += 1 + (len(parsed) == len(parts))
        if all(part.is_group for part in parsed):
            rows = list(chain.from_iterable(part.value for part in parsed))
            form += _documents_form(rows, groups, width)
    return form


def _documents_form(written: list[Any], groups: list[Group], width: int) -> float:
    """Returns the share of inner lists that are a document: a value for each requested field.

    ``groups`` are the documents as they were read. An inner list that was read as something else
    had several values in one string, or the fields' names before them.
    """
    documents = set(chain.from_iterable(groups))
    read = sum(len(row) == width and reading.as_row(row) in documents for row in written)
    return read / len(written)


def _documents(expected: list[Group], groups: list[Group]) -> float:
    """Returns the right documents as a share of those expected, or of those given if more."""
    expected_counts = Counter(chain.from_iterable(expected))
    counts = Counter(chain.from_iterable(groups))
    right = (expected_counts & counts).total()
    return right / max(expected_counts.total(), counts.total(), 1)


def _pairs(expected: list[Group], groups: list[Group]) -> float:
    """Returns the same share of ordered pairs of documents put together, each with itself too.

    A group of k documents has k² pairs; right are those in one group here and one expected.
    """
    expected_groups: dict[Row, list[tuple[int, int]]] = defaultdict(list)  # number and count
    for number, group in enumerate(expected):
        for row, count in Counter(group).items():
            expected_groups[row].append((number, count))
    right = 0
    for group in groups:
        shared: Counter[int] = Counter()
        for row, count in Counter(group).items():
            for number, expected_count in expected_groups.get(row, ()):
                shared[number] += min(count, expected_count)
        right += _squares(shared.values())
    expected_pairs = _squares(map(len, expected))
    pairs = _squares(map(len, groups))
    # Equal rows in several expected groups can count more than once, but earn no more than all.
    return min(right, expected_pairs, pairs) / max(expected_pairs, pairs, 1)


def _squares(numbers: Iterable[int]) -> int:
    return sum(number**2 for number in numbers)


def _origin(groups: list[Group], facts: MultiDocFacts, keys: list[str]) -> float:
    """Returns the share of entries that are documents' values, or fields that some lack."""
    missing = set()  # indices of fields that some documents lack
    for index, key in enumerate(keys):
        if any(reading.as_entry(document.get(key)) is None for document in facts.documents):
            missing.add(index)
    is_grounded = []
    for row in chain.from_iterable(groups):
        for index, entry in enumerate(row):
            is_grounded.append(index in missing if entry is None else entry in facts.values)
    return sum(is_grounded) / len(is_grounded) if is_grounded else 0.0
