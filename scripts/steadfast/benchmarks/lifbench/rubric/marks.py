"""What a rubric's function for one task gives back."""

from collections.abc import Callable
from dataclasses import dataclass, field

from steadfast.base.files import Record


@dataclass(frozen=True)
class Marks:
    """Points of one response, before they are divided by their weights."""

    points: dict[str, float]  # score point to points, in units of its weight; one left out is 0
    extracted: Record = field(default_factory=dict)
    void: bool = False  # the total is 0 whatever the points are (Q3)


Scorer = Callable[..., Marks]
"""(stripped response, not empty; what ``facts_of`` gives; what is asked of the task)."""
