"""Released rubric of the List scenario: LSI, LOI, LOE, LBI, LBE and LMI."""

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.rubric import parsing
from steadfast.benchmarks.lifbench.rubric.facts import ListFacts, Marks


def one_element(response: str, facts: ListFacts, expected: str) -> Marks:
    """Marks LSI, LOI and LOE: the answer is the expected element."""
    counts, extracted, length = _read(response, facts)
    if not counts:
        return Marks({"format": length}, extracted, void=True)
    # An element within another counts too (Q2).
    exact = _exact_points(response, facts, counts) if sum(counts.values()) == 1 else 0
    correct = 2 if expected in response else 1 if parsing.is_near(response, expected) else 0
    return Marks({"format": length + exact, "correct": correct, "ori": 1}, extracted)


def any_element(response: str, facts: ListFacts, reference: int, bias: int) -> Marks:
    """Marks LBI and LBE: the answer is any element after (bias 1) or before (-1) the index."""
    counts, extracted, length = _read(response, facts)
    if not counts:
        return Marks({"format": length}, extracted, void=True)
    exact = _exact_points(response, facts, counts) if len(counts) == 1 else 0
    distance = min((index - reference) * bias for index in counts)
    position = 3 if distance > 0 else 1 if distance == 0 else 0
    return Marks({"ori": 1, "position": position, "format": length + exact}, extracted)


def many_elements(response: str, facts: ListFacts, expected: list[str]) -> Marks:
    """Marks LMI: the answer is a JSON list of the expected elements, in the instruction's order."""
    is_json, value = parsing.parse_json(response)
    if not is_json:
        _, value = parsing.parse_json(parsing.outer_brackets(response) or "")
    size = len(value) if isinstance(value, list) else sum(facts.counts(response).values())
    n = len(expected)
    text = parsing.unescape(response)
    positions = [text.find(element) for element in parsing.contained(expected, text)]
    points = {
        "format": 2 * parsing.list_form(is_json, value),
        "num": (size == n) + 2 * max(0, 1 - abs(size - n) / n),
        "correct": 3 * len(positions) / n,
        "order": 1 if len(positions) <= 1 else 2 if positions == sorted(positions) else 0,  # Q4
    }
    return Marks(points, {"size": size, "found": len(positions)})


def _read(response: str, facts: ListFacts) -> tuple[dict[int, int], Record, float]:
    """Counts the elements in a response; returns their numbers, and points for its length, too."""
    counts = facts.counts(response)
    length = 0.2 if facts.shortest <= len(response) <= facts.longest else 0.0
    return counts, {"ids": [index + 1 for index in sorted(counts)]}, length


def _exact_points(response: str, facts: ListFacts, counts: dict[int, int]) -> float:
    return 0.8 if any(facts.elements[index] == response for index in counts) else 0.3
