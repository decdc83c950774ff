"""Direct scoring: a judge's one score of a whole answer, in place of a verdict a checkpoint.

The paper (Table 6, "GPT-4o DS") says of it that the judge scores an answer directly, and that
people score on a scale of 0 to 1; neither wording nor code of it is released. So form and reading
of a reply are ours, in both modes.
"""

import re
from fractions import Fraction

from steadfast.cfbench.facts import Mode
from steadfast.cfbench.released import number
from steadfast.judging.reply import own_words

NAME = "direct"  # of the judge template, and of what scores have
FORM = "评分：{score}"  # the last line of a reply
_MARKS = r"[\s*_`>#]*"
_CLAIM = re.compile(rf"{_MARKS}评分{_MARKS}[:：](.*)")
_SCORE = re.compile(r"0(?:\.\d{1,2})?|1(?:\.0{1,2})?", re.ASCII)
_LONGEST = 32  # characters of a number in mode released


def request_id(sample: str) -> str:
    """What the request for a sample's score is called."""
    return f"{sample}/{NAME}"


def direct_score(mode: Mode, reply: str, answer: str) -> float | None:
    r"""The score that a reply gives, 0 to 1; None where it gives none.

    Strict: the last line of the judge's own words is its one score line, with a number of at most
    two decimals; blanks, bold type, a half-width colon and a final full stop make no difference.
    Released: what follows the last score mark, up to a blank, is whatever Python's ``float``
    takes for a number from 0 to 1, as the released code reads the verdicts of a checklist.

    Args:
        mode: strict or released.
        reply: the judge's.
        answer: that was judged, whose repetition in the reply is not the judge's word (strict).

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


def is_satisfied(*scores: float) -> int:
    """1 where the mean of scores exceeds 0.8, as a satisfied PSR does, else 0.

    Kappa needs categories, and the paper names no other limit than that of PSR, which is what
    users are content with. Exact: 0.8 as it is written does not exceed it.

    Example:
        >>> is_satisfied(0.8, 0.8, 0.8), is_satisfied(0.8, 0.9)
        (0, 1)
    """
    exact = [Fraction(str(score)) for score in scores]
    return int(sum(exact) / len(exact) > Fraction(4, 5))
