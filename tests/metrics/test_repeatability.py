"""Run-to-run variation, on numbers calculated by hand."""

import math

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


def variation(task, way="alone", responses=RESPONSES, counts=COUNTS, weights=None) -> dict:
    rows = nondeterminism_rows(responses, counts, weights)
    assert {tuple(row) for row in rows} == {COLUMNS}
    return next(row for row in rows if (row["task"], row["way"]) == (task, way))


def test_equal_responses_have_no_variation():
    row = variation("A")
    assert (row["identical"], row["differ"]) == (1, 0)
    assert (row["score"], row["score_sd"], row["answer_sd"]) == (1, 0, 0)
    row = variation("B", "together")
    assert (row["identical"], row["differ"]) == (1, 0)


def test_variation_of_different_responses_by_hand():
    row = variation("B")
    assert (row["identical"], row["repeats"], row["n"]) == (0, 2, 1)
    assert row["differ"] == 1
    assert row["score"] == pytest.approx(0.5)
    assert row["score_sd"] == pytest.approx(math.sqrt(0.02))  # of .4 and .6
    assert row["answer_sd"] == pytest.approx(math.sqrt(0.02))
    overall = variation("overall")
    assert overall["identical"] == 0.5
    assert overall["score"] == pytest.approx((0.7 + 0.8) / 2)
    assert overall["score_sd"] == pytest.approx(math.sqrt(0.005))  # of .7 and .8


def test_two_of_three_equal_responses_are_a_third_of_the_pairs():
    third = RESPONSES.query("repeat == 0 and way == 'alone'").assign(repeat=2, total=None)
    responses = pd.concat([RESPONSES, third])
    row = variation("B", responses=responses)
    assert (row["identical"], row["repeats"], row["differ"]) == (2 / 6, 3, 1)
    assert row["score"] == pytest.approx(0.5)
    responses.loc[2, "text"] = "y"  # the first of A that is sent together with others
    assert variation("A", responses=responses)["differ"] == 0


@pytest.mark.parametrize(
    ("counts", "weights", "expected"),
    [
        # N Σ (w/Σw)² v/n: 4 · ((1/4)² · 0 / 1 + (3/4)² · .02 / 3)
        ({"A": 1, "B": 3}, None, math.sqrt(4 * (9 / 16) * 0.02 / 3)),
        # 4 · ((1/2)² · .02 / 3)
        ({"A": 1, "B": 3}, {"A": 1, "B": 1}, math.sqrt(4 * 0.25 * 0.02 / 3)),
        # A task that was not sampled has the mean variance of the others, .01:
        # 3 · (0 + .02 / 9 + .01 / 9)
        ({"A": 1, "B": 1, "C": 1}, None, math.sqrt(3 * 0.03 / 9)),
        ({"B": 2}, None, math.sqrt(0.02)),
        ({"D": 1}, {"E": 1}, None),
    ],
)
def test_deviation_of_a_response_is_weighted_by_tasks(counts, weights, expected):
    overall = variation("overall", counts=counts, weights=weights)
    assert overall["answer_sd"] == (None if expected is None else pytest.approx(expected))


def test_unscored_responses_are_compared_by_text_only():
    overall = variation("overall", responses=RESPONSES.assign(total=None))
    assert (overall["identical"], overall["score"], overall["answer_sd"]) == (0.5, None, None)


def test_page_states_the_requests_and_the_data():
    rows = nondeterminism_rows(RESPONSES, COUNTS)
    page = nondeterminism_page("m on b 4k", rows, "Synthetic text.")
    assert page.startswith("# Run-to-run variation of m on b 4k\n\n2 requests, 2 times each alone")
    assert "50.0% of the pairs of responses are identical" in page
    assert page.endswith("\n\nSynthetic text.\n")


def deviation_file(folder, model, part, *deviations):
    path = folder / "bench" / model / f"{part}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"overall,{deviation}" for deviation in deviations]
    path.write_text("\n".join(["task,answer_sd", "A,9", *lines]) + "\n")
    return path


def test_deviation_pools_the_larger_one_of_each_part(tmp_path):
    files = [
        deviation_file(tmp_path, "m", "4k", 0.1, 0.3),
        deviation_file(tmp_path, "m", "8k", 0.1, 0.0),
        deviation_file(tmp_path, "n", "4k", ""),
    ]
    expected = {"bench": {"m": pytest.approx(math.sqrt((0.09 + 0.01) / 2))}}
    assert answer_deviations(files) == expected


@pytest.mark.parametrize("value", ["x", "-1", "nan", "inf"])
def test_invalid_deviation_file_is_refused(tmp_path, value):
    message = "not as the workflow writes it; remove it, or run the target"
    with pytest.raises(UserError, match=message):
        answer_deviations([deviation_file(tmp_path, "m", "4k", value)])
