"""The points that scorers give, and a context's facts, prepared once per context and cached."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, TypeVar

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.expected import TYPE_NAMES
from steadfast.benchmarks.lifbench.rubric.text import Finder, core, folded, normal

if TYPE_CHECKING:
    import numpy as np
T = TypeVar("T")
_BEGINNING = 16  # characters by which elements are looked up in a response
_ONE_BY_ONE = 16  # texts that are looked for one by one
_WINDOW = 8  # bytes of a text's beginning that are looked up first, when there are many
_TAG = re.compile(rf"</?(?:{'|'.join(map(re.escape, TYPE_NAMES))}|[\w~]{{1,20}})(?:-[0-9]+)?>")
_KEPT = 128  # prepared contexts at a time


@dataclass(frozen=True)
class Marks:
    """Points of one response, before they are divided by their weights."""

    points: dict[str, float]  # score point to points, in units of its weight; one left out is 0
    extracted: Record = field(default_factory=dict)
    void: bool = False  # the total is 0 whatever the points are (Q3)


# (stripped response, not empty; what ``facts_of`` gives; what the task requests).
Scorer = Callable[..., Marks]


class ListFacts:
    """The elements of a list and a way to find all of them in a response."""

    def __init__(self, elements: list[str]):
        self.elements = elements
        self.shortest = min(map(len, elements))
        self.longest = max(map(len, elements))

    @cached_property
    def indices_of(self) -> dict[str, list[int]]:
        """The 0-based indices at which a ``normal`` element stands."""
        return _grouped((normal(element), i) for i, element in enumerate(self.elements))

    @cached_property
    def finder(self) -> Finder:
        """Finds the elements, the longest first."""
        return Finder(self.indices_of)

    @cached_property
    def _by_beginning(self) -> dict[str, list[int]]:
        """The 0-based indices by the elements' beginnings; shorter elements are under ``""``."""
        beginnings = (e[:_BEGINNING] if len(e) >= _BEGINNING else "" for e in self.elements)
        return _grouped((beginning, i) for i, beginning in enumerate(beginnings))

    def counts(self, response: str) -> dict[int, int]:
        """Counts each element's occurrences that do not overlap, in time linear in the text."""
        starts = range(len(response))
        beginnings = {response[start : start + _BEGINNING] for start in starts} | {""}
        counts: dict[int, int] = {}
        # Only elements whose beginning is in the response are counted in it.
        for beginning in beginnings & self._by_beginning.keys():
            for index in self._by_beginning[beginning]:
                if occurrences := response.count(self.elements[index]):
                    counts[index] = occurrences
        return counts


class TextIndex:
    """A long text in which many short ones are looked for."""

    def __init__(self, text: str):
        self.text = text

    @cached_property
    def _values(self) -> set[str]:
        # Most of what is looked for is the value of a field: "field: value" is a line.
        return {line.partition(": ")[2] for line in self.text.split("\n")}

    def present(self, texts: set[str]) -> set[str]:
        """Returns those of the texts that are in the long one, wherever."""
        present = texts & self._values
        absent = texts - present
        holds = self.text.__contains__ if len(absent) <= _ONE_BY_ONE else self._holds
        return present | set(filter(holds, absent))

    def _holds(self, text: str) -> bool:
        # A text whose beginning is nowhere in the long one is not in it either.
        start = text.encode("utf-8", "surrogatepass")[:_WINDOW]
        index = int(self._windows.searchsorted(_number(start)))
        next_windows = self._windows[index : index + 1].tolist()  # none behind the last
        occurs = any(window.to_bytes(_WINDOW).startswith(start) for window in next_windows)
        return occurs and text in self.text

    @cached_property
    def _windows(self) -> "np.ndarray":
        """The ``_WINDOW`` bytes from each byte of the text on as a number, sorted."""
        import numpy as np

        encoded = self.text.encode("utf-8", "surrogatepass")
        padded = encoded + bytes(_WINDOW)
        windows = np.ndarray(len(encoded) + 1, f">u{_WINDOW}", padded, strides=(1,))
        windows = windows.astype(np.uint64)
        windows.sort()
        return windows


def _number(start: bytes) -> "np.uint64":
    """Returns the first window, in their order, that can begin so."""
    import numpy as np

    return np.uint64(int.from_bytes(start.ljust(_WINDOW, b"\0")))


