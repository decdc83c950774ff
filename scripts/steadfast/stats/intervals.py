"""Means over clusters, and intervals that cover what they say with few clusters too.

The samples of one context share it, so they are no independent evidence: contexts (clusters) are
what was drawn, within strata that stay as they are. The variance is between the clusters of each
stratum (Cochran 1977, sections 5.4 and 6.11), by CR2, which holds for clusters of unequal size too,
with its degrees of freedom (Bell and McCaffrey 2002); strata share theirs (Welch 1947).

Which interval it is, the first that applies:

1. All clusters agree: what a one-sided Clopper-Pearson interval leaves to the others.
2. Each cluster is wholly right or wrong, as a single verdict is: Wilson's.
3. Else Student's t, joined with t after Hall's (1992) cubic, which takes out what skewed clusters
   do to it. Between limits, such as 0 and 1, both are on the scale of log odds, and no end is
   further than Wilson's: of all clusters between limits, those at the limits vary most.

A p-value of 0 is below .05 exactly where that interval excludes 0. docs/metrics.md says why, and
how often it holds; ``bench/coverage.py`` measures it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

SIGNIFICANT = 0.05
"""Level of every test, after correction for the number of pairs."""
LEVEL = 1 - SIGNIFICANT
TAIL = (1 - LEVEL) / 2
NOTHING = 1e-9  # a standard error below this share of a point is a rounding error
Limits = tuple[float | np.ndarray, float | np.ndarray]
Ends = tuple[np.ndarray, np.ndarray]
"""Lower and upper ends of several intervals."""


class Measured(NamedTuple):
    """Several values, and what their intervals are made of.

    Attributes:
        value: as measured.
        lowest: the least that each can be; -inf where nothing limits it.
        highest: the most that each can be; inf where nothing limits it.
        deviation: standard errors.
        degrees_of_freedom: degrees of freedom of these.
        skewness: of the values as they would be over many runs.
        clusters: how many clusters of equal share each is worth, 1 ÷ Σ share².
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
        above, below = self.value - self.lowest, self.highest - self.value
        inside: np.ndarray = np.isfinite(above + below) & (above > 0) & (below > 0)
        return inside

    @property
    def log_odds_error(self) -> np.ndarray:
        """Standard errors of log((v − lowest) ÷ (highest − v)), by its derivative at v."""
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = 1 / (self.value - self.lowest) + 1 / (self.highest - self.value)
            error: np.ndarray = self.deviation * slope
        return error


def unanimous_interval(of: Measured) -> Ends:
    """Returns intervals where all clusters agree (Clopper and Pearson 1934, one-sided).

    At least a share q of all clusters would agree as the k measured ones do, q^k = .05, and the
    others may be anything that is possible.
    """
    share = (1 - LEVEL) ** (1 / of.clusters)
    with np.errstate(invalid="ignore"):
        low = of.lowest + (of.value - of.lowest) * share
        high = of.highest - (of.highest - of.value) * share
    return low, high


def wilson_interval(of: Measured) -> Ends:
    """Returns Wilson's intervals, were each cluster at a limit; infinite where there are none."""
    width = of.highest - of.lowest
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = wilson((of.value - of.lowest) / width, of.clusters)
        low = np.where(of.inside, of.lowest + width * low, -np.inf)
        high = np.where(of.inside, of.lowest + width * high, np.inf)
    return low, high


def smooth_interval(of: Measured) -> Ends:
    """Returns t intervals, joined with those of t after Hall's cubic, and no wider than Wilson's.

    The true value is so many standard errors away that t, or the cubic, would just be at Student's
    limit. Between limits the distance is one of log odds:
    log((v − a) ÷ (b − v)) = log((v₀ − a) ÷ (b − v₀)) − steps · error.
    """
    t = scipy.special.stdtrit(of.degrees_of_freedom, 1 - TAIL)
    furthest = np.maximum(t, uncurved(t, of.skewness))
    nearest = np.minimum(-t, uncurved(-t, of.skewness))

    def beyond(steps: np.ndarray) -> np.ndarray:
        odds = (of.value - of.lowest) / (of.highest - of.value)
        shrunk = 1 + odds * np.exp(-steps * of.log_odds_error)
        within = of.highest - (of.highest - of.lowest) / shrunk
        end: np.ndarray = np.where(of.inside, within, of.value - steps * of.deviation)
        return end

    lowest, highest = wilson_interval(of)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.maximum(lowest, beyond(furthest)), np.minimum(highest, beyond(nearest))


