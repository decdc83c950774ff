"""Labels of documents in an MB answer: as JSON, by document or by label, as lines or a table."""

import re
from itertools import zip_longest
from typing import Any, NamedTuple

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.rubric.corrected.choices import chosen_option
from steadfast.benchmarks.lifbench.rubric.corrected.reading import containers, strings, values_in
from steadfast.benchmarks.lifbench.rubric.parsing import all_of
from steadfast.benchmarks.lifbench.rubric.text import Finder, core, folded, normal

_NAME = re.compile(
    r"doc(?:ument)?s?(?:[ _-]?|\s+(?:id|number|no\.?)\W{1,3})([0-9]{1,9})(?![0-9])", re.IGNORECASE
)
_DOCUMENT = re.compile(r"\s*(?:doc(?:ument)?[ _-]?)?([0-9]{1,9})\s*", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(r"(?<!\w)([0-9]{1,9})[\s:.)=>→–|-]+[\"'`*]*$")
_NUMBERS = re.compile(r"[^\w]*[0-9]{1,9}(?:[^\w]+[0-9]{1,9})*[^\w]*")
_LEAD_IN = re.compile(r"^[^0-9:]{0,100}:\s")
_MARKUP = re.compile(r"</?\w{1,9}>")
_AND = re.compile(r"\b(?:and|und|et|y)\b")
_NUMBER = re.compile(r"[^\w]*([0-9]{1,9})(?![0-9])")


class ReadLabels(NamedTuple):
    """The labels that an answer gives.

    A document that has none of the labels that there are has an empty text. Form has 0 to 3 points
    of format for JSON: 2 if the answer is JSON, 1 if it holds some, and the share of documents
    whose label, and nothing else, is the value of their name.
    """

    by_number: dict[int, str]
    names: set[str]
    size: int
    form: float


def labels_of(response: str, candidates: list[str], documents: int) -> ReadLabels:
    """Returns the labels in an answer that is not empty, of so many documents."""
    is_whole, parsed = values_in(response, "{")
    contents = [_content(value, candidates) for value in parsed]
    values = containers(contents)
    form = 2.0 if is_whole and values else 1.0 if values else 0.0
    objects = _objects_in(values)
    if by_number := _in_records(objects, candidates):
        return ReadLabels(by_number, set(), len(objects), form)
    named: Record = {}
    for record in objects:
        named.update(record)
    # Documents may be the names, or the values; what is neither is in the documents' order.
    by_number = _by_name(named, candidates)
    if by_number:
        if contents == parsed and all_of(dict, values):
            bare = [v for v in named.values() if isinstance(v, str) and _is_label(v, candidates)]
            form += len(bare) / len(named)
        return ReadLabels(by_number, set(named), len(named), form)
    if by_number := _by_label(named, candidates):
        names = set(filter(_NAME.fullmatch, strings(list(named.values()))))
        return ReadLabels(by_number, names, len(by_number), form)
    if is_whole and values and isinstance(values[0], list):
        in_turn = {}
        for number, item in enumerate(values[0], start=1):
            text = "" if isinstance(item, dict) else _text(item)
            in_turn[number] = chosen_option(text, candidates) or ""
        if contents == parsed or any(in_turn.values()):
            return ReadLabels(in_turn, set(), len(in_turn), form)
    return _in_text(response, candidates, documents, form)


def _objects_in(values: list[Any]) -> list[Record]:
    """Returns the objects among values and in lists among them; a pair of texts is one too."""
    objects: list[Record] = []
    for value in values:
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                objects.append(part)
            elif isinstance(part, list) and len(part) == 2 and all_of(str, part):
                # Names that are no document's, so that both texts are read as values.
                objects.append({"a": part[0], "b": part[1]})
    return objects


def _content(value: Any, candidates: list[str]) -> Any:
    """Returns what an object holds under its one name that is no document's; else itself."""
    while isinstance(value, dict):
        inner = [name for name, item in value.items() if isinstance(item, (dict, list))]
        if len(inner) != 1 or _DOCUMENT.fullmatch(inner[0]) or chosen_option(inner[0], candidates):
            break
        value = value[inner[0]]
    return value


def _is_label(text: str, candidates: list[str]) -> bool:
    return core(text) in map(core, candidates)


def _in_records(objects: list[Record], candidates: list[str]) -> dict[int, str]:
    """Returns the labels of objects of which each holds, as values, a document and its label."""
    by_document = {}
    for record in objects:
        labels = []
        numbers = []
        texts = []
        for value in strings(record):
            # A label may look like a number, and is a label then.
            if _is_label(value, candidates):
                labels.append(value)
            elif match := _DOCUMENT.fullmatch(value):
                numbers.append(int(match[1]))
            else:
                texts.append(value)
        labels = labels or texts
        if len(numbers) != 1 or len(labels) != 1 or any(map(_DOCUMENT.fullmatch, record)):
            return {}
        by_document[numbers[0]] = chosen_option(labels[0], candidates) or ""
    return by_document


def _by_name(given: Record, candidates: list[str]) -> dict[int, str]:
    """Returns the labels of an object from documents' names, or numbers, to labels."""
    by_document: dict[int, str] = {}
    for name, value in given.items():
        if _is_label(name, candidates) and not isinstance(value, str):
            return {}
        if match := _DOCUMENT.fullmatch(name):
            by_document[int(match[1])] = chosen_option(_text(value), candidates) or ""
    return by_document


def _by_label(given: Record, candidates: list[str]) -> dict[int, str]:
    """Returns the labels of an object from labels to lists of documents."""
    by_document = {}
    for key, value in given.items():
        label = chosen_option(key, candidates)
        if not label:
            continue
        for name in strings(value):
            whole_name = _DOCUMENT.fullmatch(name)
            for match in [whole_name] if whole_name else _NAME.finditer(name):
                by_document[int(match[1])] = label
    return by_document


def _text(value: Any) -> str:
    return " or ".join(strings(value))


def _in_text(response: str, candidates: list[str], documents: int, form: float) -> ReadLabels:
    """Returns the labels that stand in lines: after each name of a document, or before several."""
    finder = Finder(candidates)
    by_document: dict[int, str] = {}
    names: set[str] = set()
    heading: str | None = None  # the label that the last line without documents has
    waiting: list[int] = []  # documents of the last line, if it has no label
    for line in response.split("\n"):
        matches = list(_NAME.finditer(line))
        names.update(match[0] for match in matches)
        numbers = [int(match[1]) for match in matches]
        labels = list(dict.fromkeys(finder.find(line)))
        if waiting and not matches and len(labels) == 1:
            by_document |= dict.fromkeys(waiting, labels[0])
            waiting = []
        elif not matches:
            if labels:
                heading = labels[0] if len(labels) == 1 else None
            by_document |= _by_numbers(line, candidates, finder, heading)
        elif len(labels) == 1:
            by_document |= dict.fromkeys(numbers, labels[0])
            heading = None
        elif labels or heading is None:
            # Each document's label stands before the next document.
            for match, next_match in zip_longest(matches, matches[1:]):
                end = next_match.start() if next_match else len(line)
                by_document[int(match[1])] = (
                    chosen_option(line[match.end() : end], candidates) or ""
                )
            # A label may stand in the next line.
            waiting = [] if labels else numbers
        else:
            by_document |= dict.fromkeys(numbers, heading)
    if not by_document:
        in_turn = _in_turn(response, finder)
        # Each label once is the choice that there was, and no answer.
        if len(in_turn) == documents or sorted(in_turn.values()) != sorted(candidates):
            by_document = in_turn
    return ReadLabels(by_document, names, len(by_document), form)


def _in_turn(response: str, finder: Finder) -> dict[int, str]:
    """Returns the labels of an answer that has nothing else, in the documents' order."""
    # A lead-in may stand before.
    text = _LEAD_IN.sub("", folded(_MARKUP.sub(" ", response)))
    position = 0
    gaps: list[str] = []  # what stands between labels
    for _, start, end in finder.spans(text):
        gaps.append(text[position:start])
        position = end
    gaps.append(text[position:])
    if re.search(r"\w", _AND.sub("", "".join(gaps))):
        return {}
    return dict(enumerate(finder.find(text), start=1))


def _by_numbers(
    line: str, candidates: list[str], finder: Finder, heading: str | None
) -> dict[int, str]:
    """Returns the labels of a line without documents' names, by the numbers beside them."""
    text = folded(line)
    position = 0
    labels = []
    by_number = {}
    unnumbered = False
    for _, start, end in finder.spans(text):
        label = finder.find(text[start:end])[0]
        labels.append(label)
        if number := _NUMBER_BEFORE.search(text[position:start]):
            by_number[int(number[1])] = label
        else:
            unnumbered = True
        position = end
    if len(labels) > 1 and not unnumbered:
        return by_number
    # Else the line has a label and then numbers, or numbers for the heading above it.
    leads = not labels or (len(labels) == 1 and text.startswith(core(labels[0])))
    if heading and leads and _NUMBERS.fullmatch(_AND.sub("", text[position:])):
        return dict.fromkeys(map(int, re.findall(r"[0-9]+", text[position:])), heading)
    return _numbered(line, candidates, finder)


def _numbered(line: str, candidates: list[str], finder: Finder) -> dict[int, str]:
    """Returns the label of a line that has nothing before it but a number."""
    match = _NUMBER.match(line)
    if match is None or _is_label(match[1], candidates):
        return {}
    text = normal(line[match.end() :])
    labels = finder.find(text)
    if not labels:
        return {}
    is_next = core(text).lstrip("|[({:)-] \"'`*").startswith(core(labels[0]))
    return {int(match[1]): labels[0]} if is_next else {}
