"""Finds the concurrency with which a server has the highest throughput, from its responses.

Concurrency (the *level*) is kept for a round of responses, whose throughput is measured. A state
machine decides on the level of the next round:

    SLOW_START ──── throughput grows enough ───▶ SLOW_START at 3 × the level
        └────────── it does not, or at most ───▶ HOLD
    HOLD ────────── time for a trial ──────────▶ INCREASE or DECREASE
        └────────── throughput halved, twice ──▶ DECREASE by half: the server got slower
    INCREASE ────── throughput grows enough ───▶ accepted; the next trial goes on upwards
    DECREASE ────── throughput stays the same ─▶ accepted; the next trial goes on downwards
        └────────── otherwise ─────────────────▶ HOLD at the accepted level; later a trial in the
                                                 other direction

This is TCP's congestion control (slow start, additive increase, multiplicative decrease) with
throughput as its signal. A server that rejects requests or resets connections gets as many as it
accepts, and at least half of the level. Otherwise no level is below the start.
"""

import math
from collections import Counter
from enum import Enum, auto


class Phase(Enum):
    """The state: what the current round is to find out."""

    SLOW_START = auto()  # whether three times as many requests give enough more throughput
    HOLD = auto()  # whether the accepted level still has its throughput
    INCREASE = auto()  # trial: whether a few more requests give enough more throughput
    DECREASE = auto()  # trial: whether fewer requests have the same throughput


class Level:
    """The number of concurrent requests, adapted to a server's throughput."""

    GROWTH = 3.0  # factor of the level in slow start
    STEP = 8.0  # requests added by an increase
    DECREASE = 0.8  # factor of the level in a decrease
    GAIN = 0.3  # share of the added requests that must show as throughput
    KEPT = 0.97  # share of the throughput that must remain after a decrease
    FALLEN = 0.5  # ratio of throughput from which the server counts as slower
    RISEN = 1.25  # ratio of throughput from which the server counts as faster
    LONGEST_HOLD = 8  # rounds between two trials

    def __init__(self, start: int, most: int):
        self._start = float(min(start, most))
        self._most = float(most)
        self._accepted: Round | None = None  # the last round whose level was worth its requests
        self._hold_rounds = 1  # rounds of HOLD before a trial; doubles when a trial fails
        self._rounds_left = 1  # of these
        self._downwards = False  # direction of the next trial
        self._drop_seen = False  # throughput fell in the last round of HOLD
        self._begin(Phase.SLOW_START, self._start, 0.0)

    @property
    def limit(self) -> int:
        """The current number of concurrent requests."""
        return int(self._round.limit)

    def sent(self, now: float) -> None:
        """A request is sent."""
        self._round.sent(now)

    def failed(self, sent_at: float, now: float) -> None:
        """A request ended without a response."""
        self._round.ended(sent_at, now)

    def answered(self, sent_at: float, now: float, full: bool) -> None:
        """A response arrived; ``full``: the level was holding requests back."""
        self._round.ended(sent_at, now, answered=True, full=full)
        expected_rate = self._accepted.rate if self._accepted else 0.0
        if not self._round.is_over(now, expected_rate, early=self._phase is Phase.SLOW_START):
            return
        if 2 * self._round.full < self._round.responses:
            # The level was not the limit, so that its throughput says nothing: measure again.
            self.disturbed(now)
            return
        self._round.rate = self._round.rate_at(now)
        match self._phase:
            case Phase.SLOW_START:
                self._after_slow_start(now)
            case Phase.HOLD:
                self._after_hold(now)
            case Phase.INCREASE | Phase.DECREASE:
                self._after_trial(now)

    def disturbed(self, now: float) -> None:
        """Begins the round again, since more than the server influenced it, such as a pause."""
        self._begin(self._phase, self._round.limit, now)

    def refused(self, accepted: int, now: float) -> None:
        """The server rejects all requests beyond those ``accepted``: the level falls to these.

        From a trial it falls no further than to the level before, which met no rejections.
        """
        limit = self._round.limit
        is_upwards = self._phase in (Phase.SLOW_START, Phase.INCREASE)
        lowest = max(1.0, limit / 2)
        if is_upwards and self._accepted:
            lowest = self._accepted.limit
        match self._phase:
            case Phase.SLOW_START:
                self._hold_rounds = 1
            case Phase.INCREASE:
                self._hold_rounds = min(self.LONGEST_HOLD, 2 * self._hold_rounds)
            case _:
                self._hold_rounds = self.LONGEST_HOLD
        self._accepted = None
        self._downwards = False
        self._hold(min(limit, max(lowest, accepted)), now)

    # --- transitions, at the end of a round -----------------------------------------------------

    def _after_slow_start(self, now: float) -> None:
        measured = self._round
        previous = self._accepted
        gain = measured.rate / previous.rate if previous else math.inf
        if previous and gain < self._needed_gain(previous, measured):
            # Hardly more throughput: back to the level before, times the gain in throughput.
            self._accepted = None
            self._downwards = gain < 1
            self._begin(Phase.HOLD, previous.limit * max(1.0, gain), now)
        elif measured.limit < self._most:
            self._accepted = measured
            self._begin(Phase.SLOW_START, self.GROWTH * measured.limit, now)
        else:
            self._accepted = None
            self._hold_rounds = self.LONGEST_HOLD
            self._rounds_left = self.LONGEST_HOLD
            self._begin(Phase.HOLD, measured.limit, now)

    def _after_hold(self, now: float) -> None:
        measured = self._round
        accepted = self._accepted or measured
        has_fallen = measured.rate < self.FALLEN * accepted.rate
        if has_fallen and not self._drop_seen:
            # It may have been a pause of the server: only a second drop in a row counts.
            self._drop_seen = True
            self._begin(Phase.HOLD, measured.limit, now)
            return
        self._accepted = measured
        self._drop_seen = False
        self._rounds_left -= 1
        if has_fallen and measured.limit > self._start:
            share = min(0.5, 2 * measured.rate / accepted.rate)
            self._begin(Phase.DECREASE, max(self._start, share * measured.limit), now)
        elif self._rounds_left <= 0 or measured.rate > self.RISEN * accepted.rate:
            self._begin_trial(now)
        else:
            measured.rate = (accepted.rate + measured.rate) / 2
            self._begin(Phase.HOLD, measured.limit, now)

    def _after_trial(self, now: float) -> None:
        measured = self._round
        accepted = self._accepted
        assert accepted is not None, "trials begin at a level that was measured"
        needed = self.KEPT
        if self._phase is Phase.INCREASE:
            needed = self._needed_gain(accepted, measured)
        if measured.rate >= needed * accepted.rate:
            self._accepted = measured
            self._hold_rounds = 1
            self._begin_trial(now)
        else:
            self._downwards = self._phase is Phase.INCREASE
            self._hold_rounds = min(self.LONGEST_HOLD, 2 * self._hold_rounds)
            self._hold(accepted.limit, now)

    def _needed_gain(self, before: "Round", measured: "Round") -> float:
        """The factor of throughput for which a higher level is worth its requests."""
        return 1 + self.GAIN * (measured.limit / before.limit - 1)

    # --- beginnings of rounds --------------------------------------------------------------------

    def _begin_trial(self, now: float) -> None:
        limit = self._round.limit
        if self._downwards and limit > self._start:
            self._begin(Phase.DECREASE, max(self._start, self.DECREASE * limit), now)
        elif limit < self._most:
            self._downwards = False
            self._begin(Phase.INCREASE, limit + self.STEP, now)
        else:
            self._downwards = True
            self._hold(limit, now)

    def _hold(self, limit: float, now: float) -> None:
        self._rounds_left = self._hold_rounds
        self._begin(Phase.HOLD, limit, now)

    def _begin(self, phase: Phase, limit: float, now: float) -> None:
        self._phase = phase
        self._round = Round(min(limit, self._most), now)


