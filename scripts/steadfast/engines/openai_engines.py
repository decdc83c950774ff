"""Engine ``openai``: one by one, through the provider's Batch API, or by request files."""

from steadfast.engines.base import Engine, Setup
from steadfast.engines.batch_api import BatchEngine
from steadfast.engines.batch_local import BatchFilesEngine
from steadfast.engines.openai_api import OpenaiEngine


def build(setup: Setup) -> Engine:
    """The engine that the setting ``batch`` asks for."""
    batch = setup.operation.get("batch")
    if batch == "files":
        return BatchFilesEngine(setup)
    return BatchEngine(setup) if batch else OpenaiEngine(setup)
