"""Engine ``openai``: any server with an OpenAI-compatible API, through the ``openai`` client."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from steadfast.engines.base import LONG_PREFIX, Engine, Setup
from steadfast.engines.bill import Bill, CapReached
from steadfast.engines.openai_body import SUFFIX, request_body
from steadfast.engines.pace import Pace
from steadfast.engines.replies import Retry, error_of, read_completion, read_failure
from steadfast.engines.request import Request, Response
from steadfast.errors import UserError
from steadfast.files import Record

if TYPE_CHECKING:
    from openai import AsyncOpenAI

Replies = asyncio.Queue[tuple[Request, Response] | None]

MESSAGE_TOKENS = 4  # of a chat template, per message, beside its text
REPLY_TOKENS = 3  # that open the answer
CONNECT_SECONDS = 20.0


class OpenaiEngine(Engine):
    """Sends requests context by context: one warms the server's prefix cache, the rest follow.

    While the last requests of a context are under way, the first of the next is sent; short
    contexts go side by side, since none drives another out of the cache.

    Args:
        setup: its answers have ``model``; ``revision``, ``template`` (chat or base), ``system``,
            ``temperature`` (default 0; None: not sent), ``seed``, ``logprobs`` (alternatives a
            token; None: not asked), ``extra_body``; its operation ``base_url``, ``api_key_env``,
            ``concurrency``, ``attempts``, ``timeout`` (s, of one attempt), ``backoff`` (s, before
            the second attempt), ``max_tokens_field``, ``price``, ``max_spend``, ``bill`` (folders
            of the journals that count against it; by default the job's).
    """

    paid = True
    packages = ("openai",)

    def __init__(self, setup: Setup):
        own, operation = setup.own, setup.operation
        temperature = own.get("temperature", 0.0)
        settings = {
            **own,
            "engine": "openai",
            "template": own.get("template") or "chat",
            "temperature": None if temperature is None else float(temperature),
        }
        if settings["template"] == "base":
            settings["suffix"] = SUFFIX
        # A key that is absent and one that is null or empty are the same.
        self.answers = {k: v for k, v in settings.items() if v is not None and v != {}}
        self._base_url = operation.get("base_url")
        self._key_name = operation.get("api_key_env", "OPENAI_API_KEY")
        self._concurrency = operation.get("concurrency", 8)
        self._attempts = operation.get("attempts", 6)
        self._timeout = operation.get("timeout", 600.0)
        self._backoff = operation.get("backoff", 1.0)
        self._max_tokens_field = operation.get("max_tokens_field", "max_tokens")
        self._bill = None
        if setup.journal is not None and operation.get("max_spend") is not None:
            folders = operation.get("bill") or [setup.journal.parent]
            self._bill = Bill(operation["price"], operation["max_spend"], folders)
        self._logprobs = "logprobs" in self.answers
        self._log = setup.log
        self._heard = 0
        self._retries: Counter[str] = Counter()
        self._key = ""

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """An estimate of what the server's template adds; a system message is counted."""
        if self.answers["template"] == "base":
            return count("\n" + SUFFIX)
        system = self.answers.get("system")
        opening = MESSAGE_TOKENS + count(system) if system else 0
        return opening + MESSAGE_TOKENS + REPLY_TOKENS

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """Answers as they come in; every request gets one.

        Raises:
            UserError: the key is missing or not accepted, the server is unreachable, it does not
                know the model, the account has run out, or the spending cap is reached.
        """
        self._key = self._find_key()
        try:
            with asyncio.Runner() as runner:
                replies: Replies = asyncio.Queue()
                places = asyncio.Semaphore(self._concurrency)
                sending = runner.get_loop().create_task(self._send_all(groups, replies, places))
                sending.add_done_callback(lambda _: replies.put_nowait(None))
                while (pair := runner.run(replies.get())) is not None:
                    yield pair
                    # Only now is the reply in the journal: no more than the concurrency is lost.
                    places.release()
                sending.result()
        except RuntimeError as error:
            # A signal that strikes inside the loop keeps it from closing; the signal counts.
            if isinstance(error.__context__, SystemExit | KeyboardInterrupt):
                raise error.__context__ from None
            raise

    def _find_key(self) -> str:
        if self._key_name is None:
            return ""
        key = os.environ.get(self._key_name, "").strip()
        if not key:
            raise UserError(
                f"environment variable {self._key_name} holds no API key; set it, or set "
                "api_key_env to the variable that does (null for a server that needs none)"
            )
        return key

    async def _send_all(
        self, groups: list[list[Request]], replies: Replies, places: asyncio.Semaphore
    ) -> None:
        from openai import AsyncOpenAI

        client = AsyncOpenAI(**self._connection())
        pace = Pace(self._concurrency, self._backoff)
        capped: CapReached | None = None

        async def send(request: Request) -> None:
            replies.put_nowait((request, await self._ask(client, pace, request)))

        try:
            async with client, asyncio.TaskGroup() as tasks:

                async def start(request: Request) -> asyncio.Task[None]:
                    await places.acquire()
                    if self._bill:
                        self._bill.check()
                    return tasks.create_task(send(request))

                async def send_group(group: list[Request]) -> None:
                    nonlocal capped
                    first, *rest = group
                    try:
                        warming = await start(first)
                        if rest:
                            await warming
                        for request in rest:
                            await start(request)
                    except CapReached as reached:
                        capped = reached

                side_by_side = asyncio.Semaphore(self._concurrency)
                for group in groups:
                    if capped:
                        break
                    if len(group[0].prefix) >= LONG_PREFIX:
                        await send_group(group)
                        continue
                    await side_by_side.acquire()
                    sending = tasks.create_task(send_group(group))
                    sending.add_done_callback(lambda _: side_by_side.release())
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        if capped:
            raise capped

    async def _ask(self, client: "AsyncOpenAI", pace: Pace, request: Request) -> Response:
        heard = self._heard
        for attempt in range(1, self._attempts + 1):
            sent_at = await pace.acquire()
            try:
                outcome = await self._attempt(client, request)
            finally:
                pace.release()
            if isinstance(outcome, Response):
                pace.succeeded()
                return outcome
            failure = outcome
            self._retries[failure.reason] += 1
            if failure.overloaded:
                pace.overloaded(sent_at)
            if failure.broken:
                pace.broken(sent_at)
            if attempt < self._attempts:
                if failure.after:
                    self._log(f"{failure.reason}: the server asks to wait {failure.after:.0f} s")
                await pace.wait(attempt, failure.after)
        if failure.unreachable and self._heard == heard:
            raise UserError(
                f"server {self._address()} is unreachable ({self._attempts} attempts); check "
                "base_url and that the server is running, then run again: what is answered is "
                "not asked twice"
            )
        return Response("error", error=failure.reason)

    async def _attempt(self, client: "AsyncOpenAI", request: Request) -> Response | Retry:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            async with asyncio.timeout(self._timeout):
                reply = await self._post(client, request)
        except (APITimeoutError, TimeoutError) as error:
            connecting = type(error.__cause__).__name__ == "ConnectTimeout"
            return Retry("timeout", unreachable=connecting)
        except APIConnectionError as error:
            connecting = type(error.__cause__).__name__ == "ConnectError"
            return Retry("connection lost", unreachable=connecting)
        except APIStatusError as error:
            self._heard += 1
            status, body = error.status_code, error.response.content
            self._stop_if_hopeless(status, body)
            outcome = read_failure(status, body, error.response.headers, time.time())
            return self._without_key(outcome) if isinstance(outcome, Response) else outcome
        self._heard += 1
        return read_completion(reply, logprobs=self._logprobs)

    async def _post(self, client: "AsyncOpenAI", request: Request) -> bytes:
        body = request_body(self.answers, request, self._max_tokens_field)
        names = ("model", "prompt", "messages")
        named: Record = {name: body.pop(name) for name in names if name in body}
        kind = client.completions if "prompt" in named else client.chat.completions
        return (await kind.with_raw_response.create(**named, extra_body=body)).content

    def _stop_if_hopeless(self, status: int, body: bytes) -> None:
        if status in (401, 403):
            key = self._key_name or "api_key_env"
            problem = f" does not accept the key (HTTP {status}); check the key in {key}"
        elif status == 404:
            model = self.answers["model"]
            problem = f" does not know model {model!r} (HTTP 404); check model and base_url"
        elif status == 429 and "insufficient_quota" in error_of(body)[1].split():
            problem = ": the account has no quota left; top it up"
        else:
            return
        kept = "then run again: what is answered is not asked twice"
        raise UserError(f"server {self._address()}{problem}, {kept}")

    def _without_key(self, response: Response) -> Response:
        if response.error and self._key:
            return Response(response.status, error=response.error.replace(self._key, "(key)"))
        return response

    def _address(self) -> str:
        parts = urlsplit(self._base_url or os.environ.get("OPENAI_BASE_URL") or "api.openai.com")
        return f"{parts.hostname or parts.path}{f':{parts.port}' if parts.port else ''}"

    @property
    def retries(self) -> Record:
        """How many attempts failed, by reason."""
        return dict(self._retries)

    def _connection(self) -> Record:
        """What the client is made of; it never tries again: a batch made twice is paid twice."""
        from openai import Timeout

        return {
            "api_key": self._key or "none",  # the client insists on one
            "base_url": self._base_url,
            "timeout": Timeout(self._timeout, connect=min(CONNECT_SECONDS, self._timeout)),
            "max_retries": 0,
        }
