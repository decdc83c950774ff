"""The vocabulary of ComplexBench's annotations, read from ``resources/complexbench``."""

from functools import cache
from typing import Any

from steadfast.base.files import Record
from steadfast.base.resources import facts

LANGUAGES = ("zh", "en")


def taxonomy() -> Record:
    """Task types, constraint types with their dimensions, composition types, categories, rules."""
    found: dict[str, Any] = facts("complexbench/taxonomy.yaml")
    return found


@cache
def dimensions() -> dict[str, str]:
    """Returns each of the 19 constraint dimensions and the constraint type that it belongs to."""
    return {
        dimension: kind
        for kind, of in taxonomy()["constraint_types"].items()
        for dimension in of["dimensions"]
    }
