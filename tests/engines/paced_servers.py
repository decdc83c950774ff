"""Simulated servers with limits and faults, in an event loop whose clock needs no waiting."""

import asyncio
import json
import math
import random
import selectors
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from unittest.mock import patch

from aiohttp import ClientOSError

from steadfast.contract.request import Request
from steadfast.engines.api.client import ServerReply
from steadfast.engines.api.engines import build
from steadfast.engines.base import Setup

HALVED = {"seconds": 0.5, "slots": 64, "changed": 8, "change_after": 1_500}
REFUSING = {"seconds": 0.2, "slots": 64, "refused": 0.02}
UNEQUAL = {"seconds": 0.5, "spread": 1.0}
SERVERS = {
    "steady": ({}, 20_000, 4_000, 256),
    "slow, without a limit": ({"seconds": 1.0}, 3_000, 3_000, 256),
    "64 side by side, others wait": ({"slots": 64}, 100_000, 1_250, 64),
    "32 side by side, slow, few requests": ({"seconds": 1.0, "slots": 32}, 500, 500, 32),
    "slows down beyond 40": ({"slots": 40, "slower": 2.0}, 10_000, 4_000, 32),
    "each takes longer the more there are": (
        {"seconds": 0.2, "growing": 0.02}, 5_000, 1_250, 256),
    "falls from 64 to 8": (HALVED, 3_000, 2_000, 64),
    "falls from 64 to 8, slows down beyond": (HALVED | {"slower": 2.0}, 3_000, 2_200, 8),
    "rises from 8 to 64": (
        {"seconds": 0.5, "slots": 8, "changed": 64, "change_after": 500}, 3_000, 1_250, 64),
    "429 to 2 %": (REFUSING, 5_000, 1_250, 256),
    "429 to 2 %, few requests": (REFUSING, 461, 461, 256),
    "500 to 5 %, 429 to 2 %": (REFUSING | {"failed": 0.05}, 5_000, 2_000, 256),
    "100 a second": ({"per_second": 100}, 1_280, 1_250, 8),
    "1,000 every ten seconds": ({"per_second": 100, "window": 10.0}, 5_000, 1_250, 256),
    "unequal answers, 64 side by side": (UNEQUAL | {"slots": 64}, 5_000, 1_250, 64),
    "unequal answers, without a limit": (UNEQUAL, 5_000, 1_250, 256),
    "halts for 1.5 s of every 6": (
        {"seconds": 0.2, "slots": 64, "stalls": (6.0, 1.5)}, 5_000, 3_000, 64),
    "down for 10 s": ({"seconds": 0.2, "slots": 64, "down": (5.0, 15.0)}, 5_000, 3_000, 256),
    "resets connections beyond 8, few requests": ({"seconds": 1.0, "resets": 8}, 200, 200, 8),
    "resets connections beyond 32": ({"seconds": 0.2, "resets": 32}, 2_000, 2_000, 32),
}  # fmt: skip
"""Settings of ``Paced``, its requests in ``bench/`` and in tests, and the concurrency with which a
bare client takes the shortest time for the latter, by ``best_bare``."""
URL = "http://paced.invalid/v1"
ANSWER = json.dumps({
    "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "judge",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "yes"}}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 1, "total_tokens": 21},
}).encode()  # fmt: skip
BACKOFF = 0.5  # seconds, of the openai client
LONGEST_BACKOFF = 8.0


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next scheduled call."""

    def __init__(self):
        super().__init__(_Jumping(self))
        self.now = 0.0

    def time(self):
        return self.now


class _Jumping(selectors.SelectSelector):
    def __init__(self, loop):
        super().__init__()
        self._loop = loop

    def select(self, timeout=None):
        assert timeout is not None, "no call is scheduled"
        self._loop.now += max(0.0, timeout)
        return super().select(0)


def virtually(coroutine):
    """The result of a coroutine, and its duration in seconds of the virtual clock."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine), runner.get_loop().now


