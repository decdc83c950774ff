"""Imports components by their names."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from steadfast.base.errors import UserError


def load(name: str) -> Callable[..., Any]:
    """The object with the name ``module:object``."""
    module, _, attribute = name.rpartition(":")
    try:
        loaded: Callable[..., Any] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"benchmark: {name} cannot be loaded ({error}); correct the component's name"
        ) from None
    return loaded
