"""What of a judge's reply is the judge's own, and what its last line claims."""

import re
from itertools import pairwise

_MARKS = r"[\s*_`>#]*"


def own_words(reply: str, answer: str) -> str:
    """Returns the reply without what it repeats of the answer.

    An answer may hold what looks like a verdict. Taken out is each run of at least two lines that
    stands in the answer too, and each line that is the whole answer; blanks and a quotation's ``>``
    make no difference. One line of a longer answer stays: it may be the judge's own verdict.
    """
    given = [text for line in answer.splitlines() if (text := _bare(line))]
    pairs = set(pairwise(given))
    whole = set(given) if len(given) == 1 else set()
    lines = reply.splitlines(keepends=True)
    filled = [(number, text) for number, line in enumerate(lines) if (text := _bare(line))]
    repeated = {number for number, text in filled if text in whole}
    for (here, text), (after, next_text) in pairwise(filled):
        if (text, next_text) in pairs:
            repeated |= {here, after}
    if not repeated:
        return reply
    return "".join(line for number, line in enumerate(lines) if number not in repeated)


def last_claim(reply: str, answer: str, word: str) -> str | None:
    """Returns what stands behind a word and a colon on the last, and only such, own line."""
    form = re.compile(rf"{_MARKS}{word}{_MARKS}[:：](.*)", re.IGNORECASE)
    lines = [line for line in own_words(reply, answer).splitlines() if line.strip()]
    claims = [claim for line in lines if (claim := form.match(line))]
    return claims[0][1] if len(claims) == 1 and claims[0].string == lines[-1] else None


def _bare(line: str) -> str:
    return line.strip().lstrip("> ")
