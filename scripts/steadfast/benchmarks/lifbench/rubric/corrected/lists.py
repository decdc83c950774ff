"""Corrected rubric of the List scenario: LSI, LOI, LOE, LBI, LBE and LMI."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from steadfast.benchmarks.lifbench.rubric.corrected import reading
from steadfast.benchmarks.lifbench.rubric.facts import ListFacts, Marks
from steadfast.benchmarks.lifbench.rubric.parsing import list_form
from steadfast.benchmarks.lifbench.rubric.text import normal
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS

_MOST_LINES = 8  # lines of an answer that may be a misspelt element
_HYPHENATED = re.compile(r"\b(\w{8})-(\w{4})-(\w{4})-(\w{4})-(\w{12})\b")
_ONE_ELEMENT = RUBRICS["corrected"]["LSI"]  # score points, those of LOI and LOE too
SLIP = 0.5  # share of the points that a misspelt element or sentence earns


class Named(NamedTuple):
    """The elements that an answer names."""

    elements: list[str]  # each once, in order, as the list has them
    share: float  # of what they earn: 1, or SLIP
    form: float  # 1 for one element alone, a half for one with other text, else 0


def one_element(response: str, facts: ListFacts, expected: str) -> Marks:
    """Marks LSI, LOI and LOE: the expected element and nothing else, by Table 6 (Q17)."""
    named = _named(response, facts)
    right = normal(expected) in named.elements
    fractions = {
        "format": named.form,
        "correct": named.share * right / max(len(named.elements), 1),
        "ori": named.share,
    }
    points = {name: fractions[name] * point.weight for name, point in _ONE_ELEMENT.items()}
    return Marks(points, {"ids": _ids(facts, named)})


def any_element(response: str, facts: ListFacts, reference: int, bias: int) -> Marks:
    """Marks LBI and LBE: any element after (bias 1) or before (-1) the 0-based index."""
    named = _named(response, facts)
    position = 0
    for element in named.elements:
        # An element that the list has several times is as right as its best position.
        distance = max((index - reference) * bias for index in facts.indices_of[element])
        position += 3 if distance > 0 else 1 if distance == 0 else 0
    points = {
        "ori": named.share,
        "position": named.share * position / max(len(named.elements), 1),
        "format": named.form,
    }
    return Marks(points, {"ids": _ids(facts, named)})


def _named(response: str, facts: ListFacts) -> Named:
    """Returns the elements in an answer, in JSON too, or else the one that it misspells."""
    if normal(response) in facts.indices_of:
        return Named([normal(response)], 1, 1)
    text = reading.unfenced(response)
    is_json, value = reading.strict_json(text)
    # An element may itself be JSON, such as a number.
    parts = reading.strings(value) if is_json and normal(text) not in facts.indices_of else [text]
    elements = list(dict.fromkeys(_elements_in(parts, facts)))
    if elements:
        return Named(elements, 1, 0.5 * (len(elements) == 1))
    lines = [text, *filter(str.strip, text.split("\n"))]
    near = map(facts.finder.nearest, lines[: _MOST_LINES + 1])
    element = next(filter(None, near), None)
    return Named([], 0, 0) if element is None else Named([element], SLIP, 0.5)


def _elements_in(parts: Iterable[str], facts: ListFacts) -> list[str]:
    """Returns the elements in parts, or in them without hashes' hyphens and JSON's escapes."""
    elements = []
    for part in parts:
        if normal(part) in facts.indices_of:
            elements.append(normal(part))
            continue
        written = facts.finder.find(part)
        plain = _HYPHENATED.sub(r"\1\2\3\4\5", reading.unescaped(part))
        if plain != part:
            # Of both ways to read it, the one that names more elements; as written if none does.
            written = max(written, facts.finder.find(plain), key=len)
        elements += written
    return elements


def many_elements(response: str, facts: ListFacts, expected: list[str]) -> Marks:
    """Marks LMI: the answer is a JSON list of the expected elements, in the instruction's order."""
    expected = list(map(normal, expected))
    is_whole, items = reading.found_list(response)
    value = reading.listed(items) if isinstance(items, list) else items
    named = _elements_in(reading.strings(value), facts) or _elements_in([response], facts)
    n = len(expected)
    # Numbers that are no elements are positions, not what stands there.
    if isinstance(value, list):
        size = sum(not isinstance(v, reading.Numeral) or bool(facts.finder.find(v)) for v in value)
    else:
        size = len(named)
    hits = (Counter(named) & Counter(expected)).total()
    share = hits / max(n, size, len(named))
    points = {
        "format": 2 * list_form(is_whole, items) * reading.entries_form(_bare(value, facts)),
        "num": (size == n) + 2 * max(0, 1 - abs(size - n) / n),
        "correct": 3 * share,
        "order": 2 * share * _in_order(named, expected),
    }
    return Marks(points, {"size": size, "found": hits})


def _bare(value: Any, facts: ListFacts) -> list[bool]:
    """Returns whether each entry of a list is one element and nothing else."""
    entries = value if isinstance(value, list) else []
    return [not isinstance(entry, str) or facts.finder.is_bare(entry) for entry in entries]


def _in_order(named: list[str], expected: list[str]) -> bool:
    """Returns whether the expected elements come in the expected order, none twice."""
    indices: dict[str, list[int]] = defaultdict(list)
    for index, element in enumerate(expected):
        indices[element].append(index)
    sequence = []
    for element in named:
        if element in indices:
            # The k-th time that an element is named stands for its k-th index, or its last.
            left = indices[element]
            sequence.append(left.pop(0) if len(left) > 1 else left[0])
    return sequence == sorted(set(sequence))


def _ids(facts: ListFacts, named: Named) -> list[int]:
    """Returns the 1-based positions of the elements that are named."""
    indices: set[int] = set()
    for element in named.elements:
        indices.update(facts.indices_of[element])
    return [index + 1 for index in sorted(indices)]
