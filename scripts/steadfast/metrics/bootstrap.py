"""Cluster bootstrap: percentile intervals of means, and of what is computed from means.

The samples of one context share it, so they are no independent evidence: contexts (clusters) are
drawn with replacement, within their stratum, and each statistic is computed again from sums per
cluster (Davison and Hinkley 1997, sections 3.8 and 5.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

REPLICATES = 1000
LEVEL = 0.95
SEED = "cluster bootstrap"


@dataclass(frozen=True)
class Estimates:
    """A statistic of several cells, as measured and in each replicate.

    Attributes:
        values: a row per cell, its keys in the index; column 0 as measured, the others replicates.
        n: what the statistic of each cell rests on, such as scored samples.
        clusters: clusters that each cell rests on, in the part of it that has fewest.
    """

    values: pd.DataFrame
    n: pd.Series
    clusters: pd.Series

    def mean(self, by: list[str], weights: Sequence[float] | float = 1.0) -> "Estimates":
        """Weighted mean of the cells that agree in the index levels ``by``.

        A cell without a value in a replicate is left out of that replicate's mean.

        Example:
            >>> index = pd.Index(["T", "U"], name="task")
            >>> numbers = pd.Series(1, index)
            >>> tasks = Estimates(pd.DataFrame({0: [0.5, 1.0]}, index), numbers, numbers)
            >>> tasks.labelled(model="m").mean(["model"], [3, 1]).rows()["value"].tolist()
            [0.625]
        """
        weight = np.broadcast_to(np.asarray(weights, float), len(self.values))[:, None]
        sums = (self.values.fillna(0.0) * weight).groupby(level=by, observed=True).sum()
        known_weights = (self.values.notna() * weight).groupby(level=by, observed=True).sum()
        return Estimates(
            sums / known_weights,
            self.n.groupby(level=by, observed=True).sum(),
            self.clusters.groupby(level=by, observed=True).min(),
        )

    def variation(self, by: list[str]) -> "Estimates":
        """Sample standard deviation over the mean of the cells that agree in ``by``.

        No value where the mean is 0 or there is one cell only; n counts cells.

        Example:
            >>> index = pd.Index(["T", "U"], name="task")
            >>> numbers = pd.Series(1, index)
            >>> tasks = Estimates(pd.DataFrame({0: [0.5, 1.0]}, index), numbers, numbers)
            >>> spread = tasks.labelled(model="m").variation(["model"]).rows()
            >>> spread["value"].round(3).tolist()  # the root of 2·0.25², over 0.75
            [0.471]
        """
        cells = self.values.groupby(level=by, observed=True)
        mean, count = cells.mean(), cells.count()
        values = (cells.std() / mean).where((mean > 0) & (count > 1))
        clusters = self.clusters.groupby(level=by, observed=True).min()
        return Estimates(values, count[0], clusters).known()

    def known(self) -> "Estimates":
        """Without the cells that have no value as measured."""
        return self.take(np.flatnonzero(self.values[0].notna()))

    def take(self, rows: Sequence[int] | np.ndarray, index: pd.Index | None = None) -> "Estimates":
        """Chosen cells, in that order, under other keys if given."""
        parts = [part.iloc[rows] for part in (self.values, self.n, self.clusters)]
        return Estimates(*(part if index is None else part.set_axis(index) for part in parts))

    def counting_cells(self) -> "Estimates":
        """The same with n = 1 in each cell, so that the n of a mean counts cells."""
        return replace(self, n=self.n * 0 + 1)

    def labelled(self, **labels: str) -> "Estimates":
        """The same with further index levels, each with one value."""
        index = pd.MultiIndex.from_frame(self.values.index.to_frame(index=False).assign(**labels))
        return self.take(range(len(index)), index)

    def rows(self, value: str = "value", rescaled: bool = False) -> pd.DataFrame:
        """The keys as columns, the value as measured, low, high and n.

        low and high are empty where a part of the cell rests on fewer than two clusters: a single
        context cannot tell how much another would change.

        Args:
            value: name of the column of values.
            rescaled: multiply the replicates so that their median is the value as measured. For
                measures of spread: fewer distinct clusters make groups differ more, so that
                their replicates lie too high.
        """
        replicates = self.values.to_numpy()[:, 1:]
        low, high = np.full((2, len(replicates)), np.nan)
        has_interval = (self.clusters >= 2).to_numpy() & ~np.isnan(replicates).all(axis=1)
        if has_interval.any():
            low[has_interval], middle, high[has_interval] = _quantiles(replicates[has_interval])
            if rescaled:
                seen = self.values[0].to_numpy()[has_interval]
                factor = np.divide(seen, middle, out=np.ones(len(seen)), where=middle > 0)
                low[has_interval] *= factor
                high[has_interval] *= factor
        columns = {value: self.values[0], "low": low, "high": high, "n": self.n}
        return pd.DataFrame(columns, index=self.values.index).reset_index()


def joined(parts: Sequence[Estimates]) -> Estimates:
    """The cells of several estimates, which have the same index levels in any order.

    Example:
        >>> index = pd.Index(["T"], name="task")
        >>> numbers = pd.Series(2, index)
        >>> one = Estimates(pd.DataFrame({0: [0.5]}, index), numbers, numbers)
        >>> first, second = one.labelled(model="m"), one.labelled(model="n")
        >>> joined([first, second]).rows()[["task", "model", "n"]].values.tolist()
        [['T', 'm', 2], ['T', 'n', 2]]
    """
    levels = parts[0].values.index.names
    fields = zip(*((part.values, part.n, part.clusters) for part in parts), strict=True)
    return Estimates(*(pd.concat([one.reorder_levels(levels) for one in of]) for of in fields))


def _quantiles(values: np.ndarray) -> np.ndarray:
    """The interval's lower end, the median and its upper end of each row."""
    function = np.nanquantile if np.isnan(values).any() else np.quantile
    return function(values, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2], axis=1)


