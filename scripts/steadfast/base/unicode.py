"""Unicode's normal forms in time that grows with the length of a text, whatever the text."""

import unicodedata
from typing import Literal

# Combining marks in a row, beyond which no script needs any (Unicode, UAX 15).
STREAM_SAFE = 30


def normalized(text: str, form: Literal["NFC", "NFKC"] = "NFC") -> str:
    """Returns a text in a normal form; as it is where more marks than ``STREAM_SAFE`` follow each
    other, since bringing these into order takes time quadratic in their number.

    >>> normalized("e\u0301") == "\u00e9", len(normalized("e" + "\u0301" * 31))
    (True, 32)
    """
    if text.isascii() or _marks_in_a_row(text) > STREAM_SAFE:
        return text
    return unicodedata.normalize(form, text)


def _marks_in_a_row(text: str) -> int:
    classes = list(map(unicodedata.combining, text))  # 0: no mark
    longest = 0
    marks = 0
    for combining_class in classes if any(classes) else ():  # few texts have marks at all
        marks = marks + 1 if combining_class else 0
        longest = max(longest, marks)
    return longest
