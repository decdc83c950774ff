"""Paired comparison of models on the samples that both have scored.

Interval: Student's t from the clusters' differences (``intervals``). p-value: the same t,
and t after Hall's cubic for skewed differences, whichever is larger; neither needs the two models'
scores to be alike in distribution. Holm (1979) corrects for many comparisons.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from steadfast.stats.intervals import Clusters, joined
from steadfast.stats.tidy import OVERALL

COLUMNS = (
    "model", "other", "task", "difference", "low", "high", "p", "p_holm", "n", "error", "freedom",
)  # fmt: skip

TOGETHER = 1_000
"""Pairs of models whose differences, sample by sample, are in memory at a time."""


def compare_models(
    frame: pd.DataFrame, weights: Mapping[str, float], drawn: Clusters
) -> pd.DataFrame:
    """Returns the differences in mean total between every two models, per task and overall.

    Args:
        frame: scores, each draw of a sample a row, with the column cluster.
        weights: of each task in the overall difference.
        drawn: the clusters, and what they were drawn within.

    Returns:
        Columns of ``COLUMNS``, a pair once: difference is model minus other, n their common
        scored samples (of each, a model's draws are averaged first), p_holm is corrected over all
        pairs of the same task (or overall), error and freedom are the difference's standard error
        and degrees of freedom. Interval, p-values and those two are empty where clusters cannot
        tell (see ``Estimates.rows``). Pairs without a common sample are missing.
    """
    sums, counts = _differences(frame, drawn.clusters)
    if sums.empty:
        return pd.DataFrame(columns=COLUMNS)
    # Totals are shares, but for counts and what a rubric gives beyond its points.
    widest = max(1.0, float(frame["total"].max())) - min(0.0, float(frame["total"].min()))
    tasks = drawn.ratios(sums, counts, (-widest, widest))
    weight = sums.index.get_level_values("task").map(weights).to_numpy(float)
    overall = tasks.mean(["model", "other"], weight).labelled(task=OVERALL)
    both = joined([tasks, overall])
    error, freedom = both.errors()[:2]
    rows = both.rows("difference").assign(p=both.p_values(), error=error, freedom=freedom)
    known = rows["p"].notna()
    corrected = rows[known].groupby("task")["p"].transform(lambda p: holm(p.to_numpy()))
    return rows.assign(p_holm=corrected)[list(COLUMNS)]


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
    cells = totals.index.droplevel(["length", "sample_id"])
    starts = np.flatnonzero(~cells.duplicated())
    names = [totals.columns[first], totals.columns[second]]
    index = pd.MultiIndex.from_arrays(names, names=["model", "other"])

    def by_cluster(part: np.ndarray) -> pd.DataFrame:
        cell = pd.DataFrame(part, index, cells[starts])
        cell = cell.stack("task").fillna(0).reindex(columns=clusters, fill_value=0)
        return cell.sort_index().astype(part.dtype)

    found = []
    for start in range(0, len(pairs), TOGETHER):
        these = slice(start, start + TOGETHER)
        difference = values[first[these]] - values[second[these]]
        common = ~np.isnan(difference)
        parts = np.where(common, difference, 0.0), common.astype(int)
        found.append([np.add.reduceat(part, starts, axis=1) for part in parts])
    sums, counts = (by_cluster(np.concatenate(of)) for of in zip(*found, strict=True))
    mask = counts.sum(axis=1) > 0
    return sums[mask], counts[mask]


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
