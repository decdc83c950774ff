"""Paired comparison of models on the samples that both have scored.

Interval: cluster bootstrap of the difference. p-value: sign-flip permutation test, in which each
cluster's difference keeps or changes its sign as a whole, for two models that are alike could as
well have changed names there (Good 2005, chapter 3). Holm (1979) corrects for many comparisons.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd

from steadfast.metrics.bootstrap import Bootstrap
from steadfast.metrics.tidy import OVERALL

EXACT = 24  # clusters up to which all sign patterns are counted
PATTERNS = 9_999  # drawn where there are more
SEED = "sign flips"
COLUMNS = ("model", "other", "task", "difference", "low", "high", "p", "p_holm", "n")


def compare_models(
    frame: pd.DataFrame, weights: Mapping[str, float], boot: Bootstrap
) -> pd.DataFrame:
    """Differences in mean total between every two models, per task and overall.

    Args:
        frame: scores, each draw of a sample a row, with the column cluster.
        weights: of each task in the overall difference.
        boot: draws the clusters.

    Returns:
        Columns of ``COLUMNS``, a pair once: difference is model minus other, n their common
        scored samples (of each, a model's draws are averaged first), p_holm is corrected over all
        pairs of the same task (or overall). Pairs without a common sample are missing.

    Example:
        >>> frame = pd.DataFrame({"model": ["m", "m", "n", "n"], "total": [1.0, 0.5, 0.0, 0.5]})
        >>> frame = frame.assign(sample_id=["a", "b"] * 2, cluster=["x", "y"] * 2)
        >>> frame = frame.assign(task="T", length="4k", stratum="s")
        >>> rows = compare_models(frame, {"T": 1.0}, Bootstrap(frame, ["stratum"]))
        >>> rows.loc[rows["task"] == "T", ["model", "other", "difference", "n"]].values.tolist()
        [['m', 'n', 0.5, 2]]
    """
    sums, counts = _differences(frame, boot.clusters)
    if sums.empty:
        return pd.DataFrame(columns=COLUMNS)
    pair = ["model", "other"]
    tasks = boot.ratios(sums, counts)
    weight = sums.index.get_level_values("task").map(weights).to_numpy(float)
    overall = tasks.mean(pair, weight)

    # What each cluster adds to the difference.
    parts = sums.div(counts.sum(axis=1), axis=0)
    whole = parts.mul(weight, axis=0).groupby(level=pair).sum()
    whole = whole.div(pd.Series(weight, sums.index).groupby(level=pair).sum(), axis=0)

    of_tasks = tasks.rows("difference").assign(p=[*map(sign_flip_p, parts.to_numpy())])
    of_all = overall.rows("difference").assign(p=[*map(sign_flip_p, whole.to_numpy())])
    rows = pd.concat([of_tasks, of_all.assign(task=OVERALL)], ignore_index=True)
    rows["p_holm"] = rows.groupby("task")["p"].transform(lambda p: holm(p.to_numpy()))
    return rows[list(COLUMNS)]


def _differences(frame: pd.DataFrame, clusters: pd.Index) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Sums and counts of paired differences: a row a pair and task, a column a cluster."""
    scored = frame[frame["total"].notna()]
    keys = ["task", "cluster", "length", "sample_id"]
    totals = scored.astype(dict.fromkeys(["model", *keys], str))
    totals = totals.groupby([*keys, "model"])["total"].mean().unstack("model").sort_index()
    pairs = list(combinations(range(totals.shape[1]), 2))
    if not pairs:
        return pd.DataFrame(), pd.DataFrame()
    first, second = np.array(pairs).T
    values = totals.to_numpy().T
    difference = values[first] - values[second]
    common = ~np.isnan(difference)
    cells = totals.index.droplevel(["length", "sample_id"])
    starts = np.flatnonzero(~cells.duplicated())
    names = [totals.columns[first], totals.columns[second]]
    index = pd.MultiIndex.from_arrays(names, names=["model", "other"])

    def by_cluster(part: np.ndarray) -> pd.DataFrame:
        cell = pd.DataFrame(np.add.reduceat(part, starts, axis=1), index, cells[starts])
        cell = cell.stack("task").fillna(0).reindex(columns=clusters, fill_value=0)
        return cell.sort_index().astype(part.dtype)

    sums = by_cluster(np.where(common, difference, 0.0))
    counts = by_cluster(common.astype(int))
    mask = counts.sum(axis=1) > 0
    return sums[mask], counts[mask]


def sign_flip_p(parts: np.ndarray) -> float:
    """Two-sided p-value of a sum, were the sign of each part a fair coin's.

    Args:
        parts: what each cluster adds to the difference.

    Returns:
        The share of sign patterns whose sum is at least as far from 0 as the one seen: of all
        patterns for up to ``EXACT`` parts that are not 0, else of ``PATTERNS`` drawn ones and the
        one seen.

    Example:
        >>> sign_flip_p(np.array([1.0, 2.0]))  # of 3, -1, 1 and -3 two are as far from 0 as 3
        0.5
    """
    parts = parts[parts != 0]  # the sign of 0 changes nothing
    # Sums that are equal but for rounding count as equal.
    limit = abs(parts.sum()) - 1e-9 * np.abs(parts).sum()
    if len(parts) > EXACT:
        sums = _signs(len(parts)) @ parts
        return float((1 + np.count_nonzero(np.abs(sums) >= limit)) / (1 + PATTERNS))
    # All sums of one half, sorted, are searched for each sum of the other half.
    left, right = _signed_sums(parts[::2]), np.sort(_signed_sums(parts[1::2]))
    above = len(right) - np.searchsorted(right, limit - left, "left")
    below = np.searchsorted(right, -limit - left, "right")
    return min(1.0, float((above + below).sum() / 2 ** len(parts)))


def _signed_sums(parts: np.ndarray) -> np.ndarray:
    sums = np.zeros(1)
    for part in parts:
        sums = np.concatenate([sums + part, sums - part])
    return sums


@cache
def _signs(size: int) -> np.ndarray:
    rng = np.random.default_rng(list(f"{SEED}/{size}".encode()))
    return rng.choice([-1.0, 1.0], (PATTERNS, size))


def holm(p: np.ndarray) -> np.ndarray:
    """p-values corrected for their number, family-wise (Holm 1979, step-down).

    Example:
        >>> holm(np.array([0.01, 0.04, 0.03])).tolist()  # 3·0.01; 2·0.03; no less than that
        [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected
