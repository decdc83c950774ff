"""Success by the position of the relevant passage in the context."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from steadfast.stats.intervals import Clusters

BINS = 10
FEW_BINS = 3
POSITIONS = 3  # a bin has on average at least so many distinct positions
COLUMNS = ("model", "task", "length", "bins", "bin", "start", "end", "value", "low", "high", "n")


def success_by_depth(
    frame: pd.DataFrame, units: Clusters, groups: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """The mean total in bins of depth, by model and task or group of tasks, overall and by length.

    Args:
        frame: scores, with the columns length, cluster and (if known) depth: 0 is the first
            position in the context, 1 the last; empty without a single position.
        units: the clusters.
        groups: names of groups of tasks, with their tasks.

    Returns:
        Columns ``COLUMNS``; a bin (from 1) holds start ≤ depth < end, the last one depth 1 too.
        There are ``BINS`` bins, or ``FEW_BINS`` where a task (or any length of it) has fewer than
        thirty distinct positions. An empty length stands for all. A bin without samples has no row.
    """
    if "depth" not in frame:
        return pd.DataFrame(columns=COLUMNS)
    placed = frame[frame["depth"].notna() & frame["total"].notna()]
    placed = placed.assign(task=placed["task"].astype(str), depth=placed["depth"].astype(float))
    by_name = dict(list(placed.groupby("task")))
    for name, tasks in groups.items():
        by_name[name] = placed[placed["task"].isin(tasks)]
    parts = []
    for name, rows in by_name.items():
        if rows.empty:
            continue
        for length in ("", rows["length"].astype(str)):  # all lengths together, then each
            parts.append(_binned(rows.assign(length=length), units).assign(task=name))
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(parts, ignore_index=True)[list(COLUMNS)]


def _binned(placed: pd.DataFrame, units: Clusters) -> pd.DataFrame:
    positions = placed[["length", "cluster", "depth"]].drop_duplicates()
    fewest = positions.groupby("length").size().min()
    bins = BINS if fewest >= POSITIONS * BINS else FEW_BINS
    # The last bin holds depth 1 too.
    numbers = np.minimum((placed["depth"] * bins).astype(int), bins - 1) + 1
    rows = units.means(placed.assign(bin=numbers), ["model", "length", "bin"]).rows()
    return rows.assign(bins=bins, start=(rows["bin"] - 1) / bins, end=rows["bin"] / bins)
