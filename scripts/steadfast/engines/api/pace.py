"""When a request is sent: as many at once as help, and later where a server refuses or fails."""

import asyncio
import random
from collections import deque

from steadfast.engines.api.level import Level

BACKOFF, LONGEST_BACKOFF = 1.0, 60.0  # seconds, at first and at most
LONGEST_WAIT = 600.0  # seconds that a server's Retry-After is kept, at most


def wanted_wait(after: float) -> float:
    """Seconds that a server's wish to wait is kept: no job falls silent for a day."""
    return min(LONGEST_WAIT, after)


def wait_of(after: float | None, failures: int) -> float:
    """Seconds until another try: as the server asks, else they double with each failure before."""
    if after is not None:
        return wanted_wait(after)
    return min(LONGEST_BACKOFF, BACKOFF * 2.0 ** min(failures, 30))


class RecentFailures:
    """Tells failures that are scattered from a server that refuses or fails.

    As many of the last requests may fail as a scatter of a tenth makes plausible.
    """

    FEW, SHARE = 5, 0.1
    WINDOW = 128  # requests that are looked at; twice as many as are under way, where that is more

    def __init__(self) -> None:
        self._sent: deque[float] = deque()
        self._failed: list[float] = []

    def sent(self, now: float, limit: int) -> None:
        """A request is sent, where so many may be under way."""
        self._sent.append(now)
        while len(self._sent) > max(self.WINDOW, 2 * limit):
            self._sent.popleft()

    def failed(self, sent_at: float) -> float | None:
        """A request failed; returns the share that does, once that is no scatter any more."""
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
    """Slots for requests, in the order in which they were asked for.

    Only where failures are more than scatter, fewer requests are sent at once.
    """

    ALL_WAIT = 0.5  # share of failures from which on all wait
    FULL = 0.9  # share of the level that is in use where it holds requests back

    def __init__(self, start: int, most: int):
        self.level = Level(start, most)
        self._busy = 0  # slots that are taken
        self._under_way = 0  # requests that are sent, and neither answered nor failed
        self._waiting: deque[asyncio.Event] = deque()
        self._open_at = self._full_at = 0.0
        self._failures, self._pauses = RecentFailures(), 0
        self._usual: float | None = None  # seconds that an answer takes
        self._jitter = random.Random()  # spreads attempts in time; no result depends on it

    async def acquire(self) -> float:
        """Waits for a slot and for the end of any pause; returns the loop's time then."""
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
        """Waits in the queue until it is the first there, and a slot is free."""
        place = asyncio.Event()
        self._waiting.append(place)
        try:
            await place.wait()
            while not self._has_room():  # the level fell since it was woken
                place.clear()
                await place.wait()
        except asyncio.CancelledError:
            self._waiting.remove(place)
            self._wake()
            raise
        self._waiting.popleft()

    def _has_room(self) -> bool:
        return self._busy < self.level.limit

    def _wake(self) -> None:
        """Wakes the first of the queue where there is room: one by one, since the level may fall
        by what becomes of the first."""
        if self._waiting and self._has_room():
            self._waiting[0].set()

    def release(self) -> None:
        """Gives a slot back."""
        self._busy -= 1
        self._wake()

    def succeeded(self, sent_at: float) -> float:
        """A request was answered, and its slot is free; returns the seconds that it took."""
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
        """Frees a slot after the usual time of an answer: refusals come at once."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._under_way -= 1
        self.level.failed(sent_at, now)
        loop.call_at(max(now, sent_at + (self._usual or 0.0)), self.release)
        if not (overloaded or broken) or (share := self._failures.failed(sent_at)) is None:
            return
        if overloaded and not self._pauses:
            self.level.refused(self._under_way, now)
        if share >= self.ALL_WAIT or self._pauses:  # no answer has come since the last pause
            self._pauses += 1
            self._open_at = max(self._open_at, now + wait_of(after, self._pauses))
            self.level.disturbed(self._open_at)

    async def wait(self, attempt: int, after: float | None) -> None:
        """Waits before the next attempt: as the server asks, else by exponential backoff."""
        jitter = self._jitter.uniform(0.5, 1.0) if after is None else 1.0
        await asyncio.sleep(jitter * wait_of(after, attempt - 1))
