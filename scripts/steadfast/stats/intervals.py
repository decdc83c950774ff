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

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

SIGNIFICANT = 0.05
"""Level of every test, after correction for the number of pairs."""
LEVEL = 1 - SIGNIFICANT
TAIL = (1 - LEVEL) / 2
NOTHING = 1e-9  # a standard error below this share of a point is a rounding error
Limits = tuple[float | np.ndarray, float | np.ndarray]
FAR = (-np.inf, np.inf)


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

    def _interval(self) -> tuple[np.ndarray, np.ndarray]:
        value, lowest, highest = self._limited
        above, below, whole = value - lowest, highest - value, highest - lowest
        deviation, freedom, skewness = self.errors()
        between, error = self._log_odds
        t = scipy.special.stdtrit(freedom, 1 - TAIL)
        furthest = np.maximum(t, uncurved(t, skewness))
        nearest = np.minimum(-t, uncurved(-t, skewness))
        clusters = 1 / np.sum(self.shares**2, axis=1)
        agree, verdicts = deviation < NOTHING, self._one_verdict_each() & (deviation >= NOTHING)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):

            def beyond(steps: np.ndarray) -> np.ndarray:
                """The true value from which the measured one is so many standard errors away."""
                within = highest - whole / (1 + above / below * np.exp(-steps * error))
                found: np.ndarray = np.where(between, within, value - steps * deviation)
                return found

            held = wilson(above / whole, clusters)
            ends = [
                np.where(between, lowest + whole * one, far)
                for one, far in zip(held, FAR, strict=True)
            ]
            low, high = (
                np.where(verdicts, end, nearer(end, beyond(steps)))
                for end, nearer, steps in zip(
                    ends, (np.maximum, np.minimum), (furthest, nearest), strict=True
                )
            )
            # All clusters agree: at least so many of all would (one-sided Clopper and Pearson),
            # and the others may be anything that is possible.
            share = (1 - LEVEL) ** (1 / clusters)
            low = np.where(agree, lowest + above * share, low)
            high = np.where(agree, highest - below * share, high)
        low, high = np.maximum(low, lowest), np.minimum(high, highest)
        known = np.isfinite(low) & np.isfinite(high)
        return np.where(known, low, np.nan), np.where(known, high, np.nan)

    @property
    def _limited(self) -> np.ndarray:
        """Values, and what they can be at least and at most."""
        found: np.ndarray = self.cells[["value", "lowest", "highest"]].to_numpy(float).T
        return found

    @property
    def _log_odds(self) -> tuple[np.ndarray, np.ndarray]:
        """Which cells lie between limits, and their standard error in log odds."""
        value, lowest, highest = self._limited
        above, below = value - lowest, highest - value
        with np.errstate(divide="ignore", invalid="ignore"):
            error = self.errors()[0] * (1 / above + 1 / below)
        return np.isfinite(above + below) & (above > 0) & (below > 0), error

    def _one_verdict_each(self) -> np.ndarray:
        """Whether each cluster is at one of the limits, as a single verdict is."""
        value, lowest, highest = self._limited[..., None]
        with np.errstate(invalid="ignore"):
            above = self.parts + (value - lowest) * self.shares
            at_limits = (above < NOTHING) | (above > (highest - lowest) * self.shares - NOTHING)
        found: np.ndarray = at_limits.all(axis=1) & np.isfinite(highest - lowest)[:, 0]
        return found

    def p_values(self) -> np.ndarray:
        """Two-sided p-value of each value, were it 0 in truth; nan where clusters cannot tell.

        It is below ``SIGNIFICANT`` exactly where the interval excludes 0. The limits lie on both
        sides of 0.
        """
        value, lowest, highest = self._limited
        deviation, freedom, skewness = self.errors()
        between, error = self._log_odds
        clusters = 1 / np.sum(self.shares**2, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            odds = np.log((value - lowest) / (highest - value) * highest / -lowest)
            t = np.where(between, odds / error, value / deviation)
            cubic = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
            p = 2 * scipy.special.stdtr(freedom, -np.minimum(np.abs(t), np.abs(cubic)))
            of_limits = 2 * scipy.special.ndtr(
                -np.abs(value) * np.sqrt(-clusters / lowest / highest)
            )
            p = np.where(self._one_verdict_each(), of_limits, np.minimum(p, of_limits))
            limit = np.where(value > 0, highest, -lowest)
            agreed = (1 + np.abs(value) / limit) ** -clusters
        found: np.ndarray = np.minimum(np.where(deviation < NOTHING, agreed, p), 1.0)
        return found

    def errors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Standard error, degrees of freedom and skewness of each value; nan as ``rows`` says."""
        return self._errors

    @cached_property
    def _errors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        _, starts, drawn = np.unique(self.strata, return_index=True, return_counts=True)

        def by_stratum(of: np.ndarray) -> np.ndarray:
            return np.add.reduceat(of, starts, axis=1)

        number = by_stratum((self.shares > 0).astype(float))
        whole = by_stratum(self.shares)
        # One of several clusters alone deviates from the whole cell, more of them from their mean.
        lone = np.repeat(number == 1, drawn, axis=1)
        of_stratum = self.shares / np.repeat(np.where(whole > 0, whole, 1.0), drawn, axis=1)
        centre = of_stratum * np.repeat(by_stratum(self.parts), drawn, axis=1)
        apart = self.parts - np.where(lone, 0.0, centre)
        # CR2: a cluster draws its stratum's mean towards itself, the more the larger it is.
        wider = 1 / np.where(lone, 1.0, np.maximum(1 - of_stratum, NOTHING))
        variances = by_stratum(apart**2 * wider)
        squares = of_stratum**2
        drawn_in = squares * wider
        shared = by_stratum(squares) + by_stratum(drawn_in) ** 2 - by_stratum(drawn_in**2)
        of_each = np.where(number > 1, 1 / np.where(shared > 0, shared, 1.0), 1.0)
        variance = variances.sum(axis=1)
        third = np.where(number > 2, number**2 / np.maximum((number - 1) * (number - 2), 1), 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = variance**2 / (variances**2 / (of_each + 2)).sum(axis=1) - 2
            skewness = (by_stratum(apart**3) * third).sum(axis=1) / variance**1.5
        fewest = np.where(number > 0, of_each, np.inf).min(axis=1)
        most = np.where(number > 0, of_each, 0).sum(axis=1)
        freedom = np.clip(np.nan_to_num(freedom, nan=1.0), fewest, most)
        lonely = ((number > 0) & (drawn == 1)).any(axis=1) | (number.sum(axis=1) < 2)
        freedom[lonely] = np.nan
        return np.where(lonely, np.nan, np.sqrt(variance)), freedom, skewness


def uncurved(x: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Returns the t whose cubic t + γt² ÷ 3 + γ²t³ ÷ 27 + γ ÷ 6 is x, γ the skewness (Hall 1992).

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
