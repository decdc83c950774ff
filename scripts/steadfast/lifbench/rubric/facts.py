"""What scoring needs to know of a context, prepared once per context and kept."""

from bisect import bisect_right
from collections import defaultdict
from functools import cached_property
from typing import Any

from steadfast.lifbench.gold import TYPE_NAMES

_PREFIX = 16  # characters by which texts are looked up in a longer one
_FEW = 16  # texts that are looked for one by one
_KEPT = 128  # prepared contexts at a time

_prepared: dict[int, tuple[dict, Any]] = {}


class ListFacts:
    """The elements of a list and a way to find all of them in a response.

    Args:
        elements: the items, in order.
    """

    def __init__(self, elements: list[str]):
        self.elements = elements
        self.shortest = min(map(len, elements))
        self.longest = max(map(len, elements))

    @cached_property
    def _indices(self) -> dict[str, list[int]]:
        indices = defaultdict(list)
        for index, element in enumerate(self.elements):
            indices[element].append(index)
        return indices

    @cached_property
    def _short(self) -> list[str]:
        return sorted((e for e in self._indices if len(e) < _PREFIX), key=len)

    @cached_property
    def _by_prefix(self) -> dict[str, list[str]]:
        by_prefix = defaultdict(list)
        for element in self._indices:
            if len(element) >= _PREFIX:
                by_prefix[element[:_PREFIX]].append(element)
        return dict(by_prefix)

    def counts(self, response: str) -> dict[int, int]:
        """Non-overlapping occurrences of every element that is in a response, by 0-based index.

        A response is searched for elements' beginnings, not the response for each element: the
        cost does not grow with the list.
        """
        starts = range(len(response) - _PREFIX + 1)
        begun = {p for i in starts if (p := response[i : i + _PREFIX]) in self._by_prefix}
        candidates = self._short[: bisect_right(self._short, len(response), key=len)]
        candidates += [element for prefix in begun for element in self._by_prefix[prefix]]
        return {
            index: count
            for element in candidates
            if (count := response.count(element))
            for index in self._indices[element]
        }


class TextIndex:
    """A long text in which many short ones are looked for.

    Args:
        text: the long text.
    """

    def __init__(self, text: str):
        self.text = text

    @cached_property
    def _values(self) -> set[str]:
        # Most of what is looked for is the value of a field: "field: value" is a line.
        return {line.partition(": ")[2] for line in self.text.split("\n")}

    def present(self, texts: set[str]) -> set[str]:
        """Those of the texts that are in the long one, wherever."""
        found = texts & self._values
        rest = texts - found
        if len(rest) > _FEW:
            return found | self._scan(rest)
        return found | {text for text in rest if text in self.text}

    def _scan(self, texts: set[str]) -> set[str]:
        # One pass for each length of beginnings, at most _PREFIX + 1, however many texts.
        beginnings: dict[int, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for text in texts:
            beginnings[min(len(text), _PREFIX)][text[:_PREFIX]].add(text)
        found = set()
        for width, sought in beginnings.items():
            for place in range(len(self.text) - width + 1):
                start = self.text[place : place + width]
                if start in sought:
                    here = {text for text in sought[start] if self.text.startswith(text, place)}
                    found |= here
                    sought[start] -= here
                    if not sought[start]:
                        del sought[start]
        return found


class MultiDocFacts:
    """The documents of a context, which of them share their text, and the text as shown."""

    def __init__(self, text: str, documents: list[dict], duplicate_groups: list[list[int]]):
        self.text = text
        self.documents = documents
        self.duplicate_groups = duplicate_groups

    @cached_property
    def shown(self) -> TextIndex:
        """The documents as the prompt shows them."""
        return TextIndex(self.text.strip())

    @cached_property
    def unquoted(self) -> TextIndex:
        """The same without quotation marks, and with the white space around it."""
        return TextIndex(self.text.replace('"', ""))


class OneDocFacts:
    """The labelled sentences of a document, true and fake."""

    def __init__(self, key_sentences: list[dict]):
        self.sentences = key_sentences
        self.true_texts = {s["text"].strip() for s in key_sentences if not s["fake"]}
        self.texts_of_type = {
            name: [s["text"] for s in key_sentences if s["type"] == name] for name in TYPE_NAMES
        }

    def inside(self, text: str) -> list[dict]:
        """The labelled sentences that a text contains."""
        return [sentence for sentence in self.sentences if sentence["text"] in text]


def facts_of(context: dict) -> ListFacts | MultiDocFacts | OneDocFacts:
    """The prepared facts of a context record, which must not be changed afterwards."""
    held = _prepared.get(id(context))
    if held is None or held[0] is not context:
        if len(_prepared) >= _KEPT:
            _prepared.pop(next(iter(_prepared)))
        held = _prepared[id(context)] = (context, _prepare(context))
    return held[1]


def _prepare(context: dict) -> ListFacts | MultiDocFacts | OneDocFacts:
    match context["scenario"]:
        case "list":
            return ListFacts(context["elements"])
        case "multidoc":
            return MultiDocFacts(context["text"], context["documents"], context["duplicate_groups"])
        case _:
            return OneDocFacts(context["key_sentences"])
