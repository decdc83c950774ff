"""What the verdicts on the levels of one group amount to.

A hard verdict is 1 (all constraints kept), 0, None where there is none, or in mode released −1
where the judge's reply could not be read.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Literal, TypeVar

Verdict = float | None
Consistency = Literal["no failure", "consistent", "inconsistent"]
T = TypeVar("T")


def consecutive_levels(hard: Sequence[Verdict]) -> int | None:
    """How many levels from the first on are satisfied without a gap (equation 3).

    Args:
        hard: verdicts of levels 1 to 5.

    Returns:
        0 to 5; None where it depends on a missing verdict.

    Example:
        >>> consecutive_levels([1, 1, 0, 1, None])
        2
        >>> consecutive_levels([1, None, 0, 1, 1]) is None
        True
    """
    return _whatever_is_missing(_consecutive, hard)


def failure_consistency(hard: Sequence[Verdict]) -> Consistency | None:
    """Whether a group that fails below the last level fails at every level after (section 5.3).

    Args:
        hard: verdicts of levels 1 to 5. As released, −1 is neither a failure nor a success.

    Returns:
        "no failure" (below the last level), "consistent" or "inconsistent"; None where it depends
        on a missing verdict.

    Example:
        >>> failure_consistency([1, 1, 0, 0, 0])
        'consistent'
        >>> failure_consistency([1, 1, 0, 0, 1])
        'inconsistent'
    """
    return _whatever_is_missing(_consistency, hard)


def _whatever_is_missing(
    measure: Callable[[Sequence[float]], T], hard: Sequence[Verdict]
) -> T | None:
    """What a measure gives, if it gives the same whichever way the missing verdicts are."""
    choices = [(0.0, 1.0) if verdict is None else (verdict,) for verdict in hard]
    found = {measure(filled) for filled in product(*choices)}
    return found.pop() if len(found) == 1 else None


def _consecutive(hard: Sequence[float]) -> int:
    return next((i for i, verdict in enumerate(hard) if verdict != 1), len(hard))


def _consistency(hard: Sequence[float]) -> Consistency:
    if 0 not in hard[:-1]:
        return "no failure"
    return "inconsistent" if 1 in hard[hard.index(0) :] else "consistent"
