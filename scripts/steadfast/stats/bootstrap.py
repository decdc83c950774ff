"""Cluster bootstrap: percentile intervals of how much groups of samples differ.

For means there are ``intervals``; a spread is no smooth function of means. Clusters are resampled
with replacement within their stratum, and the spread is computed from sums per cluster (Davison and
Hinkley 1997, sections 3.8 and 5.3). One cluster fewer is sampled than a stratum has, each with more
weight, which corrects the variance with few clusters (Rao and Wu 1988); and the intervals are wider
as Student's t is wider than the normal, since few clusters estimate the variance badly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

from steadfast.stats.intervals import TAIL, Clusters

REPLICATES = 1000
SEED = "cluster bootstrap"


@dataclass(frozen=True)
class Replicates:
    """A statistic of several cells, as measured and in each replicate.

    Attributes:
        values: a row per cell, its keys in the index; column 0 as measured, the others replicates.
        n: sample size of each cell.
        degrees_of_freedom: of each cell, its number of clusters minus that of strata; 0 where a
            stratum has only one.
    """

    values: pd.DataFrame
    n: pd.Series
    degrees_of_freedom: pd.Series

    def mean(self, by: list[str]) -> "Replicates":
        """The mean of the cells that agree in the index levels ``by``; n counts them."""
        cells = self.values.groupby(level=by, observed=True)
        degrees_of_freedom = self.degrees_of_freedom.groupby(level=by, observed=True).min()
        return Replicates(cells.mean(), cells.size(), degrees_of_freedom)

    def variation(self, by: list[str]) -> "Replicates":
        """The sample standard deviation over the mean of the cells that agree."""
        cells = self.values.groupby(level=by, observed=True)
        mean = cells.mean()
        count = cells.count()
        values = (cells.std() / mean).where(mean > 0)
        has_value = values[0].notna()
        degrees_of_freedom = self.degrees_of_freedom.groupby(level=by, observed=True).min()
        return Replicates(values[has_value], count.loc[has_value, 0], degrees_of_freedom[has_value])

    def labelled(self, **labels: str) -> "Replicates":
        """The same with further index levels, each with one value."""
        index = pd.MultiIndex.from_frame(self.values.index.to_frame(index=False).assign(**labels))
        return Replicates(
            self.values.set_axis(index),
            self.n.set_axis(index),
            self.degrees_of_freedom.set_axis(index),
        )

    def rows(self) -> pd.DataFrame:
        """The keys as columns, value as measured, low, high and n.

        The replicates are scaled so that their median is the value as measured: they are too high,
        since fewer distinct clusters make groups differ more. low and high are empty without
        replicates, where these are equal, where a stratum has one cluster, and with only two
        clusters of one stratum.
        """
        low, high = np.full((2, len(self.values)), np.nan)
        replicates = self.values.to_numpy()[:, 1:]
        measured = self.values[0].to_numpy()
        with_value = np.flatnonzero((~np.isnan(replicates)).any(axis=1))
        if len(with_value):
            chosen = replicates[with_value]
            degrees_of_freedom = self.degrees_of_freedom.to_numpy(float)[with_value]
            # nanquantile is much slower, and seldom needed.
            quantile = np.nanquantile if np.isnan(chosen).any() else np.quantile
            lower, middle, upper = quantile(chosen, [TAIL, 0.5, 1 - TAIL], axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                # end = value · (quantile ÷ median)^(√(median ÷ value) · t ÷ z), with the quantiles
                # of Student's t and the normal; the root is 1 at least. Replicates that lie too
                # high differ less, for their height, than spreads do.
                wider = np.sqrt(np.maximum(middle / measured[with_value], 1))
                degrees_of_freedom[~(degrees_of_freedom > 1)] = np.nan
                t = scipy.special.stdtrit(degrees_of_freedom, 1 - TAIL)
                wider *= t / scipy.special.ndtri(1 - TAIL)
                ends = (np.array([lower, upper]) / middle) ** wider * measured[with_value]
            possible = np.isfinite(ends).all(axis=0) & (upper > lower)
            low[with_value], high[with_value] = np.where(possible, ends, np.nan)
        columns = {"value": measured, "low": low, "high": high, "n": self.n}
        return pd.DataFrame(columns, index=self.values.index).reset_index()


def joined(parts: Sequence[Replicates]) -> Replicates:
    """The cells of several, which have the same index levels in any order."""
    levels = parts[0].values.index.names
    return Replicates(
        pd.concat([part.values.reorder_levels(levels) for part in parts]),
        pd.concat([part.n.reorder_levels(levels) for part in parts]),
        pd.concat([part.degrees_of_freedom.reorder_levels(levels) for part in parts]),
    )


class Bootstrap(Clusters):
    """Resamples clusters within strata (see ``Clusters``), in the same way for every statistic.

    There are no replicates where no stratum has two clusters. The stratum's name is the seed.
    """

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each cluster (column): row 0 as measured, then each replicate."""
        columns_of = pd.Series(range(len(self.strata))).groupby(self.strata).agg(list)
        several = columns_of[columns_of.map(len) > 1]
        weights = np.ones((1 + REPLICATES * (len(several) > 0), len(self.strata)))
        for stratum, columns in several.items():
            rng = np.random.default_rng(list(f"{SEED}/{stratum}".encode()))
            size = len(columns)
            # Of k clusters k − 1 are sampled, with weight k ÷ (k − 1) (Rao and Wu 1988).
            times_sampled = rng.multinomial(size - 1, [1 / size] * size, len(weights) - 1)
            weights[1:, columns] = times_sampled * size / (size - 1)
        return weights

    def replicates(self, frame: pd.DataFrame, by: list[str]) -> Replicates:
        """The mean total in each cell (values of the columns ``by``), as measured and in each
        replicate; rows without a value do not count."""
        sums, counts = self.sums(frame, by)
        totals = sums.to_numpy(float) @ self.weights.T
        numbers = counts.to_numpy(float) @ self.weights.T
        with np.errstate(invalid="ignore"):  # a replicate may have no cluster with samples
            values = pd.DataFrame(totals / numbers, index=sums.index)
        _, starts, sampled = np.unique(self._numbers, return_index=True, return_counts=True)
        present = np.add.reduceat(counts.to_numpy() > 0, starts, axis=1, dtype=int)
        # A stratum of one cluster has no variance, nor has a cell with samples in it.
        has_lone = (present[:, sampled == 1] > 0).any(axis=1)
        degrees_of_freedom = np.where(has_lone, 0, np.maximum(present - 1, 0).sum(axis=1))
        return Replicates(values, counts.sum(axis=1), pd.Series(degrees_of_freedom, sums.index))
