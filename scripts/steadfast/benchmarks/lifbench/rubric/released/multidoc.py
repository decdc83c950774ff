"""Released rubric of the MultiDoc scenario: MB (label documents) and MF (find duplicates)."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from itertools import accumulate, chain

from steadfast.base.files import Record
from steadfast.base.literals import parse_literal
from steadfast.benchmarks.lifbench.rubric import parsing
from steadfast.benchmarks.lifbench.rubric.facts import Marks, MultiDocFacts

Group = list[Record]
Document = tuple[str | None, ...]  # A document by the fields that are requested
DOC = re.compile("doc([0-9]+)")


def label_documents(
    response: str, facts: MultiDocFacts, labels: list[str], candidates: list[str]
) -> Marks:
    """Marks MB: the answer is a JSON object from doc1, doc2 … to labels out of the candidates."""
    n = len(labels)
    braces = parsing.braced(response)
    is_json, value = parsing.parse_json(response)
    form = 2.0 if is_json else 0.0
    if not is_json:
        braces.sort(key=len, reverse=True)
        is_json, value = parsing.parse_json(braces[0]) if braces else (False, None)
        form = 1.0 if is_json else 0.0
    filled = isinstance(value, dict | list) and len(value) > 0
    form += filled and isinstance(value, dict)
    size = len(value) if filled else response.count("doc")
    numbers: set[str] = set()
    for number in DOC.findall(response):
        # Each beginning of the number counts: "doc1" is satisfied by "doc10" (Q5).
        numbers.update(accumulate(number[: len(str(n))]))
    form += 2 * len(numbers.intersection(map(str, range(1, n + 1)))) / n
    points = {"num_doc": 2.5 * max(0, 1 - abs(size - n) / n) + 0.5 * (size == n), "format": form}
    # The position in the text, not the key, decides which document a piece labels (Q6).
    pieces = next((b.split(",") for b in braces if b.count(",") == n - 1), [])
    if pieces:
        right = 0
        labelled = 0  # pieces with any of the candidates
        for label, piece in zip(labels, pieces, strict=True):
            right += label in piece
            labelled += bool(parsing.contained(candidates, piece))
        points |= {"logit_correct": 3 * right / n, "candi_ori": 3 * labelled / n}
    return Marks(points, {"size": size, "pieces": len(pieces)})


def find_duplicates(
    response: str, facts: MultiDocFacts, expected: list[Group], keys: list[str], around: list[str]
) -> Marks:
    """Marks MF: a line per group of duplicates, a list of lists of the requested fields."""
    lines = parsing.double_bracketed(response)
    form, listed = _json_lines(response, lines)
    entries = list(chain.from_iterable(chain.from_iterable(listed)))
    texts = [parsing.as_text(entry) for entry in entries if entry is not None]
    grounded = _count(texts, facts.shown.present) + entries.count(None)
    ori = 3 * grounded / len(entries) if entries else 0.0

    n = len(expected)
    plain = response.replace("null", "None")
    text = parsing.unescape(plain)
    values: list[str] = []
    for expected_document in chain.from_iterable(expected):
        values += map(str, expected_document.values())
    correct = 3 * len(parsing.contained(values, text)) / len(values) if values else 0.0

    groups = _literal_groups(plain)
    size = 0
    assigned: dict[Document, int] = {}
    texts = []
    for number, group in enumerate(groups):
        # The size goes by each group's first entry: longer ones after it give more than the weight.
        size += len(group) * len(group[0])
        for inner in group:
            document = tuple(map(parsing.as_text, inner))
            assigned[document] = number
            texts += document
    present = _count(texts, partial(_in_prompt, facts=facts, around=around))
    ori += 3 * present / size if size else 0.0
    correct += agreement(_expected_groups(expected), assigned)
    points = {
        "correct": correct,
        "num_text": (len(lines) == n) + 4 * max(0, 1 - abs(len(lines) - n) / (n + 2)),
        "ori": ori,
        "format": form,
    }
    return Marks(points, {"lines": len(lines), "read": len(groups)})


def _json_lines(response: str, lines: list[str]) -> tuple[float, list[list[list[object]]]]:
    """Returns the format points, and those lines that are lists of lists."""
    first = response.find("[")
    last = response.rfind("]")
    form = 0.5 * (first >= 0 and last >= 0) + 0.5 * (first == 0 and last == len(response) - 1)
    form += len(lines) == response.count("\n") + 1
    # Each line is cut at the brackets of the whole response (Q7).
    values = []
    for line in lines:
        is_json, value = parsing.parse_json(line[first : last + 1])
        if is_json:
            values.append(value)
    listed = list(filter(_is_lists, values))
    # No line at all means that no line failed (Q8).
    form += bool(values) + (len(values) == len(lines)) + (len(listed) == len(values))
    return form, listed


def _is_lists(value: object) -> bool:
    return isinstance(value, list) and parsing.all_of(list, value)


def _count(texts: list[str | None], present: Callable[[set[str]], set[str]]) -> int:
    counts = Counter(text for text in texts if text is not None)
    return sum(counts[text] for text in present(set(counts)))


def _literal_groups(text: str) -> list[list[list[object]]]:
    """Returns the groups as Python literals; compact JSON with two fields breaks here (Q9)."""
    text = text.replace("\n", ",").replace('\\"', "").replace("\\", ",").strip()
    groups = []
    for line in parsing.double_bracketed(text):
        is_literal, group = parse_literal(line.replace(',"', ""))
        if is_literal and _is_lists(group):
            groups.append(group)
    return groups


def _expected_groups(expected: list[Group]) -> dict[Document, int]:
    numbers: dict[Document, int] = {}
    for number, group in enumerate(expected):
        for document in group:
            values = map(str, document.values())
            numbers[tuple(value.replace('"', "") for value in values)] = number
    return numbers


def _in_prompt(texts: set[str], facts: MultiDocFacts, around: list[str]) -> set[str]:
    """Returns those of the texts that are in the whole prompt without its quotation marks."""
    before, after = around
    # The long context is searched once, its joins with the rest of the prompt by themselves.
    context = facts.unquoted.text
    present_texts = facts.unquoted.present(texts)
    for text in texts - present_texts:
        k = len(text)
        boundaries = [before + context[:k], context[-k:] + after]
        if k > len(context):
            boundaries = [before + context + after]
        if any(text in boundary for boundary in boundaries):
            present_texts.add(text)
    return present_texts


def agreement(expected: Mapping[Document, int], assigned: Mapping[Document, int]) -> float:
    """Returns the share of ordered pairs of expected documents that both groupings agree on.

    A pair agrees if both documents are assigned and both groupings join them, or both separate
    them; a document pairs with itself too.

    >>> agreement({("a",): 1, ("b",): 1}, {("a",): 7, ("b",): 8})
    0.5
    """
    if not expected:
        return 0.0
    both = [document for document in expected if document in assigned]
    expected_numbers = [expected[document] for document in both]
    numbers = [assigned[document] for document in both]
    joined = _joined_pairs(zip(expected_numbers, numbers, strict=True))
    # Pairs that both separate are all pairs less those that either joins (inclusion-exclusion):
    #   separated = n² - joined in expected - joined in assigned + joined in both
    expected_joined = _joined_pairs(expected_numbers)
    separated = len(both) ** 2 - expected_joined - _joined_pairs(numbers) + joined
    return (joined + separated) / len(expected) ** 2


def _joined_pairs(labels: Iterable[Hashable]) -> int:
    """Returns the number of ordered pairs with the same label."""
    return sum(count**2 for count in Counter(labels).values())
