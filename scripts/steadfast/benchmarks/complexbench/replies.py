"""A judge's reply read as yes or no, or as what it copied out of an answer, in either mode."""

import re
from functools import partial

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.complexbench.facts import ABSENT, ALL, HEADING, LABEL, SEPARATOR, STRICT
from steadfast.judging.reply import REASONS, json_object, last_claim, one_of, own_strings
from steadfast.judging.styles import Form, agreed_verdicts, ends_in_another, lists, objects, single
from steadfast.judging.words import REQUESTED, plain

MOST_PARTS = 1000  # more are not copied out, but made up

_BARS = re.compile(r"\|{2,}")
_AROUND = " \t*_#>`"
_LABEL_LINE = re.compile(rf"[ \t>#]*(\*\*)?{LABEL}[ \t]*(\*\*)?[ \t]*[:：][ \t]*")
_OPENING = '"“`'
_CLOSING = '"”`'
_CLAIM = "(?:答案|answer)"
# What a judge is requested to write, by language.
WORDS = {"zh": ("是", "否"), "en": ("yes", "no")}


def readable(expected: Settings, reply: str, answer: str) -> bool:
    """Whether a judge's reply can be read; the released code reads any that is not empty."""
    if expected["mode"] != STRICT:
        return bool(reply)
    if expected["by"] == "rule":
        return strict_segments(answer, reply, expected["each"]) is not None
    return strict_verdict(reply, answer) is not None


def schema(expected: Settings) -> Record | None:
    """Returns the JSON schema of a reply with analysis and answer; a copy is read from no JSON."""
    if expected["by"] == "rule":
        return None
    return json_object(analysis=REASONS, answer=one_of(*WORDS[expected["language"]]))


def strict_verdict(reply: str, answer: str) -> bool | None:
    """Returns the verdict of a reply whose last line is its one verdict line; None where none is.

    What the reply repeats of the answer is left out first. Blanks, bold type, a half-width colon
    and a full stop make no difference. A reply without such a line has the verdict that it gives
    beyond doubt in another style (``styles``).
    """
    if ends_in_another(plain(own_strings(reply, answer))):
        return None
    claim = last_claim(reply, answer, _CLAIM) or ""
    value = REQUESTED.get(claim.strip(" \t*_`。.").casefold())
    if value is None:
        forms: list[Form] = [partial(form, False, answer) for form in (lists, objects)]
        verdicts = agreed_verdicts(reply, answer, 1, [*forms, partial(single, answer)])
        value = verdicts[0] if verdicts else None
    return None if value is None else bool(value)


def strict_segments(answer: str, reply: str, each: bool) -> list[str] | None:
    """Returns the segments of a reply in the requested form; None for any other reply.

    The form: one line with the heading, then one that begins with the label, and behind it nothing
    but the copy, ``all`` (the whole answer, unless several parts are requested) or ``None``. What
    is copied must stand in the answer, white space and one pair of quotation marks aside, and the
    answer's own spelling is what is returned: the judge points, it does not write.
    """
    copied = _copied(reply, answer)
    if copied is None:
        return None
    word = unquoted(copied).strip("*` ").casefold()
    if word == ABSENT.casefold():
        return []
    if word == ALL and not each:
        return [answer]
    parts = _parted(copied) if each else [copied]
    return None if len(parts) > MOST_PARTS else _located(answer, parts)


def _parted(copied: str) -> list[str]:
    """Returns what stands between separators; bars beside one begin or end a row of a table."""
    parts = []
    start = 0
    for bars in _BARS.finditer(copied):
        further = len(bars[0]) - len(SEPARATOR)
        before = copied[start : bars.start()].splitlines()
        in_table = any("|" in line for line in before[-2:])
        end = bars.start() + further // 2 + (further % 2 if in_table else 0)
        parts.append(copied[start:end])
        start = end + len(SEPARATOR)
    return [*parts, copied[start:]]


def _copied(reply: str, answer: str) -> str | None:
    """Returns what follows the label below the heading; None unless the judge wrote each once."""
    lines = reply.splitlines(keepends=True)
    headings = [i for i, line in enumerate(lines) if _bare(line) == HEADING]
    own_lines = {_bare(line) for line in own_strings(reply, answer).splitlines()}
    if len(headings) != 1 or HEADING not in own_lines:
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
    return line.strip().strip(f"{_AROUND}:：")


def _located(answer: str, parts: list[str]) -> list[str] | None:
    """Returns the parts as they stand in the answer, the next one behind the last if it does."""
    positions = [i for i, char in enumerate(answer) if not char.isspace()]
    squeezed = "".join(answer[i] for i in positions)
    copied = []
    start = 0
    for part in parts:
        # Quotation marks may be the judge's; white space counts nowhere.
        spellings = ("".join(form.split()) for form in (part, unquoted(part.strip())))
        spelling = next((text for text in spellings if text and text in squeezed), None)
        if spelling is None:
            return None
        position = squeezed.find(spelling, start)
        position = squeezed.find(spelling) if position < 0 else position
        start = position + len(spelling)
        copied.append(answer[positions[position] : positions[start - 1] + 1])
    return copied


def unquoted(text: str) -> str:
    """Returns the text without leading line breaks and one pair of quotation marks or backticks."""
    text = text.lstrip("\n")
    if text and text[0] in _OPENING and text[-1] in _CLOSING:
        return text[1:-1]
    return text


_VERDICT = re.compile("答案：(是|否)")
_NOTES = ("\n\n请注意", "\n\n**注意", "\n\n注意")
_LABELS = (f"{LABEL}：", "评测对象：", "：")


def released_verdict(reply: str) -> bool:
    """Returns a verdict as the released code takes it from a reply, whatever it is.

    Without exactly one 答案：是 or 答案：否 it is yes where there is a 是 and no 否, else no.
    """
    verdicts = _VERDICT.findall(reply)
    if len(verdicts) == 1:
        return bool(verdicts[0] == "是")
    return "是" in reply and "否" not in reply


def released_segments(answer: str | None, extraction: str | None) -> list[str]:
    """Segments as the released code takes them from any reply; None stands for a missing text."""
    if answer is None or extraction is None:
        return []
    text = extraction.rpartition(f"{HEADING}\n")[2]
    for note in _NOTES:
        before, mark, _ = text.rpartition(note)
        text = before if mark else text
    for label in _LABELS:
        if label in text:
            text = text.rpartition(label)[2]
            break
    if text.startswith(ALL):
        return [answer]
    if ABSENT in text:
        return []
    return [segment.strip() for segment in text.split(SEPARATOR)]
