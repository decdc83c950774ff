"""Engine ``openai``: one by one, through the provider's Batch API, or by request files."""

from steadfast.engines.base import Engine, Setup
from steadfast.engines.openai.api import OpenaiEngine
from steadfast.engines.openai.batch_api import BatchEngine
from steadfast.engines.openai.batch_local import BatchFilesEngine


def build(setup: Setup) -> Engine:
    """The engine that the setting ``batch`` asks for."""
    batch = setup.operation.get("batch")
    if batch == "files":
        return BatchFilesEngine(setup)
    return BatchEngine(setup) if batch else OpenaiEngine(setup)
