"""Ranks: which models a test distinguishes, and rank correlations of two measures."""

import math
from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from steadfast.stats.intervals import SIGNIFICANT

COLUMNS = ("better_than", "worse_than", "not_distinguished")
"""Models that one is significantly better than, worse than, and not distinguished from."""
FEWEST_FOR_BOLD = 12
"""Minimum clusters to mark the models that cannot be ruled out as best (bench/bold.py).

With six clusters, six to eight of twenty models cannot be ruled out in a column, and three of ten
of these are below a model that is; with twelve clusters three to four, and one of seven.
"""
BETTER = 1
WORSE = -1
APART = 0
Told = Mapping[str, Mapping[str, int]]
"""Of each model and each other that it is compared with: ``BETTER``, ``WORSE`` or ``APART``."""


class Ties:
    """What the comparisons of each model, corrected for their number, tell of it.

    They are corrected for each model by itself, so that one model may be told to be better than
    another that is not told to be worse.

    Args:
        told: what the comparisons tell.
        clusters: that they rest on.
    """

    def __init__(self, told: Told, clusters: float = math.inf):
        self._told = told
        self._clusters = clusters

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "Ties":
        """Reads rows of ``pairs.compare_models`` of one task; pairs without p are left out."""
        outcomes: dict[str, dict[str, int]] = {}
        tested = rows[rows["p_model"].notna()]
        columns = ["model", "other", "difference", "p_model", "p_other"]
        for row in tested[columns].itertuples(index=False):
            sign = (row.difference > 0) - (row.difference < 0)
            of_model = outcomes.setdefault(row.model, {})
            of_other = outcomes.setdefault(row.other, {})
            of_model[row.other] = sign if row.p_model < SIGNIFICANT else APART
            of_other[row.model] = -sign if row.p_other < SIGNIFICANT else APART
        return cls(outcomes, tested["clusters"].max())

    @classmethod
    def of_summary(cls, rows: pd.DataFrame) -> "Ties":
        """From the columns of ``COLUMNS``, and clusters, of one measure's rows, one a model."""
        outcomes = {}
        for model, *lists in zip(*(rows[c] for c in ("model", *COLUMNS)), strict=True):
            cells = zip((BETTER, WORSE, APART), lists, strict=True)
            outcomes[model] = {
                other: outcome for outcome, names in cells for other in names.split()
            }
        return cls(outcomes, rows["clusters"].max())

    def columns(self, model: str) -> tuple[str, ...]:
        """The values of ``COLUMNS`` for a model: names with a blank between."""
        outcomes = sorted(self._told.get(model, {}).items())
        cells = (
            [o for o, value in outcomes if value == outcome] for outcome in (BETTER, WORSE, APART)
        )
        return tuple(" ".join(cell) for cell in cells)

    def best(self, models: Collection[str]) -> set[str]:
        """The models that cannot be ruled out as best; none with few clusters."""
        if not self._clusters >= FEWEST_FOR_BOLD:
            return set()
        return {model for model, (best, _) in self.ranks(models).items() if best == 1}

    def ranks(self, models: Collection[str]) -> dict[str, tuple[int, int]]:
        """Returns the best and the worst rank that each compared model may have by the test.

        The best is 1 more than the models that are told to be better, the worst leaves as many
        behind it as are told to be worse. A model's comparisons together err in 5 of 100 runs, so
        that its range holds its true rank in 95 (Mogstad, Romano, Shaikh and Wilhelm 2024).
        """
        ranks = {}
        for model in models:
            outcomes = [*map(self._told.get(model, {}).get, models)]
            if outcomes.count(None) < len(outcomes):
                ranks[model] = (1 + outcomes.count(WORSE), len(models) - outcomes.count(BETTER))
        return ranks


NO_TIES = Ties({})
"""Where no two models are compared."""


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Returns Spearman's ρ; nan where one side is constant.

    ρ is Pearson's correlation of the ranks, where equal values share their mean rank (Spearman
    1904).
    """
    ranks = [pd.Series(side).rank().to_numpy() for side in (first, second)]
    return _cosine(*(side - side.mean() for side in ranks))


def kendall(first: np.ndarray, second: np.ndarray) -> float:
    """Returns Kendall's τ-b, which corrects for ties; nan where one side is constant.

    Σ sign(xᵢ − xⱼ) sign(yᵢ − yⱼ) over all pairs, over the root of the product of both sides' own
    sums, which leave tied pairs out (Kendall 1945).
    """
    return _cosine(*(np.sign(np.subtract.outer(side, side)).ravel() for side in (first, second)))


def _cosine(x: np.ndarray, y: np.ndarray) -> float:
    scale = math.sqrt((x @ x) * (y @ y))
    return float(x @ y) / scale if scale else math.nan


def smallest_p(n: int) -> float:
    """Returns the smallest two-sided p of a rank correlation of n pairs, by the exact test.

    >>> round(smallest_p(3), 3), round(smallest_p(5), 3)
    (0.333, 0.017)
    """
    return min(1.0, 2 / math.factorial(n))


CORRELATIONS = {"spearman": spearman, "kendall": kendall}


def agreement(both: pd.DataFrame) -> pd.DataFrame:
    """Returns the correlations of value_x and value_y per task; n counts the rows used."""
    rows = [
        {"task": task, "measure": name, "value": value, "n": len(pair)}
        for task, pair in both.groupby("task")
        for name, correlate in CORRELATIONS.items()
        if not math.isnan(value := correlate(*pair[["value_x", "value_y"]].to_numpy().T))
    ]
    return pd.DataFrame(rows, columns=["task", "measure", "value", "n"])
