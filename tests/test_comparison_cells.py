"""Changed cells and flipped samples of two runs, by hand."""

import pandas as pd
import pytest

from steadfast.compare.changed import differing_cells, joined_cells
from steadfast.compare.flips import flip
from steadfast.compare.results import paired

A = pd.DataFrame(
    {"model": ["m", "m"], "task": ["T", "U"], "value": [0.5, 0.5], "low": 0.4, "high": 0.6, "n": 9}
)
SCORE = {"sample_id": "s", "repeat": 0, "task": "T", "status": "ok", "total": 0.5, "points": {}}


def changed_cells(**columns):
    """Cell, both values, difference and whether intervals are apart, of the cells that changed."""
    cells = differing_cells(joined_cells(A, A.assign(**columns)), "lifbench", "ars")
    return cells[["cell", "a", "b", "difference", "apart"]].to_numpy().tolist()


def test_cells_are_joined_by_all_keys_before_the_value():
    only_b = A.iloc[:1].assign(task="V")
    cells = joined_cells(A, pd.concat([A.iloc[::-1].assign(value=[0.25, 0.75]), only_b]))
    assert cells[["cell", "a", "b", "difference"]].to_numpy().tolist() == [
        ["task=T", 0.5, 0.75, 0.25],
        ["task=U", 0.5, 0.25, -0.25],
    ]
    assert cells[["a_low", "a_high", "n_a"]].iloc[0].tolist() == [0.4, 0.6, 9]


def test_cells_need_a_model_and_a_value():
    plain = A.iloc[:1][["model", "value"]]
    assert joined_cells(plain, plain)[["model", "a", "b"]].to_numpy().tolist() == [["m", 0.5, 0.5]]
    for column in ("model", "value"):
        assert not len(joined_cells(A.drop(columns=column), A))
        assert not len(joined_cells(A, A.drop(columns=column)))


def test_keys_are_joined_by_their_text():
    integer = A.iloc[:1].assign(task=[4])
    real = A.iloc[:1].assign(task=[4.0])
    assert joined_cells(integer, real)["cell"].tolist() == ["task=4"]
    cells = joined_cells(A.assign(task=[float("nan"), 2.5]), A.assign(task=["", "2.5"]))
    assert cells["cell"].tolist() == ["", "task=2.5"]


@pytest.mark.parametrize(
    ("low", "high", "apart"),
    [(0.61, 0.9, "yes"), (0.6, 0.9, "no"), (0.1, 0.39, "yes"), (0.1, 0.4, "no")],
    ids=["above", "touching above", "below", "touching below"],
)
def test_changed_cell_is_apart_where_intervals_do_not_touch(low, high, apart):
    value = (low + high) / 2
    difference = pytest.approx(value - 0.5)
    changed = changed_cells(value=[value, 0.5], low=low, high=high)
    assert changed == [["task=T", 0.5, value, difference, apart]]


def test_cell_without_interval_changes_by_more_than_rounding():
    ((*_, apart),) = changed_cells(value=[0.9, 0.5], low=float("nan"))
    assert apart == ""
    assert changed_cells(value=[0.5 + 1e-12, 0.5]) == []


def test_sample_flips_by_total_status_or_points():
    def kind(**changes):
        change = flip(SCORE, {**SCORE, **changes})
        return change and change.kind

    assert kind() is None
    assert kind(total=0.6) == "better"
    assert kind(total=0.4) == "worse"
    assert kind(total=0.5 + 1e-12) is None
    assert kind(status="error") == kind(total=None) == "status"
    assert kind(points={"format": 1.0}) == "points"
    assert kind(extracted="y") is None


def test_flip_lists_the_changed_points():
    a = {**SCORE, "points": {"format": 0.5, "logic": None, "same": 1.0}}
    b = {**SCORE, "points": {"format": 1.0, "logic": 0.25, "same": 1.0}, "repeat": 1}
    change = flip(a, b)
    assert change.points == "format: 0.5 → 1; logic: none → 0.25"
    assert (change.sample_id, change.repeat) == ("s", 0)


def test_repeats_are_paired_where_their_prompts_are_equal():
    repeat = SCORE | {"repeat": 1}
    changed = SCORE | {"sample_id": "t"}
    a = {"s": SCORE, "s#1": repeat, "t": changed}
    b = {"s#1": repeat | {"total": 1.0}, "t": changed}
    assert list(paired("4k", a, b, {"s"})) == [("4k", SCORE, None), ("4k", repeat, b["s#1"])]
    released = {"t": changed | {"prompts": "released"}}
    assert list(paired("4k", released, released, set())) == [("4k", released["t"], released["t"])]
