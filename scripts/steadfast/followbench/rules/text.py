"""What the rules call a sentence, a word and a length: English by words, Chinese by characters."""

import re
import string
from functools import cache

from steadfast.followbench.facts import facts


def sentences(language: str, text: str) -> list[str]:
    """Pieces between sentence ends, without those ends; empty pieces are none.

    A piece of blanks is one, such as the line break after a last full stop. Decimal points,
    abbreviations and list numbers end a sentence too.
    """
    return [piece for piece in _ends(language).split(text) if piece]


@cache
def _ends(language: str) -> re.Pattern[str]:
    return re.compile(f"[{facts('rules')['sentence_ends'][language]}]")


def contains(language: str, text: str, word: str) -> bool:
    """Whether a word stands in a text: between word boundaries in English, anywhere in Chinese."""
    if language == "zh":
        return word in text
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def nth_contains(language: str, text: str, number: int, word: str) -> bool:
    """Whether the sentence of that number, from 1, is there and contains the word."""
    pieces = sentences(language, text)
    return number <= len(pieces) and contains(language, pieces[number - 1], word)


def sentence_lengths(language: str, text: str) -> list[int]:
    """The length of each sentence: words between white space, or characters with all blanks."""
    measure = len if language == "zh" else lambda piece: len(piece.split())
    return [measure(piece) for piece in sentences(language, text)]


def length(language: str, text: str) -> int:
    """The length of a summary: one more than its blanks, or its characters.

    Two blanks in a row count as two; tabs and line breaks are no blanks.
    """
    return len(text) if language == "zh" else text.count(" ") + 1


def punctuation(language: str, text: str) -> int:
    """How many characters are punctuation: those of ASCII, in Chinese a few others too."""
    marks = string.punctuation + facts("rules")["punctuation"][language]
    return sum(map(text.count, marks))
