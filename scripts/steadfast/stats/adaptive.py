"""Adaptive runs: which models are evaluated further after each round, by a pre-declared design.

After each round from the second on, every two models that were both evaluated in it are tested,
with a family-wise error rate of 5 % over all pairs and all looks. A model is not evaluated further
once it is decided whether it is among the best.

A test at level α spends of it, by a look at a share t of all data, α · ln(1 + (e − 1)t), nearly as
much at each look, as Pocock's boundaries do (Lan and DeMets 1983). That fixes the boundary of |z|
at each look, whatever looks follow. z times √t has independent increments, so that the density of
where it is, not having crossed before, is known from look to look by integration (Armitage,
McPherson and Rowe 1969). Tests are two-sided.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy  # whose parts are loaded where they are first used

from steadfast.stats import FIRST_LOOK
from steadfast.stats.intervals import NOTHING, SIGNIFICANT
from steadfast.stats.pairs import holm

# Nodes of the numerical integration of each density.
NODES = 120
# Standard deviations beyond which the density is negligible.
FARTHEST = 8.5
# A boundary of |z| that no data cross, for looks that spend nothing.
CERTAIN = 38.0
# Levels at which boundaries are computed; the smallest p is the first.
LEVELS = np.logspace(-10, -1e-4, 48)


def boundaries(levels: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """The boundary of \\|z\\| at each look (column) of a test at each level (row).

    Args:
        levels: two-sided levels, above 0.
        shares: of all data at each look, ascending, the last one 1 at most.
    """
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    # z √t, not having crossed before: points (columns) of its density at each level, with their
    # probability mass; at first all mass is at 0.
    points = np.zeros((len(levels), 1))
    mass = np.ones((len(levels), 1))
    boundaries = []
    spent = np.zeros(len(levels))
    previous_share = 0.0
    for share in shares:
        step = np.sqrt(share - previous_share)
        deviation = np.sqrt(share)
        # Level to spend at this look:   α · ln(1 + (e − 1) t) − what earlier looks spent
        target = np.maximum(levels * np.log1p((np.e - 1) * share) - spent, 0.0)
        # Bisection for the boundary that is crossed with this probability.
        low = np.zeros(len(levels))
        high = np.full(len(levels), CERTAIN)
        for _ in range(50):
            middle = (low + high) / 2
            too_low = _crossing(middle * deviation, points, mass, step) > target
            low = np.where(too_low, middle, low)
            high = np.where(too_low, high, middle)
        boundaries.append(high)
        spent = spent + target
        previous_share = share
        # Density within the boundary (Armitage, McPherson and Rowe 1969), φ the normal one:
        #   f(x) = Σ over points u of mass(u) · φ((x − u) ÷ step) ÷ step
        edge = np.minimum(high, FARTHEST) * deviation
        next_points = edge[:, None] * nodes
        steps = (next_points[:, :, None] - points[:, None, :]) / step
        density = np.exp(-(steps**2) / 2) @ mass[:, :, None] / (step * np.sqrt(2 * np.pi))
        points = next_points
        mass = density[:, :, 0] * edge[:, None] * weights
    return np.array(boundaries).T


def _crossing(edge: np.ndarray, points: np.ndarray, mass: np.ndarray, step: float) -> np.ndarray:
    """The probability of a step from the points before beyond an edge (of each row)."""
    above = edge[:, None] - points
    below = edge[:, None] + points
    beyond = scipy.special.ndtr(-above / step) + scipy.special.ndtr(-below / step)
    probable: np.ndarray = (beyond * mass).sum(axis=1)
    return probable


@dataclass(frozen=True)
class Design:
    """The design of a run, declared before its first request.

    Attributes:
        contexts: maximum number of rounds.
        top: number of best models to identify.
    """

    contexts: int
    top: int = 1

    @cached_property
    def _boundaries(self) -> np.ndarray:
        rounds = range(FIRST_LOOK, self.contexts + 1)
        return boundaries(LEVELS, [number / self.contexts for number in rounds])

    def boundary(self, look: int, level: float) -> float:
        """The boundary of \\|z\\| at a look, counted from 0, of a test at a level."""
        # The square of a normal quantile is nearly linear in the logarithm of its level.
        interpolated = np.interp(np.log(level), np.log(LEVELS), self._boundaries[:, look] ** 2)
        return float(np.sqrt(interpolated))

    def p_values(self, look: int, z: np.ndarray) -> np.ndarray:
        """The least level at which each z crosses its boundary at a look; nan stays.

        The smallest one of all looks so far is the sequential p-value: it is valid at every look,
        and never rises (Liu and Anderson 2008).
        """
        squares = self._boundaries[:, look][::-1] ** 2
        p = np.exp(np.interp(z**2, squares, np.log(LEVELS)[::-1]))
        return np.where(z**2 < squares[0], 1.0, p)


class Differences(NamedTuple):
    """Paired differences of models after a round: an item for each pair, nan where unknown.

    error and degrees_of_freedom are those of the differences; ``p`` are two-sided, not adjusted.
    """

    difference: np.ndarray
    error: np.ndarray
    degrees_of_freedom: np.ndarray
    p: np.ndarray


class Course:
    """The decisions on models after each look, and which of them go on.

    Attributes:
        pairs: numbers of the two models of each pair, in the order of ``itertools.combinations``.
        outcomes: for each pair 1 or -1 where the first is significantly better or worse, else 0.
        p: sequential p-value of each pair, uncorrected for their number; 1 before the first look.
        last: the differences of each pair at its last look.
        rounds: in which each model has been evaluated.
        continuing: whether each model is evaluated in the next round.
    """

    def __init__(self, models: int, design: Design):
        self.design = design
        self.pairs = np.array(list(combinations(range(models), 2)), int).reshape(-1, 2)
        self.outcomes = np.zeros(len(self.pairs), int)
        self.p = np.ones(len(self.pairs))
        self.rounds = np.full(models, min(FIRST_LOOK, design.contexts))
        self.continuing = np.ones(models, bool)
        self.last = Differences(*np.full((4, len(self.pairs)), np.nan))
        self._look = np.zeros(len(self.pairs), int)

    def look(self, now: Differences) -> None:
        """Takes a round's differences of the models evaluated in it, and decides."""
        rounds = int(self.rounds.max())
        # Pairs with a model that is no longer evaluated keep their last look.
        fresh = self.continuing[self.pairs].all(axis=1) & np.isfinite(now.p)
        self._look = np.where(fresh, rounds - FIRST_LOOK, self._look)
        self.last = Differences(*np.where(fresh, now, self.last))
        p = self.design.p_values(rounds - FIRST_LOOK, -scipy.special.ndtri(now.p / 2))
        self.p = np.where(fresh, np.minimum(self.p, p), self.p)
        # A decision stays: later looks decide on undecided pairs only.
        decided = (self.outcomes == 0) & (self.adjusted < SIGNIFICANT)
        self.outcomes[decided] = np.sign(self.last.difference[decided])
        self.continuing &= self._needed & (rounds < self.design.contexts)
        self.rounds += self.continuing

    @property
    def adjusted(self) -> np.ndarray:
        """Sequential p-values of all pairs, corrected for their number."""
        return holm(self.p)

    @property
    def boundary(self) -> float:
        """The boundary of \\|z\\| for the pair with the smallest p, corrected for all pairs."""
        return self.design.boundary(int(self._look.max()), SIGNIFICANT / len(self.pairs))

    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """The repeated 95 % interval of each difference at its last look.

        All intervals of a pair contain its true difference in 95 of 100 runs, whenever it stops
        (Jennison and Turnbull 1989). They are no narrower than by the p-values, and empty where all
        contexts agree that there is no difference, which has no error.
        """
        looks, look_numbers = np.unique(self._look, return_inverse=True)
        z = np.array([self.design.boundary(look, SIGNIFICANT) for look in looks])[look_numbers]
        last = self.last
        t_quantile = scipy.special.stdtrit
        # The error that gives p by Student's t, where it is larger: |difference| ÷ t(1 − p ÷ 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_p = np.abs(last.difference) / -t_quantile(last.degrees_of_freedom, last.p / 2)
        error = np.fmax(last.error, np.where(np.isfinite(by_p), by_p, np.nan))
        error = np.where(error > NOTHING, error, np.nan)
        # The quantile of t at the level of the boundary z.
        half = -t_quantile(last.degrees_of_freedom, scipy.special.ndtr(-z)) * error
        return last.difference - half, last.difference + half

    @property
    def _needed(self) -> np.ndarray:
        """Whether a model is undecided, or needed for a comparison with an undecided one."""
        number = len(self.rounds)
        top = self.design.top
        first, second = self.pairs.T
        outcomes = np.zeros((number, number), int)
        outcomes[first, second] = self.outcomes
        outcomes[second, first] = -self.outcomes
        # Out: worse than ``top`` others. Within: better than all but ``top``, or one of the last
        # ``top`` that are not out. Once ``top`` are within, no other model is open.
        out = (outcomes < 0).sum(axis=1) >= top
        within = ((outcomes > 0).sum(axis=1) >= number - top) | (~out & (number - out.sum() <= top))
        open_models = ~out & ~within & (within.sum() < top)
        needed: np.ndarray = open_models | (within & ((outcomes == 0) & open_models).any(axis=1))
        return needed
