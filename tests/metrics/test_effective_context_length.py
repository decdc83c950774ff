"""How far a model keeps its score, and how certain that is."""

import math

import numpy as np
import pandas as pd
import pytest

from steadfast.stats.effective_context_length import (
    EffectiveLength,
    difference_from_share,
    effective_lengths,
    retention_by_length,
    with_effective_lengths,
)
from steadfast.stats.intervals import Clusters
from steadfast.stats.tidy import EFFECTIVE

LENGTHS = ["4k", "8k", "16k", "32k"]


def scores(by_length: dict[str, list[float]], model: str = "m") -> pd.DataFrame:
    """A score of each cluster at each length; the same clusters at all lengths."""
    parts = [pd.DataFrame({"length": n, "total": by_length[n]}) for n in by_length]
    frame = pd.concat(parts).rename_axis("cluster").reset_index()
    return frame.assign(model=model, stratum="").astype({"cluster": str})


def retention(frame: pd.DataFrame) -> pd.DataFrame:
    means = Clusters(frame, ["stratum"]).means(frame, ["model", "length"])
    return retention_by_length(means, ["4k", "8k"])


def effective_length(values: list[float], low: list[float], high: list[float]) -> EffectiveLength:
    """The effective context length by values and intervals of the lengths beyond the shortest."""
    rows = pd.DataFrame({"model": "m", "length": LENGTHS[: len(values) + 1], "retention": 0.85})
    rows = rows.assign(value=[1, *values], low=[math.nan, *low], high=[math.nan, *high])
    return effective_lengths(rows)["m"]


def test_effective_length_by_hand():
    # A recovery after a loss does not count: 32k is not reached through 16k.
    assert effective_length([0.9, 0.8, 0.95], [0.8, 0.7, 0.8], [1, 0.9, 1.1]).value == "8k"
    assert effective_length([0.85, 0.86, 0.9], [0.8] * 3, [1] * 3).value == "32k"
    assert effective_length([0.5, 0.5, 0.5], [0.4] * 3, [0.6] * 3).value == "4k"


def test_range_of_the_effective_length_by_hand():
    # the lower end goes up from the shortest, the upper one down from the longest
    assert effective_length([0.95, 0.9, 0.6], [0.9, 0.8, 0.5], [1, 1, 0.7])[1:3] == ("8k", "16k")
    # 32k is significantly kept, and 16k is not: the lower end is before it.
    assert effective_length([0.95, 0.86, 0.95], [0.9, 0.8, 0.9], [1, 1, 1])[1:3] == ("8k", "32k")
    # 8k is significantly lost, and 32k is open: the upper end is there.
    assert effective_length([0.5, 0.5, 0.8], [0.4, 0.4, 0.7], [0.6, 0.6, 0.9])[1:3] == ("4k", "32k")
    # An interval that ends at the share decides neither.
    assert effective_length([0.9], [0.85], [1])[1:3] == ("4k", "8k")
    assert effective_length([0.7], [0.6], [0.85])[1:3] == ("4k", "8k")
    # open where no length is significantly lost
    all_kept = effective_length([0.95] * 3, [0.9] * 3, [1] * 3)
    assert (all_kept.text, all_kept.range) == ("≥ 32k", "≥ 32k")
    certain = effective_length([0.95, 0.5, 0.4], [0.9, 0.4, 0.3], [1, 0.6, 0.5])
    assert (certain.text, certain.range) == ("8k", "8k")


def test_effective_length_ends_before_a_missing_score():
    gap = effective_length([0.95, math.nan, 0.2], [0.9, math.nan, 0.1], [1, math.nan, 0.3])
    assert gap == EffectiveLength("8k", "8k", "8k", "8k")
    assert gap.text == "≥ 8k"
    assert effective_length([math.nan], [math.nan], [math.nan]) == EffectiveLength()
    without_interval = effective_length([0.95, 0.5], [math.nan] * 2, [math.nan] * 2)
    assert (without_interval.text, without_interval.range) == ("8k", "")
    assert effective_length([0.95, 0.9], [0.9, math.nan], [1, math.nan]).range == "≥ 8k"


