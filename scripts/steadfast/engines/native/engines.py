"""The engines of the native dialects."""

from collections.abc import Callable
from typing import Final

from steadfast.base.errors import UserError
from steadfast.engines.base import Engine, Setup
from steadfast.engines.native.anthropic import Anthropic
from steadfast.engines.native.dialect import Dialect
from steadfast.engines.native.gemini import Gemini
from steadfast.engines.openai.api import ApiEngine

DIALECTS: Final[dict[str, Callable[[Setup], Dialect]]] = {
    "anthropic": Anthropic,
    "gemini": Gemini,
}
"""The dialects by their engines' names."""


def build(setup: Setup) -> Engine:
    """The engine of a model that is asked in its provider's dialect."""
    if setup.operation.get("batch"):
        raise UserError(f"batch: engine {setup.answers['engine']} has none yet; set it to false")
    return ApiEngine(setup, DIALECTS[setup.answers["engine"]](setup))
