"""Engine ``vllm`` with several copies of the model, on GPUs of this machine."""

import os
from collections.abc import Callable, Iterator
from functools import partial

from steadfast.contract.request import Request, Response
from steadfast.engines.base import Engine, Loaded, Setup
from steadfast.engines.devices import VISIBLE
from steadfast.engines.vllm.engine import VllmEngine
from steadfast.engines.vllm.replicas import Part, Replicas

COPIES = "data_parallel_size"
OPERATION = ("tensor_parallel_size", "gpu_memory_utilization", "batch", "engine_operation_args")
"""What of the operation is each copy's own."""


def build(setup: Setup) -> Engine:
    """The engine, with as many copies of the model as ``data_parallel_size`` says."""
    several = setup.operation.get(COPIES, 1) > 1
    return VllmCopies(setup) if several else VllmEngine(setup)


class VllmCopies(VllmEngine):
    """Shares out the contexts among copies of the model, each in a process and on GPUs of its own.

    Args:
        setup: as of ``VllmEngine``; its operation has ``data_parallel_size`` too.
    """

    def __init__(self, setup: Setup):
        super().__init__(setup)
        own = {key: value for key, value in setup.operation.items() if key in OPERATION}
        self._part = Part(dict(setup.answers), own, setup.journal)

    def load(self) -> None:
        """Starts the copies, where they are not started yet; each loads when it is first asked."""
        if self._loaded.model is not None:
            return
        count = self._operation[COPIES]
        self._lease(count)
        visible = [name for name in os.environ.get(VISIBLE, "").split(",") if name]
        self._loaded.model = Replicas(count, partial(_copy, Loaded()), visible)

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """Answers of all copies as they finish.

        Raises:
            EngineFailed: a copy does not load the model, or died.
            UserError: vLLM is missing, or a copy's memory does not hold a context.
        """
        first = self._loaded.model is None
        self.load()
        copies: Replicas = self._loaded.model
        yield from copies.answer(self._part, groups, self._log)
        self._loaded.seconds = copies.seconds
        if first:
            self.load_seconds = copies.seconds
        self._forget_hint()

    def reset_prefix_cache(self) -> bool:
        """Empties the prefix caches, once the copies are started."""
        return self._loaded.model is not None and self._loaded.model.reset_prefix_cache()


def _copy(loaded: Loaded, part: Part, log: Callable[[str], None]) -> Engine:
    """One copy; the process that shares out the work holds its GPUs for it."""
    answers, operation, journal = part
    engine = VllmEngine(Setup(answers, operation, log, journal, loaded=loaded, leased=True))
    engine.load()
    return engine
