"""Paired comparison of every two models on the samples that both have scored.

The interval excludes 0 exactly where p is below .05 (``intervals``), which is impossible with fewer
than six clusters. Neither assumes that the two models' scores have the same distribution.
``step_down`` corrects for many comparisons.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd

from steadfast.contract.records import OVERALL
from steadfast.stats.intervals import SIGNIFICANT, Clusters, Estimates, joined
from steadfast.stats.power import minimum_detectable_difference
from steadfast.stats.step_down import step_down
from steadfast.stats.tidy import PROMPTS, SUMMARY, rows_of
from steadfast.stats.ties import Ties, with_ties

COLUMNS = (
    "model", "other", "task", "difference", "low", "high",
    "p", "p_adjusted", "p_model", "p_other", "n", "error", "degrees_of_freedom", "clusters",
)  # fmt: skip

# Pairs of models whose differences, sample by sample, are in memory at a time.
TOGETHER = 1_000
# Columns of ``sampling_units``.
UNIT_COLUMNS = ("part", "stratum", "clusters")


def compare_models(
    frame: pd.DataFrame, weights: Mapping[str, float], units: Clusters
) -> pd.DataFrame:
    """The differences in mean total between every two models, per task and overall.

    Args:
        frame: scores, a row for each repeat of a sample, with the column cluster.
        weights: of each task in the overall difference.
        units: the clusters (sampling units) and their strata.

    Returns:
        Columns ``COLUMNS``, each pair once: difference is model minus other, n the samples scored
        for both (repeats are averaged first). p_adjusted is corrected over all pairs of the task
        (or overall), p_model and p_other over the pairs of that model; all are empty with too few
        clusters for a significant difference. error, degrees_of_freedom and clusters are those of
        the difference. Interval, p-values, error and degrees_of_freedom are empty where the
        variance is unknown (``Estimates.rows``). Pairs without a common sample are missing.
    """
    sums, counts = _differences(frame, units.clusters)
    if sums.empty:
        return pd.DataFrame(columns=COLUMNS)
    widest = sums.index.get_level_values("task").map(_widest(frame)).to_numpy(float)
    tasks = units.ratios(sums, counts, (-widest, widest))
    weight = sums.index.get_level_values("task").map(weights).to_numpy(float)
    models = ["model", "other"]
    estimates = joined([tasks, tasks.mean(models, weight).labelled(task=OVERALL)])
    # Sign flips are of the contexts' differences, not of their deviations from the tasks' means.
    flipped = replace(tasks, parts=tasks.contributions)
    flipped = joined([flipped, flipped.mean(models, weight).labelled(task=OVERALL)])
    error, degrees_of_freedom = estimates.errors[:2]
    # Whatever the differences, all clusters' may have the same sign by chance.
    clusters = np.count_nonzero(estimates.shares, axis=1)
    lowest_p = 2.0 ** (1 - clusters)
    p = np.maximum(estimates.p_values(), lowest_p)
    rows = estimates.rows("difference").assign(
        p=p, error=error, degrees_of_freedom=degrees_of_freedom, clusters=clusters
    )
    # The interval holds 0 where p cannot be below .05, as with fewer than six clusters.
    few = rows["low"].notna() & (lowest_p >= SIGNIFICANT)
    rows["low"] = rows["low"].where(~few, rows["low"].clip(upper=0))
    rows["high"] = rows["high"].where(~few, rows["high"].clip(lower=0))
    corrected = []
    for cells in rows.groupby("task").indices.values():
        corrected.append(_corrected(rows.iloc[cells], estimates.take(cells), flipped.parts[cells]))
    return rows.join(pd.concat(corrected))[list(COLUMNS)]


def _widest(frame: pd.DataFrame) -> pd.Series:
    """The largest possible difference of two totals of each task.

    Totals are from 0 to 1, except counts, and rubrics that give more than their points.
    """
    totals = frame.groupby(frame["task"].astype(str))["total"]
    return totals.max().clip(lower=1.0) - totals.min().clip(upper=0.0)


def _corrected(
    rows: pd.DataFrame, differences: Estimates, contributions: np.ndarray
) -> pd.DataFrame:
    """The p-values of a task's comparisons, corrected over all, and over those of each model."""
    sides = rows[["model", "other"]].to_numpy(str)
    all_pairs = np.arange(len(rows))
    models = np.unique(sides)
    pairs_of_models = [np.flatnonzero((sides == model).any(axis=1)) for model in models]
    p_adjusted, *model_ps = step_down(differences, contributions, [all_pairs, *pairs_of_models])
    # p_model and p_other of each pair: a pair is in the families of both its models.
    side_ps = np.full(sides.shape, np.nan)
    for model, family, p in zip(models, pairs_of_models, model_ps, strict=True):
        pair, side = np.nonzero(sides[family] == model)
        side_ps[family[pair], side] = p[pair]
    corrected = np.column_stack([p_adjusted, side_ps])
    # Sign flips ignore the effect of skewness on t, which the uncorrected p accounts for.
    corrected = np.maximum(corrected, rows[["p"]].to_numpy())
    return pd.DataFrame(corrected, rows.index, ["p_adjusted", "p_model", "p_other"])


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
    # Samples are sorted by task and cluster: each such cell is a range of columns.
    cells = totals.index.droplevel(["length", "sample_id"])
    starts = np.flatnonzero(~cells.duplicated())
    names = [totals.columns[first], totals.columns[second]]
    index = pd.MultiIndex.from_arrays(names, names=["model", "other"])

    def by_cluster(chunks: list[np.ndarray]) -> pd.DataFrame:
        pair_cells = np.concatenate(chunks)
        table = pd.DataFrame(pair_cells, index, cells[starts])
        table = table.stack("task").fillna(0).reindex(columns=clusters, fill_value=0)
        return table.sort_index().astype(pair_cells.dtype)

    sum_chunks = []
    count_chunks = []
    for start in range(0, len(pairs), TOGETHER):
        chunk = slice(start, start + TOGETHER)
        difference = values[first[chunk]] - values[second[chunk]]
        common = ~np.isnan(difference)
        difference = np.where(common, difference, 0.0)
        sum_chunks.append(np.add.reduceat(difference, starts, axis=1))
        count_chunks.append(np.add.reduceat(common.astype(int), starts, axis=1))
    sums = by_cluster(sum_chunks)
    counts = by_cluster(count_chunks)
    has_common = counts.sum(axis=1) > 0
    return sums[has_common], counts[has_common]


