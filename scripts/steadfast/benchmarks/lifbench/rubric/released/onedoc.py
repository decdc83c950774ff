"""Released rubric of the OneDoc scenario: OR (repeat), OQ (QA) and OE (extract)."""

from steadfast.benchmarks.lifbench.expected import TYPE_NAMES
from steadfast.benchmarks.lifbench.rubric import parsing
from steadfast.benchmarks.lifbench.rubric.facts import Marks, OneDocFacts


def repeat(response: str, facts: OneDocFacts, n: int, separator: str) -> Marks:
    """Marks OR: the answer is n lines of a key sentence, the separator and the sentence's type."""
    inside = facts.labelled_in(response)
    hits = len(inside)
    fakes = sum(sentence["fake"] for sentence in inside)
    rows = list(filter(None, response.split("\n")))
    separators = response.count(separator)
    form = 0.5 * (n == 1 or "\n" in response) + 0.5 * (separators > 0)
    if separators:
        good = [row for row in rows if row.count(separator) == 1]
        form += 2 * len(good) / max(len(rows), n)
    equal = (separators == len(rows)) + (separators == hits) + (hits == len(rows))
    right = sum(_row_is_right(row, separator, facts) for row in rows)
    points = {
        "format": form,
        # The first half is given to every answer (Q12).
        "ori": 1 + bool(parsing.contained(TYPE_NAMES, response)),
        "hit": 2 * min(1, (hits - 0.5 * fakes) / n),
        "num": (separators == n) + (len(rows) == n) + (hits == n) + equal / 3,
        "correct": 3 * right / len(rows),
    }
    return Marks(points, {"rows": len(rows), "hits": hits, "fakes": fakes, "right": right})


def _row_is_right(row: str, separator: str, facts: OneDocFacts) -> bool:
    sentence, mark, types = row.partition(separator)
    if not mark:
        sentence = types = row.strip()
    # Blanks beside the separator are edits; fake sentences are as good as true ones (Q13).
    for name in parsing.contained(TYPE_NAMES, types):
        if any(parsing.is_near(sentence, candidate) for candidate in facts.texts_of_type[name]):
            return True
    return False


def question(response: str, facts: OneDocFacts, evidence: str, options: list[str]) -> Marks:
    """Marks OQ: the answer is the first option if the evidence is a true key sentence."""
    lengths = list(map(len, options))
    yes = options[0] in response
    no = options[1] in response
    # Much too long is better than nearly right (Q14).
    form = 1 if len(response) in lengths else 0.5 if len(response) > max(lengths) + 3 else 0
    form += 0.5 if yes and no else 1 if yes or no else 0
    if yes and no:
        correct = 0.5
    elif not yes and not no:
        correct = 0
    elif evidence.strip() in facts.true_texts:
        correct = 3 if yes else 0.1
    else:
        correct = 2 if yes else 3  # a wrong yes earns two thirds (Q15)
    return Marks({"correct": correct, "format": form}, {"yes": yes, "no": no})


def extract(response: str, facts: OneDocFacts, type_name: str) -> Marks:
    """Marks OE: the answer is a JSON list of the true key sentences of a type, ordered by id."""
    if type_name == "|Summary|" and response == "[]":
        return Marks({"format": 4, "correct": 4, "order": 4, "ori": 2}, {"size": 0})
    is_json, value = parsing.parse_json(response)
    if not is_json:
        _, value = parsing.parse_json(parsing.outer_brackets(response) or "")
    size = len(value) if isinstance(value, list) else 0
    inside = facts.labelled_in(parsing.unescape(response, response[:-1]))
    expected = sum(s["type"] == type_name and not s["fake"] for s in facts.sentences)
    hits = sum(s["type"] == type_name and not s["fake"] for s in inside)
    tricked = any(s["type"] == type_name and s["fake"] for s in inside)
    largest = max(len(inside), size, expected)
    correct = (3.5 * hits / largest if largest else 0) + 0.5 * (not tricked)
    points = {
        "format": 4 * parsing.list_form(is_json, value),
        "correct": correct,
        "order": 4 if inside else 0,  # whatever the order (Q16)
        "ori": 2 if inside else 0,
    }
    return Marks(points, {"size": size, "found": len(inside), "hits": hits})
