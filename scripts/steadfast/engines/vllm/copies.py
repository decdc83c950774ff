"""Engine ``vllm`` with several copies of the model, on GPUs of this machine."""

import atexit
import heapq
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.base import Engine, EngineExhausted, EngineFailed, Loaded, Setup
from steadfast.engines.devices import VISIBLE
from steadfast.engines.vllm.engine import VllmEngine

COPIES = "data_parallel_size"
OPERATION = ("tensor_parallel_size", "engine_operation_args")
"""What of the operation is each copy's own."""
LOST = (
    "a copy of the model (data_parallel_size) ended without a word; the log may say why; what is "
    "answered is kept: run again to go on"
)
Groups = list[list[Request]]
Log = Callable[[str], None]


PartSetup = tuple[Settings, Settings, Path | None]
"""What the copies are told of a part: ``answers``, ``operation`` and ``journal`` of ``Setup``."""
Make = Callable[[PartSetup, Log], Engine]


class Replicas:
    """Copies of an engine, among which contexts are shared out; ``make`` must be picklable."""

    def __init__(self, count: int, make: Make, devices: Sequence[str]):
        self.seconds = 0.0
        context = multiprocessing.get_context("spawn")
        each = len(devices) // count
        self._pipes: list[Connection] = []
        self._processes = []
        for number in range(count):
            own, others = context.Pipe()
            visible = ",".join(devices[number * each : (number + 1) * each])
            process = context.Process(target=_serve, args=(others, make, visible))
            process.start()
            others.close()
            self._pipes.append(own)
            self._processes.append(process)
        # Engines have processes of their own, so that these can be no daemons, and would be waited
        # for at the end.
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the copies."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.terminate()
            process.join()
        atexit.unregister(self.close)

    def answer(
        self, part: PartSetup, groups: Groups, log: Log
    ) -> Iterator[tuple[Request, Response]]:
        """Answers of all copies, as they finish."""
        failed: UserError | None = None
        asked = dict(zip(self._pipes, shares(groups, len(self._pipes)), strict=True))
        busy = [pipe for pipe in self._pipes if asked[pipe]]
        for pipe in busy:
            _send(pipe, (part, asked[pipe]))
        while busy:
            ready = wait(busy)
            for pipe in [pipe for pipe in busy if pipe in ready]:
                kind, value = _received(pipe)
                if kind == "answer":
                    yield value
                elif kind == "log":
                    log(value)
                elif kind == "loaded":
                    self.seconds = max(self.seconds, value)
                elif isinstance(value, EngineFailed):
                    raise value
                else:  # it is done with its share, well or not, and can be asked the next part
                    busy.remove(pipe)
                    failed = failed or value
        if failed:
            raise failed


def shares(groups: Groups, count: int) -> list[Groups]:
    """The groups in so many shares of about equal work: its longest prompt, and its answers."""
    work = [max(r.prompt_tokens or 0 for r in g) + sum(r.max_tokens for r in g) for g in groups]
    found: list[Groups] = [[] for _ in range(count)]
    load = [(0, number) for number in range(count)]
    for place in sorted(range(len(groups)), key=lambda place: -work[place]):
        done, number = heapq.heappop(load)
        found[number].append(groups[place])
        heapq.heappush(load, (done + work[place], number))
    return found


def _send(pipe: Connection, message: object) -> None:
    try:
        pipe.send(message)
    except OSError:
        raise EngineExhausted(LOST) from None


def _received(pipe: Connection) -> tuple[str, Any]:
    try:
        message: tuple[str, Any] = pipe.recv()
        return message
    except (EOFError, OSError):
        raise EngineExhausted(LOST) from None


def _serve(pipe: Connection, make: Make, visible: str) -> None:
    """A copy: loads when it is first asked, and ends with the process that asks."""
    if visible:
        os.environ[VISIBLE] = visible
    part: PartSetup | None = None
    engine: Engine | None = None
    try:
        while True:
            asked = pipe.recv()
            try:
                if engine is None or asked[0] != part:
                    started = time.monotonic()
                    engine = make(asked[0], lambda line: pipe.send(("log", line)))
                    part = asked[0]
                    pipe.send(("loaded", time.monotonic() - started))
                for answered in engine.answer(asked[1]):
                    pipe.send(("answer", answered))
                for line in engine.summary():
                    pipe.send(("log", line))
                pipe.send(("done", None))
            except UserError as error:
                pipe.send(("done", error))
                if isinstance(error, EngineFailed):
                    return
    except (EOFError, ConnectionError, KeyboardInterrupt):
        return


def build(setup: Setup) -> Engine:
    """The engine, with as many copies of the model as ``data_parallel_size`` says."""
    several = setup.operation.get(COPIES, 1) > 1
    return VllmCopies(setup) if several else VllmEngine(setup)


class VllmCopies(VllmEngine):
    """Shares out the contexts among copies of the model, each a process with GPUs of its own."""

    def __init__(self, setup: Setup):
        super().__init__(setup)
        own = {key: value for key, value in setup.operation.items() if key in OPERATION}
        self._part = dict(setup.answers), own, setup.journal

    def load(self) -> None:
        """Starts the copies, where they are not started yet; each loads when it is first asked."""
        if self._loaded.model is not None:
            return
        count = self._operation[COPIES]
        self._lease(count)
        visible = [name for name in os.environ.get(VISIBLE, "").split(",") if name]
        self._loaded.model = Replicas(count, partial(_copy, Loaded()), visible)

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        first = self._loaded.model is None
        self.load()
        copies: Replicas = self._loaded.model
        yield from copies.answer(self._part, groups, self._log)
        self._loaded.seconds = copies.seconds
        if first:
            self.load_seconds = copies.seconds
        self._forget_hint()


def _copy(loaded: Loaded, part: PartSetup, log: Log) -> Engine:
    """One copy; the process that shares out the work holds its GPUs for it."""
    answers, operation, journal = part
    engine = VllmEngine(Setup(answers, operation, log, journal, loaded=loaded, leased=True))
    engine.load()
    return engine
