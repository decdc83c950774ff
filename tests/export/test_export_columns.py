"""Exported rows become columns of one type each, without loss."""

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
    ("values", "type_name"),
    [
        (["x", None], "string"), ([1, 2], "int64"), ([1, 2.5], "double"), ([True, False], "bool"),
        ([None], "string"), ([True, 2], JSON), (["x", 2], JSON), ([["x"], None], JSON),
        ([{"k": 1}], JSON),
    ],
)  # fmt: skip
def test_column_has_the_type_of_its_values_or_is_json(values, type_name):
    assert table("t", {"s": [{"c": value} for value in values]}).types == {"c": type_name}


def test_column_has_the_same_type_in_each_split():
    splits = table("t", {"a": [{"gold": "x"}], "b": [{"gold": ["x"]}]}).splits
    assert splits["a"].to_pylist() == [{"gold": '"x"'}]
    assert splits["b"].to_pylist() == [{"gold": '["x"]'}]
    assert splits["a"].schema == splits["b"].schema


@given(ROWS, ROWS)
def test_table_has_the_values_of_all_rows(first, second):
    exported = table("t", {"a": first, "b": second})
    types = exported.types
    for split, rows in (("a", first), ("b", second)):
        for exported_row, row in zip(exported.splits[split].to_pylist(), rows, strict=True):
            assert {*exported_row} == {*types} >= {*row}
            for column, value in exported_row.items():
                parsed = json.loads(value) if types[column] == JSON and value else value
                assert parsed == row.get(column)


@pytest.mark.parametrize("value", ["\ud800", 2**63])
def test_value_outside_the_range_of_parquet_is_refused(value):
    with pytest.raises(UserError, match="table t, column c: a value cannot be written"):
        table("t", {"s": [{"c": value}]})