def holm(p: np.ndarray) -> np.ndarray:
    """p-values corrected for their number, family-wise (Holm 1979, step-down).

    Of m p-values, in ascending order: p_j = min(1, max over i ≤ j of (m − i + 1) p_i).

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()  # 3·0.01; 2·0.03; no less than that
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def pairs(
    frame: pd.DataFrame, keys: list[str], compared_column: str, references: Collection[str] = ()
) -> pd.DataFrame:
    """The differences between every two models, by ``compare_models``, in each cell.

    Args:
        frame: samples with columns model, cluster, stratum, sample_id, total, and those named here;
            a row for each repeat of a sample.
        keys: columns whose values together are a cell.
        compared_column: in place of task; its values are compared one by one within a cell, and by
            their plain mean (overall).
        references: models that are not compared.

    >>> frame = pd.DataFrame({"model": ["m", "m", "n", "n"], "total": [1.0, 0.5, 0.0, 0.5]})
    >>> frame = frame.assign(sample_id=["a", "b"] * 2, cluster=["x", "y"] * 2)
    >>> frame = frame.assign(stratum="s", language="en", category="style")
    >>> rows = pairs(frame, ["language"], "category")
    >>> rows[["language", "category", "difference"]].values.tolist()
    [['en', 'style', 0.5], ['en', 'overall', 0.5]]
    """
    parts = [pd.DataFrame(columns=[*keys, *COLUMNS])]
    compared = frame[~frame["model"].isin(references)]
    for values, part in compared.groupby(keys, sort=False):
        cell = part.assign(task=part[compared_column], length="")
        equal_weights = dict.fromkeys(cell["task"], 1.0)
        rows = compare_models(cell, equal_weights, Clusters(cell, ["stratum"]))
        parts.append(rows.assign(**dict(zip(keys, values, strict=True))))
    # The empty frame has the columns where no cell has a pair; else it would change their types.
    filled = [part for part in parts if len(part)] or parts
    rows = pd.concat(filled, ignore_index=True).rename(columns={"task": compared_column})
    names = ["model", "other", *keys, compared_column]
    return rows[[*names, *rows.columns.difference(names, sort=False)]]


def overall_pairs(frame: pd.DataFrame, references: Collection[str]) -> pd.DataFrame:
    """The overall differences of ``pairs`` in each measure (column measure of ``frame``)."""
    return rows_of(pairs(frame, ["measure"], "task", references), task=OVERALL).drop(columns="task")


def joint_summary(
    counts: pd.DataFrame,
    means: pd.DataFrame,
    compared: Mapping[str, pd.DataFrame],
    clusters: pd.DataFrame,
    unit: str,
) -> pd.DataFrame:
    """The summary of several measures of the same responses, by ``with_comparisons``.

    Args:
        counts: model, expected and prompts of all models (``scores.coverage``); with measure, of
            each.
        means: model, measure, value, low, high and n of models with a score.
        compared: rows of ``overall_pairs`` by measure.
    """
    if "measure" not in counts:
        counts = counts.merge(pd.DataFrame({"measure": list(compared)}), "cross")
    every = counts[["model", "measure", "expected", PROMPTS]]
    rows = every.merge(means, "left", ["model", "measure"]).fillna({"n": 0}).astype({"n": int})
    return with_comparisons(rows[[*SUMMARY, PROMPTS]], compared, clusters, unit)


def sampling_units(frame: pd.DataFrame, part: str | None, strata: Sequence[str]) -> pd.DataFrame:
    """The number of clusters, the sampling units of all intervals, by part and stratum.

    Args:
        frame: samples with the column cluster.
        part: column whose values are shown separately, such as the language.
        strata: columns whose values together name a stratum.

    >>> frame = pd.DataFrame({"cluster": ["a", "a", "b"], "language": "en", "kind": "x"})
    >>> sampling_units(frame, "language", ["kind"]).values.tolist()
    [['en', 'x', 2]]
    """
    columns = ["cluster", *strata]
    if part:
        columns.append(part)
    units = frame[[*dict.fromkeys(columns)]].drop_duplicates()  # of many samples few clusters
    parts = units[part].astype(str) if part else ""
    stratum = units[list(strata)].astype(str).agg("/".join, axis=1) if len(strata) else ""
    strata_rows = units[["cluster"]].assign(part=parts, stratum=stratum).drop_duplicates()
    counts = strata_rows.groupby(["part", "stratum"], sort=False).size()
    return counts.rename("clusters").reset_index()[list(UNIT_COLUMNS)]


def median_detectable_difference(rows: pd.DataFrame) -> float:
    """The minimum detectable difference of the median pair.

    In the unit of the difference, with 80 % power after correction for all pairs; nan where no pair
    can be distinguished.
    """
    testable = rows[rows["error"].notna() & rows["p_adjusted"].notna()]
    if testable.empty:
        return math.nan
    error, degrees_of_freedom = testable[["error", "degrees_of_freedom"]].astype(float).median()
    return minimum_detectable_difference(error, degrees_of_freedom, len(testable))


def with_comparisons(
    summary: pd.DataFrame,
    comparisons: Mapping[str, pd.DataFrame],
    clusters: pd.DataFrame,
    unit: str,
) -> pd.DataFrame:
    """A summary with the columns of ``tidy.FURTHER``.

    Args:
        summary: rows with columns model and measure.
        comparisons: rows of the comparisons in each measure.
        clusters: rows of ``sampling_units`` of the summary's values.
        unit: name of the clusters, in the plural.
    """
    ties = {}
    smallest = {}
    tested = {}
    for measure, rows in comparisons.items():
        ties[measure] = Ties.of(rows)
        smallest[measure] = median_detectable_difference(rows)
        tested[measure] = rows["clusters"].max()
    return with_ties(summary, ties).assign(
        sampled=f"{clusters['clusters'].sum():,} {unit}",
        clusters=summary["measure"].map(tested).astype(float),
        minimum_detectable_difference=summary["measure"].map(smallest).astype(float),
    )
