"""A judge's mean corrected by people's verdicts on a part of the items, by cluster.

A judge errs, and the interval of what it says knows nothing of that. Where people have judged the
items of some clusters too, what the judge says of the others is corrected by how far it was off in
these: prediction-powered inference with the weight that makes the variance least (Angelopoulos,
Duchi and Zrnic 2023, PPI++), here by cluster, since items of a cluster are alike in their truth and
in the judge's errors.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

from steadfast.base.files import Record
from steadfast.stats.intervals import NOTHING, SIGNIFICANT, wilson

FEWEST = 10
"""Labelled clusters below which there is no corrected value: too few to know the judge's errors."""
COLUMNS = (
    "model", "other", "measure", "raw", "raw_low", "raw_high", "value", "low", "high", "share",
    "clusters", "units",
)  # fmt: skip
NOTHING_CORRECTED = pd.DataFrame(columns=COLUMNS)
"""Where nobody labelled anything."""


class Corrected(NamedTuple):
    """An estimate with its standard error.

    Attributes:
        value: corrected mean, in the items' unit.
        error: its standard error.
        df: degrees of freedom of that.
        share: of the judge's word that was used, 0 (labels alone) to 1.
    """

    value: float
    error: float
    df: int
    share: float

    def interval(self) -> tuple[float, float]:
        """Returns the 95 % interval."""
        reach = float(scipy.special.stdtrit(self.df, 1 - SIGNIFICANT / 2)) * self.error
        return self.value - reach, self.value + reach


def corrected(
    judged: np.ndarray, weights: np.ndarray, people: np.ndarray, labelled: np.ndarray
) -> Corrected | None:
    """Returns the weighted mean over all items, corrected; None with fewer than ``FEWEST`` labels.

    A cluster's values are sums over its items of weight times value. Of a difference of two models
    the values are those of one less those of the other.

    Args:
        judged: clusters × 2: the judge's values of all items, and of those that people labelled.
        weights: clusters × 2: the sums of weights, likewise; 0 where nothing is labelled.
        people: clusters: people's values of the labelled items; not read where there are none.
        labelled: clusters: whether people labelled any item.
    """
    known = int(labelled.sum())
    if known < FEWEST:
        return None
    judge, person, weight = judged[labelled, 1], people[labelled], weights[labelled, 1]
    others = ~labelled
    said, error_of_said, share = 0.0, 0.0, 0.0
    if others.any():
        said, residuals = _mean(judged[others, 0], weights[others, 0])
        error_of_said = float(residuals.var(ddof=1) / len(residuals)) if len(residuals) > 1 else 0.0
        share = _share(_mean(person, weight)[1], _mean(judge, weight)[1], known / others.sum())
    rest, residuals = _mean(person - share * judge, weight)
    # The share too was estimated from the labelled clusters.
    error = np.sqrt(share**2 * error_of_said + residuals.var(ddof=2) / known)
    return Corrected(share * said + rest, float(error), known - 2, share)


def corrected_rows(
    judged: pd.DataFrame, people: pd.DataFrame, raw: pd.DataFrame, highest: Mapping[str, float]
) -> pd.DataFrame:
    """Returns the measures of each labelled model, and of each two their differences, corrected.

    ``value`` is empty where too few clusters are labelled (``FEWEST``). ``clusters`` and ``units``
    count what people labelled.

    Args:
        judged: a row a unit, model and measure: model, measure, cluster, unit, weight, value by
            the judge; sure: whether no judge decided it, so that nothing is to correct.
        people: value by people: model, measure, unit, value.
        raw: what the judge alone gives: model, other (empty for a measure itself), measure, raw,
            raw_low, raw_high.
        highest: value of each measure, of which 0 is the lowest.
    """
    labelled = people.rename(columns={"value": "people"})[["model", "measure", "unit", "people"]]
    units = judged.merge(labelled, "left", ["model", "measure", "unit"])
    rows: list[Record] = []
    for measure, of in units.groupby("measure", sort=False):
        most = highest[str(measure)]
        by_model = {
            str(model): its for model, its in of.groupby("model") if its["people"].notna().any()
        }
        for model, its in by_model.items():
            rows.append({"model": model, "other": "", "measure": measure, **_row(its, 0, most)})
        for model, other in combinations(by_model, 2):
            both = by_model[model].merge(by_model[other], on=["unit", "cluster"])
            apart = {name: both[f"{name}_x"] - both[f"{name}_y"] for name in ("value", "people")}
            sure = both["sure_x"] & both["sure_y"]
            both = both.assign(**apart, weight=both["weight_x"], sure=sure)
            row = _row(both, -most, most)
            rows.append({"model": model, "other": other, "measure": measure, **row})
    found = pd.DataFrame(rows, columns=[name for name in COLUMNS if not name.startswith("raw")])
    return found.merge(raw, "left", ["model", "other", "measure"])[list(COLUMNS)]


