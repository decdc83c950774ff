"""Several raters of a response: their names, and their majority."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

V = TypeVar("V", bound=Hashable)

# Verdicts of a judge on items that rules decide, in ``components.Score.other_raters``.
ON_RULES = "on rules"
# The name of the majority's verdicts.
MAJORITY = "majority"
# Judges that a majority needs: of two that differ, the first would always win.
VOTERS = 3


def majority_vote(votes: Iterable[V | None]) -> V | None:
    """The commonest vote, of equally common ones the first; None without votes.

    >>> majority_vote([0, 1, 1]), majority_vote([0, 1, None]), majority_vote([None, None])
    (1, 0, None)
    """
    counts = Counter(verdict for verdict in votes if verdict is not None)
    return max(counts, key=counts.__getitem__) if counts else None


def rater_name(judge: str, way: str) -> str:
    """The name of a judge with another prompt; without a judge, that of the way of rating."""
    return f"{judge} ({way})" if judge else way
