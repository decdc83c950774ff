"""Ranks: which models a test distinguishes, and rank correlations of two measures."""

import math
from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from steadfast.stats.intervals import SIGNIFICANT

# Models that one is significantly better than, worse than, and not distinguished from.
COLUMNS = ("better_than", "worse_than", "not_distinguished")
# Minimum clusters to mark the models that cannot be ruled out as best (bench/bold.py).
#
# With six clusters, six to eight of twenty models cannot be ruled out in a column, and three of ten
# of these are below a model that is; with twelve clusters three to four, and one of seven.
FEWEST_FOR_BOLD = 12
BETTER = 1
WORSE = -1
NOT_DISTINGUISHED = 0
# By model and other model: ``BETTER``, ``WORSE`` or ``NOT_DISTINGUISHED``.
Outcomes = Mapping[str, Mapping[str, int]]


class Ties:
    """The outcomes of paired comparisons of models, corrected for their number.

    The correction is for each model by itself, so that one may be significantly better than
    another which is not significantly worse.

    Args:
        outcomes: outcome of each comparison.
        clusters: number of clusters in the comparisons.
    """

    def __init__(self, outcomes: Outcomes, clusters: float = math.inf):
        self._outcomes = outcomes
        self._clusters = clusters

    @classmethod
    def of(cls, rows: pd.DataFrame) -> "Ties":
        """Reads rows of ``pairs.compare_models`` of one task; pairs without p are left out."""
        outcomes: dict[str, dict[str, int]] = {}
        tested = rows[rows["p_model"].notna()]
        columns = ["model", "other", "difference", "p_model", "p_other"]
        for row in tested[columns].itertuples(index=False):
            sign = (row.difference > 0) - (row.difference < 0)
            # Each side has a p of its own: better on one side may be not worse on the other.
            model_outcomes = outcomes.setdefault(row.model, {})
            model_outcomes[row.other] = sign if row.p_model < SIGNIFICANT else NOT_DISTINGUISHED
            other_outcomes = outcomes.setdefault(row.other, {})
            other_outcomes[row.model] = -sign if row.p_other < SIGNIFICANT else NOT_DISTINGUISHED
        return cls(outcomes, tested["clusters"].max())

    @classmethod
    def of_summary(cls, rows: pd.DataFrame) -> "Ties":
        """From the columns of ``COLUMNS``, and clusters, of one measure's rows, one a model."""
        outcomes: dict[str, dict[str, int]] = {}
        for model, *cells in rows[["model", *COLUMNS]].itertuples(index=False, name=None):
            outcomes[model] = {}
            for outcome, names in zip((BETTER, WORSE, NOT_DISTINGUISHED), cells, strict=True):
                outcomes[model] |= dict.fromkeys(names.split(), outcome)
        return cls(outcomes, rows["clusters"].max())

    def columns(self, model: str) -> tuple[str, ...]:
        """The values of ``COLUMNS`` for a model: names with a blank between."""
        names: dict[int, list[str]] = {BETTER: [], WORSE: [], NOT_DISTINGUISHED: []}
        for other, outcome in sorted(self._outcomes.get(model, {}).items()):
            names[outcome].append(other)
        return tuple(map(" ".join, names.values()))

    def best(self, models: Collection[str]) -> set[str]:
        """The models that cannot be ruled out as best; none with few clusters."""
        if not self._clusters >= FEWEST_FOR_BOLD:
            return set()
        return {model for model, (best_rank, _) in self.ranks(models).items() if best_rank == 1}

    def ranks(self, models: Collection[str]) -> dict[str, tuple[int, int]]:
        """The 95 % range of each compared model's rank: best and worst.

        best = 1 + significantly better models,   worst = all − significantly worse models

        A model's comparisons together err in 5 of 100 runs, so that the range contains its true
        rank in 95 (Mogstad, Romano, Shaikh and Wilhelm 2024).
        """
        ranks = {}
        for model in models:
            outcomes = [*map(self._outcomes.get(model, {}).get, models)]
            # None: the model itself, and models that it is not compared with.
            if outcomes.count(None) < len(outcomes):
                ranks[model] = (1 + outcomes.count(WORSE), len(models) - outcomes.count(BETTER))
        return ranks


# Without any comparison.
NO_TIES = Ties({})


def with_ties(summary: pd.DataFrame, ties: Mapping[str, Ties]) -> pd.DataFrame:
    """A summary (columns model and measure) with ``COLUMNS``, from the ties in each measure."""
    cells = []
    for model, measure in zip(summary["model"], summary["measure"], strict=True):
        cells.append(ties.get(measure, NO_TIES).columns(model))
    return summary.assign(**pd.DataFrame(cells, summary.index, COLUMNS).astype(object))


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's ρ; nan where one side is constant.

    ρ is Pearson's correlation of the ranks, where equal values share their mean rank (Spearman
    1904).
    """
    return _cosine(_centred_ranks(first), _centred_ranks(second))


def _centred_ranks(values: np.ndarray) -> np.ndarray:
    ranks = pd.Series(values).rank().to_numpy()
    centred: np.ndarray = ranks - ranks.mean()
    return centred


def kendall(first: np.ndarray, second: np.ndarray) -> float:
    """Kendall's τ-b, which corrects for ties; nan where one side is constant.

    τ = Σ sᵢⱼ tᵢⱼ ÷ √(Σ sᵢⱼ² Σ tᵢⱼ²),   s = sign(xᵢ − xⱼ),   t = sign(yᵢ − yⱼ)

    over all pairs; tied ones are left out of a side's own sum (Kendall 1945).
    """
    return _cosine(_signs(first), _signs(second))


def _signs(values: np.ndarray) -> np.ndarray:
    """The sign of the difference of each ordered pair of values."""
    signs: np.ndarray = np.sign(np.subtract.outer(values, values)).ravel()
    return signs


def _cosine(x: np.ndarray, y: np.ndarray) -> float:
    """Σ xy ÷ √(Σ x² Σ y²)."""
    scale = math.sqrt((x @ x) * (y @ y))
    return float(x @ y) / scale if scale else math.nan


def smallest_p(n: int) -> float:
    """The smallest two-sided p of a rank correlation of n pairs, by the exact test.

    >>> smallest_p(1), round(smallest_p(3), 3), round(smallest_p(5), 3)
    (1.0, 0.333, 0.017)
    """
    return min(1.0, 2 / math.factorial(n))


CORRELATIONS = {"spearman": spearman, "kendall": kendall}


def agreement(both: pd.DataFrame) -> pd.DataFrame:
    """The correlations of value_x and value_y per task; n counts the rows used."""
    rows = []
    for task, pair in both.groupby("task"):
        x, y = pair[["value_x", "value_y"]].to_numpy().T
        for name, correlation in CORRELATIONS.items():
            value = correlation(x, y)
            if not math.isnan(value):
                rows.append({"task": task, "measure": name, "value": value, "n": len(pair)})
    return pd.DataFrame(rows, columns=["task", "measure", "value", "n"])