class Round:
    """The requests sent at one level, and their throughput.

    By Little's law: requests in flight = throughput × latency. So the throughput at a level is the
    level, divided by the mean latency of the requests that were sent at it.
    """

    FEWEST = 4  # responses after which a round of slow start is over, at least
    SAMPLE = 32  # responses after which another round is over, at least
    SECONDS = 0.5  # duration of such a round, at least

    def __init__(self, limit: float, began: float):
        self.limit = limit
        self.began = began
        self.responses = 0
        self.full = 0  # responses that arrived while the level held requests back
        self.rate = 0.0  # responses per second
        self._in_flight: Counter[float] = Counter()  # by the time when they were sent
        self._seconds = 0.0  # sum of the latencies of all responses

    def sent(self, now: float) -> None:
        """A request is sent."""
        self._in_flight[now] += 1

    def ended(
        self, sent_at: float, now: float, *, answered: bool = False, full: bool = False
    ) -> None:
        """A request ended; those that were sent before the round do not count."""
        if sent_at < self.began:
            return
        self._in_flight[sent_at] -= 1
        if answered:
            self.responses += 1
            self.full += full
            self._seconds += now - sent_at

    def is_over(self, now: float, expected_rate: float, *, early: bool) -> bool:
        """Whether there are enough responses, or twice the expected time for them has passed."""
        if early:
            return self.responses >= max(self.FEWEST, 2 * self.limit / 3)
        enough = max(self.SAMPLE, 2 * self.limit)
        seconds = now - self.began
        late = seconds * expected_rate >= 2 * enough  # never where no rate is expected (0)
        return seconds >= self.SECONDS and (self.responses >= enough or late)

    def rate_at(self, now: float) -> float:
        """Responses per second (throughput = level ÷ mean latency).

        Requests in flight for longer than the mean latency so far count too, with the time since
        they were sent: otherwise a level with many slow requests would look fast.
        """
        mean = self._seconds / max(1, self.responses)
        responses = self.responses
        late_seconds = 0.0
        for sent_at, number in self._in_flight.items():
            if number > 0 and now - sent_at > mean:
                responses += number
                late_seconds += number * (now - sent_at)
        return self.limit * responses / max(self._seconds + late_seconds, 1e-9)
