"""From a model's settings to its engine."""

from importlib import import_module

from steadfast.base.errors import UserError
from steadfast.contract.engine_names import ENGINES
from steadfast.engines.base import Engine, Setup


def build_engine(setup: Setup) -> Engine:
    """The engine of a model.

    Raises:
        UserError: there is no such engine, or its settings point nowhere.
    """
    name = setup.answers["engine"]
    if name not in ENGINES:
        raise UserError(f"engine: there is no {name!r}; use one of {', '.join(ENGINES)}")
    module, _, made = ENGINES[name].partition(":")
    return getattr(import_module(module), made)(setup)
