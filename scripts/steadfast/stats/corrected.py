"""A judge's mean corrected by people's verdicts on a part of the items, by cluster.

A judge's errors are in no interval of its scores. Where people have labelled the items of some
clusters, the judge's mean in the others is corrected by its errors in these: prediction-powered
inference with the weight of least variance (Angelopoulos, Duchi and Zrnic 2023, PPI++), here by
cluster, since items of a cluster are alike in their truth and in the judge's errors. People's
verdicts count as the truth: their own errors are in no interval.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from steadfast.base.files import Record
from steadfast.stats.intervals import NOTHING, Measured, smooth_interval, wilson

# Minimum labelled clusters of a corrected value, to estimate the judge's errors.
FEWEST = 10
COLUMNS = (
    "model", "other", "measure", "raw", "raw_low", "raw_high", "value", "low", "high", "share",
    "clusters", "units",
)  # fmt: skip
# Without labels.
NOTHING_CORRECTED = pd.DataFrame(columns=COLUMNS)


class Corrected(NamedTuple):
    """An estimate with its error.

    Attributes:
        value: corrected mean, in the items' unit.
        variance: of the value.
        third: its third cumulant.
        df: degrees of freedom of the variance.
        share: weight of the judge's verdicts, from 0 (labels only) to 1.
    """

    value: float
    variance: float
    third: float
    df: int
    share: float

    def interval(self, lowest: float, highest: float, clusters: float) -> tuple[float, float]:
        """The 95 % interval of a value between limits, from so many clusters.

        It is on the scale of all other intervals (``stats.intervals``): the coverage of a plain t
        interval is as low as .85 with 30 labelled clusters.
        """
        error = np.sqrt(self.variance)
        width = highest - lowest
        value = min(max(self.value, lowest), highest)  # the correction may overshoot
        skewness = self.third / error**3 if error > 0 else 0.0
        numbers = (value, lowest, highest, error, self.df, skewness, clusters)
        measured = Measured(*np.array([numbers], float).T)
        if measured.inside[0] and error > NOTHING * width:
            low, high = smooth_interval(measured)
            return float(low[0]), float(high[0])
        # All labelled clusters are alike, as if each were one verdict.
        low, high = wilson((measured.value - lowest) / width, measured.clusters)
        return lowest + width * float(low[0]), lowest + width * float(high[0])


def corrected(
    judged: np.ndarray, weights: np.ndarray, people: np.ndarray, labelled: np.ndarray
) -> Corrected | None:
    """The corrected weighted mean over all items; None below ``FEWEST`` labelled clusters.

        value = λ · mean of the judge in the other clusters
              + mean of (people − λ · judge) in the labelled ones

    with λ of ``_share`` (PPI++: Angelopoulos, Duchi and Zrnic 2023). A cluster's values are sums
    over its items of weight times value, or of the difference of two models' values.

    Args:
        judged: clusters × 2: the judge's values of all items, and of those that people labelled.
        weights: clusters × 2: the sums of weights, likewise; 0 where nothing is labelled.
        people: clusters: people's values of the labelled items; not read where there are none.
        labelled: clusters: whether people labelled any item.
    """
    labelled_clusters = int(labelled.sum())
    if labelled_clusters < FEWEST:
        return None
    judge = judged[labelled, 1]
    person = people[labelled]
    weight = weights[labelled, 1]
    unlabelled = ~labelled
    moments = _moments(judged[unlabelled, 0], weights[unlabelled, 0])
    share = 0.0
    if unlabelled.any():
        share = _share(
            _residuals(person, weight),
            _residuals(judge, weight),
            labelled_clusters / unlabelled.sum(),
        )
    # λ was estimated from the labelled clusters too, so that their variance has two degrees of
    # freedom less than clusters.
    residual = _moments(person - share * judge, weight, estimated=2)
    return Corrected(
        value=share * moments.mean + residual.mean,
        variance=share**2 * moments.variance + residual.variance,
        third=share**3 * moments.third + residual.third,
        df=labelled_clusters - 2,
        share=share,
    )


def corrected_rows(
    judged: pd.DataFrame, people: pd.DataFrame, raw: pd.DataFrame, highest: Mapping[str, float]
) -> pd.DataFrame:
    """The corrected measures of each labelled model, and their differences between every two.

    ``value`` is empty where too few clusters are labelled (``FEWEST``). ``clusters`` and ``units``
    count what people labelled.

    Args:
        judged: a row for each unit, model and measure: model, measure, cluster, unit, weight, value
            by the judge; sure: whether a rule decided it, so that nothing is corrected.
        people: value by people: model, measure, unit, value.
        raw: value by the judge alone: model, other (empty for a measure itself), measure, raw,
            raw_low, raw_high.
        highest: highest value of each measure; the lowest is 0.
    """
    labelled = people.rename(columns={"value": "people"})[["model", "measure", "unit", "people"]]
    units = judged.merge(labelled, "left", ["model", "measure", "unit"])
    rows: list[Record] = []
    for measure, measure_units in units.groupby("measure", sort=False):
        full_marks = highest[str(measure)]
        by_model: dict[str, pd.DataFrame] = {}
        for model, model_units in measure_units.groupby("model"):
            if model_units["people"].notna().any():
                by_model[str(model)] = model_units
        for model, model_units in by_model.items():
            row = _row(model_units, 0, full_marks)
            rows.append({"model": model, "other": "", "measure": measure, **row})
        # A difference is corrected as a whole: the judge's errors on two models are alike.
        for model, other in combinations(by_model, 2):
            paired = by_model[model].merge(by_model[other], on=["unit", "cluster"])
            paired = paired.assign(
                value=paired["value_x"] - paired["value_y"],
                people=paired["people_x"] - paired["people_y"],
                weight=paired["weight_x"],
                sure=paired["sure_x"] & paired["sure_y"],
            )
            row = _row(paired, -full_marks, full_marks)
            rows.append({"model": model, "other": other, "measure": measure, **row})
    columns = [name for name in COLUMNS if not name.startswith("raw")]
    estimates = pd.DataFrame(rows, columns=columns)
    return estimates.merge(raw, "left", ["model", "other", "measure"])[list(COLUMNS)]


def raw_values(summary: pd.DataFrame, compared: pd.DataFrame) -> pd.DataFrame:
    """The values by the judge alone, for ``corrected_rows``.

    Args:
        summary: model, measure, value, low, high.
        compared: model, other, measure, difference, low, high; a pair once.
    """
    ends = {"low": "raw_low", "high": "raw_high"}
    forth = compared.rename(columns={"difference": "raw", **ends})
    # Other minus model: minus the difference, with the ends swapped.
    turned = {"model": "other", "other": "model", "raw_low": "raw_high", "raw_high": "raw_low"}
    back = forth.rename(columns=turned)
    back[list(ends.values())] *= -1
    values = summary.rename(columns={"value": "raw", **ends}).assign(other="")
    raw_rows = pd.concat([values, forth, back.assign(raw=-back["raw"])])
    return raw_rows[["model", "other", "measure", "raw", *ends.values()]]


def _row(units: pd.DataFrame, lowest: float, highest: float) -> Record:
    """The corrected mean of some units, its interval, and the number of labelled ones."""
    is_labelled = units["people"].notna() & ~units["sure"]
    counts = {
        "clusters": units.loc[is_labelled, "cluster"].nunique(),
        "units": int(is_labelled.sum()),
    }
    products = units.assign(
        labelled=is_labelled,
        labelled_weight=units["weight"] * is_labelled,
        judge=units["weight"] * units["value"],
        labelled_judge=units["weight"] * units["value"] * is_labelled,
        person=units["weight"] * units["people"],
    )
    columns = ["judge", "labelled_judge", "weight", "labelled_weight", "person", "labelled"]
    judged_units = products[~units["sure"]].groupby("cluster")[columns].sum()
    rule_units = products[units["sure"]].groupby("cluster")[columns].sum()
    estimate = corrected(
        judged_units[["judge", "labelled_judge"]].to_numpy(),
        judged_units[["weight", "labelled_weight"]].to_numpy(),
        judged_units["person"].to_numpy(),
        judged_units["labelled"].to_numpy() > 0,
    )
    if estimate is None:
        return counts
    # What rules decide has no error to correct. With the shares a and b of the weight:
    #   value = a · corrected + b · by rule,   variance a² V + b² W,   third cumulant likewise
    judge_weight = judged_units["weight"].sum()
    judge_share = judge_weight / (judge_weight + rule_units["weight"].sum())
    rule_share = 1 - judge_share
    by_rule = _moments(rule_units["judge"].to_numpy(), rule_units["weight"].to_numpy())
    combined = estimate._replace(
        value=judge_share * estimate.value + rule_share * by_rule.mean,
        variance=judge_share**2 * estimate.variance + rule_share**2 * by_rule.variance,
        third=judge_share**3 * estimate.third + rule_share**3 * by_rule.third,
    )
    # Effective number of clusters, as ``Measured.clusters``: labelled ones, and those of rules.
    inverse = judge_share**2 / counts["clusters"] + rule_share**2 / max(len(rule_units), 1)
    low, high = combined.interval(lowest, highest, 1 / inverse)
    value = min(max(combined.value, lowest), highest)
    return {"value": value, "low": low, "high": high, "share": estimate.share, **counts}


class Moments(NamedTuple):
    """A mean over clusters, with its variance and third cumulant."""

    mean: float
    variance: float
    third: float


def _residuals(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The contribution of each cluster to the error of the ratio r of two sums (linearised).

    e = (y − r w) ÷ mean of w,   r = Σ y ÷ Σ w,   of a cluster's value y and weight w.
    """
    residuals: np.ndarray = (values - values.sum() / weights.sum() * weights) / weights.mean()
    return residuals


def _moments(values: np.ndarray, weights: np.ndarray, estimated: int = 1) -> Moments:
    """The ratio of two sums over clusters, after so many estimated parameters; 0 for none.

    By k-statistics of n residuals e: variance Σ e² ÷ (n − 1) ÷ n, third cumulant
    n Σ e³ ÷ ((n − 1) (n − 2)) ÷ n².
    """
    n = len(values)
    if not n:
        return Moments(0.0, 0.0, 0.0)
    mean = float(values.sum() / weights.sum())
    residuals = _residuals(values, weights)
    variance = float(residuals.var(ddof=estimated) / n) if n > estimated else 0.0
    third = float((residuals**3).sum() / ((n - 1) * (n - 2) * n)) if n > 2 else 0.0
    return Moments(mean, variance, third)


def _share(people: np.ndarray, judge: np.ndarray, ratio: float) -> float:
    """The weight λ of the judge's verdicts with the least variance, from 0 to 1.

    λ = cov(people, judge) ÷ ((1 + n ÷ N) var(judge)), of n labelled and N other clusters.
    """
    spread = (1 + ratio) * judge.var(ddof=1)
    if not spread:
        return 0.0
    return float(np.clip(np.cov(people, judge)[0, 1] / spread, 0, 1))
