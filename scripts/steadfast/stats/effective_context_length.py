"""Effective context length: up to which length of contexts a model retains its score.

At each length one difference is tested: the score there minus a share of the score at the shortest,
where clusters that both lengths have in common are paired (Fieller 1954: no ratio is estimated).
The range needs no correction for the number of lengths, since each end is a sequence of tests in an
order fixed beforehand, which ends at the first that does not reject (Maurer, Hothorn and Lehmacher
1995): the lower end from the shortest length up, the upper end from the longest down. So each end
errs in at most 2.5 of 100 runs, whatever the curve.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from steadfast.stats.intervals import Estimates
from steadfast.stats.tidy import EFFECTIVE

# Required share of the score at the shortest length (RULER: Hsieh et al. 2024).
SHARE = 0.85
# Columns of ``retention_by_length``.
COLUMNS = ("model", "length", "value", "low", "high", "n", "score", "retention")
ROUNDING = 1e-9


def retention_by_length(means: Estimates, lengths: Sequence[str]) -> pd.DataFrame:
    """The retention of each model at each length: the share of its score at the shortest length.

    Args:
        means: scores, with the index levels model and length.
        lengths: names, from the shortest to the longest.

    Returns:
        Columns ``COLUMNS``, a row for each model and length, models by name. value: the retention;
        empty without a score, or without one above 0 at the shortest length. low and high are
        ``SHARE`` plus the 95 % interval of score − ``SHARE`` × score at the shortest length, over
        the latter: both are above (below) ``SHARE`` where the retention is significantly above
        (below) it. They are empty at the shortest length, and where the variance is unknown. n is
        the sample size of the score.
    """
    scores = means.cells.reset_index()[["model", "length", "value", "n"]]
    scores = scores.astype({"model": str, "length": str}).assign(cell=range(len(scores)))
    models = sorted(scores["model"].unique())
    index = pd.MultiIndex.from_product([models, list(lengths)], names=["model", "length"])
    rows = scores.set_index(["model", "length"]).reindex(index).reset_index()
    shortest = scores[scores["length"] == lengths[0]].set_index("model")
    start_cell = rows["model"].map(shortest["cell"])
    start = rows["model"].map(shortest["value"])
    has_start = rows["cell"].notna() & (start > 0)
    rows = rows.rename(columns={"value": "score"})
    rows["value"] = (rows["score"] / start).where(has_start)
    tested = rows.index[has_start & (rows["length"] != lengths[0])]
    low, high = np.full((2, len(rows)), math.nan)
    if len(tested):
        after = means.take(rows["cell"][tested].astype(int))
        before = means.take(start_cell[tested].astype(int))
        # The test is of score − share · start; its interval is printed as one of score ÷ start:
        #   end = share + end of the difference ÷ start
        ends = difference_from_share(after, before, SHARE).rows()[["low", "high"]]
        scaled = ends.to_numpy() / start[tested].to_numpy()[:, None]
        low[tested], high[tested] = SHARE + scaled.T
    rows = rows.assign(low=low, high=high, retention=SHARE)
    rows["n"] = rows["n"].fillna(0).astype(int)
    return rows[list(COLUMNS)]


def difference_from_share(after: Estimates, before: Estimates, share: float) -> Estimates:
    """The differences ``after`` − share × ``before``, paired by cluster, cell by cell.

    Both have the same clusters; keys and counts are those of ``after``.
    """
    limits = {
        "value": after.cells["value"].to_numpy() - share * before.cells["value"].to_numpy(),
        "lowest": after.cells["lowest"].to_numpy() - share * before.cells["highest"].to_numpy(),
        "highest": after.cells["highest"].to_numpy() - share * before.cells["lowest"].to_numpy(),
    }
    return replace(
        after,
        cells=after.cells.assign(**limits),
        parts=after.parts - share * before.parts,
        # So that a difference has as many effective clusters as one side, paired or not.
        shares=np.sqrt((after.shares**2 + before.shares**2) / 2),
    )


class EffectiveLength(NamedTuple):
    """A model's effective context length, as names of lengths.

    Attributes:
        value: the greatest length up to which the score is retained; empty without scores.
        low: the greatest length up to which retention is significant.
        high: the greatest length without a significant loss; ``low`` to ``high`` is the 95 % range
            of the true effective context length. Both are empty without a test.
        longest: the greatest length up to which all lengths have a score.
    """

    value: str = ""
    low: str = ""
    high: str = ""
    longest: str = ""

    @property
    def text(self) -> str:
        """The value in tables; with ≥ where the score is retained at the longest length."""
        return f"≥ {self.value}" if self.value and self.value == self.longest else self.value

    @property
    def range(self) -> str:
        """The range in tables, open without a significant loss at the longest length.

        >>> EffectiveLength("16k", "8k", "32k", "64k").range
        '8k to 32k'
        >>> EffectiveLength("16k", "8k", "64k", "64k").range
        '≥ 8k'
        """
        if self.low and self.high == self.longest:
            return f"≥ {self.low}"
        return self.low if self.low == self.high else f"{self.low} to {self.high}"


def effective_lengths(rows: pd.DataFrame) -> dict[str, EffectiveLength]:
    """The effective context length of each model, from the rows of ``retention_by_length``."""
    by_model = {}
    for model, model_rows in rows.groupby("model", sort=False):
        by_model[str(model)] = _effective_length(model_rows)
    return by_model


def with_effective_lengths(summary: pd.DataFrame, rows: pd.DataFrame, measure: str) -> pd.DataFrame:
    """A summary with the columns ``tidy.EFFECTIVE`` of a measure, from ``retention_by_length``.

    An effective context length without a range is left out.
    """
    by_model = effective_lengths(rows)
    texts = []
    ranges = []
    for model, name in zip(summary["model"], summary["measure"], strict=True):
        effective_length = EffectiveLength()
        if name == measure:
            effective_length = by_model.get(model, effective_length)
        # Without a range, as of one context a length, the value alone is mostly chance.
        texts.append(effective_length.text if effective_length.range else "")
        ranges.append(effective_length.range)
    return summary.assign(**dict(zip(EFFECTIVE, (texts, ranges), strict=True)))


def _effective_length(rows: pd.DataFrame) -> EffectiveLength:
    lengths = list(rows["length"])
    share = rows["retention"].to_numpy()
    value = rows["value"].to_numpy(float)
    low = rows["low"].to_numpy(float)
    high = rows["high"].to_numpy(float)
    scored = _leading(~np.isnan(value))
    if scored < 2:
        return EffectiveLength()
    # Numbers of lengths, from the shortest on, whose retention is 1 by definition.
    retained = _leading(value >= share - ROUNDING)
    surely = 1 + _leading(low[1:] > share[1:])
    # From the longest length down to the second, the first without a significant loss ends it.
    at_most = scored - _leading((high < share)[scored - 1 : 0 : -1])
    has_interval = not np.isnan(low[1:scored]).all()
    return EffectiveLength(
        lengths[retained - 1],
        lengths[surely - 1] if has_interval else "",
        lengths[at_most - 1] if has_interval else "",
        lengths[scored - 1],
    )


def _leading(mask: np.ndarray) -> int:
    """The number of true values before the first that is not."""
    return int(np.logical_and.accumulate(mask).sum())
