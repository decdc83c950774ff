"""The power analysis of a plan: how many contexts it takes, by the finished run's variances."""

import pandas as pd
import pytest

from steadfast.plan.power_analysis import power_analysis
from steadfast.stats.power import Pilot, minimum_detectable_difference

ARS = {"ARS": {"compared": {"task": "overall"}, "full": 1.0}}
ROW = {
    "model": "a", "other": "b", "task": "overall", "difference": 0.1, "low": 0.0, "high": 0.2,
    "p": 0.05, "p_adjusted": 0.05, "p_model": 0.05, "p_other": 0.05, "n": 99, "error": 0.02,
    "degrees_of_freedom": 19, "clusters": 20,
}  # fmt: skip
PILOT = Pilot(0.02, 19, 20, skewed=True)


def analysis(folder, *changes: dict, measures=ARS):
    """The rows and the page, by comparisons that differ from ``ROW``; none without any."""
    if changes:
        comparisons = pd.DataFrame([ROW | fields for fields in changes])
        comparisons.to_csv(folder / "comparisons.csv", index=False)
    rows, lines = power_analysis("lifbench", folder, measures, [0.05])
    return rows, "\n".join(lines)


def test_most_variable_pair_determines_the_number_of_contexts(tmp_path):
    other_rows = [{"other": "c", "error": 0.01}, {"task": "MF", "error": 0.5}]
    (row,), page = analysis(tmp_path, {}, *other_rows)
    assert (row["clusters"], row["clusters_all"]) == (
        PILOT.clusters_needed(0.05),
        PILOT.clusters_needed(0.05, 3),
    )
    assert row["factor"] == row["clusters_all"] / 20
    # .05^(1/k): none of k contexts fails in 5 of 100 runs
    assert row["unseen"] == pytest.approx(1 - 0.05 ** (1 / row["clusters_all"]))
    assert "all 3 pairs" in page
    assert "The run in the results folder has 20 units." in page
    one_pair = minimum_detectable_difference(0.02, 19, 1, skewed=True)
    all_pairs = minimum_detectable_difference(0.02, 19, 3, skewed=True)
    assert f"{one_pair:.3f} for one pair, {all_pairs:.3f} for each of all pairs" in page


def test_difference_that_no_run_detects_has_no_number(tmp_path):
    (row,), page = analysis(tmp_path, {"error": 5.0})
    assert row["clusters"] is row["clusters_all"] is row["factor"] is row["unseen"] is None
    assert "| 0.05 | over a million | over a million |  |  |" in page
    assert "Minimum detectable difference: none for one pair, none for each" in page


def test_each_language_has_its_rows_as_shares_of_full_marks(tmp_path):
    measures = {"HSR": {"compared": {"measure": "HSR"}, "full": 100}}
    english = {"measure": "HSR", "language": "en", "error": 2.0}
    chinese = {"measure": "HSR", "language": "zh", "error": 4.0}
    rows, page = analysis(tmp_path, english, chinese, measures=measures)
    assert [row["measure"] for row in rows] == ["HSR en", "HSR zh"]
    assert rows[0]["clusters"] == PILOT.clusters_needed(0.05)
    assert "## Power analysis of lifbench (HSR zh)" in page


@pytest.mark.parametrize(
    ("changes", "is_analysed"),
    [
        ([], False),
        ([{"degrees_of_freedom": None}], False),
        ([{"degrees_of_freedom": 2}], False),
        ([{"degrees_of_freedom": 3}], True),
    ],
)
def test_analysis_needs_a_run_with_variances(tmp_path, changes, is_analysed):
    rows, page = analysis(tmp_path, *changes)
    assert bool(rows) == is_analysed
    assert ("Run at least two models" in page) == (not is_analysed)
