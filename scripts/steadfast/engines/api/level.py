"""Finds the concurrency with which a server has the highest throughput, from its responses.

Concurrency (the *level*) is kept for a round of responses, whose throughput is measured. A round at
another level than the accepted one is a trial, as in TCP's congestion control:

- slow start: three times the level, until a trial fails;
- additive increase: eight requests more, after some rounds at the accepted level, and at once after
  an increase that was accepted;
- multiplicative decrease: half the level, where throughput at the accepted level halved.

A trial is accepted where enough of the added requests show as throughput, or few enough of those
left out are missed; else the level goes back. A server that rejects requests or resets connections
gets as many as it accepts, and at least half of the level. Otherwise no level is below the start.
"""

from typing import NamedTuple


class Throughput(NamedTuple):
    """Responses per second at a level."""

    limit: float
    rate: float


class Level:
    """The number of concurrent requests, adapted to a server's throughput."""

    GROWTH = 3.0  # factor of the level in slow start
    STEP = 8.0  # requests added by an increase
    DECREASE = 0.5  # factor of the level in a decrease
    GAIN = 0.3  # share of the added requests that must show as throughput
    FALLEN = 0.5  # ratio of throughput from which the server counts as slower
    HOLD = 4  # rounds at the accepted level between two increases
    FEWEST = 4  # responses after which a round of slow start is over, at least
    SAMPLE = 32  # responses after which another round is over, at least
    SECONDS = 0.5  # duration of such a round, at least

    def __init__(self, start: int, most: int):
        self._start = float(min(start, most))
        self._most = float(most)
        self._accepted: Throughput | None = None  # None: to be measured
        self._slow_start = True
        self._rounds_left = self.HOLD  # until the next increase
        self._begin(self._start, 0.0)

    @property
    def limit(self) -> int:
        """The current number of concurrent requests."""
        return int(self._limit)

    def answered(self, sent_at: float, now: float, full: bool) -> None:
        """A response arrived; ``full``: the level was holding requests back."""
        if sent_at < self._began:
            return
        self._responses += 1
        self._full += full
        self._latency += now - sent_at
        if not self._is_over(now):
            return
        if 2 * self._full < self._responses:
            # The level was not the limit, so that its throughput says nothing: measure again.
            self._begin(self._limit, now)
            return
        # Little's law: requests in flight = throughput × latency
        rate = self._limit * self._responses / max(self._latency, 1e-9)
        self._decide(Throughput(self._limit, rate), now)

    def disturbed(self, now: float) -> None:
        """Begins the round again, since more than the server influenced it, such as a pause."""
        self._begin(self._limit, now)

    def refused(self, accepted: int, now: float) -> None:
        """The server rejects all requests beyond those ``accepted``: the level falls to these.

        From a trial it falls no further than to the level before, which met no rejections.
        """
        lowest = max(1.0, self.DECREASE * self._limit)
        if self._accepted and self._accepted.limit < self._limit:
            lowest = self._accepted.limit
        self._accepted = None
        self._settle(min(self._limit, max(lowest, accepted)), now)

    def _is_over(self, now: float) -> bool:
        """Whether there are enough responses, or twice the expected time for them has passed."""
        if self._slow_start:
            return self._responses >= max(self.FEWEST, 2 * self._limit / 3)
        enough = max(self.SAMPLE, 2 * self._limit)
        seconds = now - self._began
        late = self._accepted is not None and seconds * self._accepted.rate >= 2 * enough
        return seconds >= self.SECONDS and (self._responses >= enough or late)

    def _decide(self, measured: Throughput, now: float) -> None:
        """Accepts the level of the round or goes back, and begins the next round."""
        limit = measured.limit
        before = self._accepted or measured
        change = limit / before.limit
        # The factor of throughput for which a change of the level is accepted.
        needed = 1 + self.GAIN * (change - 1)
        if change != 1 and measured.rate < needed * before.rate:
            self._settle(before.limit, now)
            return
        if self._slow_start and limit >= self._most:
            self._accepted = None  # to be measured in a longer round
            self._settle(limit, now)
            return
        self._accepted = measured
        self._rounds_left -= 1
        following = limit
        if change < 1 or measured.rate < self.FALLEN * before.rate:
            following = max(self._start, self.DECREASE * limit)
        elif self._slow_start:
            following = self.GROWTH * limit
        elif change > 1 or self._rounds_left <= 0:
            following = limit + self.STEP
        self._begin(following, now)

    def _settle(self, limit: float, now: float) -> None:
        """Ends slow start or a trial, and holds a level."""
        self._slow_start = False
        self._rounds_left = self.HOLD
        self._begin(limit, now)

    def _begin(self, limit: float, now: float) -> None:
        """Begins a round."""
        self._limit = min(limit, self._most)
        self._began = now
        self._responses = 0  # to requests sent in the round
        self._full = 0  # of these, while the level held requests back
        self._latency = 0.0  # sum of their latencies in seconds