@dataclass(frozen=True)
class Estimates:
    """A statistic of several cells, and what each cluster adds to it.

    Attributes:
        cells: a row per cell, its keys in the index; columns value, n (what it rests on, such as
            scored samples), lowest and highest (limits of what the value can be).
        parts: what each cluster (column) adds to the value's deviation from the truth (linearised).
        shares: of each cluster in the value.
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

        def averaged(of: np.ndarray) -> np.ndarray:
            return np.add.reduceat(of[order] * weight, starts) / np.add.reduceat(weight, starts)

        columns = ["value", "lowest", "highest"]
        means = averaged(self.cells[columns].to_numpy())
        cells = groups[["n"]].sum()
        cells[columns] = means
        return replace(self, cells=cells, parts=averaged(self.parts), shares=averaged(self.shares))

    @property
    def contributions(self) -> np.ndarray:
        """What each cluster adds to the value itself: of a cell of ``ratios``, sum ÷ all."""
        added: np.ndarray = self.parts + self.cells[["value"]].to_numpy() * self.shares
        return added

    def drop_from(self, before: "Estimates") -> "Estimates":
        """Returns by how much of itself ``before`` falls to these values, where it is not 0.

        ``before`` is of the same clusters and has the keys of all these cells.
        """
        before = before.take(before.cells.index.get_indexer(self.cells.index))
        kept = np.flatnonzero(before.cells["value"] > 0)
        after, before = self.take(kept), before.take(kept)
        of = before.cells[["value"]].to_numpy()
        left = after.cells[["value"]].to_numpy() / of
        cells = after.cells.assign(value=1 - left[:, 0])
        return replace(after, cells=cells, parts=(left * before.parts - after.parts) / of)

    def take(self, rows: Sequence[int] | np.ndarray, index: pd.Index | None = None) -> "Estimates":
        """Chosen cells, in that order, under other keys if given."""
        cells = self.cells.iloc[rows]
        cells = cells if index is None else cells.set_axis(index)
        return replace(self, cells=cells, parts=self.parts[rows], shares=self.shares[rows])

    def labelled(self, **labels: str) -> "Estimates":
        """The same with further index levels, each with one value."""
        index = pd.MultiIndex.from_frame(self.cells.index.to_frame(index=False).assign(**labels))
        return replace(self, cells=self.cells.set_axis(index))

    def rows(self, value: str = "value") -> pd.DataFrame:
        """Returns the keys as columns, the value under the name given, low, high and n.

        low and high are empty where clusters cannot tell: fewer than two, or a stratum has one.
        """
        found = self.cells.rename(columns={"value": value}).drop(columns=["lowest", "highest"])
        low, high = self._interval()
        return found.assign(low=low, high=high)[[value, "low", "high", "n"]].reset_index()

    def _interval(self) -> Ends:
        measured = self._measured
        agree = measured.deviation < NOTHING
        verdicts = self._one_verdict_each() & (measured.deviation >= NOTHING)
        low, high = (
            np.where(agree, unanimous, np.where(verdicts, verdict, smooth))
            for unanimous, verdict, smooth in zip(
                unanimous_interval(measured),
                wilson_interval(measured),
                smooth_interval(measured),
                strict=True,
            )
        )
        low, high = np.maximum(low, measured.lowest), np.minimum(high, measured.highest)
        known = np.isfinite(low) & np.isfinite(high)
        return np.where(known, low, np.nan), np.where(known, high, np.nan)

    @cached_property
    def _measured(self) -> Measured:
        value, lowest, highest = self.cells[["value", "lowest", "highest"]].to_numpy(float).T
        clusters = 1 / np.sum(self.shares**2, axis=1)
        return Measured(value, lowest, highest, *self.errors(), clusters)

    def _one_verdict_each(self) -> np.ndarray:
        """Whether each cluster is at one of the limits, as a single verdict is."""
        of = self._measured
        width = of.highest - of.lowest
        with np.errstate(invalid="ignore"):
            above = self.parts + (of.value - of.lowest)[:, None] * self.shares
            at_lowest = above < NOTHING
            at_highest = above > width[:, None] * self.shares - NOTHING
        found: np.ndarray = (at_lowest | at_highest).all(axis=1) & np.isfinite(width)
        return found

    def p_values(self) -> np.ndarray:
        """Two-sided p-value of each value, were it 0 in truth; nan where clusters cannot tell.

        It is below ``SIGNIFICANT`` exactly where the interval excludes 0. The limits lie on both
        sides of 0.
        """
        of = self._measured
        with np.errstate(divide="ignore", invalid="ignore"):
            # t is the distance from 0 over its error, between limits in log odds:
            # log((v − a) ÷ (b − v) · b ÷ −a), which is 0 at v = 0.
            odds = np.log(
                (of.value - of.lowest) / (of.highest - of.value) * of.highest / -of.lowest
            )
            t = np.where(of.inside, odds / of.log_odds_error, of.value / of.deviation)
            # The smaller one of t and its cubic decides (Hall 1992).
            smaller = np.minimum(np.abs(t), np.abs(curved(t, of.skewness)))
            p = 2 * scipy.special.stdtr(of.degrees_of_freedom, -smaller)
            # Wilson's: z = |v| √(k ÷ −ab), the error that verdicts at the limits have if 0 is true.
            z = np.abs(of.value) * np.sqrt(-of.clusters / of.lowest / of.highest)
            of_verdicts = 2 * scipy.special.ndtr(-z)
            p = np.where(self._one_verdict_each(), of_verdicts, np.minimum(p, of_verdicts))
            # All agree: the share q with which lowest and value balance is 1 ÷ (1 + |v| ÷ limit).
            limit = np.where(of.value > 0, of.highest, -of.lowest)
            agreed = (1 + np.abs(of.value) / limit) ** -of.clusters
        found: np.ndarray = np.minimum(np.where(of.deviation < NOTHING, agreed, p), 1.0)
        return found

    def errors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Standard error, degrees of freedom and skewness of each value; nan as ``rows`` says."""
        return self._errors

    @cached_property
    def _errors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        _, starts, sampled = np.unique(self.strata, return_index=True, return_counts=True)

        def by_stratum(of: np.ndarray) -> np.ndarray:
            return np.add.reduceat(of, starts, axis=1)

        number = by_stratum((self.shares > 0).astype(float))
        stratum_share = by_stratum(self.shares)
        stratum_share = np.repeat(np.where(stratum_share > 0, stratum_share, 1.0), sampled, axis=1)
        # Of each cluster within its stratum: h = its share, e = its part − h · the stratum's part.
        # One of several clusters alone deviates from the whole cell, more of them from their mean.
        lone = np.repeat(number == 1, sampled, axis=1)
        leverage = self.shares / stratum_share
        centre = leverage * np.repeat(by_stratum(self.parts), sampled, axis=1)
        residual = self.parts - np.where(lone, 0.0, centre)
        # CR2 (Bell and McCaffrey 2002): V = Σ e² ÷ (1 − h), since a cluster draws its stratum's
        # mean towards itself, the more the larger it is.
        wider = 1 / np.where(lone, 1.0, np.maximum(1 - leverage, NOTHING))
        variances = by_stratum(residual**2 * wider)
        variance = variances.sum(axis=1)
        # Its degrees of freedom: ν = 1 ÷ (Σ h² + (Σ h²w)² − Σ h⁴w²), w = 1 ÷ (1 − h); one is k − 1
        # where all k are of one size.
        weighted = leverage**2 * wider
        inverse = by_stratum(leverage**2) + by_stratum(weighted) ** 2 - by_stratum(weighted**2)
        of_stratum = np.where(number > 1, 1 / np.where(inverse > 0, inverse, 1.0), 1.0)
        # k-statistics: the third cumulant of a sum is n² ÷ ((n − 1)(n − 2)) · Σ e³.
        third = np.where(number > 2, number**2 / np.maximum((number - 1) * (number - 2), 1), 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Welch (1947): f = (Σ V)² ÷ Σ (V² ÷ (ν + 2)) − 2, between the least ν and Σ ν.
            degrees_of_freedom = variance**2 / (variances**2 / (of_stratum + 2)).sum(axis=1) - 2
            skewness = (by_stratum(residual**3) * third).sum(axis=1) / variance**1.5
        fewest = np.where(number > 0, of_stratum, np.inf).min(axis=1)
        most = np.where(number > 0, of_stratum, 0).sum(axis=1)
        degrees_of_freedom = np.clip(np.nan_to_num(degrees_of_freedom, nan=1.0), fewest, most)
        lonely = ((number > 0) & (sampled == 1)).any(axis=1) | (number.sum(axis=1) < 2)
        degrees_of_freedom[lonely] = np.nan
        return np.where(lonely, np.nan, np.sqrt(variance)), degrees_of_freedom, skewness


def curved(t: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Returns Hall's (1992) cubic of t, which takes out what skewness γ does to it.

    g(t) = t + γt² ÷ 3 + γ²t³ ÷ 27 + γ ÷ 6
    """
    cubic: np.ndarray = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
    return cubic


def uncurved(x: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Returns the t whose cubic (``curved``) is x.

    t = 3 ((1 + γ (x − γ ÷ 6))^⅓ − 1) ÷ γ

    >>> uncurved(np.array([1.3 + 0.04 / 3]), np.array([0.6])).round(6).tolist()
    [1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        straight = x - skewness / 6
        curved = 3 * (np.cbrt(1 + skewness * straight) - 1) / skewness
        found: np.ndarray = np.where(np.abs(skewness) > NOTHING, curved, straight)
    return found


def wilson(share: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the score interval (Wilson 1927) of shares of so many verdicts.

    >>> low, high = wilson(np.array([0.5]), np.array([4]))
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.15, 0.85)
    """
    square = scipy.special.ndtri(1 - TAIL) ** 2
    middle = (share * number + square / 2) / (number + square)
    half = np.sqrt(square * (share * (1 - share) * number + square / 4)) / (number + square)
    return middle - half, middle + half


def joined(parts: Sequence[Estimates]) -> Estimates:
    """Returns the cells of several estimates with the same clusters and index levels."""
    levels = parts[0].cells.index.names
    cells = [part.cells.reorder_levels(levels) if len(levels) > 1 else part.cells for part in parts]
    return Estimates(
        pd.concat(cells),
        np.concatenate([part.parts for part in parts]),
        np.concatenate([part.shares for part in parts]),
        parts[0].strata,
    )


class Clusters:
    """What was drawn, by stratum, and means over it.

    Args:
        frame: samples, with the column cluster and those of ``strata``; a cluster lies in one
            stratum.
        strata: columns whose values together are a stratum; none: all clusters are one.

    >>> frame = pd.DataFrame({"cluster": list("abcd"), "total": [0.3, 0.5, 0.5, 0.7]})
    >>> frame["task"] = "T"  # log odds ± 3.182 · (.163 / √4) / .25, t of three degrees
    >>> Clusters(frame, []).means(frame, ["task"]).rows().round(4).values.tolist()
    [['T', 0.5, 0.2613, 0.7387, 4]]
    """

    def __init__(self, frame: pd.DataFrame, strata: Sequence[str]):
        drawn = frame[["cluster", *strata]].drop_duplicates().astype(str)
        names = ["/".join(values) for values in drawn[list(strata)].to_numpy()]
        drawn = drawn.assign(stratum=names).sort_values(["stratum", "cluster"])
        self.clusters = pd.Index(drawn["cluster"], name="cluster")
        self.strata = drawn["stratum"].to_numpy(str)
        self._numbers = np.unique(self.strata, return_inverse=True)[1]

    def means(
        self, frame: pd.DataFrame, by: list[str], value: str = "total", limits: Limits = (0.0, 1.0)
    ) -> Estimates:
        """Returns the means of a column in each cell, over the n rows that have a value.

        Args:
            frame: samples with the column cluster.
            by: columns whose values together are a cell.
            value: the column.
            limits: what it can be at least and at most; a cell with values beyond has none there.
        """
        return self.ratios(*self.sums(frame, by, value), limits)

    def sums(
        self, frame: pd.DataFrame, by: list[str], value: str = "total"
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Sums and counts of a column's values: a row a cell, a column a cluster."""
        known = frame.dropna(subset=[value, "cluster"])
        groups = known.groupby(by, observed=True)
        numbers, names = pd.factorize(known["cluster"])
        column = self.clusters.get_indexer(names.astype(str))[numbers]
        place = np.where(column < 0, -1, groups.ngroup() * len(self.clusters) + column)
        values = known[value].groupby(place)
        cells = groups.size().index

        def placed(found: pd.Series) -> pd.DataFrame:
            table = np.zeros((len(cells), len(self.clusters)), found.dtype)
            there = found[found.index >= 0]
            np.put(table, there.index, there)
            return pd.DataFrame(table, cells, self.clusters)

        return placed(values.sum()), placed(values.count())

    def ratios(
        self, sums: pd.DataFrame, counts: pd.DataFrame, limits: Limits = (0.0, 1.0)
    ) -> Estimates:
        """Means of cells (rows) from their sums and counts in each cluster (columns).

        ``limits`` are those of every cell, or arrays with one for each.
        """
        total, number = sums.to_numpy(float), counts.to_numpy(float)
        whole = number.sum(axis=1, keepdims=True)
        value = total.sum(axis=1, keepdims=True) / whole
        lowest, highest = (np.broadcast_to(limit, len(sums)) for limit in limits)
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
        parts = (total - value * number) / whole
        return Estimates(cells, parts, number / whole, self._numbers)
