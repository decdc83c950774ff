"""Runs one job's requests through its engine, and keeps the responses in the journal."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Settings, write_json
from steadfast.contract.records import RunRecord, read_runs
from steadfast.contract.request import ANSWERED, Item, Request, Response, grouped
from steadfast.engines.base import Engine
from steadfast.engines.cost.bill import FailedAttempt
from steadfast.engines.sending.journal import Journal
from steadfast.engines.sending.progress import Notices, Progress
from steadfast.engines.sending.reasoning import separate_reasoning, start_tags

WRITE_SECONDS = 5.0


def record_path(journal: Path) -> Path:
    """The run record of a journal's job."""
    return journal.with_suffix(".run.json")


class RunRecorder(AbstractContextManager["RunRecorder"]):
    """Adds a run to a job's run record, written every few seconds: a kill loses little of it.

    Of several parts that share an engine's time, each has what was ``spent`` on it, and one has
    the engine's retries, latencies and loading.
    """

    def __init__(self, path: Path, engine: Engine, with_engine: bool):
        self._path = path
        self._engine = engine
        self._with_engine = with_engine
        self._earlier = read_runs(path)
        self._counts: Counter[str] = Counter()
        self._machine: str | None = None
        self._started = time.monotonic()
        self._spent: float | None = None
        self._write()  # so that a run that is killed at once is on record

    def spend(self, seconds: float) -> None:
        """Counts seconds of a time that several parts share."""
        self._spent = (self._spent or 0.0) + seconds

    def update(self, response: Response) -> None:
        """Counts a response."""
        prompt = response.prompt_tokens or 0
        self._counts.update(
            answered=int(response.status != "error"),
            failed=int(response.status == "error"),
            prompt_tokens=prompt,
            computed_tokens=prompt - (response.cached_tokens or 0),
            output_tokens=response.completion_tokens or 0,
        )
        self._machine = response.fingerprint or self._machine
        if time.monotonic() - self._written > WRITE_SECONDS:
            self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        elapsed = self._written - self._started
        run: RunRecord = {
            "wall_seconds": round(elapsed if self._spent is None else self._spent, 3),
            "answered": self._counts["answered"],
            "failed": self._counts["failed"],
            "retries": self._engine.retries if self._with_engine else Counter(),
            "latencies": self._engine.latencies.counts if self._with_engine else {},
            "load_seconds": round(self._engine.load_seconds, 3) if self._with_engine else 0.0,
            "prompt_tokens": self._counts["prompt_tokens"],
            "computed_tokens": self._counts["computed_tokens"],
            "output_tokens": self._counts["output_tokens"],
            "machine": self._machine,
            "option": self._engine.option,
        }
        write_json(self._path, {"runs": [*self._earlier, run]})

    def __exit__(self, *error: object) -> None:
        self._write()


class Sender:
    """Sends a job's requests; responses of a paid engine are kept in the journal."""

    def __init__(
        self,
        model: str,
        label: str,
        engine: Engine,
        reasoning: Settings | None,
        journal: Path,
        total: int,
        report: Callable[[str], None],
        stack: ExitStack,
    ):
        self._model = model
        self._engine = engine
        self._path = journal
        self._report = report
        self._stack = stack
        self._total = total
        self._read = reasoning_separator(engine, reasoning)

        def show_wait(line: str) -> None:
            report(f"{model}: {line}")
            Notices().show(f"{label}: {line}")

        self._journal = stack.enter_context(Journal(journal, show_wait)) if engine.paid else None
        self._progress = stack.enter_context(closing(Progress(label, total)))
        self._record: RunRecorder | None = None

    def send(self, requests: list[Request], is_retry: bool = False) -> list[Response]:
        """The response to each request, in order; equal requests are sent once."""
        key = self._key
        responses: dict[str, Response] = {}
        unsent: dict[str, Request] = {}
        for request in requests:
            if request.overflow:
                responses[key(request)] = Response("overflow", error=request.overflow)
            elif self._journal is not None and (cached := self._journal.get(request.hash)):
                responses[request.hash] = cached
            else:
                unsent.setdefault(key(request), request)
        # A re-requested response has been counted already.
        shares = Counter() if is_retry else Counter(map(key, requests))
        kind = "unreadable responses, re-requested" if is_retry else "requests"
        self._report(
            f"{self._model}: {len(requests)} {kind}, {len(responses)} cached, {len(unsent)} to send"
        )
        self._progress.skip(sum(shares[name] for name in responses))
        if unsent:
            self._recorder()
            for request, response in self._engine.answer(grouped(unsent.values())):
                self.keep(request, response, shares[key(request)])
                responses[key(request)] = response  # the last one follows any failed attempts
            for line in self._engine.summary():
                self._report(f"{self._model}: {line}")
        return [self._read(responses[key(request)]) for request in requests]

    def unsent(self, requests: Iterable[Request]) -> list[Request]:
        """The requests that fit and are not in the journal."""
        assert self._journal is not None, "only a paid engine has a journal"
        fitting = [request for request in requests if not request.overflow]
        return [request for request in fitting if self._journal.get(request.hash) is None]

    def begin(self, unsent: int, with_engine: bool) -> None:
        """Begins a pass that other parts share.

        Args:
            unsent: number of requests.
            with_engine: whether the run record has the engine's own counts.
        """
        self._report(
            f"{self._model}: {unsent} requests to send, in one pass with those of other parts"
        )
        self._progress.skip(self._total - unsent)
        self._recorder(with_engine).spend(0.0)

    def _recorder(self, with_engine: bool = True) -> RunRecorder:
        """The run record, which begins when requests are sent."""
        if self._record is None:
            record = RunRecorder(record_path(self._path), self._engine, with_engine)
            self._record = self._stack.enter_context(record)
        return self._record

    def keep(
        self, request: Request, response: Response, count: int = 1, seconds: float | None = None
    ) -> None:
        """Keeps a response in the journal, and counts it; a failed attempt has only a cost.

        Args:
            count: of equal requests, for the progress.
            seconds: of a time that parts share.
        """
        if seconds is not None:
            self._recorder().spend(seconds)
        if self._journal is not None:
            self._journal.append(request.hash, response)
        if isinstance(response, FailedAttempt):
            return
        self._recorder().update(response)
        self._progress.update(response, count)

    def _key(self, request: Request) -> str:
        # Engines without a model use the benchmark's reference answers, which the hash does not
        # cover: their responses are made anew each time, by sample.
        return request.hash if self._engine.paid else request.key


