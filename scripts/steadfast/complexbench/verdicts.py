"""A judge's reply read as yes or no."""

import re

from steadfast.judging.reply import own_words

_RELEASED = re.compile("答案：(是|否)")
_MARKS = r"[\s*_`>#]*"
_CLAIMS = {
    "zh": re.compile(rf"{_MARKS}答案{_MARKS}[:：](.*)"),
    "en": re.compile(rf"{_MARKS}answer{_MARKS}[:：](.*)", re.IGNORECASE),
}
_WORDS = {"zh": {"是": True, "否": False}, "en": {"yes": True, "no": False}}


def released_verdict(reply: str) -> bool:
    """A verdict as the released code takes it from a reply, whatever it is.

    Without exactly one 答案：是 or 答案：否 it is yes where there is a 是 and no 否, else no.
    """
    found = _RELEASED.findall(reply)
    if len(found) == 1:
        return found[0] == "是"
    return "是" in reply and "否" not in reply


def strict_verdict(reply: str, answer: str, language: str) -> bool | None:
    """The verdict of a reply whose last line is its one verdict line; None of any other.

    What the reply repeats of the answer is left out first. Blanks, bold type, a half-width colon
    and a full stop make no difference.

    Args:
        reply: the judge's.
        answer: that it judged, as it was shown it.
        language: of the judge's template: zh has 答案：是 or 答案：否, en has Answer: yes or no.
    """
    lines = [line for line in own_words(reply, answer).splitlines() if line.strip()]
    claims = [claim for line in lines if (claim := _CLAIMS[language].match(line))]
    if len(claims) != 1 or claims[0].string != lines[-1]:
        return None
    return _WORDS[language].get(claims[0][1].strip(" \t*_`。.").casefold())
