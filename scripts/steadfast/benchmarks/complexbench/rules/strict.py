"""The rules as their authors meant them: the same tests, without the accidents of ``released``.

- A rule has the form that the guidelines give it (``rule_forms``): its kind stands at its
  beginning, whatever its key words hold.
- Both sides are compared in the same punctuation.
- Quotation marks around what was copied make no difference.
- A JSON object may hold braces in its strings, and follow a stray one; NaN is no JSON.
- "None" is a word like another: what the answer lacks has no segment.

Rules are parsed before any request is sent, so that no verdict is left open.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from steadfast.benchmarks.complexbench.facts import normalised
from steadfast.benchmarks.complexbench.replies import unquoted
from steadfast.benchmarks.complexbench.rule_forms import Clause, clauses
from steadfast.benchmarks.complexbench.rules import checks


def verdict(rule: str, segments: Sequence[str]) -> bool:
    """Whether the segments of an answer satisfy a rule, each clause of it; see ``scoring.verdict``.

    Blank segments are none; a rule without ``each`` in its name is about the first.
    """
    filled = [segment for segment in segments if segment.strip()]
    return all(_holds(clause, filled) for clause in clauses(rule))


def _holds(clause: Clause, segments: Sequence[str]) -> bool:
    if not segments:
        return clause.absent
    name = clause.name.removeprefix("model_")
    compared = str if name == JSON else normalised
    clause = replace(clause, words=tuple(map(compared, clause.words)))
    if name == "number_each":
        return clause.within(len(segments))
    if name == "starts_with_list_each":
        return checks.starts_in_turn([normalised(segment) for segment in segments], clause.words)
    if not clause.each:
        segments = segments[:1]
    elif name == "endswith_each":
        # Items of a list end in ``；``, but the last one in a full stop.
        segments = segments[:-1] or segments
    has = CHECKS[name.removesuffix("_each")](clause)
    for segment in segments:
        is_there = has(compared(segment)) or has(compared(unquoted(segment)))
        if is_there is clause.absent:
            return False
    return True


def _has_object(clause: Clause) -> checks.Check:
    def has(text: str) -> bool:
        for span in _spans(text):
            value = checks.parsed_json(span, constants=False)
            if isinstance(value, dict):  # only the first object counts
                return checks.has_keys(value, clause.words)
        return False

    return has


def _spans(text: str) -> Iterator[str]:
    """Yields each ``{…}`` that stands in no other; braces within its strings are left aside."""
    depth = 0
    quoted = False
    escaped = False
    for position, char in enumerate(text):
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"' and depth:
            quoted = True
        elif char == "{":
            if not depth:
                start = position
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : position + 1]


JSON = "Json"
# Checks of one segment: whether it has what the clause names, wanted or not (``absent``).
CHECKS: dict[str, Callable[[Clause], checks.Check]] = {
    "keyword": lambda clause: checks.has_all(clause.words),
    "keyword_num": lambda clause: checks.has_some(clause.words, clause.within),
    "forbidden_word": lambda clause: checks.has_any(clause.words),
    "length": lambda clause: lambda text: clause.within(len(text)),
    "length_word": lambda clause: lambda text: clause.within(len(text.split())),
    "startswith": lambda clause: checks.starts_with(clause.words[0]),
    "endswith": lambda clause: checks.ends_with(clause.words[0]),
    "not_startswith": lambda clause: checks.starts_with(clause.words[0]),
    "not_endswith": lambda clause: checks.ends_with(clause.words[0]),
    "not endswith": lambda clause: checks.ends_with(clause.words[0]),
    "constraint_punc": lambda clause: checks.only_punctuation(clause.words),
    "match": lambda clause: lambda text: text in (clause.words[0], f"{clause.words[0]}。"),
    JSON: _has_object,
}
