"""Rank correlations, ties included."""

import math

import numpy as np
import pandas as pd


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's ρ: Pearson's correlation of the mean ranks; nan where one side is constant."""
    ranks = [pd.Series(side).rank().to_numpy() for side in (first, second)]
    x, y = (side - side.mean() for side in ranks)
    scale = math.sqrt((x @ x) * (y @ y))
    return float(x @ y) / scale if scale else math.nan


def kendall(first: np.ndarray, second: np.ndarray) -> float:
    """Kendall's τ-b, which corrects for ties; nan where one side is constant."""
    x, y = (np.sign(np.subtract.outer(side, side)).ravel() for side in (first, second))
    scale = math.sqrt((x @ x) * (y @ y))
    return float(x @ y) / scale if scale else math.nan


CORRELATIONS = {"spearman": spearman, "kendall": kendall}


def agreement(both: pd.DataFrame) -> pd.DataFrame:
    """Correlations of value_x and value_y per task: columns task, measure, value, n (rows used).

    Where a correlation is not defined, there is no row.
    """
    rows = [
        {"task": task, "measure": name, "value": value, "n": len(pair)}
        for task, pair in both.groupby("task")
        for name, correlate in CORRELATIONS.items()
        if not math.isnan(value := correlate(*pair[["value_x", "value_y"]].to_numpy().T))
    ]
    return pd.DataFrame(rows, columns=["task", "measure", "value", "n"])
