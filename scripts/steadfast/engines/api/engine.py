"""The engine of all models behind an API: when requests are sent, and how failures are handled."""

import asyncio
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain

from steadfast.base.errors import TemporaryError, UserError
from steadfast.base.files import Record
from steadfast.contract.request import Request, Response
from steadfast.engines.api.batch_files import BatchState
from steadfast.engines.api.body import parsed
from steadfast.engines.api.client import Access, Client
from steadfast.engines.api.pace import Pace, limited_wait
from steadfast.engines.api.provider import Provider
from steadfast.engines.api.replies import Retry, error_of, http_failure, permanent_error
from steadfast.engines.api.served import ServerProcess
from steadfast.engines.base import LONG_PREFIX, Engine, Setup, TokenCounter
from steadfast.engines.cost.bill import Bill, CapReached, FailedAttempt, estimated, failed_attempt
from steadfast.engines.cost.options import option_name
from steadfast.engines.devices import lock_gpus
from steadfast.engines.sending.progress import Notices
from steadfast.schema.api_model import FIRST_REQUESTS, MOST_REQUESTS
from steadfast.schema.known_prices import rates

ATTEMPTS = 6  # at a request before it counts as failed
Replies = asyncio.Queue[tuple[Request, Response] | None]
# What a server does that would fail every request, and what to do about it, by ``permanent_error``.
PERMANENT_ERRORS = {
    "key": " rejects the API key (HTTP {status}); check the key in {variable}",
    "limit": (
        " expects another field for the output limit; set max_tokens_field: max_completion_tokens"
    ),
    "model": ": model {model!r} not found (HTTP 404); check model and base_url",
    "quota": ": quota exceeded; add credit to the account",
    "sampling": " rejects the sampling parameters ({message}); set temperature to null",
    "tier": " does not offer flex for the model ({message}); set service_tier to null",
}


