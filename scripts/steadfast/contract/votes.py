"""What raters say where there are several: their names, and what most of them say."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

V = TypeVar("V", bound=Hashable)

ON_RULES = "on rules"
"""What a judge says where a rule decides, as one of ``components.Score.other_raters``."""
MAJORITY = "majority"
"""The name of several judges' verdicts where most of them decide."""
VOTERS = 3
"""Judges that a majority needs: of two, the first one's word would always win."""


def voted(given: Iterable[V | None]) -> V | None:
    """Returns what most say, of as many the one that comes first; None where nobody says anything.

    >>> voted([0, 1, 1]), voted([0, 1, None]), voted([None, None])
    (1, 0, None)
    """
    counts = Counter(verdict for verdict in given if verdict is not None)
    return max(counts, key=counts.__getitem__) if counts else None


def rater_name(judge: str, way: str) -> str:
    """Returns the name of a judge that is asked in another way; where nobody judges, the way's."""
    return f"{judge} ({way})" if judge else way
