"""Rules of the two groups of the format category that no judge sees."""

import re

from steadfast.followbench.facts import facts
from steadfast.followbench.rules.text import sentence_lengths, sentences

NUMBER = re.compile(r"\d+\.")
KEYWORD = re.compile(r"\*\*\d")
MARK = "**"
SUFFIX = "-ly"
# A blank after a full stop or question mark, but not within "e.g. " or after "Mr."
PIECE_END = re.compile(r"(?<=[.?])(?<!\w\.\w.)(?<![A-Z][a-z]\.)\s")


def wooden_table(language: str, level: int, target: str, answer: str) -> bool:
    """Three paragraphs of few, long sentences, then numbered, then with closing words.

    At level 5 the closing words are a fourth paragraph, numbered too. In English a number's full
    stop ends a sentence of one word, so that no answer satisfies levels 4 and 5.
    """
    rule = facts("rules")["wooden_table"]
    paragraphs = answer.split("\n\n")
    short = [len(sentences(language, text)) < rule["fewer_than"] for text in paragraphs]
    numbered = all(NUMBER.match(text.lstrip()) for text in paragraphs if text.strip())
    closing = level == 5
    conditions = [
        len(paragraphs) == rule["paragraphs"] + closing,
        all(short[: rule["paragraphs"]]),
        all(words > rule["longer_than"] for words in sentence_lengths(language, answer)),
        numbered,
        answer.endswith(rule[language]["close"]),
    ]
    return all(conditions[:level])


def ministerial_speech(language: str, level: int, target: str, answer: str) -> bool:
    """Marks, five keywords, points of one sentence, sentences of some words, no suffix.

    The order is the released code's, not the instructions': they ask for keywords last.
    """
    rule = facts("rules")["ministerial_speech"]
    pieces = PIECE_END.split(answer)
    points = [text for text in pieces if any(point in text for point in rule["points"])]
    least, most = rule["words"]
    conditions = [
        MARK in answer,
        _keywords(answer) == rule["keywords"],
        all(text.count(".") <= 1 for text in points),
        all(least <= len(text.split()) <= most for text in pieces),
        not any(word.endswith(SUFFIX) for word in answer.split()),
    ]
    return all(conditions[:level])


def _keywords(answer: str) -> int:
    """How often marks, a digit and at least one character stand before a colon on one line."""
    count = 0
    for line in answer.split("\n"):
        start, last = 0, line.rfind(":")
        while (found := KEYWORD.search(line, start)) and found.end() < last:
            start = line.index(":", found.end() + 1) + 1
            count += 1
    return count
