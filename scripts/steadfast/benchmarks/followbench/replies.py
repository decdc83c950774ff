"""A judge's reply read as verdicts on the constraints or as a rating, strictly or as released."""

import re
from functools import partial

from steadfast.base.files import Record
from steadfast.base.literals import parse_literal
from steadfast.benchmarks.followbench.facts import HIGHEST, NO, YES
from steadfast.judging import styles
from steadfast.judging.reply import REASONS, json_object, numbered, one_of, own_strings
from steadfast.judging.rows import rows
from steadfast.judging.words import plain

AROUND = "`* \t\r\f\v\u3000"
NUMBERING = re.compile(r"\d{1,2}[).:）、]")
WORD = re.compile(rf"'({YES}|{NO})'|\"({YES}|{NO})\"")
LIST = re.compile(rf"\[\s*(?:{WORD.pattern})(?:\s*,\s*(?:{WORD.pattern}))*\s*\]")
RATED = re.compile(r"(?:(?:Rating|评分)\s*[:：][\s*]*+)?\[\[(\d{1,2}(?:\.\d{1,4})?)\]\]", re.ASCII)


def readable(expected: Record, reply: str, answer: str) -> bool:
    """Returns whether a judge's reply ends in one verdict for each constraint, or in a rating."""
    if "highest" in expected:
        return strict_rating(reply, answer) is not None
    return strict_verdicts(reply, answer, expected["count"]) is not None


def schema(expected: Record) -> Record | None:
    """Returns the JSON schema of a reply with reasons and verdicts; a rating is read from no JSON.

    A verdict for each constraint by its number: not every provider can hold a list to a length.
    """
    if "highest" in expected:
        return None
    verdicts = numbered([one_of(YES, NO)] * expected["count"])
    return json_object(reasons=REASONS, verdicts=verdicts)


def strict_verdicts(reply: str, answer: str, count: int) -> list[int] | None:
    """Returns 1 or 0 for each constraint, in their order; None for an unreadable reply.

    The last line of the judge's own text should be a list of exactly ``count`` strings, YES or NO.
    Back-ticks, asterisks and blanks around it, a number such as "4)" before it, and lines of these
    alone are ignored. Otherwise unambiguous verdicts in another style count (``styles``). Two lists
    that differ are unreadable.
    """
    last = _last_own_line(reply, answer)
    words = [single or double for single, double in WORD.findall(last)]
    if LIST.fullmatch(last) and len(words) == count:
        verdicts = [int(word == YES) for word in words]
        own_text = plain(own_strings(reply, answer))
        for claim in styles.lists(True, answer, own_text):
            values = [verdict.value for verdict in claim.verdicts]
            if len(values) == count and values != verdicts:
                return None
        doubtful = styles.is_reversed(own_text) or styles.ends_in_another(own_text)
        return None if doubtful else verdicts
    in_brackets = (styles.lists, styles.sequences, styles.objects)
    forms: list[styles.Form] = [partial(form, True, answer) for form in in_brackets]
    forms += [partial(rows, False, answer), partial(styles.statements, answer)]
    if count == 1:
        forms.append(partial(styles.single, answer))
    return styles.agreed_verdicts(reply, answer, count, forms)


def strict_rating(reply: str, answer: str) -> float | None:
    """Returns the rating, 0 to 10 in ``[[ ]]``, on the last own line; None for others."""
    match = RATED.fullmatch(_last_own_line(reply, answer))
    rating = float(match[1]) if match else None
    return rating if rating is None or rating <= HIGHEST else None


def _last_own_line(reply: str, answer: str) -> str:
    """Returns the last line of the judge's own text, without signs and numbering around it."""
    lines = [line.strip(AROUND) for line in own_strings(reply, answer).splitlines()]
    last = next((line for line in reversed(lines) if line), "")
    if numbering := NUMBERING.match(last):
        last = last[numbering.end() :].strip(AROUND)
    return last


READ_AS_NO = {
    "en": (NO, "PARTIAL", "MAYBE", "UNKNOWN", "N/A"),
    "zh": (NO, "PARTIAL", "PARTIALLY", "MAYBE", "UNKNOWN"),
}
CHINESE_QUOTES = str.maketrans("“”", '""')
RATED_AS_RELEASED = (re.compile(r"\[\[(\d++\.?+\d*+)\]\]"), re.compile(r"\[(\d++\.?+\d*+)\]"))


def released_rating(reply: str | None) -> float | None:
    """The rating as the code that came with Vicuna's template reads it (FastChat's llm_judge).

    The first number in double square brackets, wherever it stands; without one, the first in
    single ones; None: failure. The number may be any.
    """
    for pattern in RATED_AS_RELEASED:
        if match := pattern.search(reply or ""):
            return float(match[1])
    return None


def released_verdicts(reply: str | None, count: int, language: str) -> list[int] | None:
    """Returns the verdicts as the released code reads them; None: failure.

    One constraint: whether the last line holds YES anywhere, or else NO. Several: the list between
    the first and the last bracket of the last line, with some words read as NO; in Chinese surplus
    elements are ignored. The released code evaluates that list as Python; here it is only parsed.
    """
    last = _last_line(reply or "", language)
    if count == 1:
        return [1] if YES in last else [0] if NO in last else None
    start = last.find("[")
    end = last.rfind("]")
    if not 0 <= start < end:
        return None
    text = last[start : end + 1]
    if language == "zh" and not {"'", '"'} & set(text):
        text = text.replace(YES, f"'{YES}'").replace(NO, f"'{NO}'")
    _, value = parse_literal(text)
    words = value if isinstance(value, list) else []
    if language == "zh":
        words = words[:count]
    # In a tuple, not a set: an element may be a list, which has no hash.
    is_read = all(word in (YES, *READ_AS_NO[language]) for word in words)
    return [int(word == YES) for word in words] if is_read and len(words) == count else None


def _last_line(reply: str, language: str) -> str:
    if language == "en":
        return reply.strip("`").strip().split("\n")[-1]
    stripped = reply.translate(CHINESE_QUOTES).strip("`").strip(" ").strip("\n")
    return stripped.split("\n")[-1].strip(" ")
