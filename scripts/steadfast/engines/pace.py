"""How many requests are under way at once: as many as help, fewer where a server is busy."""

import asyncio
import random
from collections import deque

LONGEST_BACKOFF = 60.0  # seconds
LONGEST_WAIT = 600.0  # seconds that a server's Retry-After is kept, at most


def wanted_wait(after: float) -> float:
    """Seconds that a server's wish to wait is kept: no job falls silent for a day."""
    return min(LONGEST_WAIT, after)


class Level:
    """The number of requests at once that a server answers fastest, found by trying.

    Twice as many at once that bring twice the answers a second are worth it; where answers only
    take longer, they are not. So the level is measured, a higher one is tried, and kept if enough
    of what it adds arrives; else the level falls back, and each further try comes later. In between
    a lower level is tried, and kept if as many answers arrive, so that no requests only wait. An
    overload halves the level at once, and nothing else takes it below its start.

    Args:
        start: requests at once at first.
        most: requests at once, at most.
    """

    GROWTH, SHRINKAGE = 1.5, 0.8  # of a trial
    GAIN = 0.3  # share of the requests added that must arrive as answers
    KEPT = 0.97  # share of the answers that must remain with fewer requests
    SAMPLE, SECONDS = 32, 0.5  # answers and time by which a level is judged, at least
    LONGEST_HOLD = 16  # measurements between two trials

    def __init__(self, start: int, most: int):
        self._start, self._most = start, most
        self._held = float(min(start, most))
        self._rate: float | None = None  # answers a second at the level that is held
        self._tried: float | None = None
        self._hold = self._holds = 1
        self._down = False
        self._settle()

    @property
    def limit(self) -> int:
        """Requests at once now."""
        return int(self._tried or self._held)

    def disturbed(self) -> None:
        """What is being measured is the server's alone no more, such as by a pause: once again."""
        self._settle()

    def _settle(self) -> None:
        """The next measurement begins once the requests sent at another level are answered."""
        self._left, self._count, self._full = self.limit, 0, 0
        self._began: float | None = None

    def answered(self, now: float, full: bool) -> None:
        """One more answer.

        Args:
            now: seconds.
            full: whether as many requests were under way as the level allows.
        """
        if self._began is None:
            self._left -= 1
            if self._left <= 0:
                self._began = now
            return
        self._count += 1
        self._full += full
        seconds = now - self._began
        if self._count >= max(self.SAMPLE, 2 * self.limit) and seconds >= self.SECONDS:
            self._judge(self._count / seconds)
            self._settle()

    def _judge(self, rate: float) -> None:
        if 2 * self._full < self._count:  # the level was not what held the answers back
            self._tried = None
            return
        if self._tried is None or self._rate is None:
            self._rate = rate if self._rate is None else (self._rate + rate) / 2
            self._hold -= 1
            if self._hold <= 0:
                self._try()
            return
        ratio, down = self._tried / self._held, self._tried < self._held
        needed = self.KEPT if down else 1 + self.GAIN * (ratio - 1)
        if rate >= needed * self._rate:
            self._held, self._rate, self._holds = self._tried, rate, 1
        else:
            self._holds = min(self.LONGEST_HOLD, 2 * self._holds)
        kept, self._tried = self._held == self._tried, None
        self._hold = self._holds
        self._down = down if kept else not down
        if kept:
            self._try()

    def _try(self) -> None:
        """The next level in the direction in which the last trial went well."""
        if self._down and self._held > self._start:
            self._tried = max(float(self._start), float(int(self._held * self.SHRINKAGE)))
        elif self._held < self._most:
            self._down = False
            self._tried = min(float(self._most), max(self._held + 1, self._held * self.GROWTH))
        else:
            self._hold = self._holds
            self._down = self._held > self._start

    def overloaded(self) -> None:
        """Half as many; the next trial comes later, as after one that failed."""
        self._held, self._tried, self._rate = max(1.0, self.limit / 2), None, None
        self._hold = self._holds = min(self.LONGEST_HOLD, 2 * self._holds)
        self._down = False
        self._settle()


class Pace:
    """Slots for requests, in the order in which they were asked for.

    Args:
        start: requests under way at once, at first.
        most: requests under way at once, at most.
        backoff: seconds before the second attempt; doubled for each further one.
    """

    def __init__(self, start: int, most: int, backoff: float):
        self.level = Level(start, most)
        self._backoff = backoff
        self._busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._open_at = 0.0
        self._lowered_at = 0.0
        self._broken, self._broken_at = 0, 0.0
        self._jitter = random.Random()  # spreads attempts in time; no result depends on it

    async def acquire(self) -> float:
        """Waits for a slot and for the end of any pause; returns the loop's time then."""
        loop = asyncio.get_running_loop()
        if self._waiting or self._busy >= self.level.limit:
            place = loop.create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self.release()
                raise
        else:
            self._busy += 1
        try:
            while (pause := self._open_at - loop.time()) > 0:
                await asyncio.sleep(pause)
        except asyncio.CancelledError:
            self.release()
            raise
        return loop.time()

    def release(self) -> None:
        """Gives a slot back."""
        self._busy -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._busy < self.level.limit:
            place = self._waiting.popleft()
            if not place.done():
                self._busy += 1
                place.set_result(None)

    def succeeded(self) -> None:
        """A request was answered, whose slot is still held; the server is whole again."""
        self._broken = 0
        full = self._busy >= self.level.limit
        self.level.answered(asyncio.get_running_loop().time(), full)

    def overloaded(self, sent_at: float) -> None:
        """Half the slots, once for all requests that were under way together."""
        if sent_at >= self._lowered_at:
            self._lowered_at = asyncio.get_running_loop().time()
            self.level.overloaded()

    def broken(self, sent_at: float) -> None:
        """The server failed; from the second time in a row on, all requests pause, ever longer.

        Requests that were under way together count once.
        """
        now = asyncio.get_running_loop().time()
        if sent_at < self._broken_at:
            return
        self._broken, self._broken_at = self._broken + 1, now
        if self._broken > 1:
            pause = self._backoff * 2 ** min(self._broken - 1, 30)
            self._open_at = max(self._open_at, now + min(LONGEST_BACKOFF, pause))
            self.level.disturbed()

    async def wait(self, attempt: int, after: float | None) -> None:
        """Waits before the next attempt; a server's wish holds for all requests.

        Args:
            attempt: attempts made, from 1.
            after: seconds that the server asks for; None: exponential backoff.
        """
        if after is not None:
            now = asyncio.get_running_loop().time()
            self._open_at = max(self._open_at, now + wanted_wait(after))
            self.level.disturbed()
        else:
            seconds = min(LONGEST_BACKOFF, self._backoff * 2 ** (attempt - 1))
            await asyncio.sleep(seconds * self._jitter.uniform(0.5, 1.0))