@dataclass
class Paced:
    """A server that replies to ``slots`` requests in parallel; others wait, or slow all down."""

    seconds: float = 0.05  # for a reply
    slots: float = math.inf  # parallel replies at full speed
    slower: float = 0.0  # exponent of the slowdown by further replies; 0: they wait
    growing: float = 0.0  # slowdown by each parallel reply, as a share
    spread: float = 0.0  # sigma of the seconds' logarithm, at the same mean
    changed: float | None = None  # slots after ``change_after`` replies
    change_after: int = 0
    refused: float = 0.0  # share of requests with HTTP 429
    failed: float = 0.0  # share of requests with HTTP 500
    refusal_wait: float = 1.0  # seconds in Retry-After of ``refused``
    refuse_next: float = 0.0  # seconds in Retry-After of the first request, which is refused
    per_second: float = 0.0  # rate limit, beyond which requests get HTTP 429
    burst: float = 20.0  # requests that the rate limit admits at once
    window: float = 0.0  # seconds of a fixed window of the rate limit; 0: a token bucket
    stalls: tuple[float, float] = (0.0, 0.0)  # period and duration of pauses without any reply
    down: tuple[float, float] = (0.0, 0.0)  # first and last second with HTTP 503
    resets: float = math.inf  # parallel requests beyond which connections are reset
    seed: int = 0
    under_way: int = 0
    most_under_way: int = 0
    replies: int = 0
    refusals: int = 0
    last_but_one: float = 0.0
    _last: float = 0.0
    _queue: deque = field(default_factory=deque)
    _taken: int = 0

    def __post_init__(self):
        self._rng = random.Random(self.seed)
        self._begun = None
        self._tokens = self.burst
        self._filled = 0.0
        self._window = -1

    async def reply(self):
        """HTTP status (0: the connection is reset) and seconds in Retry-After, if any."""
        loop = asyncio.get_running_loop()
        if self._begun is None:
            self._begun = loop.time()
        now = loop.time() - self._begun
        if (status := self._refusal(now)) is not None:
            self.refusals += 1
            return status
        if self.under_way >= self.resets:
            self.refusals += 1
            return 0, None
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await self._serve(loop)
        finally:
            self.under_way -= 1
        self.replies += 1
        self.last_but_one = self._last
        self._last = loop.time()
        if self.changed is not None and self.replies >= self.change_after:
            self.slots = self.changed
            self.changed = None
        return 200, None

    def _refusal(self, now):
        if self.refuse_next:
            wait = self.refuse_next
            self.refuse_next = 0.0
            return 429, wait
        if self.down[0] <= now < self.down[1]:
            return 503, None
        if self.window:
            number = int(now / self.window)
            if number != self._window:
                self._window = number
                self._tokens = self.per_second * self.window
            if self._tokens < 1:
                return 429, (number + 1) * self.window - now
            self._tokens -= 1
        elif self.per_second:
            self._tokens = min(self.burst, self._tokens + (now - self._filled) * self.per_second)
            self._filled = now
            if self._tokens < 1:
                return 429, 1.0
            self._tokens -= 1
        chance = self._rng.random()
        if chance < self.refused:
            return 429, self.refusal_wait
        return (500, None) if chance < self.refused + self.failed else None

    async def _serve(self, loop):
        seconds = self.seconds * (1 + self.growing * self.under_way)
        if self.spread:
            seconds *= math.exp(self._rng.gauss(-(self.spread**2) / 2, self.spread))
        if self.slower:
            seconds *= max(1.0, self.under_way / self.slots) ** self.slower
        elif self._taken >= self.slots:
            free = loop.create_future()
            self._queue.append(free)
            await free  # until a reply passes its slot on
        else:
            self._taken += 1
        every, pause = self.stalls
        end = loop.time() - self._begun + seconds
        if every and end % every < pause:
            seconds += pause - end % every
        await asyncio.sleep(seconds)
        self._taken -= 1
        while self._queue and self._taken < self.slots:
            self._taken += 1
            self._queue.popleft().set_result(None)


class PacedClient:
    """A client of a paced server, without HTTP."""

    def __init__(self, server, settings, headers=None):
        self._server = server

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        pass

    async def post(self, path, body):
        status, after = await self._server.reply()
        if not status:
            raise ClientOSError("reset")
        headers = {} if after is None else {"retry-after": str(after)}
        return ServerReply(status, ANSWER if status == 200 else b"{}", headers)


def send_all(server, count, **operation):
    """The engine's responses to requests that share no context, and its seconds."""
    defaults = {"base_url": URL, "api_key_env": None, "max_concurrency": 256}
    engine = build(Setup({"engine": "openai", "model": "m"}, {**defaults, **operation}))
    groups = [
        [Request(str(n), "", (str(n), ""), "", f"{n}?", 4, 20, 0, 1.0, None, str(n))]
        for n in range(count)
    ]
    loops = []

    def loop():
        loops.append(VirtualLoop())
        return loops[-1]

    with (
        patch("steadfast.engines.api.engine.Client", partial(PacedClient, server)),
        patch("asyncio.Runner", partial(asyncio.Runner, loop_factory=loop)),
        patch("steadfast.engines.api.pace.random.Random", partial(random.Random, 1)),
    ):
        responses = [response for _, response in engine.answer(groups)]
    return responses, loops[0].now


async def send_bare(reply, count, at_once):
    """Sends ``count`` requests as a client of fixed concurrency; each backs off by itself.

    Args:
        reply: sends one request; returns HTTP status and seconds in Retry-After.
    """
    pending = iter(range(count))
    rng = random.Random(1)

    async def work():
        for _ in pending:
            wait = BACKOFF
            while (outcome := await reply())[0] != 200:
                after = outcome[1]
                await asyncio.sleep(wait * rng.uniform(0.75, 1.0) if after is None else after)
                wait = min(LONGEST_BACKOFF, 2 * wait)

    await asyncio.gather(*(work() for _ in range(at_once)))


def best_bare(settings, count, levels=(8, 16, 32, 64, 128, 256)):
    """The shortest time of a bare client in seconds, and its concurrency."""
    durations = []
    for level in levels:
        _, seconds = virtually(send_bare(Paced(**settings).reply, count, level))
        durations.append((seconds, level))
    return min(durations)
