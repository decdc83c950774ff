"""Servers with a capacity, limits and moods, and a loop in which their seconds take no time."""

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
"""Settings of ``Paced``, the requests that it gets in ``bench/`` and in tests, and the level at
which a bare client is soonest done with the latter, as ``best_bare`` found it."""
OWN = "http://paced.invalid/v1"
MESSAGE = {"role": "assistant", "content": "yes"}
ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "judge",
        "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 1, "total_tokens": 21},
    }
).encode()
BACKOFF, LONGEST_BACKOFF = 0.5, 8.0  # of the openai client, seconds


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next thing that is due."""

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
        assert timeout is not None, "nothing is left that could happen"
        self._loop.now += max(0.0, timeout)
        return super().select(0)


def virtually(coroutine):
    """What a coroutine gives, without waiting, and the seconds that it would have taken."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine), runner.get_loop().now


@dataclass
class Paced:
    """A server that serves so many requests side by side; more wait, or slow all down.

    Args:
        seconds: that a reply takes.
        slots: replies side by side at full speed.
        slower: exponent of what each takes longer where more are under way; 0: they wait.
        growing: share by which each further request under way makes all take longer.
        spread: sigma of the seconds' logarithm; their mean stays.
        changed: slots after ``change_after`` replies.
        refused, failed: share of requests answered by 429, by 500.
        refusal_wait: seconds of those 429s' Retry-After.
        refuse_next: seconds of the Retry-After by which the first request is refused.
        per_second: requests a second that are let in, ``burst`` at once; others get 429.
        window: seconds in which ``per_second`` of them each are let in at any time; others get 429
            with the seconds until the next as Retry-After.
        stalls: every so many seconds nothing moves for so long.
        down: between these seconds all get 503.
        resets: requests side by side beyond which each further one's connection is reset.
    """

    seconds: float = 0.05
    slots: float = math.inf
    slower: float = 0.0
    growing: float = 0.0
    spread: float = 0.0
    changed: float | None = None
    change_after: int = 0
    refused: float = 0.0
    failed: float = 0.0
    refusal_wait: float = 1.0
    refuse_next: float = 0.0
    per_second: float = 0.0
    burst: float = 20.0
    window: float = 0.0
    stalls: tuple[float, float] = (0.0, 0.0)
    down: tuple[float, float] = (0.0, 0.0)
    resets: float = math.inf
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
        """The status (0: the connection was reset) and, of a 429, the seconds to wait."""
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
            await free  # who gives its slot up hands it over
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
    """In place of the client: asks a paced server."""

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


def ask(server, count, **operation):
    """The engine's responses to so many requests that share nothing, and its seconds."""
    how = {"base_url": OWN, "api_key_env": None, "max_concurrency": 256}
    engine = build(Setup({"engine": "openai", "model": "m"}, {**how, **operation}))
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


async def ask_bare(reply, count, at_once):
    """What a client does that has a fixed number of requests under way; each waits by itself.

    Args:
        reply: asks one request; returns status and Retry-After.
    """
    left = iter(range(count))
    rng = random.Random(1)

    async def work():
        for _ in left:
            wait = BACKOFF
            while (outcome := await reply())[0] != 200:
                after = outcome[1]
                await asyncio.sleep(wait * rng.uniform(0.75, 1.0) if after is None else after)
                wait = min(LONGEST_BACKOFF, 2 * wait)

    await asyncio.gather(*(work() for _ in range(at_once)))


def best_bare(settings, count, levels=(8, 16, 32, 64, 128, 256)):
    """Seconds and level of a bare client at its best."""
    return min(
        (virtually(ask_bare(Paced(**settings).reply, count, level))[1], level) for level in levels
    )
