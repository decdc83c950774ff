"""Which settings differ, by hand."""

from steadfast.compare.results import ABSENT, differences


def test_equal_values_differ_in_nothing_whatever_their_order():
    assert list(differences({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1})) == []


def test_a_list_is_one_value_and_a_mapping_many():
    a = {"tasks": ["LSI", "OQ"], "models": {"m": {"slip": 0.1, "seed": 1}}}
    b = {"tasks": ["LSI"], "models": {"m": {"slip": 0.2, "seed": 1}}}
    assert [tuple(one) for one in differences(a, b)] == [
        ("tasks", '["LSI","OQ"]', '["LSI"]'),
        ("models.m.slip", "0.1", "0.2"),
    ]


def test_null_is_a_value_and_a_missing_key_is_none():
    found = differences({"a": None}, {"b": None})
    assert [tuple(one) for one in found] == [("a", "null", ABSENT), ("b", ABSENT, "null")]
    assert [tuple(one) for one in differences({"a": None}, {"a": {"x": 1}})] == [
        ("a", "null", '{"x":1}')
    ]
