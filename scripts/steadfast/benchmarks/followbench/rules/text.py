"""What the rules call a sentence, a word and a length: English by words, Chinese by characters."""

import re
import string
from dataclasses import dataclass, replace

from steadfast.base.resources import facts

# A blank after a full stop or question mark, but not within "e.g. " or after "Mr."
PIECE_END = re.compile(r"(?<=[.?])(?<!\w\.\w.)(?<![A-Z][a-z]\.)\s")


@dataclass(frozen=True)
class Text:
    """An answer, or a part of one, as the rules see it: its language, en or zh, and level."""

    language: str
    level: int
    text: str

    @property
    def sentences(self) -> list[str]:
        """Pieces between sentence ends, without those ends; empty pieces are none.

        A piece of blanks is one, such as the line break after a last full stop. Decimal points,
        abbreviations and list numbers end a sentence too.
        """
        ends = facts("followbench/rules.yaml")["sentence_ends"][self.language]
        return [piece for piece in re.split(f"[{ends}]", self.text) if piece]

    @property
    def sentence_lengths(self) -> list[int]:
        """The length of each sentence: words between white space, or characters with all blanks."""
        pieces = self.sentences
        return [len(piece if self.language == "zh" else piece.split()) for piece in pieces]

    @property
    def length(self) -> int:
        """The length of a summary: one more than its blanks, or its characters.

        Two blanks in a row count as two; tabs and line breaks are no blanks.
        """
        return len(self.text) if self.language == "zh" else self.text.count(" ") + 1

    @property
    def punctuation(self) -> int:
        """How many characters are punctuation: those of ASCII, in Chinese a few others too."""
        others = facts("followbench/rules.yaml")["punctuation"][self.language]
        return sum(map(self.text.count, string.punctuation + others))

    @property
    def paragraphs(self) -> list["Text"]:
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

    def sentence(self, number: int) -> "Text":
        """The sentence of that number, from 1; empty where there is none."""
        return replace(self, text=next(iter(self.sentences[number - 1 :]), ""))
