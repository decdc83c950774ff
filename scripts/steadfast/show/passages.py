"""The places of a context that a sample is about, with what stands around them."""

from collections.abc import Sequence
from dataclasses import dataclass

OPEN = "⟦"
CLOSE = "⟧"
AROUND = 160  # characters that are shown before and behind a place
MOST = 8  # places that are shown


@dataclass(frozen=True)
class Passages:
    """A context and what in it matters to a sample, such as the requested element."""

    text: str  # as in the prompt, before truncation
    wanted: Sequence[str]


def places(passages: Passages) -> list[tuple[int, int]]:
    """Returns start and end of each place of a wanted piece, in the order of the text."""
    spans = set()
    for piece in filter(None, passages.wanted):  # an empty one would be found everywhere
        start = passages.text.find(piece)
        while start >= 0:
            end = start + len(piece)
            spans.add((start, end))
            start = passages.text.find(piece, end)
    return sorted(spans)


# One place, between what stands before and behind it; ``…`` where more text follows.
Excerpt = tuple[str, str, str]


def marked(passages: Passages, around: int = AROUND, most: int = MOST) -> tuple[list[Excerpt], int]:
    """Returns the first places, each with what stands around it, and how many more there are."""
    text = passages.text
    spans = places(passages)
    shown = []
    for start, end in spans[:most]:
        before = text[max(0, start - around) : start]
        behind = text[end : end + around]
        if start > around:
            before = f"…{before}"
        if end + around < len(text):
            behind += "…"
        shown.append((before, text[start:end], behind))
    return shown, max(0, len(spans) - most)


def excerpts(passages: Passages, around: int = AROUND, most: int = MOST) -> list[str]:
    """Returns the same as text, each place in brackets; a last line counts those left out."""
    shown, remaining = marked(passages, around, most)
    texts = [f"{before}{OPEN}{place}{CLOSE}{behind}" for before, place, behind in shown]
    return [*texts, f"({remaining} more)"] if remaining else texts
