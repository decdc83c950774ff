"""What is loaded by name: an object of a module."""

import pytest

from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.simple.scorers import exact


def test_an_object_of_a_module_is_loaded():
    assert load("steadfast.simple.scorers:exact") is exact


@pytest.mark.parametrize(
    "name", ["steadfast.simple.scorers:exac", "nowhere.at.all:exact", "x.py:f"]
)
def test_what_cannot_be_loaded_is_named(name):
    with pytest.raises(UserError, match=rf"benchmark: {name} cannot be loaded .*; correct"):
        load(name)
