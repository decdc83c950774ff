"""Engine ``vllm`` with several copies of the model, on GPUs of this machine.

vLLM's ``LLM`` refuses ``data_parallel_size`` in one process, and its servers give each request to
any copy; here all requests of a context go to one, which computes it once.
"""

import atexit
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.contract.request import Request, Response
from steadfast.engines.base import Engine, EngineExhausted, EngineFailed, Loaded, Setup
from steadfast.engines.devices import VISIBLE
from steadfast.engines.vllm.engine import VllmEngine

COPIES = "data_parallel_size"
LOST = (
    "a copy of the model (data_parallel_size) ended without a word; the log may say why; what is "
    "answered is kept: run again to go on"
)
Groups = list[list[Request]]
PartSetup = tuple[Settings, Settings, Path | None]
"""What the copies are told of a part: ``answers``, ``operation`` and ``journal`` of ``Setup``."""


class Copies:
    """Processes with a copy of the model each, which load when they are first asked."""

    def __init__(self, count: int, devices: Sequence[str]):
        self.load_seconds = 0.0
        context = multiprocessing.get_context("spawn")
        each = len(devices) // count
        self._pipes: list[Connection] = []
        self._processes = []
        for number in range(count):
            pipe, copys_pipe = context.Pipe()
            visible = ",".join(devices[number * each : (number + 1) * each])
            process = context.Process(target=_serve, args=(copys_pipe, visible))
            process.start()
            copys_pipe.close()
            self._pipes.append(pipe)
            self._processes.append(process)
        # Engines have processes of their own, so that these can be no daemons, and would be waited
        # for at the end.
        atexit.register(self.close)

    def close(self) -> None:
        """Ends the copies."""
        for pipe, process in zip(self._pipes, self._processes, strict=True):
            pipe.close()
            process.terminate()
            process.join()

    def answer(
        self, part: PartSetup, groups: Groups, log: Callable[[str], None]
    ) -> Iterator[tuple[Request, Response]]:
        """Answers of all copies, as they finish; a copy's failure is raised when all have ended."""
        failure: UserError | None = None
        busy: list[Connection] = []
        try:
            for pipe, share in zip(self._pipes, shares(groups, len(self._pipes)), strict=True):
                if share:
                    pipe.send((part, share))
                    busy.append(pipe)
            while busy:
                for pipe in [pipe for pipe in wait(busy) if isinstance(pipe, Connection)]:
                    kind, value = pipe.recv()
                    if kind == "answer":
                        yield value
                    elif kind == "log":
                        log(value)
                    else:  # it is done with its share, well or not, and can be asked the next part
                        busy.remove(pipe)
                        seconds, error = value
                        self.load_seconds = max(self.load_seconds, seconds)
                        if isinstance(error, EngineFailed):
                            raise error
                        failure = failure or error
        except (EOFError, OSError):
            raise EngineExhausted(LOST) from None
        if failure:
            raise failure


def shares(groups: Groups, count: int) -> list[Groups]:
    """The groups in so many shares of about equal work: its longest prompt, and its answers."""

    def work(group: list[Request]) -> int:
        longest = max(request.prompt_tokens or 0 for request in group)
        return longest + sum(request.max_tokens for request in group)

    found: list[Groups] = [[] for _ in range(count)]
    load = [0] * count
    for group in sorted(groups, key=work, reverse=True):
        least = load.index(min(load))
        found[least].append(group)
        load[least] += work(group)
    return found


def _serve(pipe: Connection, visible: str) -> None:
    """A copy, which ends with the process that asks; that one holds its GPUs for it."""
    if visible:
        os.environ[VISIBLE] = visible
    loaded = Loaded()

    def log(line: str) -> None:
        pipe.send(("log", line))

    with suppress(EOFError, ConnectionError, KeyboardInterrupt):
        while True:
            (answers, operation, journal), groups = pipe.recv()
            failure = None
            try:
                setup = Setup(answers, operation, log, journal, loaded=loaded, leased=True)
                engine = VllmEngine(setup)
                for answered in engine.answer(groups):
                    pipe.send(("answer", answered))
                for line in engine.summary():
                    log(line)
            except UserError as error:
                failure = error
            pipe.send(("done", (loaded.seconds, failure)))


def build(setup: Setup) -> Engine:
    """The engine, with as many copies of the model as ``data_parallel_size`` says."""
    several = setup.operation.get(COPIES, 1) > 1
    return VllmCopies(setup) if several else VllmEngine(setup)


class VllmCopies(VllmEngine):
    """Shares out the contexts among copies of the model, each a process with GPUs of its own."""

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._part = dict(setup.answers), dict(setup.operation), setup.journal

    def load(self) -> None:
        """Starts the copies, where they are not started yet."""
        if self._loaded.model is None:
            count = self._operation[COPIES]
            self._lease(count)
            visible = [name for name in os.environ.get(VISIBLE, "").split(",") if name]
            self._loaded.model = Copies(count, visible)

    def answer(self, groups: Groups) -> Iterator[tuple[Request, Response]]:
        first = self._loaded.model is None
        self.load()
        copies: Copies = self._loaded.model
        yield from copies.answer(self._part, groups, self._log)
        self._loaded.seconds = copies.load_seconds
        if first:
            self.load_seconds = copies.load_seconds
        self._forget_hint()
