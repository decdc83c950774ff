"""When a request is sent: concurrency by throughput, and backoff when a server rejects or fails."""

import asyncio
import random
from collections import deque

from steadfast.engines.api.level import Level

BACKOFF = 1.0  # seconds before the second attempt; doubles
LONGEST_BACKOFF = 60.0
LONGEST_WAIT = 600.0  # seconds for which a server's Retry-After is respected, at most


def limited_wait(after: float) -> float:
    """Seconds to wait for a server's Retry-After, limited so that no job stalls for a day."""
    return min(LONGEST_WAIT, after)


def wait_of(after: float | None, failures: int) -> float:
    """Seconds until the next attempt: the server's Retry-After, else exponential backoff."""
    if after is not None:
        return limited_wait(after)
    return min(LONGEST_BACKOFF, BACKOFF * 2.0 ** min(failures, 30))


class RecentFailures:
    """Distinguishes occasional failures from a server that rejects or fails throughout.

    Occasional: up to ``FEW`` and a share ``SHARE`` of the last requests.
    """

    FEW = 5
    SHARE = 0.1
    WINDOW = 128  # recent requests considered; at least twice the concurrency

    def __init__(self) -> None:
        self._sent: deque[float] = deque()
        self._failed: list[float] = []

    def sent(self, now: float, limit: int) -> None:
        """A request is sent, with up to ``limit`` of them in flight."""
        self._sent.append(now)
        while len(self._sent) > max(self.WINDOW, 2 * limit):
            self._sent.popleft()

    def failed(self, sent_at: float) -> float | None:
        """A request failed; returns the share of failures once they are more than occasional."""
        if not self._sent or sent_at < (first := self._sent[0]):
            return None
        self._failed = [at for at in (*self._failed, sent_at) if at >= first]
        if len(self._failed) <= self.FEW + self.SHARE * len(self._sent):
            return None
        share = len(self._failed) / len(self._sent)
        self._sent.clear()
        self._failed.clear()
        return share


class Pace:
    """Slots for requests in flight, first come, first served.

    Concurrency is lowered only when failures are more than occasional.
    """

    ALL_WAIT = 0.5  # share of failures from which all requests pause
    FULL = 0.9  # share of slots in use from which the level counts as limiting

    def __init__(self, start: int, most: int):
        self.level = Level(start, most)
        self._busy = 0  # slots in use
        self._under_way = 0  # requests in flight: sent, without response or failure yet
        self._waiting: deque[asyncio.Event] = deque()
        self._open_at = 0.0  # end of the current pause
        self._full_at = 0.0  # last time when the level held requests back
        self._failures = RecentFailures()
        self._pauses = 0  # pauses in a row, without a response between them
        self._usual: float | None = None  # seconds of a typical response
        self._jitter = random.Random()  # spreads retries in time; no result depends on it

    async def acquire(self) -> float:
        """Waits for a slot and for the end of any pause; returns the loop's time after that."""
        loop = asyncio.get_running_loop()
        if self._waiting or not self._has_room():
            await self._turn()
        self._busy += 1
        if self._busy >= self.FULL * self.level.limit:
            self._full_at = loop.time()
        self._wake()
        try:
            while (pause := self._open_at - loop.time()) > 0:
                await asyncio.sleep(pause)
        except asyncio.CancelledError:
            self.release()
            raise
        now = loop.time()
        self._under_way += 1
        self._failures.sent(now, self.level.limit)
        self.level.sent(now)
        return now

    async def _turn(self) -> None:
        """Waits in the queue until it is first, and a slot is free."""
        turn = asyncio.Event()
        self._waiting.append(turn)
        try:
            await turn.wait()
            while not self._has_room():  # the level fell since it was woken
                turn.clear()
                await turn.wait()
        except asyncio.CancelledError:
            self._waiting.remove(turn)
            self._wake()
            raise
        self._waiting.popleft()

    def _has_room(self) -> bool:
        return self._busy < self.level.limit

    def _wake(self) -> None:
        """Wakes the first in the queue where a slot is free: one at a time, since its outcome may
        lower the level."""
        if self._waiting and self._has_room():
            self._waiting[0].set()

    def release(self) -> None:
        """Frees a slot."""
        self._busy -= 1
        self._wake()

    def succeeded(self, sent_at: float) -> float:
        """A response arrived, and its slot is free; returns its latency in seconds."""
        self._under_way -= 1
        if sent_at >= self._open_at:
            self._pauses = 0
        now = asyncio.get_running_loop().time()
        seconds = now - sent_at
        self._usual = seconds if self._usual is None else (15 * self._usual + seconds) / 16
        full = now - self._full_at <= self._usual
        self.level.answered(sent_at, now, full)
        self.release()
        return seconds

    def failed(self, sent_at: float, after: float | None, overloaded: bool, broken: bool) -> None:
        """Frees a slot after the usual time of a response, since rejections come at once."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._under_way -= 1
        self.level.failed(sent_at, now)
        loop.call_at(max(now, sent_at + (self._usual or 0.0)), self.release)
        if not (overloaded or broken) or (share := self._failures.failed(sent_at)) is None:
            return
        if overloaded and not self._pauses:
            self.level.refused(self._under_way, now)
        if share >= self.ALL_WAIT or self._pauses:  # no response since the last pause
            self._pauses += 1
            self._open_at = max(self._open_at, now + wait_of(after, self._pauses))
            self.level.disturbed(self._open_at)

    async def wait(self, attempt: int, after: float | None) -> None:
        """Waits before the next attempt: the server's Retry-After, else exponential backoff."""
        jitter = self._jitter.uniform(0.5, 1.0) if after is None else 1.0
        await asyncio.sleep(jitter * wait_of(after, attempt - 1))
