"""What of a judge's reply is the judge's own, and what its last line claims."""

import re
from itertools import pairwise

_MARKS = r"[\s*_`>#]*"


def own_words(reply: str, answer: str) -> str:
    """Returns the reply without what it repeats of the answer.

    A judge may repeat the answer, or its end, and an answer may hold what looks like a verdict:
    that must not be read as the judge's. Taken out is each run of at least two lines that stands
    in the answer as it does in the reply, and each line that is the whole answer. Blank lines,
    blanks around a line and a quotation's ``>`` make no difference. One line of a longer answer
    stays: a verdict that an answer guessed is still the judge's to give.

    The reply's other lines remain; where it repeats nothing, the reply as it is.
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
    """Returns what stands behind a word and a colon on the last of the judge's own lines.

    It is None where that is not the one line that begins so. Blanks and bold type around the word,
    its case and a half-width colon make no difference.
    """
    form = re.compile(rf"{_MARKS}{word}{_MARKS}[:：](.*)", re.IGNORECASE)
    lines = [line for line in own_words(reply, answer).splitlines() if line.strip()]
    claims = [claim for line in lines if (claim := form.match(line))]
    return claims[0][1] if len(claims) == 1 and claims[0].string == lines[-1] else None


def _bare(line: str) -> str:
    return line.strip().lstrip("> ")
