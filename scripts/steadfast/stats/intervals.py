"""Means over clusters, with confidence intervals that keep their coverage with few clusters.

The samples of one context share it, so they are not independent: the sampling units are contexts
(clusters), sampled within fixed strata. The variance is between the clusters of each stratum
(Cochran 1977, sections 5.4 and 6.11), estimated by CR2, which allows clusters of unequal size, with
its degrees of freedom (Bell and McCaffrey 2002), combined over strata (Welch 1947).

The interval is the first of these that applies:

1. ``unanimous_interval``: all clusters agree (Clopper and Pearson 1934, one-sided).
2. ``wilson_interval``: each cluster is entirely right or wrong, like one verdict (Wilson 1927).
3. ``smooth_interval``: Student's t, united with t after Hall's (1992) correction for skewness.
   Between limits, such as 0 and 1, on the scale of log odds, and not beyond Wilson's ends: of all
   clusters between limits, those at the limits vary most.

The p-value for a true value of 0 is below .05 exactly where that interval excludes 0.
docs/metrics.md gives the reasons and the coverage, which ``bench/intervals.py`` measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

# Level of every test, after correction for the number of pairs.
SIGNIFICANT = 0.05
LEVEL = 1 - SIGNIFICANT
TAIL = (1 - LEVEL) / 2
NOTHING = 1e-9  # a smaller standard error is a rounding error
Limits = tuple[float | np.ndarray, float | np.ndarray]
# Lower and upper ends of several intervals.
Ends = tuple[np.ndarray, np.ndarray]


class Measured(NamedTuple):
    """Several values, with the inputs of their intervals.

    Attributes:
        value: as measured.
        lowest: the lower limit of each; -inf without one.
        highest: the upper limit of each; inf without one.
        deviation: standard errors.
        degrees_of_freedom: of the standard errors.
        skewness: of the sampling distribution of each value.
        clusters: effective number of clusters, 1 ÷ Σ share².
    """

    value: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    deviation: np.ndarray
    degrees_of_freedom: np.ndarray
    skewness: np.ndarray
    clusters: np.ndarray

    @property
    def inside(self) -> np.ndarray:
        """Whether each value has limits and lies between them."""
        above = self.value - self.lowest
        below = self.highest - self.value
        inside: np.ndarray = np.isfinite(above + below) & (above > 0) & (below > 0)
        return inside

    @property
    def log_odds_error(self) -> np.ndarray:
        """Standard errors of the log odds of each value (delta method).

        d/dv log((v − a) ÷ (b − v)) = 1 ÷ (v − a) + 1 ÷ (b − v), with limits a and b.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = 1 / (self.value - self.lowest) + 1 / (self.highest - self.value)
            error: np.ndarray = self.deviation * slope
        return error


# --- intervals: one function for each kind ------------------------------------------------------


def unanimous_interval(measured: Measured) -> Ends:
    """Intervals where all clusters agree (Clopper and Pearson 1934, one-sided).

        q = (1 − level)^(1/k)        the share of all clusters that agree is q or more
        low = a + q (v − a)          the others may be at the lower limit a,
        high = b − q (b − v)         or at the upper limit b

    of k clusters with the value v.
    """
    share = (1 - LEVEL) ** (1 / measured.clusters)
    with np.errstate(invalid="ignore"):
        low = measured.lowest + (measured.value - measured.lowest) * share
        high = measured.highest - (measured.highest - measured.value) * share
    return low, high


def wilson_interval(measured: Measured) -> Ends:
    """Wilson's intervals, as if each cluster were at a limit; infinite without limits.

    ``wilson`` of the share (v − a) ÷ (b − a), scaled back to the limits a and b.
    """
    width = measured.highest - measured.lowest
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = wilson((measured.value - measured.lowest) / width, measured.clusters)
        low = np.where(measured.inside, measured.lowest + width * low, -np.inf)
        high = np.where(measured.inside, measured.lowest + width * high, np.inf)
    return low, high