def reasoning_separator(
    engine: Engine, reasoning: Settings | None
) -> Callable[[Response], Response]:
    """A function that separates the reasoning in an engine's responses."""
    if not engine.has_model:
        return lambda response: response
    prefilled = engine.prefilled(start_tags(reasoning or {}))
    tokenizer = engine.tokenizer

    def read(response: Response) -> Response:
        separated = separate_reasoning(response, reasoning, prefilled)
        if separated.reasoning and separated.reasoning_tokens is None and tokenizer:
            return replace(separated, reasoning_tokens=tokenizer.count(separated.reasoning))
        return separated

    return read


class Exchange(NamedTuple):
    """A request, its response, and the number of the attempt."""

    request: Request
    response: Response
    attempt: int = 1


def converse(
    items: Sequence[Item],
    send: Callable[[list[Item]], list[tuple[Request, Response]]],
    readable: Callable[[str, str], bool] | None = None,
    attempts: int = 1,
) -> list[Exchange]:
    """Runs all items, turn by turn of their conversations; returns the last exchange of each.

    An item whose previous turn has no response is not sent: it gets that turn's status.

    Args:
        items: those of a conversation in the order of its turns.
        send: returns request and response of each of some items.
        readable: whether a response is readable, by item and text; others are re-requested.
        attempts: at a readable response.
    """
    exchanges: dict[str, Exchange] = {}
    for turn in turns_of(items):
        pending = [_with_turns(item, exchanges) for item in turn]
        for attempt in range(1, attempts + 1):
            unreadable = []
            for item, (request, response) in zip(pending, send(pending), strict=True):
                if item.barred and item.follows:
                    before = exchanges[item.follows].response
                    response = replace(response, status=before.status)
                exchanges[item.key] = Exchange(request, response, attempt)
                if readable is None:
                    continue
                # A failed request is not sent again: the engine has retried it already.
                unfinished = response.status == "unfinished"
                answered = response.status in ANSWERED
                if unfinished or (answered and not readable(item.key, response.text)):
                    unreadable.append(replace(item, attempt=attempt + 1))
            pending = unreadable
            if not pending:
                break
    return [exchanges[item.key] for item in items]


def turns_of(items: Iterable[Item]) -> list[list[Item]]:
    """The items by turn: first the first turns of all conversations, then the second, and so on."""
    depths: dict[str, int] = {}
    turns: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        if item.follows is not None and item.follows not in depths:
            raise UserError(
                f"prompts: {item.sample_id} follows {item.follows!r}, which is not among the "
                "prompts before it; delete the prompts, then run again"
            )
        depth = 0 if item.follows is None else depths[item.follows] + 1
        depths[item.key] = depth
        turns[depth].append(item)
    return list(turns.values())


def _with_turns(item: Item, exchanges: Mapping[str, Exchange]) -> Item:
    """The item with the turns before it, or barred where the previous turn has no response."""
    if item.follows is None:
        return item
    request, response, _ = exchanges[item.follows]
    if response.status not in ANSWERED:
        return replace(item, barred=f"the previous turn, {item.follows}, has no response")
    return replace(item, turns=(*request.turns, (request.prompt, response.text)))
