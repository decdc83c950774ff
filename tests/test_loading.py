"""Objects of a module are loaded by name."""

import pytest

from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.simple.scorers import exact


def test_object_of_a_module_is_loaded():
    assert load("steadfast.simple.scorers:exact") is exact


@pytest.mark.parametrize(
    "name", ["steadfast.simple.scorers:exac", "nowhere.at.all:exact", "x.py:f"]
)
def test_name_that_cannot_be_loaded_is_reported(name):
    with pytest.raises(UserError, match=rf"benchmark: {name} cannot be loaded .*; correct"):
        load(name)
