"""Corrected rubric of the OneDoc scenario: OR (repeat), OQ (QA) and OE (extract)."""

import unicodedata
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from steadfast.lifbench.gold import TYPE_NAMES
from steadfast.lifbench.rubric.corrected.reading import found_json, strings
from steadfast.lifbench.rubric.facts import OneDocFacts
from steadfast.lifbench.rubric.marks import Marks
from steadfast.lifbench.rubric.parsing import list_form
from steadfast.lifbench.rubric.text import Finder, allowed_edits, normal

_MOST = 64  # different texts of an answer that are looked for in the document


class Row(NamedTuple):
    """A line of an OR answer: the sentence, the one type named beside it, separators."""

    sentence: str
    type: str | None
    separators: int


def repeat(response: str, facts: OneDocFacts, n: int, separator: str) -> Marks:
    """OR: the answer is n lines of a true key sentence, the separator and the sentence's type."""
    rows = [_row(line.strip(), separator, facts) for line in response.split("\n") if line.strip()]
    separators = sum(row.separators for row in rows)
    form = 0.5 * (n == 1 or len(rows) > 1) + 0.5 * (separators > 0)
    form += 2 * min(1, sum(row.separators == 1 for row in rows) / max(len(rows), n))
    named = {text for row in rows for text in facts.finder.find(row.sentence)}
    hits = sum(facts.is_true(text) for text in named)
    equal = (separators == len(rows)) + (separators == hits) + (hits == len(rows))
    right = len({_right_sentence(row, facts) for row in set(rows)} - {None})
    points = {
        "format": form,
        "ori": 2 * _origin([row.sentence for row in rows], facts),
        "hit": 2 * min(1, hits / n),
        "num": (separators == n) + (len(rows) == n) + (hits == n) + equal / 3,
        "correct": 3 * right / len(rows),
    }
    read = {"rows": len(rows), "hits": hits, "fakes": len(named) - hits, "right": right}
    return Marks(points, read)


def _row(line: str, separator: str, facts: OneDocFacts) -> Row:
    # From its end first: there the type stands, while the sentence may hold anything.
    for name in TYPE_NAMES:
        before = line.removesuffix(name).rstrip()
        if line.endswith(name) and before.endswith(separator):
            sentence = normal(before.removesuffix(separator))
            inside = separator in sentence and sentence not in facts.labelled
            return Row(sentence, name, line.count(separator) if inside else 1)
    sentence, _, types = line.partition(separator)
    named = [name for name in TYPE_NAMES if name in (types or line)]
    return Row(normal(sentence), named[0] if len(named) == 1 else None, line.count(separator))


def _right_sentence(row: Row, facts: OneDocFacts) -> str | None:
    """The true key sentence of the type named that a row gives, but for a slip."""
    sentence = row.sentence
    if row.type is None:
        return None
    if sentence not in facts.labelled:
        # The nearest labelled sentence is meant, be it fake or of another type.
        match = process.extractOne(
            sentence,
            facts.labelled.keys(),
            scorer=Levenshtein.distance,
            score_cutoff=facts.most_edits,
        )
        if match is None or match[1] > allowed_edits(match[0]):
            return None
        sentence = match[0]
    meant = facts.labelled[sentence]
    return sentence if any(s["type"] == row.type and not s["fake"] for s in meant) else None


def _origin(texts: list[str], facts: OneDocFacts) -> float:
    """The share of an answer's texts that are sentences of the document."""
    known = {text: facts.holds(text) for text in list(dict.fromkeys(texts))[:_MOST]}
    return sum(known.get(text, False) for text in texts) / len(texts) if texts else 0.0


def question(response: str, facts: OneDocFacts, evidence: str, options: list[str]) -> Marks:
    """OQ: the answer is the first option if the evidence is a true key sentence, else the other."""
    response, options = normal(response), [normal(option) for option in options]
    named = _words(response, options)
    yes, no = (option in named for option in options)
    off = min(abs(len(response) - len(option)) for option in options)
    form = 0.0
    if named:
        form = (1 if off == 0 else 0.5 if off <= 3 else 0) + (1 if len(named) == 1 else 0.5)
    right = yes if facts.is_true(normal(evidence)) else no
    correct = 0.5 if yes and no else 3 if right else 0
    return Marks({"correct": correct, "format": form}, {"yes": yes, "no": no})


def _words(response: str, options: list[str]) -> set[str]:
    """The options that a response has as words: not within a longer word, nor within the other."""
    if response in options:
        return {response}
    named, place = set(), 0
    for option in Finder(options).find(response):
        place = response.index(option, place)
        end = place + len(option)
        before, after = response[max(place - 1, 0) : place + 1], response[end - 1 : end + 1]
        if not (_joined(before) or _joined(after)):
            named.add(option)
        place = end
    return named


def _joined(pair: str) -> bool:
    # Scripts without case, such as the Chinese one, may write words without blanks.
    return len(pair) == 2 and all(c.isalnum() and unicodedata.category(c) != "Lo" for c in pair)


def extract(response: str, facts: OneDocFacts, type_name: str) -> Marks:
    """OE: the answer is a JSON list of the true key sentences of a type, in order of their ids."""
    ids = {
        normal(s["text"]): s["id"]
        for s in facts.sentences
        if s["type"] == type_name and not s["fake"]
    }
    whole, _, value = found_json(response, "[")
    form = 4 * list_form(whole, value)
    if not ids and value == []:
        return Marks({"format": form, "correct": 4, "order": 4, "ori": 2}, {"size": 0})
    parts = strings(value) or response.split("\n")
    texts = [text for part in parts if (text := normal(part))]
    named = [sentence for text in texts for sentence in facts.finder.find(text)]
    sequence = [ids[sentence] for sentence in named if sentence in ids]
    hits = len(set(sequence))
    size = len(value) if isinstance(value, list) else 0
    tricked = any(
        s["type"] == type_name and s["fake"] for text in set(named) for s in facts.labelled[text]
    )
    share = hits / max(len(set(named)), size, len(ids), 1)
    points = {
        "format": form,
        "correct": 3.5 * share + 0.5 * (hits > 0 and not tricked),
        "order": 4 if hits and all(a < b for a, b in pairwise(sequence)) else 0,
        "ori": 2 * _origin(texts, facts),
    }
    return Marks(points, {"size": size, "found": len(set(named)), "hits": hits})
