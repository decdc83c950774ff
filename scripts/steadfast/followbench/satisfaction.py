"""From the verdicts of one group's levels to what the group tells, and to the released numbers.

A hard verdict is 1 (all constraints kept), 0, None where there is none, or in mode released −1
where the judge's reply could not be read.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Literal, TypeVar

from steadfast.followbench.facts import LEVELS

Verdict = float | None
Consistency = Literal["no failure", "consistent", "inconsistent"]
T = TypeVar("T")


def consecutive_levels(hard: Sequence[Verdict]) -> int | None:
    """How many levels from the first on are satisfied without a gap (equation 3).

    Args:
        hard: verdicts of levels 1 to 5.

    Returns:
        0 to 5; None where it depends on a missing verdict.
    """
    return _whatever_is_missing(_consecutive, hard)


def failure_consistency(hard: Sequence[Verdict]) -> Consistency | None:
    """Whether a group that fails below the last level fails at every level after (section 5.3).

    Args:
        hard: verdicts of levels 1 to 5. As released, −1 is neither a failure nor a success.

    Returns:
        None where it depends on a missing verdict.
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


def printed_rates(verdicts: Sequence[Sequence[float]], language: str) -> list[str]:
    """Satisfaction rate per level as the released code prints it: HSR of hard, SSR of soft ones.

    Args:
        verdicts: of each group, levels 1 to 5; a reply that could not be read counts −1.
        language: en or zh, which adds a sign of per cent.
    """
    sign = "%" if language == "zh" else ""
    sums = [sum(group[level - 1] for group in verdicts) for level in LEVELS]
    return [f"{100 * total / len(verdicts):.2f}{sign}" for total in sums]


def printed_levels(hard: Sequence[Sequence[float]]) -> str:
    """CSL as the released code prints it: the mean over groups, rounded half to even."""
    return str(round(sum(map(_consecutive, hard)) / len(hard), 1))


def consistency_counts(hard: Sequence[Sequence[Verdict]]) -> Mapping[str, int]:
    """How many groups fail consistently, how many fail early, and how many cannot be told."""
    found = [failure_consistency(group) for group in hard]
    consistent = found.count("consistent")
    return {
        "consistent": consistent,
        "failing": consistent + found.count("inconsistent"),
        "missing": found.count(None),
    }