def smooth_interval(measured: Measured) -> Ends:
    """t intervals, united with those by Hall's (1992) skewness correction, within Wilson's ends.

        t* = Student's quantile at 1 − (1 − level) ÷ 2
        low = v − s · max(t*, g⁻¹(t*)),   high = v − s · min(−t*, g⁻¹(−t*))

    with Hall's cubic g (``hall_cubic``) and the standard error s. Between limits a and b the
    distance is on the scale of log odds:

        log((end − a) ÷ (b − end)) = log((v − a) ÷ (b − v)) − steps · error of the log odds
    """
    t = scipy.special.stdtrit(measured.degrees_of_freedom, 1 - TAIL)
    steps_down = np.maximum(t, inverse_hall_cubic(t, measured.skewness))
    steps_up = np.minimum(-t, inverse_hall_cubic(-t, measured.skewness))

    def end(steps: np.ndarray) -> np.ndarray:
        odds = (measured.value - measured.lowest) / (measured.highest - measured.value)
        shrunk = 1 + odds * np.exp(-steps * measured.log_odds_error)
        between = measured.highest - (measured.highest - measured.lowest) / shrunk
        unlimited = measured.value - steps * measured.deviation
        chosen: np.ndarray = np.where(measured.inside, between, unlimited)
        return chosen

    lowest, highest = wilson_interval(measured)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.maximum(lowest, end(steps_down)), np.minimum(highest, end(steps_up))


# --- p-values: the test that belongs to each interval -------------------------------------------


def _unanimous_p(measured: Measured) -> np.ndarray:
    """p-values where all clusters agree.

        p = q^k,   q = 1 ÷ (1 + |v| ÷ limit)

    q is the share of agreeing clusters for which the true value would be 0, were all others at the
    limit on the other side of 0.
    """
    limit = np.where(measured.value > 0, measured.highest, -measured.lowest)
    with np.errstate(divide="ignore", invalid="ignore"):
        p: np.ndarray = (1 + np.abs(measured.value) / limit) ** -measured.clusters
    return p


def _wilson_p(measured: Measured) -> np.ndarray:
    """p-values of Wilson's score test.

        z = |v| √(k ÷ −ab)

    −ab ÷ k is the variance of k clusters at the limits a and b whose true mean is 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(measured.value) * np.sqrt(
            -measured.clusters / measured.lowest / measured.highest
        )
        p: np.ndarray = 2 * scipy.special.ndtr(-z)
    return p


def _smooth_p(measured: Measured) -> np.ndarray:
    """p-values of t, or of Hall's cubic g(t), whichever is smaller.

        t = v ÷ s,   between limits a and b   t = log((v − a) ÷ (b − v) · b ÷ −a) ÷ error

    The latter is the distance of log odds from those of 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.log(
            (measured.value - measured.lowest)
            / (measured.highest - measured.value)
            * measured.highest
            / -measured.lowest
        )
        t = np.where(
            measured.inside, odds / measured.log_odds_error, measured.value / measured.deviation
        )
        smaller = np.minimum(np.abs(t), np.abs(hall_cubic(t, measured.skewness)))
        p: np.ndarray = 2 * scipy.special.stdtr(measured.degrees_of_freedom, -smaller)
    return p


