"""How far a model keeps its score, and what the test says of it."""

import math

import numpy as np
import pandas as pd
import pytest

from steadfast.stats.effective_context_length import Reach, kept_shares, reaches, with_reaches
from steadfast.stats.intervals import Clusters
from steadfast.stats.tidy import EFFECTIVE

LENGTHS = ["4k", "8k", "16k", "32k"]


def scores(by_length: dict[str, list[float]], model: str = "m", own: bool = False) -> pd.DataFrame:
    """A score of each cluster at each length; of clusters of each length's own, if wanted."""
    rows = [
        (model, length, f"{length}/{i}" if own else f"{i}", total)
        for length, totals in by_length.items()
        for i, total in enumerate(totals)
    ]
    frame = pd.DataFrame(rows, columns=["model", "length", "cluster", "total"])
    return frame.assign(stratum=frame["length"] if own else "")


def kept(frame: pd.DataFrame, lengths: list[str]) -> pd.DataFrame:
    means = Clusters(frame, ["stratum"]).means(frame, ["model", "length"])
    return kept_shares(means, lengths)


def reach(values: list[float], low: list[float], high: list[float]) -> Reach:
    """Of the values and intervals beyond the shortest length."""
    rows = pd.DataFrame({"model": "m", "length": LENGTHS[: len(values) + 1], "retention": 0.85})
    rows = rows.assign(value=[1, *values], low=[math.nan, *low], high=[math.nan, *high])
    return reaches(rows)["m"]


def test_the_effective_length_and_its_range_by_hand():
    # What comes back after a fall does not count: 32k is not reached through 16k.
    assert reach([0.9, 0.8, 0.95], [0.8, 0.7, 0.8], [1, 0.9, 1.1]).value == "8k"
    assert reach([0.85, 0.86, 0.9], [0.8] * 3, [1] * 3).value == "32k"
    assert reach([0.5, 0.5, 0.5], [0.4] * 3, [0.6] * 3).value == "4k"
    # the lower end goes up from the shortest, the upper one down from the longest
    assert reach([0.95, 0.9, 0.6], [0.9, 0.8, 0.5], [1, 1, 0.7])[1:3] == ("8k", "16k")
    # 32k is surely kept, and 16k is not: the lower end ends before it.
    assert reach([0.95, 0.86, 0.95], [0.9, 0.8, 0.9], [1, 1, 1])[1:3] == ("8k", "32k")
    # 8k has surely fallen, and nothing is sure of 32k: the upper end ends there.
    assert reach([0.5, 0.5, 0.8], [0.4, 0.4, 0.7], [0.6, 0.6, 0.9])[1:3] == ("4k", "32k")
    # open where no length surely falls
    kept_all = reach([0.95] * 3, [0.9] * 3, [1] * 3)
    assert (kept_all.text, kept_all.range) == ("≥ 32k", "≥ 32k")
    fallen = reach([0.95, 0.5, 0.4], [0.9, 0.4, 0.3], [1, 0.6, 0.5])
    assert (fallen.text, fallen.range) == ("8k", "8k")
    # nothing is said from the first length without a score on
    gap = reach([0.95, math.nan, 0.2], [0.9, math.nan, 0.1], [1, math.nan, 0.3])
    assert gap == Reach("8k", "8k", "8k", "8k")
    assert gap.text == "≥ 8k"
    assert reach([math.nan], [math.nan], [math.nan]) == Reach()
    single = reach([0.95, 0.5], [math.nan] * 2, [math.nan] * 2)
    assert (single.text, single.range) == ("8k", "")


def test_clusters_of_both_lengths_are_paired():
    short = [0.2, 0.4, 0.5, 0.6, 0.8, 0.9]
    by_length = {"4k": short, "8k": [0.95 * s + (-1) ** i / 100 for i, s in enumerate(short)]}
    paired, apart = (kept(scores(by_length, own=own), ["4k", "8k"]) for own in (False, True))
    for rows in (paired, apart):
        assert rows["value"].tolist() == pytest.approx([1.0, 0.95])
    # Of the difference .95 s ± .01 - .85 s next to nothing is left to chance; of single means much.
    assert paired["low"][1] > 0.85 > apart["low"][1]


def test_decisions_are_those_of_the_t_test_of_the_difference():
    rng = np.random.default_rng(1)
    short = rng.uniform(1.2, 1.8, 12)  # beyond 1, so that no limit is near
    long = 0.9 * short + rng.normal(0, 0.1, 12)
    row = kept(scores({"4k": list(short), "8k": list(long)}), ["4k", "8k"]).iloc[1]
    left = long - 0.85 * short
    reach_of_t = 2.2010 * left.std(ddof=1) / math.sqrt(12)  # t of 11 degrees, at .975
    ends = [0.85 + (left.mean() + sign * reach_of_t) / short.mean() for sign in (-1, 1)]
    assert [row["low"], row["high"]] == pytest.approx(ends, rel=0.05)


def test_a_model_without_a_score_at_the_shortest_length_has_no_value():
    frame = pd.concat(
        [
            scores({"8k": [0.5, 0.7]}, "absent"),
            scores({"4k": [0.0, 0.0], "8k": [0.0, 0.0]}, "zero"),
            scores({"4k": [0.6, 0.8], "8k": [0.6, 0.8]}, "fine"),
        ]
    )
    rows = kept(frame, ["4k", "8k"])
    assert rows["model"].tolist() == ["absent", "absent", "fine", "fine", "zero", "zero"]
    assert rows["value"].isna().tolist() == [True, True, False, False, True, True]
    assert rows["n"].tolist() == [0, 2, 2, 2, 2, 2]
    assert reaches(rows)["fine"].value == "8k"
    assert reaches(rows)["zero"] == reaches(rows)["absent"] == Reach()


def test_a_summary_has_the_reach_of_its_measure_alone_and_none_of_an_unknown_model():
    rows = pd.DataFrame({"model": "m", "length": ["4k", "8k"], "value": [1.0, 0.9]})
    rows = rows.assign(retention=0.85, low=[math.nan, 0.87], high=[math.nan, 1.0])
    summary = pd.DataFrame({"model": ["m", "m", "n"], "measure": ["ARS", "IFS", "ARS"]})
    found = with_reaches(summary, rows, "ARS")[list(EFFECTIVE)]
    assert found.to_numpy().tolist() == [["≥ 8k", "≥ 8k"], ["", ""], ["", ""]]
    unknown = with_reaches(summary, rows.assign(low=math.nan, high=math.nan), "ARS")
    assert set(unknown[list(EFFECTIVE)].to_numpy().ravel()) == {""}  # no range, no summary
