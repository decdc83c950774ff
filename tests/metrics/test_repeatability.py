"""Run-to-run variation, on numbers that can be reckoned by hand."""

import math
from statistics import stdev

import pandas as pd
import pytest

from steadfast.base.errors import UserError
from steadfast.show.nondeterminism import nondeterminism_page
from steadfast.stats.repeatability import COLUMNS, answer_deviations, nondeterminism_rows

RESPONSES = pd.DataFrame(
    [
        (0, "alone", "a", "A", "x", 1.0), (0, "alone", "b", "B", "yes", 0.4),
        (0, "together", "a", "A", "x", 1.0), (0, "together", "b", "B", "yes", 0.4),
        (1, "alone", "a", "A", "x", 1.0), (1, "alone", "b", "B", "yet", 0.6),
        (1, "together", "a", "A", "x", 1.0), (1, "together", "b", "B", "yes", 0.4),
    ],
    columns=["repeat", "way", "sample", "task", "text", "total"],
)  # fmt: skip
COUNTS = {"A": 1, "B": 1}


def row(rows, task, way):
    return next(r for r in rows if (r["task"], r["way"]) == (task, way))


def test_variation_of_equal_and_different_responses_by_hand():
    rows = nondeterminism_rows(RESPONSES, COUNTS)
    of_a = row(rows, "A", "alone")
    assert (of_a["identical"], of_a["differ"]) == (1, 0)
    assert (of_a["score"], of_a["score_sd"], of_a["answer_sd"]) == (1, 0, 0)
    assert row(rows, "B", "together")["identical"] == 1
    assert all(tuple(one) == COLUMNS for one in rows)
    of_b = row(nondeterminism_rows(RESPONSES, COUNTS), "B", "alone")
    assert (of_b["identical"], of_b["repeats"], of_b["n"]) == (0, 2, 1)
    assert of_b["differ"] == 1
    assert of_b["score"] == pytest.approx(0.5)
    assert of_b["score_sd"] == pytest.approx(stdev([0.4, 0.6]))
    assert of_b["answer_sd"] == pytest.approx(math.sqrt(0.02))  # variance of .4 and .6
    overall = row(nondeterminism_rows(RESPONSES, COUNTS), "overall", "alone")
    assert overall["identical"] == 0.5
    assert overall["score"] == pytest.approx((0.7 + 0.8) / 2)
    assert overall["score_sd"] == pytest.approx(stdev([0.7, 0.8]))


def test_the_deviation_of_one_answer_goes_by_the_part_s_tasks():
    for counts, weights, expected in (
        # N Σ (w/Σw)² v/n: 4 · ((1/4)² · 0 / 1 + (3/4)² · .02 / 3)
        ({"A": 1, "B": 3}, None, math.sqrt(4 * (9 / 16) * 0.02 / 3)),
        # 4 · ((1/2)² · .02 / 3)
        ({"A": 1, "B": 3}, {"A": 1, "B": 1}, math.sqrt(4 * 0.25 * 0.02 / 3)),
        # A task that was not sampled has the mean variance of the others, .01:
        # 3 · (0 + .02 / 9 + .01 / 9)
        ({"A": 1, "B": 1, "C": 1}, None, math.sqrt(3 * 0.03 / 9)),
        ({"D": 1}, {"E": 1}, None),
    ):
        overall = row(nondeterminism_rows(RESPONSES, counts, weights), "overall", "alone")
        assert overall["answer_sd"] == (None if expected is None else pytest.approx(expected))


def test_responses_without_a_score_are_compared_alone_and_the_page_says_what_was_asked():
    unscored = RESPONSES.assign(total=None)
    overall = row(nondeterminism_rows(unscored, COUNTS), "overall", "alone")
    assert (overall["identical"], overall["score"], overall["answer_sd"]) == (0.5, None, None)
    rows = nondeterminism_rows(RESPONSES, COUNTS)
    page = nondeterminism_page("m on b 4k", rows, "Synthetic text.")
    assert page.startswith("# Run-to-run variation of m on b 4k\n\n2 requests, 2 times each alone")
    assert "50.0% of the pairs of responses are identical" in page
    assert page.endswith("\n\nSynthetic text.\n")


def written(folder, model, part, *deviations):
    path = folder / "bench" / model / f"{part}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"overall,{sd}" for sd in deviations]
    path.write_text("\n".join(["task,answer_sd", "A,9", *lines]) + "\n")
    return path


def test_deviations_are_the_larger_way_s_and_the_mean_variance_of_parts(tmp_path):
    files = [written(tmp_path, "m", "4k", 0.1, 0.3), written(tmp_path, "m", "8k", 0.1, 0.1)]
    files.append(written(tmp_path, "n", "4k", ""))
    expected = {"bench": {"m": pytest.approx(math.sqrt((0.09 + 0.01) / 2))}}
    assert answer_deviations(files) == expected


@pytest.mark.parametrize("value", ["x", "-1", "nan", "inf"])
def test_a_file_that_is_not_as_it_was_written_is_refused(tmp_path, value):
    with pytest.raises(
        UserError, match="not as the workflow writes it; remove it, or run the target"
    ):
        answer_deviations([written(tmp_path, "m", "4k", value)])
