"""What a judge's reply says, in either mode: verdicts, or a score of the whole answer."""

import re
from collections.abc import Sequence

from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.direct import FORM, NAME
from steadfast.benchmarks.cfbench.facts import Mode
from steadfast.benchmarks.cfbench.strict import read_verdicts
from steadfast.judging.reply import own_words

_MARKS = r"[\s*_`>#]*"
_CLAIM = re.compile(rf"{_MARKS}评分{_MARKS}[:：](.*)")
_SCORE = re.compile(r"0(?:\.\d{1,2})?|1(?:\.0{1,2})?", re.ASCII)
_LONGEST = 32  # characters of a number in mode released


def readable(expected: Record, reply: str, answer: str) -> bool:
    """Whether a reply needs no further asking."""
    if NAME in expected:
        return direct_score(expected["mode"], reply, answer) is not None
    texts = expected["checkpoints"]
    if expected["mode"] == "released":
        return parsed(texts, reply) is not None
    return isinstance(strict_verdicts(texts, reply, answer), list)


def strict_verdicts(texts: Sequence[str], reply: str, answer: str) -> list[int] | str:
    """1 or 0 of each checkpoint by mode strict, or in one clause why the reply cannot be read."""
    own = own_words(reply, answer)
    verdicts = read_verdicts(texts, own)
    if isinstance(verdicts, str) and own != reply:
        # A checkpoint of several lines may show a form that the answer rightly has, and an answer
        # that forges its verdicts must not undo those of a judge who disagrees: the whole reply
        # counts unless its verdicts stand in the answer too, one after the other. (To look for
        # each by itself would let an answer with a list of ones and a list of zeros undo any.)
        judged, forged = _verdict_lines(reply), _verdict_lines(answer)
        if f"\n{judged}\n" not in f"\n{forged}\n":
            return read_verdicts(texts, reply)
    return verdicts


def _verdict_lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if "\t" in line)


def parsed(texts: Sequence[str], reply: str) -> list[str] | None:
    """The scores of a reply of exactly the wanted form, a checkpoint each; None for any other."""
    parts = reply.split("\n\n")
    if len(parts) != len(texts):
        return None
    scores = []
    for text, part in zip(texts, parts, strict=True):
        before, _, after = part.partition("\t")
        if part.count("\t") != 1 or before != text or number(after) not in (0, 1):
            return None
        scores.append(after.strip())
    return scores


def number(text: str) -> float | None:
    """A number as the released code reads it, which is any that Python's ``float`` takes."""
    try:
        return float(text)
    except ValueError:
        return None


def direct_score(mode: Mode, reply: str, answer: str) -> float | None:
    r"""The score that a reply gives, 0 to 1; None where it gives none.

    Strict: the last line of the judge's own words is its one score line, with a number of at most
    two decimals; blanks, bold type, a half-width colon and a final full stop make no difference.
    Released: what follows the last score mark, up to a blank, is whatever Python's ``float``
    takes for a number from 0 to 1, as the released code reads the verdicts of a checklist.

    Example:
        >>> direct_score("strict", "大体做到了。\n**评分：0.7**", "")
        0.7
    """
    if mode == "released":
        _, mark, after = reply.rpartition(FORM.format(score=""))
        words = after.split(None, 1) if mark else []
        value = number(words[0]) if words and len(words[0]) <= _LONGEST else None
        return value if value is not None and 0 <= value <= 1 else None
    lines = [line for line in own_words(reply, answer).splitlines() if line.strip()]
    claims = [claim for line in lines if (claim := _CLAIM.match(line))]
    if len(claims) != 1 or claims[0].string != lines[-1]:
        return None
    found = _SCORE.fullmatch(claims[0][1].strip(" \t*_`").rstrip("。．."))
    return float(found[0]) if found else None
