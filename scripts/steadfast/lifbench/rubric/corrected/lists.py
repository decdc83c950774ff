"""Corrected rubric of the List scenario: LSI, LOI, LOE, LBI, LBE and LMI."""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from steadfast.lifbench.rubric.corrected.reading import found_json, strings
from steadfast.lifbench.rubric.facts import ListFacts
from steadfast.lifbench.rubric.marks import Marks
from steadfast.lifbench.rubric.parsing import list_form
from steadfast.lifbench.rubric.text import nearly, normal
from steadfast.lifbench.weights import ScorePoint


def one_element(
    response: str, facts: ListFacts, expected: str, weights: Mapping[str, ScorePoint]
) -> Marks:
    """LSI, LOI and LOE: the answer is the expected element, and nothing else.

    The weights are Table 6's, not the released ones (Q17).
    """
    response, expected = normal(response), normal(expected)
    found = facts.finder.find(response)
    slip = response not in facts.places and nearly(response, expected)
    fractions = {
        "format": _form(response, facts, found),
        "correct": 1.0 if expected in found else 0.5 if slip else 0.0,
        "ori": float(bool(found)),
    }
    points = {name: fractions[name] * weights[name].weight for name in weights}
    return Marks(points, {"ids": _ids(facts, found)})


def any_element(response: str, facts: ListFacts, reference: int, bias: int) -> Marks:
    """LBI and LBE: the answer is any element after (bias 1) or before (-1) the 0-based index.

    An element that occurs more than once is taken for the occurrence that is right.
    """
    response = normal(response)
    found = facts.finder.find(response)
    distances = [max((index - reference) * bias for index in facts.places[text]) for text in found]
    nearest = min(distances, default=-1)
    points = {
        "ori": float(bool(found)),
        "position": 3 if nearest > 0 else 1 if nearest == 0 else 0,
        "format": _form(response, facts, found),
    }
    return Marks(points, {"ids": _ids(facts, found)})


def many_elements(response: str, facts: ListFacts, gold: list[str]) -> Marks:
    """LMI: the answer is a JSON list of the gold elements, in the instruction's order."""
    gold = [normal(element) for element in gold]
    whole, _, value = found_json(response, "[")
    named = [e for part in strings(value) for e in facts.finder.find(normal(part))]
    named = named or facts.finder.find(normal(response))
    n, wanted = len(gold), Counter(gold)
    size = len(value) if isinstance(value, list) else len(named)
    hits = sum((Counter(named) & wanted).values())
    points = {
        "format": 2 * list_form(whole, value),
        "num": (size == n) + 2 * max(0, 1 - abs(size - n) / n),
        "correct": 3 * hits / n,
        "order": 2 * _in_order(named, gold, hits),
    }
    return Marks(points, {"size": size, "found": hits})


def _in_order(named: list[str], gold: list[str], hits: int) -> float:
    """1 if the gold elements come in the gold's order, none twice; a half for one of several."""
    if hits <= 1 < len(gold):
        return hits / 2
    ranks = {element: [k for k, other in enumerate(gold) if other == element] for element in gold}
    sequence: list[int] = []
    uses: Counter[str] = Counter()
    for element in named:
        if element in ranks:
            places = ranks[element]
            sequence.append(places[min(uses[element], len(places) - 1)])
            uses[element] += 1
    return float(hits > 0 and all(a < b for a, b in pairwise(sequence)))


def _form(response: str, facts: ListFacts, found: list[str]) -> float:
    if response in facts.places:
        return 1.0
    # As far as it goes, an answer of an element's length, or with one element in it.
    return 0.2 * (facts.shortest <= len(response) <= facts.longest) + 0.3 * (len(found) == 1)


def _ids(facts: ListFacts, found: list[str]) -> list[int]:
    return sorted({index + 1 for text in found for index in facts.places[text]})
