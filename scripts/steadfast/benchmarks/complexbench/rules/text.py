"""Text as the rules compare it."""

import string
from collections.abc import Iterable

from steadfast.benchmarks.complexbench.text import normalised


def all_normalised(texts: Iterable[str]) -> list[str]:
    """The texts in the punctuation that they are compared in."""
    return [normalised(text) for text in texts]


PUNCTUATION = frozenset(normalised(string.punctuation))
"""What the punctuation rules take for punctuation."""
