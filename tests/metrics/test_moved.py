"""Cells of two runs side by side, by hand."""

import pandas as pd
import pytest

from steadfast.compare.changed import COLUMNS, joined_cells, moved

NONE, NAN = pd.DataFrame(), float("nan")


def cells(*rows):
    columns = ["model", "task", "length", "value", "low", "high", "n"]
    return pd.DataFrame(rows, columns=columns)


def test_cells_are_joined_by_all_keys_and_those_of_one_run_alone_are_left_out():
    a = cells(("m", "T", "", 0.5, 0.4, 0.6, 10), ("m", "T", "4k", 0.7, NAN, NAN, 5))
    b = cells(("m", "T", "4k", 0.9, NAN, NAN, 5), ("m", "U", "", 0.1, 0.0, 0.2, 10))
    (row,) = joined_cells(a, b).to_dict("records")
    assert (row["model"], row["keys"]) == ("m", {"task": "T", "length": "4k"})
    assert (row["a"], row["b"], row["n_a"]) == (0.7, 0.9, 5)
    assert row["difference"] == pytest.approx(0.2)


def test_a_level_that_one_file_holds_as_a_float_is_the_same_level():
    a = pd.DataFrame({"model": ["m"], "level": [1], "value": [0.5]})
    b = pd.DataFrame({"model": ["m"], "level": [1.0], "value": [0.6]})
    assert joined_cells(a, b)["keys"].tolist() == [{"level": "1"}]


def test_a_file_without_models_has_no_cells():
    rows = pd.DataFrame({"part": ["4k"], "clusters": [3]})
    assert len(joined_cells(rows, rows)) == 0


@pytest.mark.parametrize(
    ("b_row", "by", "beyond"),
    [
        ((0.9, 0.8, 1.0), "intervals", "yes"),  # above all of the first
        ((0.1, 0.0, 0.2), "intervals", "yes"),  # below it
        ((0.6, 0.55, 0.8), "intervals", "no"),  # they overlap
        ((0.9, NAN, NAN), "", ""),
    ],
)
def test_two_intervals_tell_by_whether_they_overlap(b_row, by, beyond):
    a, b = cells(("m", "T", "", 0.5, 0.4, 0.6, 9)), cells(("m", "T", "", *b_row, 9))
    (row,) = moved(joined_cells(a, b), "ars", NONE).to_dict("records")
    assert (row["by"], row["beyond"]) == (by, beyond)
    assert pd.isna(row["low"]) and pd.isna(row["p"])


def test_a_value_that_stayed_is_no_cell_that_moved():
    same = cells(("m", "T", "", 0.5, 0.4, 0.6, 9))
    assert list(moved(joined_cells(same, same), "ars", NONE)) == list(COLUMNS[1:])
    assert len(moved(joined_cells(same, same), "ars", NONE)) == 0


OVERLAPPING = (
    cells(("m", "T", "", 0.5, 0.4, 0.6, 9)),
    cells(("m", "T", "", 0.6, 0.5, 0.7, 9)),
)


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
    (row,) = moved(joined_cells(*OVERLAPPING), "ars", test).to_dict("records")
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
