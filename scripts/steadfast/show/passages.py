"""The places of a context that a sample is about, with what stands around them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

OPEN, CLOSE = "⟦", "⟧"
AROUND = 160
"""Characters that are shown before and behind a place."""
MOST = 8
"""Places that are shown."""


@dataclass(frozen=True)
class Passages:
    """A context and what in it matters to a sample.

    Attributes:
        text: the context as models are shown it, before anything is cut.
        wanted: pieces of it, such as the element that is asked for.
    """

    text: str
    wanted: Sequence[str]


def places(passages: Passages) -> list[tuple[int, int]]:
    """Start and end of each place at which a wanted piece stands, in the order of the text.

    Example:
        >>> places(Passages("1. a\\n2. bb\\n3. a", ["a", "bb"]))
        [(3, 4), (8, 10), (14, 15)]
    """
    found = {
        (start, start + len(piece))
        for piece in dict.fromkeys(passages.wanted)
        for start in _starts(passages.text, piece)
    }
    return sorted(found)


def _starts(text: str, piece: str) -> Iterator[int]:
    start = text.find(piece) if piece else -1
    while start >= 0:
        yield start
        start = text.find(piece, start + len(piece))


def excerpts(passages: Passages, around: int = AROUND, most: int = MOST) -> list[str]:
    """Each place, marked, with what stands around it; a last line says how many more there are.

    Example:
        >>> excerpts(Passages("one two three", ["two"]), around=2)
        ['…e ⟦two⟧ t…']
    """
    text, found = passages.text, places(passages)
    shown = [
        f"{'…' if start > around else ''}{text[max(0, start - around) : start]}"
        f"{OPEN}{text[start:end]}{CLOSE}"
        f"{text[end : end + around]}{'…' if end + around < len(text) else ''}"
        for start, end in found[:most]
    ]
    more = len(found) - most
    return [*shown, f"({more} more)"] if more > 0 else shown