def test_clusters_of_both_lengths_are_paired():
    short = np.array([0.2, 0.4, 0.5, 0.6, 0.8, 0.9])
    long = 0.95 * short + np.tile([0.01, -0.01], 3)
    frame = scores({"4k": short, "8k": long})
    unpaired = frame.assign(stratum=frame["length"], cluster=frame["length"] + frame["cluster"])
    paired_rows = retention(frame)
    unpaired_rows = retention(unpaired)
    assert paired_rows["value"].tolist() == pytest.approx([1.0, 0.95])
    assert unpaired_rows["value"].tolist() == pytest.approx([1.0, 0.95])
    # The difference .95 s ± .01 - .85 s hardly varies by chance; single means vary much.
    assert paired_rows["low"][1] > 0.85 > unpaired_rows["low"][1]


def test_retention_interval_matches_the_paired_t_test():
    rng = np.random.default_rng(1)
    short = rng.uniform(1.2, 1.8, 12)  # beyond 1, so that no limit is near
    long = 0.9 * short + rng.normal(0, 0.1, 12)
    row = retention(scores({"4k": short, "8k": long})).iloc[1]
    surplus = long - 0.85 * short
    half = 2.2010 * surplus.std(ddof=1) / math.sqrt(12)  # t of 11 degrees, at .975
    low = 0.85 + (surplus.mean() - half) / short.mean()
    high = 0.85 + (surplus.mean() + half) / short.mean()
    assert [row["low"], row["high"]] == pytest.approx([low, high], rel=0.05)


def test_difference_has_the_limits_of_both_and_the_clusters_of_one_side():
    paired = scores({"4k": [0.2, 0.4, 0.5, 0.7], "8k": [0.1, 0.3, 0.5, 0.6]})
    unpaired = paired.assign(cluster=paired["length"] + paired["cluster"])
    for frame in (paired, unpaired):
        means = Clusters(frame, []).means(frame, ["length"], limits=(-1, 2))
        difference = difference_from_share(means.take([1]), means.take([0]), 0.85)
        (cell,) = difference.cells[["value", "lowest", "highest"]].values.tolist()
        assert cell == pytest.approx([0.375 - 0.85 * 0.45, -1 - 0.85 * 2, 2 + 0.85])
        assert 1 / (difference.shares**2).sum() == pytest.approx(4)


def test_retention_needs_a_score_at_the_shortest_length():
    absent = scores({"8k": [0.5, 0.7]}, "absent")
    zero = scores({"4k": [0.0, 0.0], "8k": [0.0, 0.0]}, "zero")
    complete = scores({"4k": [0.6, 0.8], "8k": [0.6, 0.8]}, "complete")
    rows = retention(pd.concat([absent, zero, complete]))
    assert rows["model"].tolist() == ["absent"] * 2 + ["complete"] * 2 + ["zero"] * 2
    assert rows["value"].isna().tolist() == [True, True, False, False, True, True]
    assert rows["n"].tolist() == [0, 2, 2, 2, 2, 2]
    assert effective_lengths(rows)["complete"].value == "8k"
    assert effective_lengths(rows)["zero"] == effective_lengths(rows)["absent"] == EffectiveLength()


def test_summary_has_the_effective_length_of_its_measure():
    rows = pd.DataFrame({"model": "m", "length": ["4k", "8k"], "value": [1.0, 0.9]})
    rows = rows.assign(retention=0.85, low=[math.nan, 0.87], high=[math.nan, 1.0])
    summary = pd.DataFrame({"model": ["m", "m", "n"], "measure": ["ARS", "IFS", "ARS"]})
    columns = with_effective_lengths(summary, rows, "ARS")[list(EFFECTIVE)]
    assert columns.to_numpy().tolist() == [["≥ 8k", "≥ 8k"], ["", ""], ["", ""]]
    without_interval = with_effective_lengths(
        summary, rows.assign(low=math.nan, high=math.nan), "ARS"
    )
    assert set(without_interval[list(EFFECTIVE)].to_numpy().ravel()) == {""}
