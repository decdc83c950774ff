"""Data parallel on one machine: copies of a model, each in a process and on GPUs of its own."""

import atexit
import heapq
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from steadfast.engines.base import Engine, EngineExhausted
from steadfast.engines.devices import VISIBLE
from steadfast.engines.request import Request, Response
from steadfast.errors import UserError

Groups = list[list[Request]]


class Replicas:
    """Copies of an engine, among which contexts are shared out.

    Args:
        count: copies.
        make: gives an engine, of a function that takes lines for the log; it can be pickled.
        devices: the GPUs of all copies together; empty where there are none.
        log: takes lines for the log.
    """

    def __init__(
        self,
        count: int,
        make: Callable[[Callable[[str], None]], Engine],
        devices: Sequence[str],
        log: Callable[[str], None],
    ):
        self._log = log
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

    def answer(self, groups: Groups) -> Iterator[tuple[Request, Response]]:
        """Answers of all copies, as they finish.

        Raises:
            EngineFailed: a copy is lost.
            UserError: one cannot take a request.
        """
        asked = dict(zip(self._pipes, shares(groups, len(self._pipes)), strict=True))
        busy = [pipe for pipe in self._pipes if asked[pipe]]
        for pipe in busy:
            _send(pipe, asked[pipe])
        while busy:
            ready = wait(busy)
            for pipe in [pipe for pipe in busy if pipe in ready]:
                kind, value = _received(pipe)
                if kind == "done":
                    busy.remove(pipe)
                elif kind == "log":
                    self._log(value)
                elif kind == "failed":
                    raise value
                else:
                    yield value

    def reset_prefix_cache(self) -> bool:
        """Empties the copies' prefix caches; False where one cannot."""
        for pipe in self._pipes:
            _send(pipe, None)
        done = [_received(pipe)[1] for pipe in self._pipes]
        return all(done)


def shares(groups: Groups, count: int) -> list[Groups]:
    """The groups in so many shares of about equal work, the largest first.

    A group's work is its longest prompt, which is computed once, and all its answers.
    """
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
        return pipe.recv()
    except EOFError:
        raise EngineExhausted(LOST) from None


LOST = (
    "a copy of the model (data_parallel_size) ended without a word; the log may say why; what is "
    "answered is kept: run again to go on"
)


def _serve(pipe: Connection, make: Callable[[Callable[[str], None]], Engine], visible: str) -> None:
    """A copy: loads when it is first asked, and ends with the process that asks."""
    if visible:
        os.environ[VISIBLE] = visible
    try:
        engine = make(lambda line: pipe.send(("log", line)))
        while True:
            groups = pipe.recv()
            if groups is None:
                pipe.send(("reset", engine.reset_prefix_cache()))
                continue
            for answered in engine.answer(groups):
                pipe.send(("answer", answered))
            for line in engine.summary():
                pipe.send(("log", line))
            pipe.send(("done", None))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return
    except UserError as error:
        pipe.send(("failed", error))