class MultiDocFacts:
    """The documents of a context, and the text as shown."""

    def __init__(self, text: str, documents: list[Record]):
        self.text = text
        self.documents = documents
        self.values_of = cache(partial(FieldValues, documents))  # of some fields, by their names

    @cached_property
    def shown(self) -> TextIndex:
        """The documents as the prompt shows them."""
        return TextIndex(self.text.strip())

    @cached_property
    def unquoted(self) -> TextIndex:
        """The same without quotation marks, and with the white space around it."""
        return TextIndex(self.text.replace('"', ""))

    @cached_property
    def values(self) -> set[str]:
        """The ``folded`` values of all fields."""
        values: set[str] = set()
        for document in self.documents:
            values.update(map(folded, map(str, document.values())))
        return values


class FieldValues:
    """The values of some fields of documents, and a way to find them in a text."""

    def __init__(self, documents: list[Record], keys: Sequence[str]):
        self.names = list(map(folded, keys))
        self.width = len(keys)
        self._rows: set[tuple[str | None, ...]] = set()
        # Indices of the fields that have a value, and the value, by the value's core.
        self.by_core: dict[str, tuple[tuple[int, ...], str]] = {}
        for document in documents:
            row = [folded(str(document[key])) if key in document else None for key in keys]
            self._rows.add(tuple(row))
            for index, text in enumerate(row):
                if text:
                    indices, _ = self.by_core.get(core(text), ((), text))
                    self.by_core[core(text)] = (tuple(sorted({*indices, index})), text)
        columns = enumerate(zip(*self._rows, strict=True))
        self._always = [index for index, values in columns if all(values)]
        self.finder = Finder(text for _, text in self.by_core.values())

    def identifies(self, row: tuple[str | None, ...]) -> bool:
        """Returns whether a row is meant for a document: by its values, or by complete fields."""
        return row in self._rows or bool(self._always and all(row[i] for i in self._always))

    def holds(self, row: tuple[str | None, ...]) -> bool:
        """Returns whether a row has a value that a document has."""
        return not self.by_core.keys().isdisjoint(map(core, filter(None, row)))


class OneDocFacts:
    """The labelled sentences of a document, true and fake, and its text with the tags."""

    def __init__(self, key_sentences: list[Record], text: str):
        self.sentences = key_sentences
        self.text = text
        self.true_texts: set[str] = set()
        self.texts_of_type: defaultdict[str, list[str]] = defaultdict(list)
        for sentence in key_sentences:
            self.texts_of_type[sentence["type"]].append(sentence["text"])
            if not sentence["fake"]:
                self.true_texts.add(sentence["text"].strip())

    def labelled_in(self, text: str) -> list[Record]:
        """Returns the labelled sentences that a text contains."""
        return [sentence for sentence in self.sentences if sentence["text"] in text]

    @cached_property
    def labelled(self) -> dict[str, list[Record]]:
        """The labelled sentences by their ``normal`` text."""
        return _grouped((normal(sentence["text"]), sentence) for sentence in self.sentences)

    @cached_property
    def finder(self) -> Finder:
        """Finds the labelled sentences, the longest first."""
        return Finder(self.labelled)

    @cached_property
    def _plain_text(self) -> str:
        return folded(untagged(self.text))

    @cached_property
    def _shortest(self) -> int:
        return min(map(len, map(core, self.labelled)), default=1)

    def is_true(self, text: str) -> bool:
        """Returns whether a ``normal`` text is a true key sentence."""
        return any(not sentence["fake"] for sentence in self.labelled.get(text, ()))

    def holds(self, text: str) -> bool:
        """Returns whether a text has a labelled sentence, or another long part of the document."""
        plain = core(untagged(text))
        part = len(plain) >= self._shortest and plain in self._plain_text
        return part or bool(self.finder.find(text))


Facts = ListFacts | MultiDocFacts | OneDocFacts
_prepared: dict[int, tuple[Record, Facts]] = {}


def untagged(text: str) -> str:
    """Returns a text of the OneDoc scenario without the tags before and after key sentences.

    >>> untagged("<#Topic#-1>Walk slowly.<#Topic#>")
    'Walk slowly.'
    """
    return _TAG.sub("", text)


def facts_of(context: Record) -> Facts:
    """Returns the prepared facts of a context record, which must not be changed afterwards."""
    prepared = _prepared.get(id(context))
    # The id of a deleted context may have become that of another.
    if prepared is not None and prepared[0] is context:
        return prepared[1]
    facts: Facts
    match context["scenario"]:
        case "list":
            facts = ListFacts(context["elements"])
        case "multidoc":
            facts = MultiDocFacts(context["text"], context["documents"])
        case _:
            facts = OneDocFacts(context["key_sentences"], context["text"])
    if len(_prepared) >= _KEPT:
        _prepared.pop(next(iter(_prepared)))
    _prepared[id(context)] = (context, facts)
    return facts


def _grouped(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    """Returns the values of pairs by their keys, in order."""
    groups = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return dict(groups)
