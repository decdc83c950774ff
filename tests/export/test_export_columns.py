"""Rows of any kind become columns of one plain type each, and lose nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.share.card import JSON
from steadfast.share.export import table

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALAR = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT
VALUE = (
    SCALAR
    | st.floats(allow_nan=False)
    | st.lists(TEXT, max_size=2)
    | st.dictionaries(TEXT, TEXT, max_size=2)
)
ROWS = st.lists(st.fixed_dictionaries({"id": TEXT}, optional={"a": VALUE, "b": SCALAR}), max_size=4)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["x", None], "string"),
        ([1, 2], "int64"),
        ([1, 2.5], "double"),
        ([True, False], "bool"),
        ([True, 2], JSON),
        (["x", 2], JSON),
        ([["x"], None], JSON),
        ([{"k": 1}], JSON),
        ([None], "string"),
    ],
)
def test_a_column_has_the_one_type_of_its_values_or_is_json(values, kind):
    assert table("t", {"s": [{"c": value} for value in values]}).types == {"c": kind}


def test_a_column_has_the_same_type_in_every_split():
    made = table("t", {"a": [{"gold": "x"}], "b": [{"gold": ["x"]}]})
    rows = {split: content.to_pylist() for split, content in made.splits.items()}
    assert rows == {"a": [{"gold": '"x"'}], "b": [{"gold": '["x"]'}]}
    assert made.splits["a"].schema == made.splits["b"].schema


@given(ROWS, ROWS)
def test_parquet_holds_what_was_given(first, second):
    made = table("t", {"a": first, "b": second})
    for split, rows in (("a", first), ("b", second)):
        for row, source in zip(made.splits[split].to_pylist(), rows, strict=True):
            assert {*row} == {*made.types} >= {*source}
            for column, value in row.items():
                read = json.loads(value) if made.types[column] == JSON and value else value
                assert read == source.get(column)


@pytest.mark.parametrize("value", ["\ud800", 2**63])
def test_a_value_that_parquet_cannot_hold_is_refused(value):
    with pytest.raises(UserError, match="table t, column c: a value cannot be written"):
        table("t", {"s": [{"c": value}]})
