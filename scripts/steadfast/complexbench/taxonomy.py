"""The vocabulary of ComplexBench's annotations, read from ``resources/complexbench``."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

RESOURCES = Path(__file__).resolve().parents[3] / "resources" / "complexbench"
LANGUAGES = ("zh", "en")


def read_yaml(name: str) -> Any:
    """A facts file of the benchmark."""
    return yaml.safe_load((RESOURCES / name).read_text(encoding="utf-8"))


@cache
def taxonomy() -> dict[str, Any]:
    """Task types, constraint types with their dimensions, composition types, categories, rules."""
    return read_yaml("taxonomy.yaml")


@cache
def dimensions() -> dict[str, str]:
    """Each of the 19 constraint dimensions and the constraint type that it belongs to."""
    return {
        dimension: kind
        for kind, facts in taxonomy()["constraint_types"].items()
        for dimension in facts["dimensions"]
    }
