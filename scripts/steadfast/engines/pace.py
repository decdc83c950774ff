"""How many requests are under way at once: as many as allowed, fewer where a server is busy."""

import asyncio
import random

LONGEST_BACKOFF = 60.0  # seconds
LONGEST_WAIT = 600.0  # seconds that a server's Retry-After is kept, at most


def wanted_wait(after: float) -> float:
    """Seconds that a server's wish to wait is kept: no job falls silent for a day."""
    return min(LONGEST_WAIT, after)


class Pace:
    """Slots for requests; their number is halved by an overload and grows back by successes.

    Args:
        most: requests under way at once, at most.
        backoff: seconds before the second attempt; doubled for each further one.
    """

    def __init__(self, most: int, backoff: float):
        self._most, self._limit = most, float(most)
        self._backoff = backoff
        self._busy = 0
        self._open_at = 0.0
        self._lowered_at = 0.0
        self._broken, self._broken_at = 0, 0.0
        self._free = asyncio.Event()
        self._jitter = random.Random()  # spreads attempts in time; no result depends on it

    async def acquire(self) -> float:
        """Waits for a slot and for the end of any pause; returns the loop's time then."""
        clock = asyncio.get_running_loop().time
        while True:
            if (pause := self._open_at - clock()) > 0:
                await asyncio.sleep(pause)
            elif self._busy >= int(self._limit):
                self._free.clear()
                await self._free.wait()
            else:
                self._busy += 1
                return clock()

    def release(self) -> None:
        """Gives a slot back."""
        self._busy -= 1
        self._free.set()

    def succeeded(self) -> None:
        """One more slot for each round of successes; the server is whole again."""
        self._broken = 0
        self._limit = min(float(self._most), self._limit + 1 / self._limit)

    def overloaded(self, sent_at: float) -> None:
        """Half the slots, once for all requests that were under way together."""
        if sent_at >= self._lowered_at:
            self._lowered_at = asyncio.get_running_loop().time()
            self._limit = max(1.0, self._limit / 2)

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

    async def wait(self, attempt: int, after: float | None) -> None:
        """Waits before the next attempt; a server's wish holds for all requests.

        Args:
            attempt: attempts made, from 1.
            after: seconds that the server asks for; None: exponential backoff.
        """
        if after is not None:
            now = asyncio.get_running_loop().time()
            self._open_at = max(self._open_at, now + wanted_wait(after))
        else:
            seconds = min(LONGEST_BACKOFF, self._backoff * 2 ** (attempt - 1))
            await asyncio.sleep(seconds * self._jitter.uniform(0.5, 1.0))
