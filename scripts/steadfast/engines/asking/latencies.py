"""How long answers took, as a histogram that runs of a job can be added up from."""

import math
from collections import Counter
from collections.abc import Mapping

WIDTH = 1.05
"""Of a bin, as a ratio: a quantile is within 2.5 % of what it was."""


class Latencies:
    """Counts answers by the logarithm of what they took."""

    def __init__(self, *counts: Mapping[str, int]):
        self._counts: Counter[int] = Counter()
        for one in counts:
            self._counts.update({int(name): count for name, count in one.items()})

    def add(self, seconds: float) -> None:
        """One more answer."""
        self._counts[math.floor(math.log(max(seconds, 1e-6), WIDTH))] += 1

    @property
    def counts(self) -> dict[str, int]:
        """By bin, for a file."""
        return {str(number): count for number, count in sorted(self._counts.items())}

    def quantile(self, share: float) -> float | None:
        """Seconds within which that share of the answers came; None where there are none.

        >>> latencies = Latencies()
        >>> for seconds in (1.0, 2.0, 2.0, 8.0):
        ...     latencies.add(seconds)
        >>> f"{latencies.quantile(0.5):.1f} {latencies.quantile(0.95):.1f}"
        '2.0 8.0'
        """
        left = share * self._counts.total()
        for number, count in sorted(self._counts.items()):
            left -= count
            if left <= 0:
                return float(WIDTH ** (number + 0.5))
        return None
