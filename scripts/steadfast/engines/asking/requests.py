"""One job's requests through its engine: looked up in the journal, asked, kept, counted."""

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
from steadfast.engines.asking.journal import Journal
from steadfast.engines.asking.progress import Notices, Progress
from steadfast.engines.asking.reasoning import start_tags, told_apart
from steadfast.engines.base import Engine
from steadfast.engines.cost.bill import FailedAttempt

WRITE_SECONDS = 5.0


def record_path(journal: Path) -> Path:
    """Where the record of a journal's job lies."""
    return journal.with_suffix(".run.json")


class RunRecorder(AbstractContextManager["RunRecorder"]):
    """One more run in a job's record, written now and then: a kill loses a few seconds of it."""

    def __init__(self, path: Path, engine: Engine):
        self._path, self._engine = path, engine
        self._earlier = read_runs(path)
        self._counts: Counter[str] = Counter()
        self._machine: str | None = None
        self._started = time.monotonic()
        self._write()  # so that a run that is killed at once has a path

    def update(self, response: Response) -> None:
        """One more response."""
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
        run: RunRecord = {
            "wall_seconds": round(self._written - self._started, 3),
            "answered": self._counts["answered"],
            "failed": self._counts["failed"],
            "retries": self._engine.retries,
            "latencies": self._engine.latencies.counts,
            "load_seconds": round(self._engine.load_seconds, 3),
            "prompt_tokens": self._counts["prompt_tokens"],
            "computed_tokens": self._counts["computed_tokens"],
            "output_tokens": self._counts["output_tokens"],
            "machine": self._machine,
            "option": self._engine.option,
        }
        write_json(self._path, {"runs": [*self._earlier, run]})

    def __exit__(self, *error: object) -> None:
        self._write()


class Asking:
    """Asks requests, as often as the job has some; a paid engine's answers are kept for good."""

    def __init__(
        self,
        model: str,
        label: str,
        engine: Engine,
        reasoning: Settings | None,
        journal: Path,
        total: int,
        say: Callable[[str], None],
        stack: ExitStack,
    ):
        self._model, self._engine, self._path, self._say = model, engine, journal, say
        self._stack = stack
        self._read = reader(engine, reasoning)

        def waits(line: str) -> None:
            say(f"{model}: {line}")
            Notices().show(f"{label}: {line}")

        self._journal = stack.enter_context(Journal(journal, waits)) if engine.paid else None
        self._progress = stack.enter_context(closing(Progress(label, total)))
        self._record: RunRecorder | None = None

    def ask(self, requests: list[Request], again: bool = False) -> list[Response]:
        """The response to each request, in order; equal requests are asked once."""
        key = self._key
        found: dict[str, Response] = {}
        asked: dict[str, Request] = {}
        for request in requests:
            if request.overflow:
                found[key(request)] = Response("overflow", error=request.overflow)
            elif self._journal is not None and (known := self._journal.get(request.hash)):
                found[request.hash] = known
            else:
                asked.setdefault(key(request), request)
        shares = Counter() if again else Counter(map(key, requests))
        what = "unreadable answers, asked again" if again else "requests"
        self._say(f"{self._model}: {len(requests)} {what}, {len(found)} known, {len(asked)} to ask")
        self._progress.known(sum(shares[name] for name in found))
        if asked:
            if self._record is None:
                record = RunRecorder(record_path(self._path), self._engine)
                self._record = self._stack.enter_context(record)
            for request, response in self._engine.answer(grouped(asked.values())):
                if self._journal is not None:
                    self._journal.append(request.hash, response)
                if isinstance(response, FailedAttempt):
                    continue  # it stands in the journal for the bill alone
                found[key(request)] = response
                self._record.update(response)
                self._progress.update(response, shares[key(request)])
            for line in self._engine.summary():
                self._say(f"{self._model}: {line}")
        return [self._read(found[key(request)]) for request in requests]

    def _key(self, request: Request) -> str:
        # An engine without a model answers from the benchmark's reference answers, which the hash does not
        # cover: it is asked anew each time, by sample.
        return request.hash if self._engine.paid else request.key


def reader(engine: Engine, reasoning: Settings | None) -> Callable[[Response], Response]:
    """What tells reasoning from answer in an engine's responses."""
    if not engine.has_model:
        return lambda response: response
    prefilled, tokenizer = engine.prefilled(start_tags(reasoning or {})), engine.tokenizer

    def read(response: Response) -> Response:
        read = told_apart(response, reasoning, prefilled)
        if read.reasoning and read.reasoning_tokens is None and tokenizer:
            return replace(read, reasoning_tokens=tokenizer.count(read.reasoning))
        return read

    return read


class Exchange(NamedTuple):
    """What was asked, what came back, and at which asking."""

    request: Request
    response: Response
    attempt: int = 1


def converse(
    items: Sequence[Item],
    ask: Callable[[list[Item]], list[tuple[Request, Response]]],
    readable: Callable[[str, str], bool] | None = None,
    attempts: int = 1,
) -> list[Exchange]:
    """Asks all items, each after the one that it follows, and returns the last exchange of each.

    An item whose turn before has no answer is not asked: it gets that turn's status.
    """
    exchanges: dict[str, Exchange] = {}
    for turn in turns_of(items):
        pending = [_continued(item, exchanges) for item in turn]
        for attempt in range(1, attempts + 1):
            unread = []
            for item, (request, response) in zip(pending, ask(pending), strict=True):
                if item.barred and item.follows:
                    before = exchanges[item.follows].response
                    response = replace(response, status=before.status)
                exchanges[item.key] = Exchange(request, response, attempt)
                # A failed request is the engine's care: nothing is to be gained from another.
                cut = response.status == "unfinished"
                answered = response.status in ANSWERED
                if readable and (cut or (answered and not readable(item.key, response.text))):
                    unread.append(replace(item, attempt=attempt + 1))
            if not (pending := unread):
                break
    return [exchanges[item.key] for item in items]


def turns_of(items: Iterable[Item]) -> list[list[Item]]:
    """The items by turn: those that open a conversation, those that follow them, and so on."""
    depths: dict[str, int] = {}
    turns: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        if item.follows is not None and item.follows not in depths:
            raise UserError(
                f"prompts: {item.sample_id} follows {item.follows!r}, which does not stand before "
                "it; build the prompts again"
            )
        depth = 0 if item.follows is None else depths[item.follows] + 1
        depths[item.key] = depth
        turns[depth].append(item)
    return list(turns.values())


def _continued(item: Item, exchanges: Mapping[str, Exchange]) -> Item:
    """The item with the turns before it, or barred where the turn before has no answer."""
    if item.follows is None:
        return item
    request, response, _ = exchanges[item.follows]
    if response.status not in ANSWERED:
        return replace(item, barred=f"the turn before it, {item.follows}, has no answer")
    return replace(item, turns=(*request.turns, (request.prompt, response.text)))
