"""Engine ``vllm`` with several copies of the model, on GPUs of this machine.

vLLM's ``LLM`` does not support ``data_parallel_size`` in one process, and its servers give each
request to any copy; here all requests of a context go to one copy, which computes it once.
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
    "a copy of the model (data_parallel_size) exited without an error message; the log may have "
    "the reason; responses so far are cached: run again to continue"
)
Groups = list[list[Request]]
# ``answers``, ``operation`` and ``journal`` of a part's ``Setup``, for the copies.
PartSetup = tuple[Settings, Settings, Path | None]


class Copies:
    """Processes with one copy of the model each, which load it at their first request."""

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
        # Engines start child processes, so these cannot be daemons; Python would wait for them at
        # its end.
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
        """Responses of all copies as they finish; a copy's failure is raised after the last one."""
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
                    else:  # done with its share, or failed; ready for the next part
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
    """The groups in ``count`` shares of about equal work (longest prompt and output limits)."""

    def work(group: list[Request]) -> int:
        longest = max(request.prompt_tokens or 0 for request in group)
        return longest + sum(request.max_tokens for request in group)

    group_shares: list[Groups] = [[] for _ in range(count)]
    loads = [0] * count
    # Longest first, each to the share with the least work so far.
    for group in sorted(groups, key=work, reverse=True):
        smallest = loads.index(min(loads))
        group_shares[smallest].append(group)
        loads[smallest] += work(group)
    return group_shares


class CopyEngine(VllmEngine):
    """One copy, whose parent process has locked the GPUs."""

    def _lock_gpus(self, copies: int = 1) -> None:
        pass

    def _forget_hint(self) -> None:
        pass  # another copy may just have died: the parent forgets it


def _serve(pipe: Connection, visible: str) -> None:
    """Runs a copy until its parent process ends, which holds the locks of its GPUs."""
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
                engine = CopyEngine(Setup(answers, operation, log, journal, loaded=loaded))
                for answered in engine.answer(groups):
                    pipe.send(("answer", answered))
                for line in engine.summary():
                    log(line)
            except UserError as error:
                failure = error
            pipe.send(("done", (loaded.seconds, failure)))


def build(setup: Setup) -> Engine:
    """The engine, with ``data_parallel_size`` copies of the model."""
    several = setup.operation.get(COPIES, 1) > 1
    return VllmCopies(setup) if several else VllmEngine(setup)


class VllmCopies(VllmEngine):
    """Divides the contexts among copies of the model, each a process with its own GPUs."""

    def __init__(self, setup: Setup):
        super().__init__(setup)
        self._part = dict(setup.answers), dict(setup.operation), setup.journal
        self._count = setup.operation[COPIES]

    def load(self) -> None:
        """Starts the copies, unless they run already."""
        if self._loaded.model is None:
            self._lock_gpus(self._count)
            visible = [name for name in os.environ.get(VISIBLE, "").split(",") if name]
            self._loaded.model = Copies(self._count, visible)

    def answer(self, groups: Groups) -> Iterator[tuple[Request, Response]]:
        first = self._loaded.model is None
        self.load()
        copies: Copies = self._loaded.model
        yield from copies.answer(self._part, groups, self._log)
        self._loaded.seconds = copies.load_seconds
        if first:
            self.load_seconds = copies.load_seconds
        self._forget_hint()
