"""The number of requests at once that a server answers fastest, found by what it gives."""

import math
from collections import Counter
from enum import Enum, auto


class Phase(Enum):
    """What a level's requests are to find out."""

    SLOW_START = auto()  # three times as many, as long as enough of them arrive as answers
    HOLD = auto()  # the level that is known to be worth its requests
    INCREASE = auto()  # whether a few more are worth it
    DECREASE = auto()  # whether fewer give as much


class Level:
    """The number of requests at once: slow start, then additive increase, multiplicative decrease.

    Each level is kept for a round of answers, which say how many a second it gives. From time to
    time a few requests more are tried, and kept if enough of what is added arrives, or a fifth
    fewer, and kept if as many answers arrive, so that no requests only wait. A trial that fails
    makes the next one come later, and in the other direction. Where the held level gives less than
    half of what it gave, twice in a row, the server got slower: half as many are tried at once. A
    server that refuses requests or resets connections gets as many as it accepts, and half of the
    level at least; nothing else goes below the start.
    """

    GROWTH = 3.0  # of slow start
    STEP = 8.0  # requests of an increase
    DECREASE = 0.8
    GAIN = 0.3  # share of the requests added that must arrive as answers
    KEPT = 0.97  # share of the answers that must remain with fewer requests
    FALLEN, RISEN = 0.5, 1.25  # of the answers a second, by which a server has changed
    LONGEST_HOLD = 8  # rounds between two trials

    def __init__(self, start: int, most: int):
        self._start, self._most = float(min(start, most)), float(most)
        self._held: Round | None = None  # the last level that was worth its requests
        self._hold = self._rounds = 1  # rounds until the next trial, and those that are left
        self._down = self._doubted = False
        self._begin(Phase.SLOW_START, self._start, 0.0)

    @property
    def limit(self) -> int:
        """Requests at once now."""
        return int(self._round.limit)

    def sent(self, now: float) -> None:
        """One more request is sent."""
        self._round.sent(now)

    def failed(self, sent_at: float, now: float) -> None:
        """One request has no answer."""
        self._round.ended(sent_at, now)

    def answered(self, sent_at: float, now: float, full: bool) -> None:
        """One more answer; ``full``: the level held requests back."""
        self._round.ended(sent_at, now, answered=True, full=full)
        usual = self._held.rate if self._held else 0.0
        if not self._round.is_over(now, usual, early=self._phase is Phase.SLOW_START):
            return
        if 2 * self._round.full < self._round.answers:
            self.disturbed(now)
            return
        self._round.rate = self._round.rate_at(now)
        match self._phase:
            case Phase.SLOW_START:
                self._judge_start(now)
            case Phase.HOLD:
                self._judge_held(now)
            case Phase.INCREASE | Phase.DECREASE:
                self._judge_trial(now)

    def disturbed(self, now: float) -> None:
        """What is being measured is the server's alone no more, such as by a pause: once again."""
        self._begin(self._phase, self._round.limit, now)

    def refused(self, accepted: int, now: float) -> None:
        """The server refuses requests beyond those that it has accepted: no more are sent at once.

        A trial goes back no further than to the level before it, which met no refusals.
        """
        limit = self._round.limit
        is_trial = self._phase in (Phase.SLOW_START, Phase.INCREASE)
        least = self._held.limit if is_trial and self._held else max(1.0, limit / 2)
        match self._phase:
            case Phase.SLOW_START:
                self._hold = 1
            case Phase.INCREASE:
                self._hold = min(self.LONGEST_HOLD, 2 * self._hold)
            case _:
                self._hold = self.LONGEST_HOLD
        self._held = None
        self._down = False
        self._rest(min(limit, max(least, accepted)), now)

    def _begin(self, phase: Phase, limit: float, now: float) -> None:
        self._phase, self._round = phase, Round(min(limit, self._most), now)

    def _judge_start(self, now: float) -> None:
        measured = self._round
        held = self._held
        gain = measured.rate / held.rate if held else math.inf
        if held and gain < self._needed(held, measured):
            # More requests bring hardly more answers: back, or to as many as answers have grown.
            self._held = None
            self._down = gain < 1
            self._begin(Phase.HOLD, held.limit * max(1.0, gain), now)
        elif measured.limit < self._most:
            self._held = measured
            self._begin(Phase.SLOW_START, self.GROWTH * measured.limit, now)
        else:
            self._held = None
            self._hold = self._rounds = self.LONGEST_HOLD
            self._begin(Phase.HOLD, measured.limit, now)

    def _judge_held(self, now: float) -> None:
        measured = self._round
        held = self._held or measured
        has_fallen = measured.rate < self.FALLEN * held.rate
        if has_fallen and not self._doubted:  # it may have been a pause
            self._doubted = True
            self._begin(Phase.HOLD, measured.limit, now)
            return
        self._held = measured
        self._doubted = False
        self._rounds -= 1
        if has_fallen and measured.limit > self._start:
            share = min(0.5, 2 * measured.rate / held.rate)
            self._begin(Phase.DECREASE, max(self._start, share * measured.limit), now)
        elif self._rounds <= 0 or measured.rate > self.RISEN * held.rate:
            self._try(now)
        else:
            measured.rate = (held.rate + measured.rate) / 2
            self._begin(Phase.HOLD, measured.limit, now)

    def _judge_trial(self, now: float) -> None:
        measured = self._round
        held = self._held
        assert held is not None, "trials begin at a level that was measured"
        needed = self.KEPT if self._phase is Phase.DECREASE else self._needed(held, measured)
        if measured.rate >= needed * held.rate:
            self._held = measured
            self._hold = 1
            self._try(now)
        else:
            self._down = self._phase is Phase.INCREASE
            self._hold = min(self.LONGEST_HOLD, 2 * self._hold)
            self._rest(held.limit, now)

    def _needed(self, held: "Round", measured: "Round") -> float:
        """By which factor more requests must give more answers."""
        return 1 + self.GAIN * (measured.limit / held.limit - 1)

    def _try(self, now: float) -> None:
        """The next level in the direction in which the last trial went well."""
        limit = self._round.limit
        if self._down and limit > self._start:
            self._begin(Phase.DECREASE, max(self._start, self.DECREASE * limit), now)
        elif limit < self._most:
            self._down = False
            self._begin(Phase.INCREASE, limit + self.STEP, now)
        else:
            self._down = True
            self._rest(limit, now)

    def _rest(self, limit: float, now: float) -> None:
        self._rounds = self._hold
        self._begin(Phase.HOLD, limit, now)


