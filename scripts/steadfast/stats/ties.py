"""Ranks: which models a test tells apart, and how alike two measures order them."""

import math
from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from steadfast.stats.intervals import SIGNIFICANT

COLUMNS = ("beats", "ties")
"""Of a headline: the models that one is told to be better than, and is not told apart from."""


class Ties:
    """Of each model and each other that it is compared with, whether it is better."""

    def __init__(self, better: Mapping[str, Mapping[str, bool]]):
        self._better = better

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "Ties":
        """Reads rows of ``pairs.compare_models`` of one task; pairs without p are left out."""
        better: dict[str, dict[str, bool]] = {}
        known = rows[rows["p_holm"].notna()]
        columns = (known[name].tolist() for name in ("model", "other", "difference", "p_holm"))
        for model, other, difference, p in zip(*columns, strict=True):
            apart = p < SIGNIFICANT
            better.setdefault(model, {})[other] = apart and difference > 0
            better.setdefault(other, {})[model] = apart and difference < 0
        return cls(better)

    @classmethod
    def of_headline(cls, rows: pd.DataFrame) -> "Ties":
        """From the columns of ``COLUMNS`` of one measure's rows, one a model."""
        better: dict[str, dict[str, bool]] = {}
        for model, beats, ties in zip(*(rows[c] for c in ("model", *COLUMNS)), strict=True):
            for other in beats.split():
                better.setdefault(model, {})[other] = True
                better.setdefault(other, {})[model] = False
            better.setdefault(model, {}).update(dict.fromkeys(ties.split(), False))
        return cls(better)

    def columns(self, model: str) -> tuple[str, str]:
        """The values of ``COLUMNS`` for a model: names with a blank between."""
        others = self._better.get(model, {})
        beats = sorted(other for other, better in others.items() if better)
        ties = (o for o, better in others.items() if not better and not self._better[o][model])
        return " ".join(beats), " ".join(sorted(ties))

    def best(self, values: Mapping[str, float]) -> set[str]:
        """Returns the model with the highest value, and all that it is not told to beat."""
        if not values:
            return set()
        first = max(values, key=values.__getitem__)
        compared = values.keys() & self._better.get(first, {}).keys()
        group = {other for other in compared if not self._better[first][other]}
        return {first, *group} if compared else set()

    def ranks(self, models: Collection[str]) -> dict[str, tuple[int, int]]:
        """Returns the best and the worst rank that each compared model may have by the test.

        The best is 1 more than the models that are told to be better, the worst leaves as many
        behind it as are told to be worse. With tests that together err in 5 of 100 cases these
        ranges together hold the true ranks in 95 (Klein, Wright and Wieczorek 2020).
        """
        found = {}
        for model in models:
            others = [o for o in models if o in self._better.get(model, {})]
            above = sum(self._better[other][model] for other in others)
            below = sum(self._better[model][other] for other in others)
            if others:
                found[model] = (1 + above, len(models) - below)
        return found


NO_TIES = Ties({})
"""Where no two models are compared."""


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Returns Spearman's ρ, Pearson's correlation of the mean ranks; nan if a side is constant.

    >>> spearman(np.array([1, 2, 3]), np.array([10, 30, 20]))  # 1 - 6·2 / (3·8)
    0.5
    """
    ranks = [pd.Series(side).rank().to_numpy() for side in (first, second)]
    return _cosine(*(side - side.mean() for side in ranks))


def kendall(first: np.ndarray, second: np.ndarray) -> float:
    """Returns Kendall's τ-b, which corrects for ties; nan where one side is constant.

    >>> round(kendall(np.array([1, 2, 3]), np.array([10, 30, 20])), 3)  # (2 - 1) / 3
    0.333
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
