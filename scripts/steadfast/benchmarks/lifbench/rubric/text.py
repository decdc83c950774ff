"""Text as the corrected rubric compares it, and known texts found in a longer one."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from steadfast.base.unicode import normalized
from steadfast.benchmarks.lifbench.rubric.parsing import contained

_PREFIX = 16  # characters by which long texts are looked up
_QUOTES = str.maketrans(
    dict.fromkeys("‘’‚‛′´ʼ", "'") | dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‐‑‒–—―−", "-")
)
# Signs at the ends of a text that do not change its meaning.
_ENDS = " .,;:!?…。！？，\"'`*_"
_NO_LETTERS = re.compile(r"[\W_]+")


def normal(text: str) -> str:
    """Returns a text as it is compared: in NFC, each white space one blank, none at the ends."""
    return normalized(" ".join(text.split()))


def folded(text: str) -> str:
    """Returns a text for lenient comparison: ``normal``, caseless, with plain quotes and dashes.

    >>> folded("It’s  “Straße” – YES")
    'it\\'s "strasse" - yes'
    """
    return normal(text).translate(_QUOTES).casefold()


def core(text: str) -> str:
    """Returns a ``folded`` text without the stops, quotes and Markdown at its ends, if it has more.

    >>> core("**Yes.**"), core("...")
    ('yes', '...')
    """
    text = folded(text)
    return text.strip(_ENDS) or text


def only_repeats(text: str, expected: str) -> bool:
    r"""Returns whether a text has no words but the expected ones, once or several times.

    >>> only_repeats("> Name the first.\n> Name the first.", "Name the first.")
    True
    """
    text = _NO_LETTERS.sub("", folded(text))
    expected = _NO_LETTERS.sub("", folded(expected))
    return bool(expected and text) and not text.replace(expected, "")


def allowed_edits(expected: str) -> int:
    """Returns the edit distance up to which a text is the expected one: a sixth plus three."""
    return min(len(expected) // 6 + 3, (len(expected) - 1) // 2)


def in_one_word(pair: str) -> bool:
    """Returns whether two neighbouring characters are of one word, in a script with case."""
    return len(pair) == 2 and all(c.isalnum() and unicodedata.category(c) != "Lo" for c in pair)


class Finder:
    """Finds known texts in a longer one: from its left, each time the longest that stands there.

    So a text that is part of another known one, or of a word, does not count there. Texts are
    compared by their ``core``; among several with one core the exact spelling decides. The known
    texts are ``normal``; an empty one is never found.
    """

    def __init__(self, texts: Iterable[str]):
        self._known: dict[str, list[str]] = defaultdict(list)
        for text in dict.fromkeys(texts):
            if text:
                self._known[core(text)].append(text)
        self._starts: set[str] = set()
        self._long: dict[str, list[int]] = defaultdict(list)
        short: set[int] = set()
        # The longest first, so that of texts with one beginning the longest is found.
        for text in sorted(self._known, key=len, reverse=True):
            self._starts.add(text[0])
            if len(text) < _PREFIX:
                short.add(len(text))
            elif len(text) not in self._long[text[:_PREFIX]]:
                self._long[text[:_PREFIX]].append(len(text))
        self._short = sorted(short, reverse=True)
        self._most_edits = max(map(allowed_edits, self._known), default=0)

    def find(self, text: str) -> list[str]:
        """Returns the known texts in a text, in order, as often as they are there."""
        text = normal(text)
        key = core(text)
        if key in self._known:
            return [self._written(key, text)]
        return [self._written(key, text) for key, _, _ in self.spans(folded(text))]

    def is_bare(self, text: str) -> bool:
        """Returns whether a text is a known one without other words, or holds no known text."""
        known_texts = self.find(text)
        return not known_texts or core(text) in map(core, known_texts)

    def spans(self, text: str) -> list[tuple[str, int, int]]:
        """Returns the ``core`` of each known text in a ``folded`` text, with its start and end."""
        spans = []
        position = 0
        while position < len(text):
            size = self._size(text, position) if text[position] in self._starts else 0
            if size and not in_one_word(text[max(position - 1, 0) : position + 1]):
                spans.append((text[position : position + size], position, position + size))
                position += size
            else:
                position += 1
        return spans

    def _size(self, text: str, position: int) -> int:
        """Returns the length of the longest known text that begins at a position; 0 for none."""
        sizes = self._long.get(text[position : position + _PREFIX], ())
        for size in (*sizes, *self._short) if sizes else self._short:
            end = position + size
            if text[position:end] in self._known and not in_one_word(text[end - 1 : end + 1]):
                return size
        return 0

    def nearest(self, text: str) -> str | None:
        """Returns the known text of which a text is a slip; None if there is none."""
        sought = core(text)
        match = process.extractOne(
            sought, self._known.keys(), scorer=Levenshtein.distance, score_cutoff=self._most_edits
        )
        if match is None or match[1] > allowed_edits(match[0]):
            return None
        return self._written(match[0], normal(text))

    def _written(self, key: str, text: str) -> str:
        """Returns, of known texts with one core, the longest that a text holds, or the first."""
        known_texts = self._known[key]
        if len(known_texts) == 1:
            return known_texts[0]
        if text in known_texts:
            return text
        return max(contained(known_texts, text), key=len, default=known_texts[0])
