"""What raters say where there are several: their names, and what most of them say."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from steadfast.contract.components import Score

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
    known = Counter(one for one in given if one is not None)
    return max(known, key=known.__getitem__) if known else None


def voted_points(scores: Sequence["Score"]) -> "Score":
    """Returns the first score that has points, with what most say on each; the first if none has.

    Its total is 1 if all points are.
    """
    score = next((one for one in scores if one.points), scores[0])
    if not score.points:
        return score
    points = {
        name: voted([(one.points or {}).get(name) for one in scores]) for name in score.points
    }
    total = min(point for point in points.values() if point is not None)
    return replace(score, points=points, total=total)


def rater_name(judge: str, way: str) -> str:
    """Returns the name of a judge that is asked in another way; where nobody judges, the way's."""
    return f"{judge} ({way})" if judge else way
