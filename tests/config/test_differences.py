"""The settings in which two configs differ."""

import pytest

from steadfast.compare.results import ABSENT, differences


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, []),
        # A list is one value; a mapping has a value for each key.
        (
            {"tasks": ["LSI", "OQ"], "models": {"m": {"slip": 0.1, "seed": 1}}},
            {"tasks": ["LSI"], "models": {"m": {"slip": 0.2, "seed": 1}}},
            [("tasks", '["LSI","OQ"]', '["LSI"]'), ("models.m.slip", "0.1", "0.2")],
        ),
        # null is a value, and a missing key has none.
        ({"a": None}, {"b": None}, [("a", "null", ABSENT), ("b", ABSENT, "null")]),
        ({"a": None}, {"a": {"x": 1}}, [("a", "null", '{"x":1}')]),
    ],
)
def test_differences_by_hand(first, second, expected):
    assert list(map(tuple, differences(first, second))) == expected