@dataclass(frozen=True)
class Estimates:
    """A statistic of several cells, with the contribution of each cluster.

    Attributes:
        cells: a row per cell, its keys in the index; columns value, n (its sample size, such as
            scored samples), lowest and highest (limits of the value).
        parts: contribution of each cluster (column) to the value's sampling error (linearised).
        shares: weight of each cluster in the value.
        strata: each cluster's stratum, as numbers in ascending order.
    """

    cells: pd.DataFrame
    parts: np.ndarray = field(repr=False)
    shares: np.ndarray = field(repr=False)
    strata: np.ndarray = field(repr=False)

    def mean(self, by: list[str], weights: Sequence[float] | float = 1.0) -> "Estimates":
        """Returns the weighted mean of the cells that agree in the index levels ``by``.

        >>> frame = pd.DataFrame({"cluster": ["a", "b"], "task": ["T", "U"], "model": "m"})
        >>> frame["total"] = [0.5, 1.0]
        >>> tasks = Clusters(frame, []).means(frame, ["model", "task"])
        >>> tasks.mean(["model"], [3, 1]).rows()["value"].tolist()
        [0.625]
        """
        groups = self.cells.groupby(level=by, observed=True)
        codes = groups.ngroup().to_numpy()
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        weight = np.broadcast_to(np.asarray(weights, float), len(codes))[order, None]

        def averaged(rows: np.ndarray) -> np.ndarray:
            return np.add.reduceat(rows[order] * weight, starts) / np.add.reduceat(weight, starts)

        columns = ["value", "lowest", "highest"]
        means = averaged(self.cells[columns].to_numpy())
        cells = groups[["n"]].sum()
        cells[columns] = means
        return replace(self, cells=cells, parts=averaged(self.parts), shares=averaged(self.shares))

    @property
    def contributions(self) -> np.ndarray:
        """Contribution of each cluster to the value itself: for ``ratios``, its sum ÷ the count."""
        added: np.ndarray = self.parts + self.cells[["value"]].to_numpy() * self.shares
        return added

    def drop_from(self, before: "Estimates") -> "Estimates":
        """The relative drop from ``before`` to these values, for cells where ``before`` is above 0.

            drop = 1 − after ÷ before,   part = (ratio · part before − part after) ÷ before

        ``before`` has the same clusters and the keys of all these cells.
        """
        before = before.take(before.cells.index.get_indexer(self.cells.index))
        positive = np.flatnonzero(before.cells["value"] > 0)
        after = self.take(positive)
        before = before.take(positive)
        value_before = before.cells[["value"]].to_numpy()
        ratio = after.cells[["value"]].to_numpy() / value_before
        cells = after.cells.assign(value=1 - ratio[:, 0])
        parts = (ratio * before.parts - after.parts) / value_before
        return replace(after, cells=cells, parts=parts)

    def take(self, rows: Sequence[int] | np.ndarray, index: pd.Index | None = None) -> "Estimates":
        """Chosen cells, in that order, under other keys if given."""
        cells = self.cells.iloc[rows]
        if index is not None:
            cells = cells.set_axis(index)
        return replace(self, cells=cells, parts=self.parts[rows], shares=self.shares[rows])

    def labelled(self, **labels: str) -> "Estimates":
        """The same with additional index levels, each with one value."""
        index = pd.MultiIndex.from_frame(self.cells.index.to_frame(index=False).assign(**labels))
        return replace(self, cells=self.cells.set_axis(index))

    def rows(self, value: str = "value") -> pd.DataFrame:
        """The keys as columns, the value under the name given, low, high and n.

        low and high are empty where the variance is unknown: with fewer than two clusters, or a
        stratum of one.
        """
        rows = self.cells.rename(columns={"value": value}).drop(columns=["lowest", "highest"])
        low, high = self._interval()
        return rows.assign(low=low, high=high)[[value, "low", "high", "n"]].reset_index()

    def _interval(self) -> Ends:
        measured = self._measured
        agree = measured.deviation < NOTHING
        # An unknown standard error is nan: such a cell has no interval, not even Wilson's.
        verdicts = self._one_verdict_each() & (measured.deviation >= NOTHING)
        unanimous_low, unanimous_high = unanimous_interval(measured)
        wilson_low, wilson_high = wilson_interval(measured)
        smooth_low, smooth_high = smooth_interval(measured)
        low = np.where(agree, unanimous_low, np.where(verdicts, wilson_low, smooth_low))
        high = np.where(agree, unanimous_high, np.where(verdicts, wilson_high, smooth_high))
        low = np.maximum(low, measured.lowest)
        high = np.minimum(high, measured.highest)
        is_finite = np.isfinite(low) & np.isfinite(high)
        return np.where(is_finite, low, np.nan), np.where(is_finite, high, np.nan)

    @cached_property
    def _measured(self) -> Measured:
        value, lowest, highest = self.cells[["value", "lowest", "highest"]].to_numpy(float).T
        clusters = 1 / np.sum(self.shares**2, axis=1)
        return Measured(value, lowest, highest, *self.errors, clusters)

    def _one_verdict_each(self) -> np.ndarray:
        """Whether each cluster of a cell is at one of the limits, like a single verdict."""
        measured = self._measured
        width = measured.highest - measured.lowest
        with np.errstate(invalid="ignore"):
            above = self.parts + (measured.value - measured.lowest)[:, None] * self.shares
            at_lowest = above < NOTHING
            at_highest = above > width[:, None] * self.shares - NOTHING
        at_limits: np.ndarray = (at_lowest | at_highest).all(axis=1) & np.isfinite(width)
        return at_limits

    def p_values(self) -> np.ndarray:
        """Two-sided p-value of each value for a true value of 0; nan where the variance is unknown.

        It is below ``SIGNIFICANT`` exactly where the interval excludes 0. The limits must be on
        both sides of 0.
        """
        measured = self._measured
        wilson_p = _wilson_p(measured)
        # The smooth interval is within Wilson's, so that its p-value is no greater either.
        smooth_p = np.minimum(_smooth_p(measured), wilson_p)
        p = np.where(self._one_verdict_each(), wilson_p, smooth_p)
        agree = measured.deviation < NOTHING
        p_values: np.ndarray = np.minimum(np.where(agree, _unanimous_p(measured), p), 1.0)
        return p_values

    @cached_property
    def errors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Standard error, degrees of freedom and skewness of each value; nan as in ``rows``."""
        # ``sampled``: clusters of each stratum; ``number``: those with samples in the cell.
        _, starts, sampled = np.unique(self.strata, return_index=True, return_counts=True)

        def by_stratum(values: np.ndarray) -> np.ndarray:
            return np.add.reduceat(values, starts, axis=1)

        number = by_stratum((self.shares > 0).astype(float))
        stratum_share = by_stratum(self.shares)
        stratum_share = np.repeat(np.where(stratum_share > 0, stratum_share, 1.0), sampled, axis=1)
        # Leverage and residual of each cluster within its stratum:
        #   h = share ÷ share of the stratum,   e = part − h · part of the stratum
        # The only cluster of a cell in its stratum deviates from the cell, not from its own mean.
        lone = np.repeat(number == 1, sampled, axis=1)
        leverage = self.shares / stratum_share
        centre = leverage * np.repeat(by_stratum(self.parts), sampled, axis=1)
        residual = self.parts - np.where(lone, 0.0, centre)
        # CR2 (Bell and McCaffrey 2002):
        #   V = Σ e² ÷ (1 − h)
        # since a cluster pulls its stratum's mean towards itself, the more the larger it is.
        wider = 1 / np.where(lone, 1.0, np.maximum(1 - leverage, NOTHING))
        variances = by_stratum(residual**2 * wider)
        variance = variances.sum(axis=1)
        # Degrees of freedom of a stratum's variance (Bell and McCaffrey 2002):
        #   ν = 1 ÷ (Σ h² + (Σ h²w)² − Σ h⁴w²),   w = 1 ÷ (1 − h)
        # which is k − 1 for k clusters of equal size.
        weighted = leverage**2 * wider
        inverse = by_stratum(leverage**2) + by_stratum(weighted) ** 2 - by_stratum(weighted**2)
        stratum_degrees = np.where(number > 1, 1 / np.where(inverse > 0, inverse, 1.0), 1.0)
        # Third cumulant of a sum, by k-statistics:   n² ÷ ((n − 1)(n − 2)) · Σ e³
        third = np.where(number > 2, number**2 / np.maximum((number - 1) * (number - 2), 1), 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Welch (1947):   f = (Σ V)² ÷ Σ (V² ÷ (ν + 2)) − 2,   between the smallest ν and Σ ν
            spread = (variances**2 / (stratum_degrees + 2)).sum(axis=1)
            degrees_of_freedom = variance**2 / spread - 2
            skewness = (by_stratum(residual**3) * third).sum(axis=1) / variance**1.5
        smallest = np.where(number > 0, stratum_degrees, np.inf).min(axis=1)
        largest = np.where(number > 0, stratum_degrees, 0).sum(axis=1)
        degrees_of_freedom = np.clip(np.nan_to_num(degrees_of_freedom, nan=1.0), smallest, largest)
        # A stratum of one cluster, or a cell of one, has no variance.
        unknown = ((number > 0) & (sampled == 1)).any(axis=1) | (number.sum(axis=1) < 2)
        degrees_of_freedom[unknown] = np.nan
        return np.where(unknown, np.nan, np.sqrt(variance)), degrees_of_freedom, skewness


def hall_cubic(t: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Hall's (1992) cubic of t, which corrects it for the skewness γ.

    g(t) = t + γt² ÷ 3 + γ²t³ ÷ 27 + γ ÷ 6
    """
    cubic: np.ndarray = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
    return cubic


