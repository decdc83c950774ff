"""Released rubric of the List scenario: LSI, LOI, LOE, LBI, LBE and LMI."""

from steadfast.lifbench.gold import expected_element, fields
from steadfast.lifbench.rubric.facts import ListFacts
from steadfast.lifbench.rubric.marks import Marks
from steadfast.lifbench.rubric.parsing import near, outer_brackets, parse_json, unescape


def one_element(response: str, facts: ListFacts, expected: str) -> Marks:
    """LSI, LOI and LOE: the answer is the expected element."""
    counts = facts.counts(response)
    extracted = {"ids": _ids(counts)}
    length = _length_points(response, facts)
    if not counts:
        return Marks({"format": length}, extracted, void=True)
    # An element within another counts too (Q2).
    exact = _exact_points(response, facts, counts) if sum(counts.values()) == 1 else 0
    correct = 2 if expected in response else 1 if near(response, expected) else 0
    return Marks({"format": length + exact, "correct": correct, "ori": 1}, extracted)


def any_element(response: str, facts: ListFacts, reference: int, bias: int) -> Marks:
    """LBI and LBE: the answer is any element after (bias 1) or before (-1) the 0-based index."""
    counts = facts.counts(response)
    extracted = {"ids": _ids(counts)}
    length = _length_points(response, facts)
    if not counts:
        return Marks({"format": length}, extracted, void=True)
    exact = _exact_points(response, facts, counts) if len(counts) == 1 else 0
    distance = min((index - reference) * bias for index in counts)
    position = 3 if distance > 0 else 1 if distance == 0 else 0
    return Marks({"ori": 1, "position": position, "format": length + exact}, extracted)


def many_elements(response: str, facts: ListFacts, gold: list[str]) -> Marks:
    """LMI: the answer is a JSON list of the gold elements, in the instruction's order."""
    is_json, value = parse_json(response)
    full, partly = 2.0, 1.5
    if not is_json:
        full, partly = 1.5, 1.0
        _, value = parse_json(outer_brackets(response) or "")
    if isinstance(value, list):
        form = full if all(isinstance(item, str) for item in value) else partly
        size = len(value)
    else:
        form = 0.5 if is_json else 0
        size = sum(facts.counts(response).values())
    n = len(gold)
    text = unescape(response)
    text = response if text is None else text
    places = [place for element in gold if (place := text.find(element)) >= 0]
    points = {
        "format": form,
        "num": (size == n) + 2 * max(0, 1 - abs(size - n) / n),
        "correct": 3 * len(places) / n,
        "order": 1 if len(places) <= 1 else 2 if places == sorted(places) else 0,  # Q4
    }
    return Marks(points, {"size": size, "found": len(places)})


def _length_points(response: str, facts: ListFacts) -> float:
    return 0.2 if facts.shortest <= len(response) <= facts.longest else 0.0


def _exact_points(response: str, facts: ListFacts, counts: dict[int, int]) -> float:
    return 0.8 if any(facts.elements[index] == response for index in counts) else 0.3


def _ids(counts: dict[int, int]) -> list[int]:
    return sorted(index + 1 for index in counts)


def _one(prompt: dict, facts: ListFacts, scenario_prompt: str, response: str) -> Marks:
    return one_element(response, facts, expected_element(prompt))


def _blur(prompt: dict, facts: ListFacts, scenario_prompt: str, response: str) -> Marks:
    given = fields(prompt)
    return any_element(response, facts, given["id"] - 1, given["bias"])


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
