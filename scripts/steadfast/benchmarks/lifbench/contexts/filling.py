"""Filling a token budget exactly: the largest context whose text still fits."""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import Record, placed_jsonl
from steadfast.base.tokens import fingerprint

Unit = TypeVar("Unit")

PLACE = 48  # bits of a place in a file
SLACK = 100  # tokens; see ``enough``


class Filled(NamedTuple):
    """How many units a context holds, and the exact tokens of its text."""

    units: int
    tokens: int


def fill(
    estimates: list[int], budget: int, count: Callable[[int], int], start: int = 0
) -> Filled | None:
    """Returns how many units fit into a budget of tokens while one unit more does not.

    The search starts where the estimates of each unit's tokens say and corrects them by each exact
    count, so that it counts few texts; what it returns rests on exact counts alone. ``start`` units
    are known to fit. None where all units fit, so that none is left to show that one more would
    not.
    """
    totals = [0, *accumulate(estimates)]
    low, high = start, len(totals)
    tokens = count(low)
    drift = tokens - totals[low]
    while high - low > 1:
        guess = bisect_right(totals, budget - drift) - 1
        guess = min(max(guess, low + 1), high - 1)
        guessed = count(guess)
        if guessed <= budget:
            low, tokens = guess, guessed
        else:
            high = guess
        drift = guessed - totals[guess]
    return None if high == len(totals) else Filled(low, tokens)


def enough(
    units: Iterable[Unit], size: Callable[[Unit], int], budget: int
) -> tuple[list[Unit], list[int]]:
    """Returns units that together exceed a budget, and the size of each in tokens.

    Sizes of parts need not add up to the size of the whole: one per cent and ``SLACK`` on top of
    the budget make up for that. Fewer units come back where there are no more.
    """
    taken: list[Unit] = []
    sizes: list[int] = []
    left = budget * 1.01 + SLACK
    for unit in units:
        taken.append(unit)
        sizes.append(size(unit))
        left -= sizes[-1]
        if left < 0:
            break
    return taken, sizes


def shuffled(path: Path, key: str) -> Iterator[Record]:
    """Yields a corpus's records in an order that depends on the key and on their ids alone.

    What is held of each record is its place, not the record.
    """
    # A number each, fingerprint before place, since pairs would take three times the memory.
    order = sorted(
        int(fingerprint(f"{key}/{record['id']}"), 16) << PLACE | start
        for start, record in placed_jsonl(path)
    )
    with open(path, "rb") as lines:
        for number in order:
            lines.seek(number & ((1 << PLACE) - 1))
            yield json.loads(lines.readline())


def too_small(corpora: str, offers: str, scenario: str, budget: int) -> UserError:
    """Returns the error for a corpus that offers too little to fill a context."""
    return UserError(
        f"corpora/{corpora}: {offers} are too few for a {scenario} context of {budget:,} tokens; "
        "name a shorter length, or another source"
    )
