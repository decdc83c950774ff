"""Which language a short text is in, as far as can be said without a model."""

import re
import unicodedata
from collections import Counter

from steadfast.base.resources import facts

_WORD = re.compile(r"[^\W\d_]+")
LATIN = "LATIN"


def language(text: str) -> str | None:
    """The language by its most frequent words, or another script's name; None where nothing tells.

    >>> language("What is the next entry?"), language("下一个"), language("Quelle est la suite ?")
    ('en', 'CJK', 'fr')
    """
    script = _script(text)
    if script != LATIN:
        return script
    words = Counter(word.casefold() for word in _WORD.findall(text))
    known = facts("rewriting/languages.yaml")
    hits = {name: sum(words[word] for word in frequent) for name, frequent in known.items()}
    best, second = sorted(hits.values(), reverse=True)[:2]
    return max(hits, key=lambda name: hits[name]) if best > second else None


def same_language(one: str, other: str) -> bool:
    """Returns whether nothing tells that two texts are in different languages."""
    found = {language(one), language(other)} - {None}
    return len(found) < 2


def _script(text: str) -> str | None:
    """Returns the script of most letters, as Unicode names it."""
    letters = (unicodedata.name(letter, "").split(" ")[0] for letter in text if letter.isalpha())
    return max(Counter(letters).items(), key=lambda item: (item[1], item[0]), default=(None, 0))[0]
