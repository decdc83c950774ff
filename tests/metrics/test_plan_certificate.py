"""The plan's certificate: how many contexts tell models apart, by the run in the results folder."""

from math import isnan

import pandas as pd
import pytest

from steadfast.plan.certificate import Pilot, certificate
from steadfast.stats.power import smallest_difference

MEASURES = {"ARS": {"compared": {"task": "overall"}, "full": 1.0}}
ROW = {
    "model": "a", "other": "b", "task": "overall", "difference": 0.1, "low": 0.0, "high": 0.2,
    "p": 0.05, "p_adjusted": 0.05, "p_model": 0.05, "p_other": 0.05, "n": 99, "error": 0.02,
    "freedom": 19, "clusters": 20,
}  # fmt: skip


def certified(folder, rows, differences=(0.05,), measures=MEASURES):
    pd.DataFrame(rows).to_csv(folder / "comparisons.csv", index=False)
    found, lines = certificate("lifbench", folder, measures, differences)
    return found, "\n".join(lines)


def pilot(variance: float = 1.0, clusters: int = 100) -> Pilot:
    error = (variance / clusters) ** 0.5
    return Pilot("ARS", 1.0, error, clusters - 1, clusters, models=2)


def test_as_many_contexts_as_a_skewed_normal_deviate_needs():
    # (1.960 + .842)² ÷ .1² = 785 normal contexts. Skewed against the better model (γ = −2/√n) it
    # takes more: t of 1.963 where Hall's cubic is, and √(1 + t · 2/√n + t² · 2/n) times as spread.
    n = pilot().needed(0.1)
    skew = 2 / n**0.5
    reach = 3 * ((1 - skew * (1.963 + skew / 6)) ** (1 / 3) - 1) / -skew
    spread = (1 + reach * skew + reach**2 * 2 / n) ** 0.5
    assert (reach + 0.8416 * spread) ** 2 / 0.1**2 == pytest.approx(n, abs=2)
    assert 785 < n < 950
    # Bonferroni for ten pairs: (2.807 + .842)² ÷ (1.960 + .842)² = 1.7 times as many.
    assert pilot().needed(0.1, pairs=10) == pytest.approx(1.7 * n, rel=0.05)


def test_a_run_that_can_never_be_large_enough_has_no_number():
    assert pilot().needed(1e-6) is None


def test_fewer_than_six_contexts_promise_nothing():
    # The signs of five differences cannot reach p = .05.
    assert isnan(pilot().smallest(5)) and not isnan(pilot().smallest(6))


def test_the_pair_that_varies_most_counts_and_failures_that_go_unseen_are_named(tmp_path):
    others = [ROW | {"other": "c", "error": 0.01}, ROW | {"task": "MF", "error": 0.5}]
    (row,), page = certified(tmp_path, [ROW, *others])
    alone = Pilot("ARS", 1.0, 0.02, 19, 20, models=3)
    assert (row["clusters"], row["clusters_all"]) == (alone.needed(0.05), alone.needed(0.05, 3))
    assert row["factor"] == row["clusters_all"] / 20
    # .05^(1/k): none of k contexts fails in 5 of 100 runs
    assert row["unseen"] == pytest.approx(1 - 0.05 ** (1 / row["clusters_all"]))
    assert "all 3 pairs" in page and "The run in the results folder has 20." in page
    one, three = (smallest_difference(0.02, 19, pairs, skewed=True) for pairs in (1, 3))
    assert f"{one:.3f} of one pair, {three:.3f} of each of all pairs" in page
    assert certified(tmp_path, [ROW | {"freedom": 3}])[0] != []


def test_each_language_has_its_own_and_differences_are_shares_of_full_marks(tmp_path):
    rows = [
        ROW | {"measure": "HSR", "language": language, "error": error}
        for language, error in (("en", 2.0), ("zh", 4.0))
    ]
    measures = {"HSR": {"compared": {"measure": "HSR"}, "full": 100}}
    for row in rows:
        del row["task"]
    found, page = certified(tmp_path, rows, measures=measures)
    assert [row["measure"] for row in found] == ["HSR en", "HSR zh"]
    assert found[0]["clusters"] == Pilot("", 1.0, 0.02, 19, 20, 2).needed(0.05)
    assert "## Certificate of lifbench (HSR zh)" in page


@pytest.mark.parametrize("rows", [[], [ROW | {"freedom": 2}], [ROW | {"freedom": None}]])
def test_without_variances_the_page_asks_for_a_run(tmp_path, rows):
    if rows:
        found, page = certified(tmp_path, rows)
    else:
        found, lines = certificate("lifbench", tmp_path, MEASURES, [0.05])
        page = "\n".join(lines)
    assert found == [] and "Run two models or more" in page
