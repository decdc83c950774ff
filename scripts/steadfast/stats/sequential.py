"""Tests that are looked at while the data come in: boundaries, p-values, intervals at each look.

A test at level α spends of it, by a look at a share t of all data, as much as its spending
function says (Lan and DeMets 1983): that fixes the boundary of |z| at each look, whatever looks
follow. z times √t has independent increments, so that the density of where it is, not having
crossed before, is known from look to look by integration (Armitage, McPherson and Rowe 1969). Tests
are two-sided.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy  # whose parts are loaded where they are first used

Spending = Callable[[np.ndarray, float], np.ndarray]
NODES = 120
"""Places at which the density is taken, of each boundary."""
FARTHEST = 8.5
"""Standard deviations beyond which nothing of it is left."""
CERTAIN = 38.0
"""A boundary of |z| that no data cross: nothing is to be spent at a look."""
LEVELS = np.logspace(-10, -1e-4, 48)
"""Levels at which boundaries are computed; the smallest p is the first."""


def evenly(level: np.ndarray, share: float) -> np.ndarray:
    """Spends nearly as much at each look, as Pocock's boundaries do (Lan and DeMets 1983)."""
    spent: np.ndarray = level * np.log1p((np.e - 1) * share)
    return spent


def late(level: np.ndarray, share: float) -> np.ndarray:
    """Spends little before the end, as O'Brien and Fleming's boundaries do (same source)."""
    normal = scipy.special.ndtri(level / 4)
    spent: np.ndarray = 4 * scipy.special.ndtr(normal / np.sqrt(share))
    return spent


def boundaries(levels: np.ndarray, shares: Sequence[float], spending: Spending) -> np.ndarray:
    """Returns the boundary of \\|z\\| at each look (column) of a test at each level (row).

    Args:
        levels: two-sided levels, above 0.
        shares: of all data at each look, ascending, the last one 1 at most.
        spending: of a level and a share, what is spent of the level by then.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    places, mass = np.zeros((len(levels), 1)), np.ones((len(levels), 1))
    found, spent, before = [], np.zeros(len(levels)), 0.0
    for share in shares:
        step, deviation = np.sqrt(share - before), np.sqrt(share)
        wanted = np.maximum(spending(levels, share) - spent, 0.0)
        low, high = np.zeros(len(levels)), np.full(len(levels), CERTAIN)
        for _ in range(50):
            middle = (low + high) / 2
            over = _crossing(middle * deviation, places, mass, step) > wanted
            low, high = np.where(over, middle, low), np.where(over, high, middle)
        found.append(high)
        spent, before = spent + wanted, share
        edge = np.minimum(high, FARTHEST) * deviation
        new = edge[:, None] * nodes
        apart = (new[:, :, None] - places[:, None, :]) / step
        density = np.exp(-(apart**2) / 2) @ mass[:, :, None] / (step * np.sqrt(2 * np.pi))
        places, mass = new, density[:, :, 0] * edge[:, None] * weights
    return np.array(found).T


def _crossing(edge: np.ndarray, places: np.ndarray, mass: np.ndarray, step: float) -> np.ndarray:
    """How probable it is to go beyond an edge (of each row) in a step from the places before."""
    above, below = edge[:, None] - places, edge[:, None] + places
    beyond = scipy.special.ndtr(-above / step) + scipy.special.ndtr(-below / step)
    probable: np.ndarray = (beyond * mass).sum(axis=1)
    return probable


@dataclass(frozen=True)
class Looks:
    """The looks of a test, by what ``boundaries`` takes."""

    shares: tuple[float, ...]
    spending: Spending

    @cached_property
    def _boundaries(self) -> np.ndarray:
        return boundaries(LEVELS, self.shares, self.spending)

    def boundary(self, look: int, level: float) -> float:
        """Returns the boundary of \\|z\\| at a look, counted from 0, of a test at a level."""
        found = np.interp(np.log(level), np.log(LEVELS), self._boundaries[:, look] ** 2)
        return float(np.sqrt(found))

    def p_values(self, look: int, z: np.ndarray) -> np.ndarray:
        """Returns the least level at which each z crosses its boundary at a look; nan stays.

        The smallest one of all looks so far is the sequential p-value: it may be read at any look,
        and no test whose p was ever below α is any later not so (Liu and Anderson 2008).
        """
        squares = self._boundaries[:, look][::-1] ** 2
        p = np.exp(np.interp(z**2, squares, np.log(LEVELS)[::-1]))
        return np.where(z**2 < squares[0], 1.0, p)
