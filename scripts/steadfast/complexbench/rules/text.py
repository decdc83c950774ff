"""Text as the rules compare it: Chinese punctuation for ASCII's, and without quotation marks."""

import string
from collections.abc import Iterable

_TO_CHINESE = str.maketrans("!#$%&()*,.:;?\\^“”", '！＃＄％＆（）＊，。：；？＼＾""')
_OPENING, _CLOSING = '"“`', '"”`'


def normalised(text: str) -> str:
    """The text with Chinese punctuation for ASCII's, and straight quotation marks."""
    return text.translate(_TO_CHINESE)


def all_normalised(texts: Iterable[str]) -> list[str]:
    """The texts in the punctuation that they are compared in."""
    return [normalised(text) for text in texts]


def unquoted(text: str) -> str:
    """The text without leading line breaks and one pair of quotation marks or backticks."""
    text = text.lstrip("\n")
    if text and text[0] in _OPENING and text[-1] in _CLOSING:
        return text[1:-1]
    return text


PUNCTUATION = frozenset(normalised(string.punctuation))
"""What the punctuation rules take for punctuation."""
