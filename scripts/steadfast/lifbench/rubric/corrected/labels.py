"""Labels of documents in an MB answer: as JSON, by document or by label, as lines or a table."""

import re
from itertools import pairwise
from typing import Any, NamedTuple

from steadfast.files import Record
from steadfast.lifbench.rubric.corrected.choices import chosen
from steadfast.lifbench.rubric.corrected.reading import strings, values_in
from steadfast.lifbench.rubric.text import Finder, core, folded, normal

_NAME = re.compile(r"doc(?:ument)?s?[ _-]?([0-9]{1,9})(?![0-9])", re.IGNORECASE)
_DOCUMENT = re.compile(r"\s*(?:doc(?:ument)?[ _-]?)?([0-9]{1,9})\s*", re.IGNORECASE)
_NUMBER = re.compile(r"[^\w]*([0-9]{1,9})(?![0-9])")


class Labels(NamedTuple):
    """The labels that an answer gives.

    Attributes:
        by_number: a document's number to its label; to an empty text where it is none of those
            that there are.
        names: the documents' names, as they are written.
        size: how many documents the answer is about.
        form: points of format for JSON, 0 to 3: 2 if the answer is JSON, 1 if it holds some, and
            the share of documents whose label, and nothing else, is the value of their name.
    """

    by_number: dict[int, str]
    names: set[str]
    size: int
    form: float


def labels_of(response: str, candidates: list[str]) -> Labels:
    """The labels in an answer.

    Args:
        response: the answer, not empty.
        candidates: the labels that there are, ``normal``.
    """
    whole, values = values_in(response, "{")
    values = [value for value in values if isinstance(value, (dict, list))]
    form = 2.0 if whole and values else 1.0 if values else 0.0
    parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
    objects = [part for part in parts if isinstance(part, dict)]
    if by_number := _in_records(objects, candidates):
        return Labels(by_number, set(), len(objects), form)
    given = {name: label for part in objects for name, label in part.items()}
    by_number = _by_name(given, candidates)
    if by_number:
        plain = {core(candidate) for candidate in candidates}
        bare = sum(isinstance(v, str) and core(v) in plain for v in given.values())
        is_object = not any(isinstance(value, list) for value in values)
        form += is_object * bare / len(given)
        return Labels(by_number, set(given), len(given), form)
    if by_number := _by_label(given, candidates):
        names = {name for name in strings(list(given.values())) if _NAME.fullmatch(name)}
        return Labels(by_number, names, len(by_number), form)
    if whole and values and isinstance(values[0], list):
        texts = [item if isinstance(item, str) else "" for item in values[0]]
        in_turn = {n: chosen(text, candidates) or "" for n, text in enumerate(texts, start=1)}
        return Labels(in_turn, set(), len(texts), form)
    return _in_text(response, candidates, form)


def _in_records(objects: list[Record], candidates: list[str]) -> dict[int, str]:
    """The labels of objects of which each holds, as values, a document and its label."""
    found = {}
    for part in objects:
        numbers = [match for value in strings(part) if (match := _DOCUMENT.fullmatch(value))]
        texts = [value for value in strings(part) if not _DOCUMENT.fullmatch(value)]
        if len(numbers) != 1 or len(texts) != 1 or any(map(_DOCUMENT.fullmatch, part)):
            return {}
        found[int(numbers[0][1])] = chosen(texts[0], candidates) or ""
    return found


def _by_name(given: Record, candidates: list[str]) -> dict[int, str]:
    """The labels of an object from documents' names, or numbers, to labels."""
    found = {}
    for name, value in given.items():
        if match := _DOCUMENT.fullmatch(name):
            found[int(match[1])] = chosen(_text(value), candidates) or ""
    return found


def _by_label(given: Record, candidates: list[str]) -> dict[int, str]:
    """The labels of an object from labels to lists of documents."""
    found = {}
    for key, value in given.items():
        label = chosen(key, candidates)
        for name in strings(value) if label else ():
            for match in [whole] if (whole := _DOCUMENT.fullmatch(name)) else _NAME.finditer(name):
                found[int(match[1])] = label or ""
    return found


def _text(value: Any) -> str:
    return " or ".join(strings(value))


def _in_text(response: str, candidates: list[str], form: float) -> Labels:
    """The labels that stand in lines: after each name of a document, or before several."""
    finder = Finder(candidates)
    found: dict[int, str] = {}
    names: set[str] = set()
    heading = None
    for line in response.split("\n"):
        matches = list(_NAME.finditer(line))
        names |= {match[0] for match in matches}
        labels = list(dict.fromkeys(finder.find(line)))
        if not matches:
            heading = labels[0] if len(labels) == 1 else heading if not labels else None
            found |= _numbered(line, candidates, finder)
        elif len(labels) == 1:
            found |= {int(match[1]): labels[0] for match in matches}
            heading = None
        elif labels or heading is None:
            ends = [following.start() for _, following in pairwise(matches)] + [len(line)]
            for match, end in zip(matches, ends, strict=True):
                found[int(match[1])] = chosen(line[match.end() : end], candidates) or ""
        else:
            found |= {int(match[1]): heading for match in matches}
    found = found or _in_turn(response, finder)
    return Labels(found, names, len(found), form)


def _in_turn(response: str, finder: Finder) -> dict[int, str]:
    """The labels of an answer that has nothing else, in the documents' order."""
    text, place = folded(response), 0
    rest: list[str] = []
    for _, start, end in finder.spans(text):
        rest.append(text[place:start])
        place = end
    nothing_else = not re.search(r"\w", "".join(rest) + text[place:])
    return dict(enumerate(finder.find(response), start=1)) if nothing_else else {}


def _numbered(line: str, candidates: list[str], finder: Finder) -> dict[int, str]:
    """The label of a line that has nothing before it but a number."""
    match = _NUMBER.match(line)
    if match is None or not (labels := finder.find(rest := normal(line[match.end() :]))):
        return {}
    starts = core(rest).lstrip("|[({:)-] \"'`*").startswith(core(labels[0]))
    return {int(match[1]): labels[0]} if starts else {}
