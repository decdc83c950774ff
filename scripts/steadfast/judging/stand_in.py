"""What stand-ins for models tell stand-ins for judges: which of the things asked for they kept.

A stand-in's answer ends with a line such as ``[simulated: kept 1, 3]``. A judge without a model
goes by that line alone; of an answer that has none, such as a real model's, it gives no verdict.
"""

import re
from collections.abc import Iterable

_SIGNATURE = re.compile(r"\[simulated: kept ([0-9, ]{0,2000})\]")
UNSIGNED = "[simulated: nothing is known of this answer]"
"""The reply to an answer without such a line; no verdict in any benchmark."""


def signature(kept: Iterable[int]) -> str:
    """The last line of a stand-in's answer.

    Args:
        kept: numbers of the constraints, checkpoints or questions that it keeps.
    """
    return f"[simulated: kept {', '.join(map(str, sorted(kept)))}]"


def signed(answer: str) -> frozenset[int] | None:
    """The numbers that an answer's last line names; None where it has no such line."""
    last = answer.rstrip().rpartition("\n")[2].strip()
    found = _SIGNATURE.fullmatch(last)
    return frozenset(map(int, re.findall(r"\d{1,9}", found[1]))) if found else None
