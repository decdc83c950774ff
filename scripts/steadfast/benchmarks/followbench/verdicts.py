"""A judge's reply read strictly, as verdicts on the constraints or as a rating."""

import re

from steadfast.base.files import Record
from steadfast.benchmarks.followbench.facts import HIGHEST, NO, YES
from steadfast.judging.reply import own_words

AROUND = "`* \t\r\f\v\u3000"
NUMBERING = re.compile(r"\d{1,2}[).:）、]")
WORD = re.compile(rf"'({YES}|{NO})'|\"({YES}|{NO})\"")
LIST = re.compile(rf"\[\s*(?:{WORD.pattern})(?:\s*,\s*(?:{WORD.pattern}))*\s*\]")
RATED = re.compile(r"(?:(?:Rating|评分)\s*[:：][\s*]*+)?\[\[(\d{1,2}(?:\.\d{1,4})?)\]\]", re.ASCII)


def readable(expected: Record, reply: str, answer: str) -> bool:
    """Returns whether a judge's reply ends in one verdict for each constraint, or in a rating."""
    if "highest" in expected:
        return strict_rating(reply, answer) is not None
    return strict(reply, answer, expected["count"]) is not None


def strict(reply: str, answer: str, count: int) -> list[int] | None:
    """The verdicts of a reply that ends as the judge was asked to end it; None for any other.

    The last line of the judge's own words must be a list of exactly ``count`` strings, each YES
    or NO. Back-ticks, asterisks and blanks around it, and a number such as "4)" before it, are no
    part of it; a line of nothing else is no line.

    They are 1 or 0 for each constraint, in the order in which they were added.
    """
    last = _last_own_line(reply, answer)
    if not LIST.fullmatch(last):
        return None
    words = [single or double for single, double in WORD.findall(last)]
    return [int(word == YES) for word in words] if len(words) == count else None


def strict_rating(reply: str, answer: str) -> float | None:
    """Returns the rating, 0 to 10 in ``[[ ]]``, on the last own line; None for others."""
    found = RATED.fullmatch(_last_own_line(reply, answer))
    rating = float(found[1]) if found else None
    return rating if rating is None or rating <= HIGHEST else None


def _last_own_line(reply: str, answer: str) -> str:
    """The last line of a reply that the judge did not repeat, without what may stand around it."""
    lines = [line.strip(AROUND) for line in own_words(reply, answer).splitlines()]
    last = next((line for line in reversed(lines) if line), "")
    if numbering := NUMBERING.match(last):
        last = last[numbering.end() :].strip(AROUND)
    return last
