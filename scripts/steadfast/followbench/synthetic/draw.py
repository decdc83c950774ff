"""What one generated group is drawn from, and the shape of what is drawn."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from steadfast.followbench.facts import LEVELS

Level = tuple[str, str, str]
"""Category, instruction and target of one level."""


@dataclass(frozen=True)
class Draw:
    """What one group is drawn from: its category's name, the building blocks and chance."""

    category: str
    blocks: Mapping[str, Any]
    rng: random.Random

    def levels(
        self, start: str, asked: Mapping[int, str], targets: Mapping[int, str]
    ) -> list[Level]:
        """Levels 0 to 5 of one category.

        Args:
            start: instruction of level 0.
            asked: instruction by level.
            targets: reference by level, where there is one.
        """
        texts = {0: start, **asked}
        return [(self.category, texts[level], targets.get(level, "")) for level in (0, *LEVELS)]


Maker = Callable[[Draw], tuple[str, list[Level]]]
"""Draws a group: its source and its levels, from 0 (example: from 1)."""


def added(draw: Draw, start: str, constraints: list[str]) -> dict[int, str]:
    """The start with the first n constraints behind it, for each level n."""
    glue = draw.blocks["joined_by"]
    return {level: glue.join([start, *constraints[:level]]) for level in LEVELS}


def of_kinds(
    draw: Draw,
    kinds: list[str],
    start: str,
    asked: Mapping[int, str],
    targets: Mapping[int, str],
) -> list[Level]:
    """Levels of mixed constraints, which name the kinds of those that they have."""
    levels = draw.levels(start, asked, targets)
    named = [draw.category, *(", ".join(kinds[:level]) for level in LEVELS)]
    return [(name, text, target) for name, (_, text, target) in zip(named, levels, strict=True)]
