"""How far groups of samples differ by chance alone: the expected IFS of a perfectly stable model.

The true means of that model's groups are equal. The measured means vary by their samples' errors,
and so does their standard deviation, a little less with few groups (c4 of quality control: Shewhart
1931); its estimate from few samples is corrected likewise.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

from steadfast.stats.intervals import Clusters

KEYS = ["model", "task"]


def crossed(
    frame: pd.DataFrame, group: str, block: Sequence[str], by: Sequence[str] = ()
) -> pd.Series:
    """The spread by chance over the mean, of groups with the same blocks.

    A block is such as a context with one setting of the variables. What it adds to all groups is no
    chance between them; the residual of totals after groups and blocks is (Fisher's analysis of
    variance). Blocks that lack a group are left out.

    Args:
        frame: samples with columns model, task, total and those named here.
        group: column of the groups.
        block: columns whose values together are a block.
        by: columns whose values together are a cell, with model and task.

    Returns:
        A number for each model, task and cell; nan with fewer than two groups or blocks.

    >>> frame = pd.DataFrame({"e": list("ab") * 2, "v": list("xxyy"), "model": "m", "task": "T"})
    >>> frame["total"] = [0.5, 0.7, 0.7, 0.5]  # residuals ±.1: variance 4 · .01 ÷ (1 · 1)
    >>> float(crossed(frame, "e", ["v"]).iloc[0].round(4))  # √(.04 ÷ 2) ÷ .6, c4 in and out
    0.2357
    """
    keys = [*KEYS, *by]
    scored = frame[frame["total"].notna()]
    # A row a block, a column a group; the blocks of a cell are the rows from its start on.
    table = scored.groupby([*keys, *block, group], observed=True)["total"].mean().unstack(group)
    cells = table.groupby(level=keys, observed=True).ngroup().to_numpy()
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    is_present = table.notna().to_numpy(bool)
    groups = np.logical_or.reduceat(is_present, starts).sum(axis=1)
    complete = is_present.sum(axis=1) == groups[cells]
    counted = is_present & complete[:, None]
    totals = np.where(counted, table.to_numpy(float), 0.0)
    block_means = totals.sum(axis=1, keepdims=True) / groups[cells, None]
    deviations = np.where(counted, totals - block_means, 0.0)
    blocks = np.add.reduceat(complete.astype(float), starts)
    # Sums of squares of the deviations d from the blocks' means, of g groups and b blocks:
    #   residual = Σ d² − Σ over groups of (Σ over blocks d)² ÷ b
    #   variance of a group's mean = residual ÷ ((g − 1)(b − 1)) ÷ b
    between = (np.add.reduceat(deviations, starts) ** 2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        residual = np.add.reduceat((deviations**2).sum(axis=1), starts) - between / blocks
        degrees_of_freedom = (groups - 1) * (blocks - 1)
        variance = residual / degrees_of_freedom / blocks
        mean = np.add.reduceat(block_means[:, 0] * complete, starts) / blocks
        expected = _expected(variance, degrees_of_freedom, groups) / mean
    index = table.index.droplevel([*block])[starts]
    return pd.Series(np.where((groups > 1) & (blocks > 1), expected, np.nan), index)


def nested(frame: pd.DataFrame, group: str, units: Clusters) -> pd.Series:
    """The spread by chance over the mean, of groups with clusters of their own.

    nan where the variance is unknown, as with one context of each length (``Estimates.rows``).

    >>> frame = pd.DataFrame({"cluster": list("abcd"), "length": ["4k", "4k", "8k", "8k"]})
    >>> frame = frame.assign(model="m", task="T", total=[0.5, 0.7, 0.7, 0.5])
    >>> units = Clusters(frame, ["length"])  # errors .1, one degree of freedom each
    >>> float(nested(frame, "length", units).iloc[0].round(3))  # .798 ÷ .886 · .1 ÷ .6
    0.15
    """
    means = units.means(frame, [*KEYS, group])
    error, degrees_of_freedom, _ = means.errors
    cells = means.cells[["value"]].assign(variance=error**2, degrees_of_freedom=degrees_of_freedom)
    by_task = cells.groupby(level=KEYS, observed=True)
    is_complete = by_task["variance"].count() == by_task.size()
    mean = by_task.mean()
    groups = by_task.size().to_numpy()
    # The groups' mean variance has the degrees of freedom of all of them together.
    variance = mean["variance"].to_numpy()
    total_degrees = (mean["degrees_of_freedom"] * groups).to_numpy()
    expected = _expected(variance, total_degrees, groups) / mean["value"]
    return expected.where(is_complete & (groups > 1))


def _expected(
    variance: np.ndarray, degrees_of_freedom: np.ndarray, groups: np.ndarray
) -> np.ndarray:
    """The expected standard deviation of so many normal values whose variance is estimated.

    √V · c4(g − 1) ÷ c4(ν),   of g groups and the degrees of freedom ν of the variance V
    """
    expected: np.ndarray = (
        np.sqrt(np.maximum(variance, 0.0)) * _c4(groups - 1) / _c4(degrees_of_freedom)
    )
    return expected


def _c4(degrees_of_freedom: np.ndarray) -> np.ndarray:
    """The expected standard deviation with so many degrees of freedom, where the true one is 1.

    c4 = Γ((ν + 1) ÷ 2) ÷ Γ(ν ÷ 2) ÷ √(ν ÷ 2)   (Shewhart 1931)
    """
    half = np.maximum(degrees_of_freedom, 1) / 2
    gammas = scipy.special.gammaln(half + 0.5) - scipy.special.gammaln(half)
    correction: np.ndarray = np.exp(gammas) / np.sqrt(half)
    return correction
