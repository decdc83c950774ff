"""Builds the engines behind APIs: each provider's requests, live or in batches."""

from typing import Any, Final

from steadfast.engines.api.anthropic import Anthropic, AnthropicBatches
from steadfast.engines.api.batch_api import BatchEngine
from steadfast.engines.api.batches import Batches, ChatBatches
from steadfast.engines.api.chat import Chat
from steadfast.engines.api.engine import ApiEngine
from steadfast.engines.api.gemini import Gemini, GeminiBatches
from steadfast.engines.base import Engine, Setup

# Providers by their engines' names.
PROVIDERS: Final[dict[str, type[Chat] | type[Anthropic] | type[Gemini]]] = {
    "openai": Chat,
    "anthropic": Anthropic,
    "gemini": Gemini,
}
BATCHES: Final[dict[str, type[Batches[Any]]]] = {
    "openai": ChatBatches,
    "anthropic": AnthropicBatches,
    "gemini": GeminiBatches,
}


def build(setup: Setup) -> Engine:
    """The engine of a model behind an API, live or in batches."""
    name = setup.answers["engine"]
    batch = setup.operation.get("batch")
    provider = PROVIDERS[name](setup)
    return BatchEngine(setup, provider, BATCHES[name]) if batch else ApiEngine(setup, provider)
