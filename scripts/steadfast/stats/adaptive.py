"""Who is asked on: what is decided after each round of contexts, by a design declared beforehand.

After each round from the second on, every two models that both were asked are tested; the tests
hold for all pairs and all looks together (``sequential``): any pair is wrongly told apart in at
most 5 of 100 runs. A model is asked no more when the goal needs no more of it.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used

from steadfast.stats.intervals import NOTHING, SIGNIFICANT, Estimates
from steadfast.stats.pairs import holm
from steadfast.stats.sequential import Looks, evenly, late

FIRST = 2
"""Rounds before the first look: one context of a kind has no variance."""
FUTILE = 0.1
"""Chance to be told apart by the end, below which a pair is not worth asking for."""
BEST, TOP, RANKING, MARGINS = "best", "top", "ranking", "margins"
SPENDING = {BEST: evenly, TOP: evenly, RANKING: late, MARGINS: late}


@dataclass(frozen=True)
class Design:
    """What a run is to decide, declared before its first request.

    Attributes:
        goal: the best model, the ``top`` ones, their whole ranking, or of each pair whether the two
            differ or are alike within ``same``.
        contexts: rounds at most.
        top: how many models, of goal top.
        same: a difference in the unit of the totals, of goal margins.
    """

    goal: str
    contexts: int
    top: int = 1
    same: float = 0.03

    @cached_property
    def looks(self) -> Looks:
        """After each round from the second on."""
        shares = (rounds / self.contexts for rounds in range(FIRST, self.contexts + 1))
        return Looks(tuple(shares), SPENDING[self.goal])


@dataclass(frozen=True)
class Differences:
    """Paired differences of models after a round: an item for each pair, nan where unknown.

    ``p`` are two-sided and corrected for nothing; error and freedom are the differences' own.
    """

    difference: np.ndarray
    error: np.ndarray
    freedom: np.ndarray
    p: np.ndarray


def differences(apart: np.ndarray, weights: np.ndarray) -> Differences:
    """Returns the differences of pairs of which each context's is known.

    Args:
        apart: of each pair (row), stratum and context, between -1 and 1.
        weights: of the strata in the overall difference; their sum is 1.
    """
    rows, strata, contexts = apart.shape
    means = apart.mean(axis=2)
    share = np.repeat(weights / contexts, contexts)
    value = means @ weights
    of = Estimates(
        pd.DataFrame({"value": value, "n": contexts, "lowest": -1.0, "highest": 1.0}),
        (apart - means[:, :, None]).reshape(rows, -1) * share,
        np.broadcast_to(share, (rows, strata * contexts)),
        np.repeat(np.arange(strata), contexts),
    )
    error, freedom, _ = of.errors()
    return Differences(value, error, freedom, of.p_values())


class Course:
    """What is known of models after each look, and who goes on.

    Attributes:
        pairs: places of the two models of each pair, as ``itertools.combinations`` has them.
        told: of each pair 1 or -1 where the first is told to be better or worse, else 0.
        p: sequential p-value of each pair, corrected for nothing else; 1 before the first look.
        rounds: that each model has been asked.
        going_on: whether each model is asked in the next round.
    """

    def __init__(self, models: int, design: Design):
        self.design = design
        self.pairs = np.array(list(combinations(range(models), 2)), int).reshape(-1, 2)
        self.told = np.zeros(len(self.pairs), int)
        self.p = np.ones(len(self.pairs))
        self.rounds = np.full(models, min(FIRST, design.contexts))
        self.going_on = np.ones(models, bool)
        nothing = np.full(len(self.pairs), np.nan)
        self._last = Differences(nothing, nothing, nothing, nothing)
        self._look = np.zeros(len(self.pairs), int)

    def look(self, now: Differences) -> None:
        """Takes what a round's scores say of the models that were asked in it, and decides."""
        rounds, looks = int(self.rounds.max()), self.design.looks
        fresh = self.going_on[self.pairs].all(axis=1) & np.isfinite(now.p)
        self._look = np.where(fresh, rounds - FIRST, self._look)
        names = ("difference", "error", "freedom", "p")
        self._last = Differences(
            *(np.where(fresh, getattr(now, name), getattr(self._last, name)) for name in names)
        )
        p = looks.p_values(rounds - FIRST, _normal(now.p))
        self.p = np.where(fresh, np.minimum(self.p, p), self.p)
        new = (self.told == 0) & (self.adjusted < SIGNIFICANT)
        self.told[new] = np.sign(self._last.difference[new])
        self.going_on &= self._needed & (rounds < self.design.contexts)
        if self.going_on.sum() < 2:
            self.going_on[:] = False
        self.rounds += self.going_on

    @property
    def difference(self) -> np.ndarray:
        """The difference of each pair at its last look."""
        return self._last.difference

    @property
    def adjusted(self) -> np.ndarray:
        """Sequential p-values of all pairs, corrected for their number."""
        return holm(self.p)

    @property
    def boundary(self) -> float:
        """What \\|z\\| of the pair with the smallest p has to reach now, beside all others."""
        return self.design.looks.boundary(int(self._look.max()), SIGNIFICANT / len(self.pairs))

    def intervals(self, level: float = SIGNIFICANT) -> tuple[np.ndarray, np.ndarray]:
        """Returns the repeated interval of each difference at its last look, 1 - level wide.

        All those of a pair hold its true difference in 1 - level of runs, whenever it was stopped
        (Jennison and Turnbull 1989). They are no narrower than the p-values say, and empty where
        all contexts agree that there is no difference: that has no error.
        """
        places, which = np.unique(self._look, return_inverse=True)
        z = np.array([self.design.looks.boundary(look, level) for look in places])[which]
        last, t = self._last, scipy.special.stdtrit
        with np.errstate(divide="ignore", invalid="ignore"):
            by_p = np.abs(last.difference) / -t(last.freedom, last.p / 2)
        error = np.fmax(last.error, np.where(np.isfinite(by_p), by_p, np.nan))
        half = -t(last.freedom, scipy.special.ndtr(-z)) * np.where(error > NOTHING, error, np.nan)
        return last.difference - half, last.difference + half

    @property
    def _needed(self) -> np.ndarray:
        """Whether the goal needs more of each model."""
        if self.design.goal in (BEST, TOP):
            return self._undecided_place
        settled = (self.told != 0) | (self._futile if self.design.goal == RANKING else self._alike)
        # What is not settled of a model that was stopped stays so.
        open_pairs = self.pairs[~settled & self.going_on[self.pairs].all(axis=1)]
        return np.isin(np.arange(len(self.rounds)), open_pairs)

    @property
    def _undecided_place(self) -> np.ndarray:
        """Whether a model may be among the best or not, or is to be told from one that may."""
        number, top = len(self.rounds), self.design.top if self.design.goal == TOP else 1
        first, second = self.pairs.T
        told = np.zeros((number, number), int)
        told[first, second], told[second, first] = self.told, -self.told
        out = (told < 0).sum(axis=1) >= top
        within = ((told > 0).sum(axis=1) >= number - top) | (~out & (number - out.sum() <= top))
        open_models = ~out & ~within & (within.sum() < top)
        needed: np.ndarray = open_models | (within & ((told == 0) & open_models).any(axis=1))
        return needed

    @property
    def _futile(self) -> np.ndarray:
        """Whether a pair's chance to be told apart at the end is small, were its trend to go on."""
        left = max(int((self.told == 0).sum()), 1)
        limit = self.design.looks.boundary(-1, SIGNIFICANT / left)
        share = np.array(self.design.looks.shares)[self._look]
        z = _normal(self._last.p)
        with np.errstate(divide="ignore", invalid="ignore"):
            beyond = scipy.special.ndtr((z / np.sqrt(share) - limit) / np.sqrt(1 - share))
        return np.where(np.isfinite(z), beyond < FUTILE, False)

    @property
    def _alike(self) -> np.ndarray:
        """Whether a pair's interval, of all pairs together, lies within the margin."""
        low, high = self.intervals(SIGNIFICANT / max(len(self.pairs), 1))
        return (low >= -self.design.same) & (high <= self.design.same)


def _normal(p: np.ndarray) -> np.ndarray:
    """The absolute normal deviate of a two-sided p."""
    deviate: np.ndarray = -scipy.special.ndtri(p / 2)
    return deviate
