"""Text as the corrected rubric compares it, and known texts found in a longer one."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby

from rapidfuzz.distance import Levenshtein

_PREFIX = 16  # characters by which long texts are looked up
_STREAM_SAFE = 30  # combining marks in a row (Unicode, UAX 15)


def normal(text: str) -> str:
    """A text as it is compared: in NFC, each white space a single blank, none at the ends.

    Where more combining marks follow each other than any script needs, the text is not brought
    into NFC, which would take time quadratic in their number.
    """
    text = " ".join(text.split())
    if text.isascii() or _marks_in_a_row(text) > _STREAM_SAFE:
        return text
    return unicodedata.normalize("NFC", text)


def _marks_in_a_row(text: str) -> int:
    classes = list(map(unicodedata.combining, text))
    if not any(classes):
        return 0
    return max(sum(1 for _ in run) for marks, run in groupby(classes, bool) if marks)


def nearly(text: str, gold: str) -> bool:
    """Whether a text is a slip away from the gold: as in the released rubric, a sixth of its length
    and three more edits are allowed, but of a short one less than half may be wrong."""
    allowed = allowed_edits(gold)
    return Levenshtein.distance(gold, text, score_cutoff=allowed) <= allowed


def allowed_edits(gold: str) -> int:
    """How many edits a text may be away from the gold to be nearly right."""
    return min(len(gold) // 6 + 3, (len(gold) - 1) // 2)


class Finder:
    """Finds known texts in a longer one: from its left, each time the longest that stands there.

    So a text that is part of another known one does not count where the other one stands.

    Args:
        texts: the known texts, ``normal``; an empty one is never found.
    """

    def __init__(self, texts: Iterable[str]):
        self._texts = {text for text in texts if text}
        lengths = defaultdict(set)
        for text in self._texts:
            if len(text) >= _PREFIX:
                lengths[text[:_PREFIX]].add(len(text))
        self._long = {start: sorted(sizes, reverse=True) for start, sizes in lengths.items()}
        self._short = sorted({len(t) for t in self._texts if len(t) < _PREFIX}, reverse=True)

    def find(self, text: str) -> list[str]:
        """The known texts in a ``normal`` text, in order, as often as they are there."""
        if text in self._texts:
            return [text]
        found = []
        place = 0
        while place < len(text):
            sizes = self._long.get(text[place : place + _PREFIX], ())
            for size in (*sizes, *self._short) if sizes else self._short:
                if (here := text[place : place + size]) in self._texts:
                    found.append(here)
                    place += len(here)
                    break
            else:
                place += 1
        return found
