"""Corrected rubric of the List scenario: LSI, LOI, LOE, LBI, LBE and LMI."""

from collections import Counter
from itertools import pairwise

from steadfast.lifbench.gold import expected_element, fields
from steadfast.lifbench.rubric.corrected.reading import (
    embedded_json,
    list_form,
    strict_json,
    strings,
)
from steadfast.lifbench.rubric.facts import ListFacts
from steadfast.lifbench.rubric.marks import Marks
from steadfast.lifbench.rubric.text import nearly, normal
from steadfast.lifbench.tasks import RUBRICS


def one_element(response: str, facts: ListFacts, expected: str) -> tuple[dict[str, float], dict]:
    """LSI, LOI and LOE: the answer is the expected element, and nothing else.

    Args:
        response: ``normal``, not empty.
        facts: the list.
        expected: the right element.

    Returns:
        (each point as a fraction of its weight, what was extracted).
    """
    found = facts.finder.find(response)
    expected = normal(expected)
    slip = response not in facts.places and nearly(response, expected)
    points = {
        "format": _form(response, facts, found),
        "correct": 1.0 if expected in found else 0.5 if slip else 0.0,
        "ori": float(bool(found)),
    }
    return points, {"ids": _ids(facts, found)}


def any_element(response: str, facts: ListFacts, reference: int, bias: int) -> Marks:
    """LBI and LBE: the answer is any element after (bias 1) or before (-1) the 0-based index.

    An element that occurs more than once is taken for the occurrence that is right.
    """
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
    whole, value = strict_json(response)
    if not whole:
        _, value = embedded_json(response, "[")
    said = [e for part in strings(value) for e in facts.finder.find(normal(part))]
    said = said or facts.finder.find(normal(response))
    n, wanted = len(gold), Counter(gold)
    size = len(value) if isinstance(value, list) else len(said)
    hits = sum((Counter(said) & wanted).values())
    points = {
        "format": 2 * list_form(whole, value),
        "num": (size == n) + 2 * max(0, 1 - abs(size - n) / n),
        "correct": 3 * hits / n,
        "order": 2 * _in_order(said, gold, hits),
    }
    return Marks(points, {"size": size, "found": hits})


def _in_order(said: list[str], gold: list[str], hits: int) -> float:
    """1 if the gold elements come in the gold's order, none twice; a half for one of several."""
    if hits <= 1 < len(gold):
        return hits / 2
    ranks = {element: [k for k, other in enumerate(gold) if other == element] for element in gold}
    sequence, uses = [], Counter()
    for element in said:
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


def _one(prompt: dict, facts: ListFacts, scenario_prompt: str, response: str) -> Marks:
    fractions, extracted = one_element(normal(response), facts, expected_element(prompt))
    weights = RUBRICS["corrected"][prompt["task"]]  # Table 6's, not the released ones (Q17)
    return Marks({name: fractions[name] * weights[name].weight for name in weights}, extracted)


def _blur(prompt: dict, facts: ListFacts, scenario_prompt: str, response: str) -> Marks:
    given = fields(prompt)
    return any_element(normal(response), facts, given["id"] - 1, given["bias"])


def _multi(prompt: dict, facts: ListFacts, scenario_prompt: str, response: str) -> Marks:
    return many_elements(response, facts, fields(prompt)["elements"])


SCORERS = {
    "LSI": _one,
    "LOI": _one,
    "LOE": _one,
    "LBI": _blur,
    "LBE": _blur,
    "LMI": _multi,
}
