"""A judge's reply read as yes or no."""

import re

from steadfast.complexbench.extraction import strict_segments
from steadfast.complexbench.rules.outcome import STRICT
from steadfast.files import Settings
from steadfast.judging.reply import own_words

_RELEASED = re.compile("答案：(是|否)")
_MARKS = r"[\s*_`>#]*"
_CLAIMS = {
    "zh": re.compile(rf"{_MARKS}答案{_MARKS}[:：](.*)"),
    "en": re.compile(rf"{_MARKS}answer{_MARKS}[:：](.*)", re.IGNORECASE),
}
_WORDS = {"zh": {"是": True, "否": False}, "en": {"yes": True, "no": False}}


def released_verdict(reply: str) -> bool:
    r"""A verdict as the released code takes it from a reply, whatever it is.

    Without exactly one 答案：是 or 答案：否 it is yes where there is a 是 and no 否, else no.

    Example:
        >>> released_verdict("分析：都有。\n答案：是"), released_verdict("I cannot tell.")
        (True, False)
    """
    found = _RELEASED.findall(reply)
    if len(found) == 1:
        return found[0] == "是"
    return "是" in reply and "否" not in reply


def strict_verdict(reply: str, answer: str, language: str) -> bool | None:
    r"""The verdict of a reply whose last line is its one verdict line; None of any other.

    What the reply repeats of the answer is left out first. Blanks, bold type, a half-width colon
    and a full stop make no difference.

    Args:
        reply: the judge's.
        answer: that it judged, as it was shown it.
        language: of the judge's template: zh has 答案：是 or 答案：否, en has Answer: yes or no.

    Example:
        >>> strict_verdict("Analysis: all there.\nAnswer: yes", "A poem.", "en")
        True
        >>> strict_verdict("I cannot tell.", "A poem.", "en") is None
        True
    """
    lines = [line for line in own_words(reply, answer).splitlines() if line.strip()]
    claims = [claim for line in lines if (claim := _CLAIMS[language].match(line))]
    if len(claims) != 1 or claims[0].string != lines[-1]:
        return None
    return _WORDS[language].get(claims[0][1].strip(" \t*_`。.").casefold())


def readable(expected: Settings, reply: str, answer: str) -> bool:
    """Whether a judge's reply can be read; the released code reads any that is not empty.

    Args:
        expected: of the request: mode, what decides (by), each and language.
        reply: the judge's.
        answer: as the judge was shown it.
    """
    if expected["mode"] != STRICT:
        return bool(reply)
    if expected["by"] == "rule":
        return strict_segments(answer, reply, expected["each"]) is not None
    return strict_verdict(reply, answer, expected["language"]) is not None
