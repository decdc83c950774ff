"""Corrected rubric of the OneDoc scenario: OQ (QA) and OE (extract)."""

import re
from collections import Counter
from typing import Any

from steadfast.benchmarks.lifbench.expected import TYPE_NAMES
from steadfast.benchmarks.lifbench.rubric.corrected import choices, lists, reading
from steadfast.benchmarks.lifbench.rubric.facts import Marks, OneDocFacts, untagged
from steadfast.benchmarks.lifbench.rubric.parsing import list_form
from steadfast.benchmarks.lifbench.rubric.text import core, normal

_LABEL = re.compile(rf"<?(?:{'|'.join(map(re.escape, TYPE_NAMES))})(?:-[0-9]+)?>?")
_UNTICKED = re.compile(r"^\W*(?:\[ ?\]|☐).*$", re.MULTILINE)
_MOST = 64  # texts of an answer that are searched for in the document


def origin(texts: list[str], facts: OneDocFacts) -> float:
    """Returns the share of an answer's texts that are sentences of the document, 0 to 1."""
    counts = Counter(texts)
    held = filter(facts.holds, list(counts)[:_MOST])
    return sum(counts[text] for text in held) / len(texts) if texts else 0.0


def is_alone(text: str, facts: OneDocFacts) -> bool:
    """Returns whether a text is a sentence without tags, or other words around it."""
    return text == untagged(text) and facts.finder.is_bare(text)


def question(response: str, facts: OneDocFacts, evidence: str, options: list[str]) -> Marks:
    """Marks OQ: the first option is right if the evidence is a true key sentence."""
    response = normal(_UNTICKED.sub("", response))
    options = list(map(normal, options))
    choice = choices.chosen_option(response, options)
    right = choice == options[0 if facts.is_true(normal(evidence)) else 1]
    points = {"correct": 3.0 * right, "format": 2 * right * _option_form(response, options)}
    return Marks(points, {"choice": choice})


def _option_form(response: str, options: list[str]) -> float:
    """Returns 1 for an option alone, less with other words, least with the other option."""
    if response in options:
        return 1.0
    if core(response) in map(core, options):
        return 0.75
    return 0.25 if len(choices.options_of(choices.mentions(response, options))) > 1 else 0.5


def extract(response: str, facts: OneDocFacts, type_name: str) -> Marks:
    """Marks OE: the answer is a JSON list of the true key sentences of a type, ordered by id."""
    ids: dict[str, int] = {}
    fakes: set[str] = set()
    for sentence in facts.sentences:
        if sentence["type"] == type_name and sentence["fake"]:
            fakes.add(normal(sentence["text"]))
        elif sentence["type"] == type_name:
            ids[normal(sentence["text"])] = sentence["id"]
    is_whole, items = reading.found_list(response)
    value = reading.listed(items)
    texts = list(filter(str.strip, reading.strings(value)))
    # Numbers and types beside the sentences say which they are, and are none.
    sentences = [text for text in texts if not _is_label(text, facts)]
    texts = sentences or (texts if isinstance(value, list) else [])
    is_bare = [normal(text) in facts.labelled or is_alone(text, facts) for text in texts]
    form = list_form(is_whole, items) * reading.entries_form(is_bare)
    if not ids and _is_empty(is_whole, items, texts, response, facts):
        form *= 0.5 if texts else 1
        return Marks({"format": 4 * form, "correct": 4, "order": 4, "ori": 2}, {"size": 0})
    if not texts:
        lines = response.split("\n")
        texts = list(filter(facts.finder.find, lines)) or lines
    named = _named(texts, facts)
    sequence: list[int] = []
    worth_of_id: dict[int, float] = {}
    for text, worth in named:
        if text in ids:
            sequence.append(ids[text])
            # Each id counts once, with what its first sentence is worth.
            worth_of_id.setdefault(ids[text], worth)
    hits = sum(worth_of_id.values())
    listed_size = len(value) if isinstance(value, list) else 0
    named_sentences = {sentence for sentence, _ in named}
    size = max(listed_size, len(named_sentences))
    tricked = not fakes.isdisjoint(named_sentences)
    share = hits / max(len(ids), size, 1)
    in_order = sequence == sorted(set(sequence))
    points = {
        "format": 4 * form,
        "correct": 3.5 * share + 0.5 * (hits > 0 and not tricked),
        "order": 4 * share * in_order,
        "ori": 2 * origin(texts, facts),
    }
    return Marks(points, {"size": size, "hits": len(sequence)})


def _is_label(text: str, facts: OneDocFacts) -> bool:
    label = isinstance(text, reading.Numeral) or _LABEL.fullmatch(text.strip())
    return bool(label) and normal(text) not in facts.labelled


def _is_empty(whole: bool, value: Any, texts: list[str], response: str, facts: OneDocFacts) -> bool:
    """Returns whether an answer is that there are no sentences: in words, or by a list of none."""
    if texts:
        says_none_only = whole and all(map(choices.says_none, texts))
        return says_none_only and not any(map(facts.holds, texts[:_MOST]))
    if whole:
        parts = value.values() if isinstance(value, dict) else [value]
        return not value or any(isinstance(reading.listed(part), list) for part in parts)
    if "[" in response:
        # An empty list beside others, such as the examples of an instruction, is no answer.
        return isinstance(value, list) and response.count("[") == 1
    return choices.says_none(response) and not any(map(facts.holds, response.split("\n")[:_MOST]))


def _named(texts: list[str], facts: OneDocFacts) -> list[tuple[str, float]]:
    """Returns the labelled sentences in texts, and what each is worth: 1, or less if misspelt."""
    named: list[tuple[str, float]] = []
    for number, text in enumerate(texts):
        if sentences := facts.finder.find(text):
            named += [(sentence, 1.0) for sentence in sentences]
        elif number < _MOST and (near := facts.finder.nearest(untagged(text))):
            named.append((near, lists.SLIP))
    return named
