"""Which cells of two runs differ, and which samples flipped, by hand."""

import pandas as pd
import pytest

from steadfast.compare.changed import joined_cells, moved
from steadfast.compare.flips import flip
from steadfast.compare.results import paired

A = pd.DataFrame(
    {"model": ["m", "m"], "task": ["T", "U"], "value": [0.5, 0.5], "low": 0.4, "high": 0.6, "n": 9}
)
SCORE = {"sample_id": "s", "repeat": 0, "task": "T", "status": "ok", "total": 0.5, "points": {}}


def found(**changes):
    """The first cell of two runs where the second has other values, as it moved."""
    b = A.assign(**changes)
    rows = moved(joined_cells(A, b), "lifbench", "ars")
    return rows[["cell", "a", "b", "difference", "apart"]].to_numpy().tolist()


def test_cells_are_joined_by_all_keys_before_the_value():
    alone = A.iloc[:1].assign(task="V")
    both = joined_cells(A, pd.concat([A.iloc[::-1].assign(value=[0.25, 0.75]), alone]))
    assert both["cell"].tolist() == ["task=T", "task=U"]
    assert both[["a", "b", "difference"]].to_numpy().tolist() == [
        [0.5, 0.75, 0.25],
        [0.5, 0.25, -0.25],
    ]
    assert both[["a_low", "a_high", "n_a"]].iloc[0].tolist() == [0.4, 0.6, 9]
    # models and values alone are enough
    plain = A.iloc[:1][["model", "value"]]
    assert joined_cells(plain, plain)[["model", "a", "b"]].to_numpy().tolist() == [["m", 0.5, 0.5]]
    for missing in ("model", "value"):
        assert not len(joined_cells(A.drop(columns=missing), A))
        assert not len(joined_cells(A, A.drop(columns=missing)))
    one, other = (A.iloc[:1].assign(task=[task]) for task in (4, 4.0))
    assert joined_cells(one, other)["cell"].tolist() == ["task=4"]
    both = joined_cells(A.assign(task=[float("nan"), 2.5]), A.assign(task=["", "2.5"]))
    assert both["cell"].tolist() == ["", "task=2.5"]


@pytest.mark.parametrize(
    ("low", "high", "apart"),
    [(0.61, 0.9, "yes"), (0.6, 0.9, "no"), (0.1, 0.39, "yes"), (0.1, 0.4, "no")],
    ids=["above", "touching above", "below", "touching below"],
)
def test_a_cell_is_told_where_the_two_intervals_are_apart(low, high, apart):
    value = [(low + high) / 2, 0.5]
    ((cell, a, b, difference, said),) = found(value=value, low=low, high=high)
    assert (cell, a, b, said) == ("task=T", 0.5, value[0], apart)
    assert difference == pytest.approx(value[0] - 0.5)


def test_a_cell_has_moved_by_more_than_rounding_with_or_without_intervals():
    ((*_, apart),) = found(value=[0.9, 0.5], low=float("nan"))
    assert apart == ""
    assert found(value=[0.5 + 1e-12, 0.5]) == []


def kind(**changes):
    flipped = flip(SCORE, {**SCORE, **changes})
    return flipped and flipped.kind


def test_samples_flip_by_total_status_or_points():
    assert kind() is None
    assert kind(total=0.6) == "better"
    assert kind(total=0.4) == "worse"
    assert kind(total=0.5 + 1e-12) is None
    assert kind(status="error") == kind(total=None) == "status"
    assert kind(points={"format": 1.0}) == "points"
    assert kind(extracted="y") is None
    a, b = ({"format": x, "logic": y, "kept": 1.0} for x, y in ((0.5, None), (1.0, 0.25)))
    flipped = flip({**SCORE, "points": a}, {**SCORE, "repeat": 1, "points": b})
    assert flipped.points == "format: 0.5 → 1; logic: none → 0.25"
    assert (flipped.sample_id, flipped.repeat) == ("s", 0)


def test_repeats_are_samples_of_their_own_and_paired_where_their_prompts_are_equal():
    again = SCORE | {"repeat": 1}
    changed = SCORE | {"sample_id": "t"}
    a = {"s": SCORE, "s#1": again, "t": changed}
    b = {"s#1": again | {"total": 1.0}, "t": changed}
    assert list(paired("4k", a, b, {"s"})) == [("4k", SCORE, None), ("4k", again, b["s#1"])]
    released = {"t": changed | {"prompts": "released"}}
    assert list(paired("4k", released, released, set())) == [("4k", released["t"], released["t"])]
