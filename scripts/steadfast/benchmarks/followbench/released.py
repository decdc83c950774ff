"""A judge's reply read as the released code does: as verdicts on the constraints or as a rating."""

import re

from steadfast.base.literals import parse_literal
from steadfast.benchmarks.followbench.facts import NO, YES

READ_AS_NO = {
    "en": frozenset({NO, "PARTIAL", "MAYBE", "UNKNOWN", "N/A"}),
    "zh": frozenset({NO, "PARTIAL", "PARTIALLY", "MAYBE", "UNKNOWN"}),
}
CHINESE_QUOTES = str.maketrans("“”", '""')
RATED_AS_RELEASED = (re.compile(r"\[\[(\d++\.?+\d*+)\]\]"), re.compile(r"\[(\d++\.?+\d*+)\]"))


def released_rating(reply: str | None) -> float | None:
    """The rating as the code that came with Vicuna's template reads it (FastChat's llm_judge).

    The first number in double square brackets, wherever it stands; without one, the first in
    single ones; None: failure. The number may be any.
    """
    for pattern in RATED_AS_RELEASED:
        if found := pattern.search(reply or ""):
            return float(found[1])
    return None


def released(reply: str | None, count: int, language: str) -> list[int] | None:
    """The verdicts as the released code reads them, without evaluating the reply; None: failure.

    One constraint: whether the last line holds YES anywhere, or else NO. Several: the list between
    the first and the last bracket of the last line, with some words read as NO; in Chinese what
    comes after the first ``count`` elements may be anything. The released code evaluates that list
    as Python; here it is read only if it is written out, all of it.

    Args:
        reply: the judge's text; None is a failure.
        count: constraints.
        language: en or zh, which differ in quotes, surplus elements and words read as NO.
    """
    last = _last_line(reply or "", language)
    if count == 1:
        return [1] if YES in last else [0] if NO in last else None
    start, end = last.find("["), last.rfind("]")
    if not 0 <= start < end:
        return None
    text = last[start : end + 1]
    if language == "zh" and not {"'", '"'} & set(text):
        text = text.replace(YES, f"'{YES}'").replace(NO, f"'{NO}'")
    _, value = parse_literal(text)
    words = value if isinstance(value, list) else []
    if language == "zh":
        words = words[:count]
    known = {YES} | READ_AS_NO[language]
    # Not every element can be looked up in a set: it may be a list.
    if len(words) != count or not all(isinstance(word, str) and word in known for word in words):
        return None
    return [int(word == YES) for word in words]


def _last_line(reply: str, language: str) -> str:
    if language == "en":
        return reply.strip("`").strip().split("\n")[-1]
    stripped = reply.translate(CHINESE_QUOTES).strip("`").strip(" ").strip("\n")
    return stripped.split("\n")[-1].strip(" ")
