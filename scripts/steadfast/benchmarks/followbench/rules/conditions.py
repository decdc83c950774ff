"""Rules that add a condition at each level; ``followbench/rules.yaml`` lists them."""

import re
from collections.abc import Callable
from typing import Any

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.rules.text import Text

KEYWORD = re.compile(r"\*\*\d")

CONDITIONS: dict[str, Callable[[Text, Any], bool]] = {
    # Summaries.
    "sentences": lambda answer, n: len(answer.sentences) == n,
    "sentences_shorter_than": lambda answer, n: max(answer.sentence_lengths) < n,
    "sentences_longer_than": lambda answer, n: all(m > n for m in answer.sentence_lengths),
    "words_of_sentences": lambda answer, words: all(
        answer.sentence(number).contains(word) for number, word in enumerate(words, start=1)
    ),
    "second_sentence_without": lambda answer, word: not answer.sentence(2).contains(word),
    "third_sentence_matches": lambda answer, form: bool(re.search(form, answer.sentence(3).text)),
    "length": lambda answer, n: answer.length == n,
    "shorter_than": lambda answer, n: answer.length < n,
    "at_most": lambda answer, n: answer.length <= n,
    "punctuation": lambda answer, n: answer.punctuation == n,
    "small_letters": lambda answer, wanted: answer.text.islower() == wanted,
    "numerals": lambda answer, wanted: any(map(str.isnumeric, answer.text)) == wanted,
    "word": lambda answer, word: answer.contains(word),
    "without": lambda answer, word: not answer.contains(word),
    "without_in_any_case": lambda answer, text: text not in answer.text.lower(),
    "matches": lambda answer, form: bool(re.search(form, answer.text)),
    "starts_with": lambda answer, text: answer.text.startswith(text),
    "ends_with": lambda answer, text: answer.text.endswith(text),
    "holds": lambda answer, text: text in answer.text,
    # The wooden table.
    "paragraphs": lambda answer, by_level: len(answer.paragraphs) == by_level[answer.level - 1],
    "sentences_of_three_paragraphs_fewer_than": lambda answer, n: all(
        len(paragraph.sentences) < n for paragraph in answer.paragraphs[:3]
    ),
    "paragraphs_begin_like": lambda answer, form: all(
        re.match(form, paragraph.text.lstrip())
        for paragraph in answer.paragraphs
        if paragraph.text.strip()
    ),
    # The minister's speech.
    "keywords": lambda answer, n: _keywords(answer.text) == n,
    "points_of_one_sentence": lambda answer, points: all(
        piece.count(".") <= 1 for piece in answer.pieces if any(p in piece for p in points)
    ),
    "words_of_pieces": lambda answer, ends: all(
        ends[0] <= len(piece.split()) <= ends[1] for piece in answer.pieces
    ),
    "no_word_ends_with": lambda answer, end: (
        not any(word.endswith(end) for word in answer.text.split())
    ),
}


def cumulative(rule: str, language: str, level: int, answer: str) -> bool:
    """Whether an answer satisfies a rule's conditions up to its level."""
    text = Text(language, level, answer)
    conditions = facts("followbench/rules.yaml")["conditions"][rule][language][:level]
    return all(
        CONDITIONS[name](text, value)
        for condition in conditions
        for name, value in condition.items()
    )


def _keywords(answer: str) -> int:
    """How often marks, a digit and at least one character stand before a colon on one line."""
    count = 0
    for line in answer.split("\n"):
        start, last = 0, line.rfind(":")
        while (found := KEYWORD.search(line, start)) and found.end() < last:
            start = line.index(":", found.end() + 1) + 1
            count += 1
    return count
