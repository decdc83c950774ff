"""Models behind an API: whatever the provider, what is sent when, and what a failure means."""

import asyncio
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from steadfast.base.errors import PassingError, UserError
from steadfast.base.files import Record
from steadfast.contract.request import Request, Response
from steadfast.engines.api.batch_files import BatchState
from steadfast.engines.api.body import parsed
from steadfast.engines.api.client import Access, Client
from steadfast.engines.api.pace import Pace, wanted_wait
from steadfast.engines.api.provider import Provider
from steadfast.engines.api.replies import Retry, error_of, failure, lasting
from steadfast.engines.api.served import Served
from steadfast.engines.asking.progress import Notices
from steadfast.engines.base import LONG_PREFIX, Engine, Setup, TokenCounter
from steadfast.engines.cost.bill import Bill, CapReached, FailedAttempt, estimated, failed_attempt
from steadfast.engines.cost.options import option_name
from steadfast.engines.devices import hold
from steadfast.schema.api_model import FIRST_REQUESTS, MOST_REQUESTS
from steadfast.schema.known_prices import rates

ATTEMPTS = 6  # of a request, before it counts as failed
Replies = asyncio.Queue[tuple[Request, Response] | None]


class ApiEngine(Engine):
    """Sends requests context by context: one warms the server's prefix cache, the rest follow.

    While the last requests of a context are under way, the first of the next is sent. A model with
    ``serve`` has no address: the job starts its server, once for all parts. What one provider has
    of its own stands in ``provider``.
    """

    paid = True
    tier: str | None = None
    """What all its replies are billed by, where it is another than the plain price."""

    def __init__(self, setup: Setup, provider: Provider):
        operation, serve = setup.operation, setup.own.get("serve")
        self._setup, self.option = setup, option_name(operation)
        self._provider = provider
        self.answers, self.packages = provider.answers, provider.packages
        self._access = provider.access
        command = [*(serve or []), *operation.get("serve_operation_args", [])]
        self._serve = partial(Served, command, setup.log) if serve else None
        self._loaded, self._gpus = setup.loaded, operation.get("gpus") or 0
        # ``make nondeterminism`` sends a request and its company at once from the beginning.
        self._first = operation.get("at_once", FIRST_REQUESTS)
        self._most = operation.get("max_concurrency", MOST_REQUESTS)
        self._timeout = operation.get("timeout", 600.0)
        self._bill = None
        price = rates({**setup.answers, **operation})
        if setup.journal is not None and price and operation.get("max_spend") is not None:
            folders = operation.get("bill") or [setup.journal.parent]
            self._bill = Bill(price, operation["max_spend"], folders, self.tier)
        self._log = setup.log
        self._notices = Notices()
        self._heard = 0

    @property
    def tokenizer(self) -> TokenCounter | None:
        """The model's own, where the config names it; its template is taken for the server's."""
        return self._provider.tokenizer

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """An estimate of what the server's template adds, or with its own tokenizer the count."""
        return self._provider.template_tokens(count)

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        if self._serve:
            self._access = Access(self._server(self._serve).url, None)
        settings = self._access.client_settings(self._timeout)
        self._refuse_what_batches_have(groups)
        self._provider.expect(groups)
        self._check_limits(groups)
        self._replies: Replies = asyncio.Queue()
        self._settled = asyncio.Event()
        self._places = asyncio.Semaphore(self._most)
        self._capped: CapReached | None = None
        with asyncio.Runner() as runner, _signals(runner.get_loop(), self._replies) as came:
            loop = runner.get_loop()
            sending = loop.create_task(self._send_all(settings, groups))
            sending.add_done_callback(lambda _: self._replies.put_nowait(None))
            # Not ``runner.run``, which looks at the handler of SIGINT for each batch of replies.
            while pairs := loop.run_until_complete(_arrived(self._replies)):
                for request, response in pairs:
                    yield request, response
                    if isinstance(response, FailedAttempt):
                        continue
                    # Only now is the reply in the journal: no more than the places are lost.
                    if self._bill:
                        self._bill.settle(request)
                    self._places.release()
                self._settled.set()
                if came:
                    break
            if signal.SIGINT in came:
                raise KeyboardInterrupt
            if came:
                sys.exit(128 + came[0])
            sending.result()

    def _check_limits(self, groups: list[list[Request]]) -> None:
        most = self._provider.most_live
        longest = max((request.max_tokens for group in groups for request in group), default=0)
        if most is not None and longest > most:
            raise UserError(
                f"{self.answers['model']}: {longest:,} tokens of an answer, its reasoning "
                f"included, are more than the {most:,} that come without a stream; lower "
                "max_tokens or reasoning.tokens, or set batch: true"
            )

    def _refuse_what_batches_have(self, groups: list[list[Request]]) -> None:
        if self._setup.journal is None:
            return
        path = BatchState.place(self._setup.journal)
        under_way = BatchState.load(path).under_way
        if both := sum(request.hash in under_way for group in groups for request in group):
            raise UserError(
                f"{path}: {both} of the requests are in batches that are under way, and live they "
                "would be paid for twice; set batch as it was, or cancel the batches at "
                "the provider and remove that file, then run again"
            )

    def _server(self, start: Callable[[], Served]) -> Served:
        """The server of the job's own, which the first part that asks anything starts."""
        if self._loaded.model is None:
            hold(self._gpus, self._log)
            self._loaded.model = start()
            self._loaded.seconds = self.load_seconds = self._loaded.model.seconds
        served: Served = self._loaded.model
        return served

    async def _send_all(self, settings: Record, groups: list[list[Request]]) -> None:
        headers = self._provider.headers(settings["api_key"])
        self._pace = Pace(self._first, self._most)
        side_by_side = asyncio.Semaphore(self._most)
        try:
            async with (
                Client(settings, headers) as self._client,
                asyncio.TaskGroup() as self._tasks,
            ):
                for group in groups:
                    if len(group) == 1 or len(group[0].prefix) >= LONG_PREFIX:
                        await self._send_group(group)
                    else:
                        await side_by_side.acquire()
                        sending = self._tasks.create_task(self._send_group(group))
                        sending.add_done_callback(lambda _: side_by_side.release())
                    if self._capped:
                        break
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        if self._capped:
            raise self._capped

    async def _send_group(self, group: list[Request]) -> None:
        """Sends a context's requests: the rest once the first has warmed the server's cache."""
        try:
            warming = await self._start(group[0])
            if len(group) > 1:
                await asyncio.wait([warming])
            for request in group[1:]:
                await self._start(request)
        except CapReached as reached:
            self._capped = reached

    async def _start(self, request: Request) -> asyncio.Task[None]:
        """Sends a request once there is a place for it, and room under the cap."""
        await self._places.acquire()
        try:
            if self._capped:
                raise self._capped
            await self._reserve(request)
        except CapReached:
            self._places.release()
            raise
        return self._tasks.create_task(self._send(request))

    async def _reserve(self, request: Request) -> None:
        """Waits until the bill has room for a request."""
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
        response = await self._ask(request)
        self._replies.put_nowait((request, estimated(request, response)))

    async def _ask(self, request: Request) -> Response:
        heard = self._heard
        for attempt in range(1, ATTEMPTS + 1):
            sent_at = await self._pace.acquire()
            outcome = await self._attempt(request)
            if isinstance(outcome, Response):
                self.latencies.add(self._pace.succeeded(sent_at))
                return outcome
            failure = outcome
            if self._serve and failure.unreachable:
                self._loaded.model.check(self._log)
            self.retries[failure.reason] += 1
            self._pace.failed(sent_at, failure.after, failure.overloaded, failure.broken)
            paid = failed_attempt(failure.reason, failure.counts)
            if paid:
                self._replies.put_nowait((request, self.as_sent(request, paid)))
            if attempt < ATTEMPTS:
                self._say_wait(failure.reason, failure.after)
                self._places.release()  # what waits is not under way
                await self._pace.wait(attempt, failure.after)
                await self._places.acquire()
                if paid and self._bill:
                    # By now the attempt stands in the journal: the next one needs room of its own.
                    self._bill.settle(request)
                    try:
                        await self._reserve(request)
                    except CapReached as reached:
                        return Response("error", error=str(reached))
        if failure.unreachable and self._heard == heard:
            raise PassingError(
                f"server {self._access.address} is unreachable ({ATTEMPTS} attempts); check "
                "base_url and that the server is running, then run again: what is answered is "
                "not asked twice"
            )
        return Response("error", error=failure.reason)

    async def _attempt(self, request: Request) -> Response | Retry:
        from aiohttp import ClientConnectorError, ClientError, ConnectionTimeoutError

        redact = self._access.redaction.content
        body = self._provider.body(request)
        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._client.post(self._provider.path, body)
        except ConnectionTimeoutError:
            return Retry("timeout", overloaded=self._heard > 0, unreachable=True)
        except TimeoutError:
            return Retry("timeout", overloaded=True)
        except ClientConnectorError:
            return Retry("connection lost", overloaded=self._heard > 0, unreachable=True)
        except (ClientError, OSError):
            return Retry("connection lost", overloaded=True)
        except Exception as error:  # such as OverflowError, by a redirect to port 99999
            return Retry(f"the client failed ({type(error).__name__})")
        self._heard += 1
        value = parsed(redact(reply.content))
        if reply.status >= 300:
            self._stop_if_hopeless(reply.status, value)
            return failure(reply.status, value, reply.headers, time.time())
        if value is None:
            return Retry("a body that is not JSON")
        outcome = self._provider.read(value)
        return outcome if isinstance(outcome, Retry) else self.as_sent(request, outcome)

    def as_sent(self, request: Request, reply: Response) -> Response:
        """A reply with how its prompt went, and what it is billed by."""
        parts, tier = self._provider.parts(request), self.tier or reply.tier
        return (
            reply if (parts, tier) == (None, reply.tier) else replace(reply, parts=parts, tier=tier)
        )

    def _say_wait(self, reason: str, after: float | None) -> None:
        """Says that the server asks to wait, in the log and on the terminal."""
        if after:
            line = f"{reason}: the server asks to wait {after:.0f} s"
            if (wait := wanted_wait(after)) < after:
                line += f", tried again in {wait:.0f} s"
            self._log(line)
            self._notices.show(f"{self.answers['model']}: {line}")

    def _stop_if_hopeless(self, status: int, reply: object) -> None:
        match lasting(status, reply):
            case "key":
                place = self._access.key_source
                problem = f" does not accept the key (HTTP {status}); check the key in {place}"
            case "model":
                model = self.answers["model"]
                problem = f" does not know model {model!r} (HTTP 404); check model and base_url"
            case "limit":
                problem = (
                    " takes the output limit in another field; set max_tokens_field: "
                    "max_completion_tokens"
                )
            case "quota":
                problem = ": the account has no quota left; top it up"
            case "sampling":
                said = error_of(reply)[0]
                problem = f" refuses how the model samples ({said}); set temperature to null"
            case "tier" if self.option == "flex":
                said = error_of(reply)[0]
                problem = f" does not serve the model by flex ({said}); set service_tier to null"
            case _:
                return
        kept = "then run again: what is answered is not asked twice"
        raise UserError(f"server {self._access.address}{problem}, {kept}")


@contextmanager
def _signals(loop: asyncio.AbstractEventLoop, replies: Replies) -> Iterator[list[int]]:
    """Has SIGTERM and SIGINT wait for the end of a step of the loop, and tells which came.

    An error that a signal raises within a step may take the place of what would have woken a task,
    which then never ends.
    """
    came: list[int] = []

    def note(number: int) -> None:
        came.append(number)
        replies.put_nowait(None)

    if threading.current_thread() is not threading.main_thread():
        yield came  # signals are the main thread's
        return
    before = {signal.SIGTERM: signal.getsignal(signal.SIGTERM)}
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.default_int_handler:  # else somebody else takes it, or it is ignored
        before[signal.SIGINT] = interrupt
    for number in before:
        loop.add_signal_handler(number, note, number)
    try:
        yield came
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


async def _arrived(replies: Replies) -> list[tuple[Request, Response]]:
    """The replies that are there, one at least; none when all are given."""
    found = [await replies.get()]
    while not replies.empty():
        found.append(replies.get_nowait())
    return [pair for pair in found if pair is not None]
