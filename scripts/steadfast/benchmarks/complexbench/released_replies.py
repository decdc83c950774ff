"""A judge's reply as the released code reads it, whatever it is."""

import re

from steadfast.benchmarks.complexbench.extraction import ABSENT, HEADING, LABEL, SEPARATOR, WHOLE

_VERDICT = re.compile("答案：(是|否)")
_NOTES = ("\n\n请注意", "\n\n**注意", "\n\n注意")
_LABELS = (f"{LABEL}：", "评测对象：", "：")


def released_verdict(reply: str) -> bool:
    r"""A verdict as the released code takes it from a reply, whatever it is.

    Without exactly one 答案：是 or 答案：否 it is yes where there is a 是 and no 否, else no.

    Example:
        >>> released_verdict("分析：都有。\n答案：是"), released_verdict("I cannot tell.")
        (True, False)
    """
    found = _VERDICT.findall(reply)
    if len(found) == 1:
        return found[0] == "是"
    return "是" in reply and "否" not in reply


def released_segments(answer: str | None, extraction: str | None) -> list[str]:
    """Segments as the released code takes them from a reply, whatever it is."""
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