def inverse_hall_cubic(x: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """The inverse of ``hall_cubic``: the t whose cubic is x.

    t = 3 ((1 + γ (x − γ ÷ 6))^⅓ − 1) ÷ γ

    >>> inverse_hall_cubic(np.array([1.3 + 0.04 / 3]), np.array([0.6])).round(6).tolist()
    [1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        straight = x - skewness / 6
        inverse = 3 * (np.cbrt(1 + skewness * straight) - 1) / skewness
        t: np.ndarray = np.where(np.abs(skewness) > NOTHING, inverse, straight)
    return t


def wilson(share: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's (1927) score interval of a share p of n verdicts, with the normal quantile z.

        (p n + z²/2) ÷ (n + z²)  ±  z √(p (1 − p) n + z²/4) ÷ (n + z²)

    >>> low, high = wilson(np.array([0.5]), np.array([4]))
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.15, 0.85)
    """
    square = scipy.special.ndtri(1 - TAIL) ** 2
    middle = (share * number + square / 2) / (number + square)
    half = np.sqrt(square * (share * (1 - share) * number + square / 4)) / (number + square)
    return middle - half, middle + half


def joined(parts: Sequence[Estimates]) -> Estimates:
    """The cells of several estimates with the same clusters and index levels."""
    levels = parts[0].cells.index.names
    cells = [part.cells.reorder_levels(levels) if len(levels) > 1 else part.cells for part in parts]
    return Estimates(
        pd.concat(cells),
        np.concatenate([part.parts for part in parts]),
        np.concatenate([part.shares for part in parts]),
        parts[0].strata,
    )


class Clusters:
    """The sampling units (clusters) by stratum, and means over them.

    Args:
        frame: samples, with the column cluster and those of ``strata``; each cluster is in one
            stratum.
        strata: columns whose values together name a stratum; none: all clusters are one stratum.

    >>> frame = pd.DataFrame({"cluster": list("abcd"), "total": [0.3, 0.5, 0.5, 0.7]})
    >>> frame["task"] = "T"  # log odds ± 3.182 · (.163 / √4) / .25, t of three degrees
    >>> Clusters(frame, []).means(frame, ["task"]).rows().round(4).values.tolist()
    [['T', 0.5, 0.2613, 0.7387, 4]]
    """

    def __init__(self, frame: pd.DataFrame, strata: Sequence[str]):
        units = frame[["cluster", *strata]].drop_duplicates().astype(str)
        names = ["/".join(values) for values in units[list(strata)].to_numpy()]
        # Sorted, so that each stratum is a range of clusters (``Estimates.errors``).
        units = units.assign(stratum=names).sort_values(["stratum", "cluster"])
        self.clusters = pd.Index(units["cluster"], name="cluster")
        self.strata = units["stratum"].to_numpy(str)
        self._numbers = np.unique(self.strata, return_inverse=True)[1]

    def means(
        self, frame: pd.DataFrame, by: list[str], value: str = "total", limits: Limits = (0.0, 1.0)
    ) -> Estimates:
        """The means of a column in each cell, over the n rows that have a value.

        Args:
            frame: samples with the column cluster.
            by: columns whose values together name a cell.
            value: the column.
            limits: smallest and largest possible value; ignored in cells with values beyond.
        """
        return self.ratios(*self.sums(frame, by, value), limits)

    def sums(
        self, frame: pd.DataFrame, by: list[str], value: str = "total"
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Sums and counts of a column's values: a row per cell, a column per cluster."""
        valued = frame.dropna(subset=[value, "cluster"])
        cells = valued.groupby([*by, "cluster"], observed=True)[value]

        def table_of(aggregated: pd.Series) -> pd.DataFrame:
            table = aggregated.unstack("cluster", fill_value=0)
            table.columns = table.columns.astype(str)
            # Clusters of other frames are left out.
            return table.reindex(columns=self.clusters, fill_value=0)

        return table_of(cells.sum()), table_of(cells.count())

    def ratios(
        self, sums: pd.DataFrame, counts: pd.DataFrame, limits: Limits = (0.0, 1.0)
    ) -> Estimates:
        """Means of cells (rows) from their sums y and counts n in each cluster (columns).

            value v = Σ y ÷ Σ n,   part = (y − v n) ÷ Σ n,   share = n ÷ Σ n

        ``limits`` are those of all cells, or arrays with one for each cell.
        """
        total = sums.to_numpy(float)
        number = counts.to_numpy(float)
        cell_count = number.sum(axis=1, keepdims=True)
        value = total.sum(axis=1, keepdims=True) / cell_count
        lowest = np.broadcast_to(limits[0], len(sums))
        highest = np.broadcast_to(limits[1], len(sums))
        # A cluster's mean beyond a limit shows that it is none.
        below = (total < lowest[:, None] * number - NOTHING).any(axis=1)
        above = (total > highest[:, None] * number + NOTHING).any(axis=1)
        cells = pd.DataFrame(
            {
                "value": value[:, 0],
                "n": counts.sum(axis=1).to_numpy(),
                "lowest": np.where(below, -np.inf, lowest),
                "highest": np.where(above, np.inf, highest),
            },
            index=sums.index,
        )
        parts = (total - value * number) / cell_count
        return Estimates(cells, parts, number / cell_count, self._numbers)