class Round:
    """A level, and what the requests took that were sent at it."""

    FEWEST = 4  # answers by which a level is judged in slow start, at least
    SAMPLE, SECONDS = 32, 0.5  # answers and time by which it is judged later, at least

    def __init__(self, limit: float, began: float):
        self.limit, self.began = limit, began
        self.answers = self.full = 0
        self.rate = 0.0
        self._under_way: Counter[float] = Counter()  # by the time when they were sent
        self._seconds = 0.0

    def sent(self, now: float) -> None:
        """One more request is under way."""
        self._under_way[now] += 1

    def ended(
        self, sent_at: float, now: float, *, answered: bool = False, full: bool = False
    ) -> None:
        """A request is under way no more; those that were sent before the round do not count."""
        if sent_at < self.began:
            return
        self._under_way[sent_at] -= 1
        if answered:
            self.answers += 1
            self.full += full
            self._seconds += now - sent_at

    def is_over(self, now: float, usual: float, *, early: bool) -> bool:
        """Whether there are enough answers to judge by, or twice the ``usual`` time has passed."""
        if early:
            return self.answers >= max(self.FEWEST, 2 * self.limit / 3)
        enough, seconds = max(self.SAMPLE, 2 * self.limit), now - self.began
        late = usual > 0 and seconds * usual >= 2 * enough
        return seconds >= self.SECONDS and (self.answers >= enough or late)

    def rate_at(self, now: float) -> float:
        """Answers a second.

        By Little's law: requests under way = answers a second × seconds that each takes. Those
        that are late count with the time that they have taken until now.
        """
        mean = self._seconds / max(1, self.answers)
        late = [(now - at, n) for at, n in self._under_way.items() if n > 0 and now - at > mean]
        seconds = self._seconds + sum(n * taken for taken, n in late)
        return self.limit * (self.answers + sum(n for _, n in late)) / max(seconds, 1e-9)
