"""The engines of the native dialects."""

from typing import Any, Final

from steadfast.engines.api.anthropic import Anthropic, AnthropicBatches
from steadfast.engines.api.batch_api import BatchEngine
from steadfast.engines.api.batches import Batches
from steadfast.engines.api.dialect import NativeProvider
from steadfast.engines.api.engine import ApiEngine
from steadfast.engines.api.gemini import Gemini, GeminiBatches
from steadfast.engines.base import Engine, Setup

DIALECTS: Final[dict[str, type[Anthropic] | type[Gemini]]] = {
    "anthropic": Anthropic,
    "gemini": Gemini,
}
"""The dialects by their engines' names."""
BATCHES: Final[dict[str, type[Batches[Any]]]] = {
    "anthropic": AnthropicBatches,
    "gemini": GeminiBatches,
}


def build(setup: Setup) -> Engine:
    """The engine of a model that is asked in its provider's dialect."""
    name = setup.answers["engine"]
    dialect: NativeProvider = DIALECTS[name](setup)
    if setup.operation.get("batch"):
        return BatchEngine(setup, dialect, BATCHES[name])
    return ApiEngine(setup, dialect)
