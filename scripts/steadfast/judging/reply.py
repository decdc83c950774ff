"""What of a judge's reply is the judge's own."""

from itertools import pairwise


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


def _bare(line: str) -> str:
    return line.strip().lstrip("> ")
