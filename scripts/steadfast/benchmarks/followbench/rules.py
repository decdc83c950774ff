"""Rules: whether an answer satisfies all the constraints of its level, as released.

A rule gives one verdict for all constraints of an item. Answers are taken as they are: nothing is
stripped or folded unless a condition says so. ``followbench/rules.yaml`` lists the conditions.
"""

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import affixes, string_list

# A blank after a full stop or question mark, but not within "e.g. " or after "Mr."
PIECE_END = re.compile(r"(?<=[.?])(?<!\w\.\w.)(?<![A-Z][a-z]\.)\s")
KEYWORD = re.compile(r"\*\*\d")


def is_satisfied(rule: str, language: str, level: int, target: str, answer: str) -> bool:
    """Returns whether an answer satisfies its level's constraints.

    A rule compares it with the target, or compares its last match of a pattern, or has conditions,
    of which each level adds some.
    """
    if rule in COMPARISONS:
        return COMPARISONS[rule](target, answer)
    rules = facts("followbench/rules.yaml")
    if rule in rules["last_match"]:
        return re.findall(rules["last_match"][rule][language], answer)[-1:] == [target]
    text = AnswerText(language, level, answer)
    for conditions in rules["conditions"][rule][language][:level]:
        if not all(CONDITIONS[name](text, value) for name, value in conditions.items()):
            return False
    return True


@dataclass(frozen=True)
class AnswerText:
    """An answer, or a part of one: English is measured by words, Chinese by characters."""

    language: str
    level: int
    text: str

    @property
    def sentences(self) -> list[str]:
        """Pieces between sentence ends; decimal points and abbreviations end one too."""
        ends = facts("followbench/rules.yaml")["sentence_ends"][self.language]
        return [piece for piece in re.split(f"[{ends}]", self.text) if piece]

    @property
    def sentence_lengths(self) -> list[int]:
        """The length of each sentence: words between white space, or characters with all blanks."""
        pieces = self.sentences
        return [len(piece if self.language == "zh" else piece.split()) for piece in pieces]

    @property
    def length(self) -> int:
        """A summary's length: one more than its blanks (tabs are none), or its characters."""
        return len(self.text) if self.language == "zh" else self.text.count(" ") + 1

    @property
    def punctuation(self) -> int:
        """How many characters are punctuation: those of ASCII, in Chinese a few others too."""
        punctuation = facts("followbench/rules.yaml")["punctuation"][self.language]
        return sum(map(self.text.count, string.punctuation + punctuation))

    @property
    def paragraphs(self) -> list["AnswerText"]:
        """What empty lines separate."""
        return [replace(self, text=piece) for piece in self.text.split("\n\n")]

    @property
    def pieces(self) -> list[str]:
        """The sentences of a speech, which abbreviations and decimal points do not end."""
        return PIECE_END.split(self.text)

    def contains(self, word: str) -> bool:
        """Whether a word stands in it: between word boundaries in English, anywhere in Chinese."""
        if self.language == "zh":
            return word in self.text
        return re.search(rf"\b{re.escape(word)}\b", self.text) is not None

    def sentence(self, number: int) -> "AnswerText":
        """Returns the sentence of that number, from 1; empty where there is none."""
        return replace(self, text=next(iter(self.sentences[number - 1 :]), ""))


def _has_form(target: str, answer: str) -> bool:
    """Whether the whole answer has the template's form, with any text on one line in its slot."""
    before, after = affixes(target)
    end = len(answer) - len(after)
    return (
        len(before) <= end
        and answer.startswith(before)
        and answer.endswith(after)
        and "\n" not in answer[len(before) : end]
    )


COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "exact": lambda target, answer: answer == target,
    # Only lines of the reference; how many, in which order and how often does not matter.
    "lines": lambda target, answer: set(answer.split("\n")) <= set(target.split("\n")),
    # One of the references, which are written as a list of strings.
    "member": lambda target, answer: answer in (string_list(target) or ()),
    "contained": lambda target, answer: target in answer,
    "template": _has_form,
}


def _words_of_sentences(answer: AnswerText, words: Sequence[str]) -> bool:
    """Whether the first sentence contains the first word, the second one the second …"""
    numbered = enumerate(words, start=1)
    return all(answer.sentence(number).contains(word) for number, word in numbered)


def _paragraphs_begin_like(answer: AnswerText, form: str) -> bool:
    """Whether every paragraph that is not blank begins with what a pattern matches."""
    beginnings = [paragraph.text.lstrip() for paragraph in answer.paragraphs]
    return all(re.match(form, beginning) for beginning in beginnings if beginning)


def _points_of_one_sentence(answer: AnswerText, points: Sequence[str]) -> bool:
    """Whether no piece that has one of the points has a second full stop."""
    for piece in answer.pieces:
        if piece.count(".") > 1 and any(point in piece for point in points):
            return False
    return True


def _words_of_pieces(answer: AnswerText, ends: Sequence[int]) -> bool:
    low, high = ends
    return all(low <= len(piece.split()) <= high for piece in answer.pieces)


def _keywords(answer: str) -> int:
    """How often marks, a digit and at least one character stand before a colon on one line."""
    count = 0
    for line in answer.split("\n"):
        start = 0
        last = line.rfind(":")
        while (keyword := KEYWORD.search(line, start)) and keyword.end() < last:
            start = line.index(":", keyword.end() + 1) + 1
            count += 1
    return count


CONDITIONS: dict[str, Callable[[AnswerText, Any], bool]] = {
    # Summaries.
    "sentences": lambda answer, n: len(answer.sentences) == n,
    "sentences_shorter_than": lambda answer, n: max(answer.sentence_lengths) < n,
    "sentences_longer_than": lambda answer, n: all(m > n for m in answer.sentence_lengths),
    "words_of_sentences": _words_of_sentences,
    "second_sentence_without": lambda answer, word: not answer.sentence(2).contains(word),
    "third_sentence_matches": lambda answer, form: bool(re.search(form, answer.sentence(3).text)),
    "length": lambda answer, n: answer.length == n,
    "shorter_than": lambda answer, n: answer.length < n,
    "at_most": lambda answer, n: answer.length <= n,
    "punctuation": lambda answer, n: answer.punctuation == n,
    "small_letters": lambda answer, expected: answer.text.islower() == expected,
    "numerals": lambda answer, expected: any(map(str.isnumeric, answer.text)) == expected,
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
    "paragraphs_begin_like": _paragraphs_begin_like,
    # The minister's speech.
    "keywords": lambda answer, n: _keywords(answer.text) == n,
    "points_of_one_sentence": _points_of_one_sentence,
    "words_of_pieces": _words_of_pieces,
    "no_word_ends_with": lambda answer, end: (
        not any(word.endswith(end) for word in answer.text.split())
    ),
}
