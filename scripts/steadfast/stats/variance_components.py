"""What paired differences between two models vary by: contexts, and single samples of these.

A difference on one sample is taken as the sum of a mean, effects of its context, expression and
variable, and a residual (Searle, Casella and McCulloch 1992, chapter 4:
estimates by the analysis of variance). The tasks of one context share it, so that what contexts
add has covariances between tasks. Over the lengths of contexts a difference may have a trend.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from steadfast.base.files import Record

ARRAYS = ("context", "trend", "residual")
CELL = ["group", "part", "cluster", "task", "expression", "variable"]


@dataclass(frozen=True)
class Components:
    """Variances of the paired differences of one group of tasks, in squares of their unit.

    Attributes:
        tasks: that share their contexts.
        context: covariances of what contexts of one length add, between tasks.
        trend: those of what a doubling of the length adds.
        residual: of each task, what single samples add.
        freedom: degrees of freedom that context rests on.
    """

    tasks: tuple[str, ...]
    context: np.ndarray
    trend: np.ndarray
    residual: np.ndarray
    freedom: int

    @classmethod
    def of_facts(cls, facts: Record) -> "Components":
        """Returns those that ``plain`` gave."""
        values = {name: np.array(facts[name], float) for name in ARRAYS}
        return cls(tuple(facts["tasks"]), freedom=facts["freedom"], **values)

    @property
    def plain(self) -> Record:
        """Returns plain values, with five digits after the point."""
        values = {name: np.round(getattr(self, name), 5).tolist() for name in ARRAYS}
        return {"tasks": list(self.tasks), "freedom": self.freedom, **values}

    def variance(self, weights: np.ndarray, samples: np.ndarray) -> float:
        """Returns that of the weighted sum of tasks between contexts of one length."""
        chance = weights**2 * self.residual / samples
        return max(0.0, float(weights @ self.context @ weights)) + float(chance.sum())

    def slope(self, weights: np.ndarray) -> float:
        """Returns the squared slope of the weighted sum of tasks for a doubling of the length."""
        return float(weights @ self.trend @ weights)


def differences(frame: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Yields the paired differences of every two models on samples that both have scored."""
    scored = frame[frame["total"].notna()]
    totals = scored.groupby([*CELL, "sample_id", "model"])["total"].mean().unstack("model")
    for first, second in combinations(totals.columns, 2):
        found = (totals[first] - totals[second]).dropna().rename("difference")
        if len(found):
            yield str(first), str(second), found.reset_index().drop(columns="sample_id")


def components_of(
    rows: pd.DataFrame, steps: Mapping[str, float] | None = None
) -> dict[str, Components]:
    """Returns the components of each group of one pair's ``differences``, by group.

    A group has none where its contexts leave no degree of freedom, or where a context lacks a
    task. ``steps`` are each part's length in doublings; None where parts have no order.
    """
    found = {}
    for group, own in rows.groupby("group"):
        means = own.groupby(["part", "cluster", "task"])["difference"].mean().unstack("task")
        means = means.dropna()
        parts = means.index.get_level_values("part")
        within, trend, freedom = _within_parts(means.to_numpy(), list(parts), steps)
        if freedom < 1:
            continue
        by_task = [_of_task(own[own["task"] == task]) for task in means.columns]
        residual, size = np.array(by_task).T
        context = within.T @ within / freedom - np.diag(residual / size)
        found[str(group)] = Components(
            tuple(map(str, means.columns)), context, trend, residual, freedom
        )
    return found


def _within_parts(
    means: np.ndarray, parts: Sequence[str], steps: Mapping[str, float] | None
) -> tuple[np.ndarray, np.ndarray, int]:
    """Returns what is left of contexts' means within parts, the trend between these, freedom.

    Where each part has one context, what a straight line over the lengths leaves is taken, so that
    a bend counts as contexts'.
    """
    names, codes = np.unique(parts, return_inverse=True)
    place = np.array([steps[part] if steps else 0.0 for part in parts])
    place -= place.mean() if len(place) else 0.0
    slope = np.zeros(means.shape[1])
    if place.any():
        slope = place @ means / (place @ place)
    if len(names) < len(parts):
        design = np.eye(len(names))[codes]
    else:
        design = np.column_stack([np.ones(len(parts)), place])
    freedom = len(parts) - int(np.linalg.matrix_rank(design)) if len(parts) else 0
    return means - design @ (np.linalg.pinv(design) @ means), np.outer(slope, slope), freedom


def _of_task(rows: pd.DataFrame) -> tuple[float, float]:
    """Returns the variance of the residual, and the samples of a context.

    What contexts add is taken out first (Frisch and Waugh 1933), then expressions and variables.
    """
    columns = ("cluster", "expression", "variable")
    cluster, *factors = (pd.factorize(rows[name])[0] for name in columns)
    levels = [np.eye(codes.max() + 1)[codes] for codes in factors]
    apart = pd.DataFrame(np.column_stack([rows["difference"], *levels]))
    left, design = np.hsplit((apart - apart.groupby(cluster).transform("mean")).to_numpy(), [1])
    left = left - design @ np.linalg.lstsq(design, left, rcond=None)[0]
    contexts = cluster.max() + 1
    freedom = len(rows) - contexts - int(np.linalg.matrix_rank(design))
    residual = float((left**2).sum()) / freedom if freedom > 0 else 0.0
    return residual, len(rows) / contexts


def mean_components(of: Sequence[Components]) -> Components:
    """Returns the mean of several pairs' components of one group."""
    values = {name: np.mean([getattr(one, name) for one in of], axis=0) for name in ARRAYS}
    return Components(of[0].tasks, freedom=of[0].freedom, **values)
