"""What a judge copied out of an answer for a rule to decide: its reply, read as segments."""

import re

from steadfast.complexbench.rules.text import unquoted
from steadfast.judging.reply import own_words

HEADING = "【模型回复中评分问题的评测对象】"
LABEL = "评分对象"
WHOLE, ABSENT, SEPARATOR = "all", "None", "||"
MOST_PARTS = 1000  # more are not copied out, but made up

_BARS = re.compile(r"\|{2,}")
_NOTES = ("\n\n请注意", "\n\n**注意", "\n\n注意")
_LABELS = (f"{LABEL}：", "评测对象：", "：")
_MARKS = " \t*_#>`"
_LABEL_LINE = re.compile(rf"[ \t>#]*(\*\*)?{LABEL}[ \t]*(\*\*)?[ \t]*[:：][ \t]*")


def released_segments(answer: str | None, extraction: str | None) -> list[str]:
    """Segments as the released code takes them from a reply, whatever it is.

    Args:
        answer: the model's, whole; None where it gave none.
        extraction: the judge's reply; None where it gave none.
    """
    if answer is None or extraction is None:
        return []
    text = extraction.rpartition(f"{HEADING}\n")[2]
    for note in _NOTES:
        before, found, _ = text.rpartition(note)
        text = before if found else text
    for label in _LABELS:
        if label in text:
            text = text.rpartition(label)[2]
            break
    if text.startswith(WHOLE):
        return [answer]
    if ABSENT in text:
        return []
    return [segment.strip() for segment in text.split(SEPARATOR)]


def strict_segments(answer: str, reply: str, each: bool) -> list[str] | None:
    """Segments of a reply that has the form asked for; None where it has not.

    The form: one line with the heading, then one that begins with the label, and behind it nothing
    but the copy, ``all`` (the whole answer, unless several parts are asked for) or ``None``. What
    is copied must stand in the answer, white space and one pair of quotation marks aside, and the
    answer's own spelling is what is returned: the judge points, it does not write.

    Args:
        answer: the model's, as the judge was shown it.
        reply: the judge's.
        each: whether several parts may be copied, with ``||`` between them.
    """
    copied = _copied(reply, answer)
    if copied is None:
        return None
    word = unquoted(copied).strip("*` ").casefold()
    if word == ABSENT.casefold():
        return []
    if word == WHOLE and not each:
        return [answer]
    parts = _parted(copied) if each else [copied]
    return None if len(parts) > MOST_PARTS else _located(answer, parts)


def _parted(copied: str) -> list[str]:
    """What stands between separators; bars beside one begin or end a row of a table."""
    parts, start = [], 0
    for bars in _BARS.finditer(copied):
        more = len(bars[0]) - len(SEPARATOR)
        before = copied[start : bars.start()].splitlines()
        in_table = any("|" in line for line in before[-2:])
        end = bars.start() + more // 2 + (more % 2 if in_table else 0)
        parts.append(copied[start:end])
        start = end + len(SEPARATOR)
    return [*parts, copied[start:]]


def _copied(reply: str, answer: str) -> str | None:
    """What follows the one label below the one heading; None unless both are the judge's own."""
    lines = reply.splitlines(keepends=True)
    headings = [place for place, line in enumerate(lines) if _bare(line) == HEADING]
    own = {_bare(line) for line in own_words(reply, answer).splitlines()}
    if len(headings) != 1 or HEADING not in own:
        return None
    below = lines[headings[0] + 1 :]
    text = "".join(below).lstrip()
    label = _LABEL_LINE.match(text)
    if not label or sum(bool(_LABEL_LINE.match(line)) for line in below) != 1:
        return None
    copied = text[label.end() :]
    if label[1] and not label[2]:
        copied = copied.removeprefix("**")  # the end of the label's own bold type
    return copied.strip() or None


def _bare(line: str) -> str:
    return line.strip().strip(f"{_MARKS}:：")


def _located(answer: str, parts: list[str]) -> list[str] | None:
    """The parts as they stand in the answer, the next one behind the last if it does."""
    places = [place for place, char in enumerate(answer) if not char.isspace()]
    squeezed = "".join(answer[place] for place in places)
    found, start = [], 0
    for part in parts:
        # Quotation marks may be the judge's; white space counts nowhere.
        spellings = ("".join(form.split()) for form in (part, unquoted(part.strip())))
        wanted = next((text for text in spellings if text and text in squeezed), None)
        if wanted is None:
            return None
        place = squeezed.find(wanted, start)
        place = squeezed.find(wanted) if place < 0 else place
        start = place + len(wanted)
        found.append(answer[places[place] : places[start - 1] + 1])
    return found
