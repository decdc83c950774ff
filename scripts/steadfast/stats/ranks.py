"""Rank correlations, ties included."""

import math

import numpy as np
import pandas as pd


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