class ApiEngine(Engine):
    """Sends requests context by context: the first one warms the server's prefix cache.

    While the last requests of a context are in flight, the first of the next context is sent. For
    a model with ``serve`` the job starts the server, once for all its parts. ``provider`` has all
    that is specific to one provider.
    """

    paid = True
    tier: str | None = None
    """Pricing tier of all its replies, where it is not the standard one."""

    def __init__(self, setup: Setup, provider: Provider):
        operation = setup.operation
        serve = setup.own.get("serve")
        self._setup = setup
        self.option = option_name(operation)
        self._provider = provider
        self.answers = provider.answers
        self.packages = provider.packages
        self._access = provider.access
        command = [*(serve or []), *operation.get("serve_operation_args", [])]
        self._serve = partial(ServerProcess, command, setup.log) if serve else None
        self._loaded = setup.loaded
        self._gpus = operation.get("gpus") or 0
        # For nondeterminism a request and the rest of its batch are sent at once, from the start.
        self._first_concurrency = operation.get("at_once", FIRST_REQUESTS)
        self._max_concurrency = operation.get("max_concurrency", MOST_REQUESTS)
        self._timeout = operation.get("timeout", 600.0)
        self._bill = None
        price = rates({**setup.answers, **operation})
        if setup.journal is not None and price and operation.get("max_spend") is not None:
            folders = operation.get("bill") or [setup.journal.parent]
            self._bill = Bill(price, operation["max_spend"], folders, self.tier)
        self._log = setup.log
        self._notices = Notices()
        self._reply_count = 0

    @property
    def tokenizer(self) -> TokenCounter | None:
        """The model's own tokenizer, where the config names it, with its chat template."""
        return self._provider.tokenizer

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """Tokens of the server's template: estimated, or counted by the model's own tokenizer."""
        return self._provider.template_tokens(count)

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        if self._serve:
            self._access = Access(self._server(self._serve).url, None)
        settings = self._access.client_settings(self._timeout)
        requests = list(chain.from_iterable(groups))
        self._refuse_batched(requests)
        self._provider.note_requests(groups)
        self._check_limits(requests)
        self._replies: Replies = asyncio.Queue()
        self._settled = asyncio.Event()
        self._slots = asyncio.Semaphore(self._max_concurrency)
        self._capped: CapReached | None = None
        with (
            asyncio.Runner() as runner,
            _deferred_signals(runner.get_loop(), self._replies) as received,
        ):
            loop = runner.get_loop()
            sending = loop.create_task(self._send_all(settings, groups))
            sending.add_done_callback(lambda _: self._replies.put_nowait(None))
            # Not ``runner.run``, which checks the handler of SIGINT for each batch of replies.
            while pairs := loop.run_until_complete(_arrived_replies(self._replies)):
                for request, response in pairs:
                    yield request, response
                    if isinstance(response, FailedAttempt):
                        continue
                    # Only now is the reply in the journal: a kill loses max_concurrency at most.
                    if self._bill:
                        self._bill.settle(request)
                    self._slots.release()
                self._settled.set()
                if received:
                    break
            if signal.SIGINT in received:
                raise KeyboardInterrupt
            if received:
                sys.exit(128 + received[0])
            sending.result()

    def _check_limits(self, requests: Sequence[Request]) -> None:
        limit = self._provider.most_live
        longest = max((request.max_tokens for request in requests), default=0)
        if limit is not None and longest > limit:
            raise UserError(
                f"{self.answers['model']}: an output limit of {longest:,} tokens, including "
                f"reasoning, exceeds the API's {limit:,} without streaming; lower max_tokens or "
                "reasoning.tokens, or set batch: true"
            )

    def _refuse_batched(self, requests: Sequence[Request]) -> None:
        if self._setup.journal is None:
            return
        path = BatchState.place(self._setup.journal)
        open_hashes = BatchState.load(path).open_hashes
        submitted = sum(request.hash in open_hashes for request in requests)
        if submitted:
            raise UserError(
                f"{path}: {submitted} of the requests are in running batches, and sending them "
                "live would pay for them twice; set batch as before, or cancel the batches at the "
                "provider and remove this file, then run again"
            )

    def _server(self, start: Callable[[], ServerProcess]) -> ServerProcess:
        """The job's own server, started by the first part that sends a request."""
        if self._loaded.model is None:
            lock_gpus(self._gpus, self._log)
            self._loaded.model = start()
            self._loaded.seconds = self.load_seconds = self._loaded.model.seconds
        served: ServerProcess = self._loaded.model
        return served

    async def _send_all(self, settings: Record, groups: list[list[Request]]) -> None:
        headers = self._provider.headers(settings["api_key"])
        self._pace = Pace(self._first_concurrency, self._max_concurrency)
        concurrent_groups = asyncio.Semaphore(self._max_concurrency)
        try:
            async with (
                Client(settings, headers) as self._client,
                asyncio.TaskGroup() as self._tasks,
            ):
                for group in groups:
                    if len(group) == 1 or len(group[0].prefix) >= LONG_PREFIX:
                        await self._send_group(group)
                    else:
                        await concurrent_groups.acquire()
                        sending = self._tasks.create_task(self._send_group(group))
                        sending.add_done_callback(lambda _: concurrent_groups.release())
                    if self._capped:
                        break
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        if self._capped:
            raise self._capped

    async def _send_group(self, group: list[Request]) -> None:
        """Sends a context's requests: the others once the first has warmed the server's cache."""
        try:
            warming = await self._start(group[0])
            if len(group) > 1:
                await asyncio.wait([warming])
            for request in group[1:]:
                await self._start(request)
        except CapReached as reached:
            self._capped = reached

    async def _start(self, request: Request) -> asyncio.Task[None]:
        """Sends a request once concurrency and the spending limit have room for it."""
        await self._slots.acquire()
        try:
            if self._capped:
                raise self._capped
            await self._reserve(request)
        except CapReached:
            self._slots.release()
            raise
        return self._tasks.create_task(self._send(request))

    async def _reserve(self, request: Request) -> None:
        """Waits until the spending limit has room for a request."""
        while self._bill:
            try:
                self._bill.reserve(request)
                break
            except CapReached:
                if not self._bill.waiting:
                    raise
            self._settled.clear()
            await self._settled.wait()

    async def _send(self, request: Request) -> None:
        response = await self._request(request)
        self._replies.put_nowait((request, estimated(request, response)))

    async def _request(self, request: Request) -> Response:
        """The response to a request, after up to ``ATTEMPTS`` attempts."""
        replies_before = self._reply_count
        for attempt in range(1, ATTEMPTS + 1):
            sent_at = await self._pace.acquire()
            outcome = await self._attempt(request)
            if isinstance(outcome, Response):
                self.latencies.add(self._pace.succeeded(sent_at))
                return outcome
            retry = outcome
            if self._serve and retry.unreachable:
                self._loaded.model.check(self._log)
            self.retries[retry.reason] += 1
            self._pace.failed(sent_at, retry.after, retry.overloaded, retry.broken)
            paid = failed_attempt(retry.reason, retry.counts)
            if paid:
                self._replies.put_nowait((request, self.as_sent(request, paid)))
            if attempt < ATTEMPTS:
                self.report_wait(retry.reason, retry.after)
                self._slots.release()  # a waiting request is not in flight
                await self._pace.wait(attempt, retry.after)
                await self._slots.acquire()
                if paid and self._bill:
                    # By now the journal has the attempt: the next one needs room of its own.
                    self._bill.settle(request)
                    try:
                        await self._reserve(request)
                    except CapReached as reached:
                        return Response("error", error=str(reached))
        if retry.unreachable and self._reply_count == replies_before:
            raise TemporaryError(
                f"server {self._access.address} is unreachable ({ATTEMPTS} attempts); check "
                "base_url and that the server is running, then run again: cached responses are "
                "not re-requested"
            )
        return Response("error", error=retry.reason)

    async def _attempt(self, request: Request) -> Response | Retry:
        from aiohttp import ClientConnectorError, ClientError, ConnectionTimeoutError

        redact = self._access.redaction.content
        body = self._provider.body(request)
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._client.post(self._provider.path, body)
        except ConnectionTimeoutError:
            return Retry("timeout", overloaded=self._reply_count > 0, unreachable=True)
        except TimeoutError:
            return Retry("timeout", overloaded=True)
        except ClientConnectorError:
            return Retry("connection lost", overloaded=self._reply_count > 0, unreachable=True)
        except (ClientError, OSError):
            return Retry("connection lost", overloaded=True)
        except Exception as error:  # such as OverflowError, by a redirect to port 99999
            return Retry(f"client error ({type(error).__name__})")
        self._reply_count += 1
        value = parsed(redact(reply.content))
        if reply.status >= 300:
            self.raise_permanent_error(reply.status, value)
            return http_failure(reply.status, value, reply.headers, time.time())
        if value is None:
            return Retry("invalid reply: not JSON")
        outcome = self._provider.read(value)
        return outcome if isinstance(outcome, Retry) else self.as_sent(request, outcome)

    def as_sent(self, request: Request, reply: Response) -> Response:
        """A reply with the number of content parts of its prompt, and its pricing tier."""
        parts = self._provider.parts(request)
        tier = self.tier or reply.tier
        if parts is None and tier == reply.tier:
            return reply
        return replace(reply, parts=parts, tier=tier)

    def report_wait(self, reason: str, after: float | None) -> None:
        """Reports a server's Retry-After in the log and on the terminal."""
        if after:
            line = f"{reason}: the server requests a wait of {after:.0f} s (Retry-After)"
            if (wait := limited_wait(after)) < after:
                line += f", retrying in {wait:.0f} s"
            self._log(line)
            self._notices.show(f"{self.answers['model']}: {line}")

    def raise_permanent_error(self, status: int, reply: object) -> None:
        """Raises UserError for an error that every request would meet."""
        kind = permanent_error(status, reply)
        if kind is None or (kind == "tier" and self.option != "flex"):
            return
        problem = PERMANENT_ERRORS[kind].format(
            status=status,
            variable=self._access.key_source,
            model=self.answers["model"],
            message=error_of(reply)[0],
        )
        resume = "then run again: cached responses are not re-requested"
        raise UserError(f"server {self._access.address}{problem}, {resume}")


@contextmanager
def _deferred_signals(loop: asyncio.AbstractEventLoop, replies: Replies) -> Iterator[list[int]]:
    """Defers SIGTERM and SIGINT to the end of a step of the loop; yields the signals received.

    An exception that a signal raises within a step could replace the one that wakes a task, which
    would then never end.
    """
    received: list[int] = []

    def note(number: int) -> None:
        received.append(number)
        replies.put_nowait(None)

    if threading.current_thread() is not threading.main_thread():
        yield received  # only the main thread handles signals
        return
    handlers = {signal.SIGTERM: signal.getsignal(signal.SIGTERM)}
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.default_int_handler:  # else another handler is set, or it is ignored
        handlers[signal.SIGINT] = interrupt
    for number in handlers:
        loop.add_signal_handler(number, note, number)
    try:
        yield received
    finally:
        for number, handler in handlers.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


async def _arrived_replies(replies: Replies) -> list[tuple[Request, Response]]:
    """The replies that have arrived, at least one; none once all requests are done."""
    arrived = [await replies.get()]
    while not replies.empty():
        arrived.append(replies.get_nowait())
    return [pair for pair in arrived if pair is not None]
