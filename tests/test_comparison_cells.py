"""Which cells of two runs differ, and which samples flipped, by hand."""

import pandas as pd
import pytest

from steadfast.compare.changed import joined_cells, moved
from steadfast.compare.flips import flips

A = pd.DataFrame(
    {"model": ["m", "m"], "task": ["T", "U"], "value": [0.5, 0.5], "low": 0.4, "high": 0.6, "n": 9}
)
SCORE = {"sample_id": "s", "draw": 0, "task": "T", "status": "ok", "total": 0.5, "points": {}}


def found(**changes):
    """The first cell of two runs where the second has other values, as it moved."""
    b = A.assign(**changes)
    rows = moved(joined_cells(A, b), "ars", pd.DataFrame())
    return rows[["cell", "a", "b", "difference", "by", "beyond"]].to_numpy().tolist()


def test_cells_are_joined_by_all_keys_before_the_value():
    alone = A.iloc[:1].assign(task="V")
    both = joined_cells(A, pd.concat([A.iloc[::-1].assign(value=[0.25, 0.75]), alone]))
    assert both["keys"].tolist() == [{"task": "T"}, {"task": "U"}]
    assert both[["a", "b", "difference"]].to_numpy().tolist() == [
        [0.5, 0.75, 0.25],
        [0.5, 0.25, -0.25],
    ]
    assert both[["a_low", "a_high", "n_a"]].iloc[0].tolist() == [0.4, 0.6, 9]


def test_a_file_of_models_and_values_alone_has_cells_and_one_without_has_none():
    plain = A.iloc[:1][["model", "value"]]
    assert joined_cells(plain, plain)[["model", "a", "b"]].to_numpy().tolist() == [["m", 0.5, 0.5]]
    for missing in ("model", "value"):
        assert not len(joined_cells(A.drop(columns=missing), A))
        assert not len(joined_cells(A, A.drop(columns=missing)))


def test_a_number_is_the_same_key_whether_it_is_whole_or_a_float():
    one, other = (A.iloc[:1].assign(task=[task]) for task in (4, 4.0))
    assert joined_cells(one, other)["keys"].tolist() == [{"task": "4"}]
    assert joined_cells(A.assign(task=[float("nan"), 2.5]), A.assign(task=["", "2.5"]))[
        "keys"
    ].tolist() == [{"task": ""}, {"task": "2.5"}]


@pytest.mark.parametrize(
    ("low", "high", "beyond"),
    [(0.61, 0.9, "yes"), (0.6, 0.9, "no"), (0.1, 0.39, "yes"), (0.1, 0.4, "no")],
    ids=["above", "touching above", "below", "touching below"],
)
def test_a_cell_is_beyond_where_the_two_intervals_are_apart(low, high, beyond):
    value = [(low + high) / 2, 0.5]
    ((cell, a, b, difference, by, said),) = found(value=value, low=low, high=high)
    assert (cell, a, b, by, said) == ("task=T", 0.5, value[0], "intervals", beyond)
    assert difference == pytest.approx(value[0] - 0.5)


def test_a_cell_without_intervals_moved_and_nothing_tells():
    ((*_, by, beyond),) = found(value=[0.9, 0.5], low=float("nan"))
    assert (by, beyond) == ("", "")


def test_what_differs_by_rounding_alone_has_not_moved():
    assert found(value=[0.5 + 1e-12, 0.5]) == []


def cells(value):
    columns = ["model", "task", "length", "value", "low", "high", "n"]
    return pd.DataFrame([("m", "T", "", value, value - 0.1, value + 0.1, 9)], columns=columns)


def paired(**changes):
    return pd.DataFrame(
        [
            {
                "model": "m",
                "keys": {"task": "T", "length": ""},
                "difference": 0.1,
                "low": 0.05,
                "high": 0.15,
                "p": 0.01,
                **changes,
            }
        ]
    )


@pytest.mark.parametrize(
    ("test", "by", "beyond"),
    [
        (paired(), "paired", "yes"),
        (paired(p=0.2), "paired", "no"),
        (paired(model="n"), "intervals", "no"),
        (paired(difference=0.11), "intervals", "no"),  # other samples
        (paired(keys={"task": "U", "length": ""}), "intervals", "no"),
        (paired(keys={"task": "T", "length": "4k"}), "intervals", "no"),
        (paired(keys={"measure": "ISR", "task": "T"}), "intervals", "no"),
        (paired(keys={"measure": "ARS", "task": "T"}), "paired", "yes"),
        (paired(low=float("nan"), high=float("nan")), "intervals", "no"),
    ],
)
def test_the_paired_interval_is_taken_where_it_is_of_the_very_difference(test, by, beyond):
    (row,) = moved(joined_cells(cells(0.5), cells(0.6)), "ars", test).to_dict("records")
    assert (row["by"], row["beyond"]) == (by, beyond)


def test_a_headline_takes_the_test_over_all_whatever_that_is_called():
    sides = [
        pd.DataFrame(
            {"model": ["m"], "measure": ["PSR"], "value": [value], "low": 0.1, "high": 0.9}
        )
        for value in (0.5, 0.6)
    ]
    test = paired(keys={"split": "full", "measure": "PSR"})
    (row,) = moved(joined_cells(*sides), "headline", test).to_dict("records")
    assert (row["by"], row["cell"]) == ("paired", "measure=PSR")


def kinds(**changes):
    return [flip.kind for flip in flips({"s": SCORE}, {"s": {**SCORE, **changes}})]


def test_a_sample_flips_by_its_total_its_status_or_its_points():
    assert kinds() == []
    assert kinds(total=0.6) == ["better"]
    assert kinds(total=0.4) == ["worse"]
    assert kinds(total=0.5 + 1e-12) == []
    assert kinds(status="error") == kinds(total=None) == ["status"]
    assert kinds(points={"format": 1.0}) == ["points"]
    assert list(flips({"s": SCORE}, {"t": SCORE})) == []


def test_points_that_differ_are_named_with_both_values():
    a, b = ({"format": x, "logic": y, "kept": 1.0} for x, y in ((0.5, None), (1.0, 0.25)))
    (flip,) = flips({"s": {**SCORE, "points": a}}, {"s": {**SCORE, "points": b}})
    assert flip.points == "format: 0.5 → 1; logic: none → 0.25"


def test_what_is_extracted_otherwise_and_scored_alike_is_no_flip():
    a, b = SCORE | {"extracted": "x"}, SCORE | {"extracted": "y"}
    assert list(flips({"s": a}, {"s": b})) == []


def test_draws_are_samples_of_their_own_and_samples_of_one_run_alone_are_left_out():
    records = {"s": SCORE, "s#1": SCORE | {"draw": 1}}
    other = {"s#1": SCORE | {"draw": 1, "total": 1.0}, "t": SCORE | {"sample_id": "t"}}
    assert [(one.sample_id, one.draw) for one in flips(records, other)] == [("s", 1)]