class Bootstrap:
    """Draws clusters within strata, the same for every statistic, and computes means from them.

    Args:
        frame: samples, with the column cluster and those of ``strata``; a cluster lies in one
            stratum.
        strata: columns whose values together are a stratum, from which as many clusters are drawn
            as it has.
        replicates: how often clusters are drawn. None are drawn where no stratum has two.
        seed: text; with it and the stratum's name the draws are fixed.

    Example:
        >>> frame = pd.DataFrame({"cluster": ["a", "a", "a", "b"], "total": [0.0, 0.0, 0.0, 1.0]})
        >>> frame = frame.assign(stratum="s", task="T")
        >>> Bootstrap(frame, ["stratum"]).means(frame, ["task"]).rows().values.tolist()
        [['T', 0.25, 0.0, 1.0, 4]]
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        strata: Sequence[str],
        replicates: int = REPLICATES,
        seed: str = SEED,
    ):
        drawn = frame[["cluster", *strata]].drop_duplicates().astype(str).sort_values("cluster")
        self.clusters = pd.Index(drawn["cluster"], name="cluster")
        self._strata = drawn[list(strata)].agg("/".join, axis=1).to_numpy()
        self._replicates, self._seed = replicates, seed

    @cached_property
    def weights(self) -> np.ndarray:
        """How often each cluster (column) occurs: row 0 as measured, then a row a replicate."""
        places = pd.Series(range(len(self.clusters))).groupby(self._strata).agg(list)
        largest = places.map(len).max() if len(places) else 0
        weights = np.ones((1 + self._replicates * (largest > 1), len(self.clusters)))
        for stratum, columns in places.items():
            rng = np.random.default_rng(list(f"{self._seed}/{stratum}".encode()))
            size = len(columns)
            weights[1:, columns] = rng.multinomial(size, [1 / size] * size, len(weights) - 1)
        return weights

    def means(self, frame: pd.DataFrame, by: list[str], value: str = "total") -> Estimates:
        """Means of a column in each cell, over its rows that have a value.

        Args:
            frame: samples with the column cluster.
            by: columns whose values together are a cell.
            value: the column.

        Returns:
            n counts rows.
        """
        cells = frame[frame[value].notna()].groupby([*by, "cluster"], observed=True)[value]
        sums, counts = (self._by_cluster(part) for part in (cells.sum(), cells.count()))
        return self.ratios(sums, counts)

    def _by_cluster(self, cells: pd.Series) -> pd.DataFrame:
        table = cells.unstack("cluster", fill_value=0)
        table.columns = table.columns.astype(str)
        return table.reindex(columns=self.clusters, fill_value=0)

    def ratios(self, sums: pd.DataFrame, counts: pd.DataFrame) -> Estimates:
        """Means of cells (rows) from their sums and counts in each cluster (columns)."""
        totals, numbers = (part.to_numpy(float) @ self.weights.T for part in (sums, counts))
        with np.errstate(invalid="ignore"):  # a replicate may draw no cluster that has samples
            values = pd.DataFrame(totals / numbers, index=sums.index)
        return Estimates(values, counts.sum(axis=1), (counts > 0).sum(axis=1))
