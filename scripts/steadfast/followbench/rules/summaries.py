"""Rules of the mixed category's summaries: each level adds a condition to those below it."""

import re
from collections.abc import Callable, Sequence

from steadfast.followbench.facts import facts
from steadfast.followbench.rules.text import (
    contains,
    length,
    nth_contains,
    punctuation,
    sentence_lengths,
    sentences,
)

Condition = Callable[[], bool]
PROGRESSIVE = re.compile(r"\b(am|is|are)\s+\w+ing\b")
PERFECT = re.compile(r"\b(has|have)\b\s+\w")


def _all(level: int, conditions: Sequence[Condition]) -> bool:
    return all(condition() for condition in conditions[:level])


def cnn_dailymail(language: str, level: int, target: str, answer: str) -> bool:
    """Three short sentences, a word in each, another not in the second, the last in the perfect."""
    rule = facts("rules")["cnn_dailymail"]
    words, own = rule[language]["words"], rule[language]

    def perfect() -> bool:
        if language == "zh":
            return nth_contains(language, answer, 3, own["perfect"])
        return PERFECT.search(sentences(language, answer)[2]) is not None

    return _all(
        level,
        [
            lambda: len(sentences(language, answer)) == rule["sentences"],
            lambda: max(sentence_lengths(language, answer)) < rule["shorter_than"],
            lambda: all(nth_contains(language, answer, i, w) for i, w in enumerate(words, 1)),
            lambda: not nth_contains(language, answer, 2, own["avoided"]),
            perfect,
        ],
    )


def xsum(language: str, level: int, target: str, answer: str) -> bool:
    """One short sentence, without a name, in the present progressive, with a word."""
    rule = facts("rules")["xsum"]
    own = rule[language]

    def progressive() -> bool:
        if language == "zh":
            return contains(language, answer, own["progressive"])
        return PROGRESSIVE.search(answer) is not None

    return _all(
        level,
        [
            lambda: len(sentences(language, answer)) == rule["sentences"],
            lambda: length(language, answer) < rule["shorter_than"],
            lambda: not contains(language, answer, own["avoided"]),
            progressive,
            lambda: contains(language, answer, own["word"]),
        ],
    )


def samsum(language: str, level: int, target: str, answer: str) -> bool:
    """One short sentence, with a word, without another in any case, with one punctuation mark."""
    rule = facts("rules")["samsum"]
    own = rule[language]
    return _all(
        level,
        [
            lambda: len(sentences(language, answer)) == rule["sentences"],
            lambda: length(language, answer) < rule["shorter_than"],
            lambda: contains(language, answer, own["word"]),
            lambda: own["avoided"] not in answer.lower(),
            lambda: punctuation(language, answer) == 1,
        ],
    )


def gigaword(language: str, level: int, target: str, answer: str) -> bool:
    """Eight words or characters, no punctuation, no capitals (Chinese: no numerals), two words.

    The last word must stand in the answer, though the Chinese instruction forbids it.
    """
    rule = facts("rules")["gigaword"]
    own = rule[language]

    def plain() -> bool:
        return not any(map(str.isnumeric, answer)) if language == "zh" else answer.islower()

    return _all(
        level,
        [
            lambda: length(language, answer) == rule["length"],
            lambda: punctuation(language, answer) == 0,
            plain,
            lambda: not contains(language, answer, own["avoided"]),
            lambda: contains(language, answer, own["word"]),
        ],
    )


def arxiv(language: str, level: int, target: str, answer: str) -> bool:
    """One sentence of limited length, with a start, with a word, without another."""
    rule = facts("rules")["arxiv"]
    own = rule[language]
    return _all(
        level,
        [
            lambda: len(sentences(language, answer)) == rule["sentences"],
            lambda: length(language, answer) <= rule["at_most"],
            lambda: answer.startswith(own["start"]),
            lambda: contains(language, answer, own["word"]),
            lambda: not contains(language, answer, own["avoided"]),
        ],
    )
