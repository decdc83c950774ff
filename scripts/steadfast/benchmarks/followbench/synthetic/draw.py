"""What one generated group is drawn from, and the shape of what is drawn."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from steadfast.base.files import Settings
from steadfast.benchmarks.followbench.facts import LEVELS

FROM_START = (0, *LEVELS)
Level = tuple[str, str, str]
"""Category, instruction and target of one level."""


@dataclass(frozen=True)
class Draw:
    """What one group is drawn from: its category's name, the building blocks and chance."""

    category: str
    blocks: Settings
    rng: random.Random

    def levels(
        self, asked: Sequence[str], targets: Sequence[str] = (), kinds: Sequence[str] = ()
    ) -> list[Level]:
        """Levels 0 to 5."""
        named = [", ".join(kinds[:level]) or self.category for level in FROM_START]
        return list(zip_longest(named, asked, targets, fillvalue=""))

    def joined(self, parts: Sequence[str]) -> str:
        """Sentences as one text."""
        return str(self.blocks["joined_by"]).join(parts)

    def added(self, start: str, constraints: Sequence[str]) -> list[str]:
        """The start with the first n constraints behind it, for each level n."""
        return [self.joined([start, *constraints[:level]]) for level in FROM_START]


Maker = Callable[[Draw], tuple[str, list[Level]]]
"""Draws a group: its source and its levels, from 0 (example: from 1)."""
