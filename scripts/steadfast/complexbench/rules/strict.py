"""The rules as their authors meant them: the same tests, without the accidents of ``released``.

- A rule has the form that the guidelines give it (``rule_forms``): its kind stands at its
  beginning, whatever its key words hold.
- Both sides are compared in the same punctuation.
- Quotation marks around what was copied make no difference.
- A JSON object may hold braces in its strings, and follow a stray one; NaN is no JSON.
- "None" is a word like another: what the answer lacks has no segment.

Whether a rule can be read is known before anything is asked, so that no verdict is left open.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from steadfast.complexbench.rule_forms import Clause, RuleFormError, read_rule
from steadfast.complexbench.rules import checks
from steadfast.complexbench.rules.objects import has_keys, parsed, spans
from steadfast.complexbench.rules.text import normalised


def verdict(rule: str, segments: Sequence[str]) -> bool:
    """Whether the segments of an answer satisfy a rule, each clause of it.

    Args:
        rule: as the data has it.
        segments: the parts of the answer that it is about, blank ones being none; a rule without
            ``each`` in its name is about the first.

    Raises:
        RuleFormError: the rule cannot be read, whatever the segments are.
    """
    there = [segment for segment in segments if segment.strip()]
    return all(_holds(clause, there) for clause in _clauses(rule))


def problem(rule: str) -> str | None:
    """What keeps a rule from being read; None where it can be."""
    try:
        _clauses(rule)
    except RuleFormError as error:
        return str(error)
    return None


def asks_each(rule: str) -> bool:
    """Whether a rule that can be read is about several parts of the answer."""
    return any(clause.each for clause in _clauses(rule))


def _clauses(rule: str) -> tuple[Clause, ...]:
    return read_rule(rule.strip("\n"))


def _holds(clause: Clause, segments: Sequence[str]) -> bool:
    if not segments:
        return clause.absent
    name = clause.name.removeprefix("model_")
    if name != JSON:
        clause = replace(clause, words=tuple(checks.all_normalised(clause.words)))
    if name in WHOLE:
        return WHOLE[name](checks.all_normalised(segments), clause)
    if not clause.each:
        segments = segments[:1]
    elif name in EXCEPT_LAST and len(segments) > 1:
        segments = segments[:-1]
    check = CHECKS[name.removesuffix("_each")]

    def has(form: str) -> bool:
        return check(form if name == JSON else normalised(form), clause)

    return all(checks.forms(has, segment) is not clause.absent for segment in segments)


def _within(number: int, clause: Clause) -> bool:
    return checks.within(number, (clause.low, clause.high))


def _object(text: str, clause: Clause) -> bool:
    values = (parsed(span, constants=False) for span in spans(text))
    first = next((value for value in values if isinstance(value, dict)), None)
    return has_keys(first, clause.words)


def _keywords(text: str, clause: Clause) -> bool:
    return checks.contains_all(text, clause.words)


def _forbidden(text: str, clause: Clause) -> bool:
    return checks.contains_any(text, clause.words)


def _starts(text: str, clause: Clause) -> bool:
    return text.startswith(clause.words[0])


def _ends(text: str, clause: Clause) -> bool:
    return checks.ends_with(text, clause.words[0])


JSON = "Json"
EXCEPT_LAST = frozenset({"endswith_each"})
"""Kinds that the last of several segments is not held to: the items of a list, parted by ``；``,
end in a full stop."""

WHOLE: dict[str, Callable[[Sequence[str], Clause], bool]] = {
    "number_each": lambda segments, clause: _within(len(segments), clause),
    "starts_with_list_each": lambda segments, clause: checks.starts_in_turn(segments, clause.words),
}
"""Checks of all the segments together."""

CHECKS: dict[str, Callable[[str, Clause], bool]] = {
    "keyword": _keywords,
    "keyword_num": lambda text, clause: _within(checks.contained(text, clause.words), clause),
    "forbidden_word": _forbidden,
    "length": lambda text, clause: _within(len(text), clause),
    "length_word": lambda text, clause: _within(len(text.split()), clause),
    "startswith": _starts,
    "endswith": _ends,
    "not_startswith": _starts,
    "not_endswith": _ends,
    "not endswith": _ends,
    "constraint_punc": lambda text, clause: checks.only_punctuation(text, clause.words),
    "match": lambda text, clause: text in (clause.words[0], f"{clause.words[0]}。"),
    JSON: _object,
}
"""Checks of one segment: whether it has what the clause names, wanted or not (``absent``)."""
