"""The power analysis of a plan: how many contexts tell models apart, by the finished run."""

import pandas as pd
import pytest

from steadfast.plan.power_analysis import power_analysis
from steadfast.stats.power import Pilot, smallest_difference

MEASURES = {"ARS": {"compared": {"task": "overall"}, "full": 1.0}}
ROW = {
    "model": "a", "other": "b", "task": "overall", "difference": 0.1, "low": 0.0, "high": 0.2,
    "p": 0.05, "p_adjusted": 0.05, "p_model": 0.05, "p_other": 0.05, "n": 99, "error": 0.02,
    "degrees_of_freedom": 19, "clusters": 20,
}  # fmt: skip


def analysed(folder, rows, differences=(0.05,), measures=MEASURES):
    pd.DataFrame(rows).to_csv(folder / "comparisons.csv", index=False)
    found, lines = power_analysis("lifbench", folder, measures, differences)
    return found, "\n".join(lines)


def test_the_pair_that_varies_most_counts_and_failures_that_go_unseen_are_named(tmp_path):
    others = [ROW | {"other": "c", "error": 0.01}, ROW | {"task": "MF", "error": 0.5}]
    (row,), page = analysed(tmp_path, [ROW, *others])
    alone = Pilot(0.02, 19, 20, skewed=True)
    assert (row["clusters"], row["clusters_all"]) == (alone.needed(0.05), alone.needed(0.05, 3))
    assert row["factor"] == row["clusters_all"] / 20
    # .05^(1/k): none of k contexts fails in 5 of 100 runs
    assert row["unseen"] == pytest.approx(1 - 0.05 ** (1 / row["clusters_all"]))
    assert "all 3 pairs" in page and "The run in the results folder has 20 units." in page
    one, three = (smallest_difference(0.02, 19, pairs, skewed=True) for pairs in (1, 3))
    assert f"{one:.3f} for one pair, {three:.3f} for each of all pairs" in page
    assert analysed(tmp_path, [ROW | {"degrees_of_freedom": 3}])[0] != []


def test_each_language_has_its_own_and_differences_are_shares_of_full_marks(tmp_path):
    rows = [
        ROW | {"measure": "HSR", "language": language, "error": error}
        for language, error in (("en", 2.0), ("zh", 4.0))
    ]
    measures = {"HSR": {"compared": {"measure": "HSR"}, "full": 100}}
    for row in rows:
        del row["task"]
    found, page = analysed(tmp_path, rows, measures=measures)
    assert [row["measure"] for row in found] == ["HSR en", "HSR zh"]
    assert found[0]["clusters"] == Pilot(0.02, 19, 20, skewed=True).needed(0.05)
    assert "## Power analysis of lifbench (HSR zh)" in page


@pytest.mark.parametrize(
    "rows", [[], [ROW | {"degrees_of_freedom": 2}], [ROW | {"degrees_of_freedom": None}]]
)
def test_without_variances_the_page_asks_for_a_run(tmp_path, rows):
    if rows:
        found, page = analysed(tmp_path, rows)
    else:
        found, lines = power_analysis("lifbench", tmp_path, MEASURES, [0.05])
        page = "\n".join(lines)
    assert found == [] and "Run at least two models" in page
