"""How well two groupings of documents agree."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

Document = tuple[str | None, ...]
"""A document by the fields that are asked for."""


def agreement(gold: Mapping[Document, int], assigned: Mapping[Document, int]) -> float:
    """Returns the share of ordered pairs of gold documents on which both groupings agree, 0 to 1.

    A pair agrees if both documents are assigned and both groupings put them together, or both
    apart; a document pairs with itself too.

    >>> agreement({("a",): 1, ("b",): 1}, {("a",): 7, ("b",): 8})
    0.5
    """
    if not gold:
        return 0.0
    both = [(gold[key], assigned[key]) for key in gold if key in assigned]
    agreeing = (
        len(both) ** 2 - _same(g for g, _ in both) - _same(a for _, a in both) + 2 * _same(both)
    )
    return agreeing / len(gold) ** 2


def _same(labels: Iterable[Hashable]) -> int:
    """Returns the number of ordered pairs with the same label."""
    return sum(count**2 for count in Counter(labels).values())