def raw_values(headline: pd.DataFrame, compared: pd.DataFrame) -> pd.DataFrame:
    """Returns what the judge alone gives, as ``corrected_rows`` takes it.

    Args:
        headline: model, measure, value, low, high.
        compared: model, other, measure, difference, low, high; a pair once.
    """
    ends = {"low": "raw_low", "high": "raw_high"}
    there = compared.rename(columns={"difference": "raw", **ends})
    turned = {"model": "other", "other": "model", "raw_low": "raw_high", "raw_high": "raw_low"}
    back = there.rename(columns=turned)
    back[list(ends.values())] *= -1
    values = headline.rename(columns={"value": "raw", **ends}).assign(other="")
    found = pd.concat([values, there, back.assign(raw=-back["raw"])], ignore_index=True)
    return found[["model", "other", "measure", "raw", *ends.values()]]


def _row(units: pd.DataFrame, lowest: float, highest: float) -> Record:
    """The corrected mean of some units, its interval, and how much is labelled."""
    known = units["people"].notna() & ~units["sure"]
    counted = {"clusters": units.loc[known, "cluster"].nunique(), "units": int(known.sum())}
    sums = units.assign(
        known=known,
        known_weight=units["weight"] * known,
        said=units["weight"] * units["value"],
        known_said=units["weight"] * units["value"] * known,
        true=(units["weight"] * units["people"]).fillna(0) * known,
    )
    columns = ["said", "known_said", "weight", "known_weight", "true", "known"]
    by_judge, sure = (
        sums[units["sure"] == is_sure].groupby("cluster")[columns].sum()
        for is_sure in (False, True)
    )
    found = corrected(
        by_judge[["said", "known_said"]].to_numpy(),
        by_judge[["weight", "known_weight"]].to_numpy(),
        by_judge["true"].to_numpy(),
        by_judge["known"].to_numpy() > 0,
    )
    if found is None:
        return counted
    part = by_judge["weight"].sum() / (by_judge["weight"].sum() + sure["weight"].sum())
    value, error = part * found.value, part * found.error
    if len(sure) > 1:
        mean, residuals = _mean(sure["said"].to_numpy(), sure["weight"].to_numpy())
        value += (1 - part) * mean
        error = np.hypot(error, (1 - part) * residuals.std(ddof=1) / np.sqrt(len(sure)))
    low, high = found._replace(value=value, error=error).interval()
    if error < NOTHING * (highest - lowest):
        # All labelled clusters are alike: of others they tell what so many verdicts would.
        share = np.array([(value - lowest) / (highest - lowest)])
        within = wilson(share, np.array([counted["clusters"]]))
        low, high = (lowest + (highest - lowest) * float(end[0]) for end in within)
    ends = {"low": max(low, lowest), "high": min(high, highest)}
    return {"value": value, **ends, "share": found.share, **counted}


def _mean(values: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """The ratio of two sums, and what each cluster adds to its error."""
    mean = values.sum() / weights.sum()
    return float(mean), (values - mean * weights) / weights.mean()


def _share(people: np.ndarray, judge: np.ndarray, ratio: float) -> float:
    """The weight of the judge's word that makes the variance least, within 0 and 1."""
    spread = (1 + ratio) * judge.var(ddof=1)
    if not spread:
        return 0.0
    return float(np.clip(np.cov(people, judge)[0, 1] / spread, 0, 1))
