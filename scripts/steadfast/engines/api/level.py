"""The number of requests at once that a server answers fastest, found by what it gives."""

import math
from collections import Counter

GAIN = 0.3
"""Share of the requests added that must arrive as answers for a higher level to be worth it."""


class Level:
    """The number of requests at once that a server answers fastest, found by trying.

    It begins with a climb (``Climb``). From then on the answers a second are measured at the level
    that is held, and now and then at another: a higher one is kept, and climbed on from, if enough
    of what it adds arrives; a lower one if as many answers arrive, so that no requests only wait.
    A trial that fails makes the next one come later. Where the held level gives less than half of
    what it gave, twice in a row, the server has got slower: a level in proportion is tried at once.
    A server that refuses requests gets fewer; nothing else takes the level below its start.
    """

    GROWTH, SHRINKAGE = 1.5, 0.8  # of a trial
    KEPT = 0.97  # share of the answers that must remain with fewer requests
    FALLEN, RISEN = 0.5, 1.25  # of the answers a second, by which a server has changed
    SAMPLE, SECONDS = 32, 0.5  # answers and time by which a level is judged, at least
    LONGEST_HOLD = 8  # measurements between two trials

    def __init__(self, start: int, most: int):
        self._start, self._most = start, most
        self._held = float(min(start, most))
        self._ceiling = float(most)  # of a climb: where the server refused, steps are small
        self._climb: Climb | None = Climb(self._held, most)
        self._rate: float | None = None  # answers a second at the level that is held
        self._tried: float | None = None
        self._hold = self._holds = 1
        self._down = self._doubted = False
        self._last = self.limit
        self._began: float | None = None
        self._settle(0.0)

    @property
    def limit(self) -> int:
        """Requests at once now."""
        return int(self._climb.limit if self._climb else self._tried or self._held)

    def disturbed(self, now: float) -> None:
        """What is being measured is the server's alone no more, such as by a pause: once again."""
        self._settle(now)

    def sent(self, now: float) -> None:
        """One more request is sent."""
        if self._climb:
            self._climb.sent(now)

    def failed(self, now: float, sent_at: float) -> None:
        """One request has no answer."""
        if self._climb:
            self._climb.ended(now, sent_at, answered=False)

    def answered(self, now: float, sent_at: float, full: bool) -> None:
        """One more answer."""
        if self._climb:
            self._climb.ended(now, sent_at, answered=True)
            if full and (found := self._climb.judged(now)) is not None:
                self._hold_on(found, now, down=self._climb.too_high)
        elif self._began is None:
            self._left -= 1
            if (self._left <= 0 and sent_at >= self._changed) or self._late(now, self._changed):
                self._began = now
        else:
            self._count += 1
            self._full += full
            self._measure(now, self._began)

    def refused(self, share: float, now: float) -> None:
        """The server refuses so much of what it is sent: a trial ends, or so much less is sent."""
        if self._tried is None or self._tried < self._held:
            self._ceiling = self.limit
            self._hold_on(max(1.0, self.limit * max(0.5, 1 - share)), now)
        else:
            self._later()
            self._settle(now)

    def _hold_on(self, level: float, now: float, down: bool = False) -> None:
        """Holds a level of which nothing is known yet, and tries a lower or a higher one next."""
        self._last = self.limit
        self._climb, self._tried, self._rate = None, None, None
        self._held, self._down = level, down
        self._hold = 1 if level < self._most else self.LONGEST_HOLD
        self._settle(now)

    def _settle(self, now: float) -> None:
        """The next measurement begins once the requests sent at another level are answered."""
        self._changed, self._left = now, max(self._last, self.limit)
        self._last = self.limit
        self._began, self._count, self._full = None, 0, 0

    def _late(self, now: float, since: float) -> bool:
        """Whether it has taken twice as long as it should: that need not be waited for."""
        seconds, needed = now - since, max(self.SAMPLE, 2 * self.limit)
        return self._rate is not None and seconds * self._rate >= 2 * needed

    def _measure(self, now: float, began: float) -> None:
        seconds, enough = now - began, self._count >= max(self.SAMPLE, 2 * self.limit)
        if seconds < self.SECONDS or not (enough or self._late(now, began)):
            return
        before = self.limit
        if 2 * self._full < self._count:  # the level was not what held the answers back
            self._tried = None
        else:
            self._judge(self._count / seconds, now)
        if self.limit != before:
            self._settle(now)
        else:
            self._began, self._count, self._full = now, 0, 0

    def _judge(self, rate: float, now: float) -> None:
        if self._tried is None or self._rate is None:
            self._judge_held(rate)
            return
        ratio, down = self._tried / self._held, self._tried < self._held
        needed = self.KEPT if down else 1 + GAIN * (ratio - 1)
        if rate < needed * self._rate:
            self._later()
            return
        self._held, self._rate, self._tried = self._tried, rate, None
        self._holds, self._down = 1, down
        if down:
            self._try()
            return
        if self._held >= self._ceiling:  # the server takes more than it did
            self._ceiling = float(self._most)
        self._climb = Climb(self._held, self._ceiling, now)

    def _judge_held(self, rate: float) -> None:
        known, self._rate = self._rate, rate
        if known is None:
            pass
        elif rate < self.FALLEN * known:
            if not self._doubted:  # it may have been a pause
                self._doubted, self._rate = True, known
                return
            lower = min(self._held / 2, 2 * self._held * rate / known)
            if self._held > self._start:
                self._tried = max(float(self._start), lower)
        elif rate > self.RISEN * known:
            self._hold = self._holds = 1
            self._down = False
        else:
            self._rate = (known + rate) / 2
        self._doubted = False
        self._hold -= 1
        if self._hold <= 0 and self._tried is None:
            self._try()

    def _later(self) -> None:
        """A trial failed: the next one comes later, and in the other direction."""
        assert self._tried is not None
        self._down, self._tried = self._tried > self._held, None
        self._hold = self._holds = min(self.LONGEST_HOLD, 2 * self._holds)

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


class Climb:
    """Rungs of ever more requests at once, as long as the answers a second grow with them.

    By Little's law, two thirds of a rung's answers say what it gives, after the time of one answer.
    A rung that gives too little, by more than a standard error, is the last.
    """

    GROWTH = 3.0
    SAMPLE = 4  # answers by which a rung is judged, at least

    too_high = False
    """Whether the last rung gave less than the one before."""

    def __init__(self, start: float, most: float, now: float = 0.0):
        self._most = most
        self._before: Rung | None = None
        self._rung = Rung(start, now)

    @property
    def limit(self) -> float:
        """Requests at once now."""
        return self._rung.limit

    def sent(self, now: float) -> None:
        """One more request is under way."""
        self._rung.sent(now)

    def ended(self, now: float, sent_at: float, answered: bool) -> None:
        """One request is under way no more."""
        for rung in filter(None, (self._rung, self._before)):
            if sent_at >= rung.began:
                rung.ended(now, sent_at, answered)
                break

    def judged(self, now: float) -> float | None:
        """The level at which the climb ends; None where it goes on."""
        rung, before = self._rung, self._before
        if rung.answers < max(self.SAMPLE, 2 * rung.limit / 3):
            return None
        if before:
            gain = rung.rate(now) / before.rate(now)
            needed = 1 + GAIN * (rung.limit / before.limit - 1)
            if gain < needed * (1 - math.hypot(before.error, rung.error)):
                self.too_high = gain < 1
                return before.limit * max(1.0, gain)
        if rung.limit >= self._most:
            return rung.limit
        self._before = rung
        self._rung = Rung(min(self._most, self.GROWTH * rung.limit), now)
        return None


class Rung:
    """A level that is climbed through, and what the requests took that were sent on it."""

    def __init__(self, limit: float, began: float):
        self.limit, self.began = limit, began
        self.answers = 0
        self._under_way: Counter[float] = Counter()  # by the time when they were sent
        self._seconds = self._squares = 0.0

    def sent(self, now: float) -> None:
        """One more request is under way."""
        self._under_way[now] += 1

    def ended(self, now: float, sent_at: float, answered: bool) -> None:
        """One of its requests is under way no more."""
        self._under_way[sent_at] -= 1
        if answered:
            self.answers += 1
            self._seconds += now - sent_at
            self._squares += (now - sent_at) ** 2

    def rate(self, now: float) -> float:
        """Answers a second, by Little's law."""
        mean = self._seconds / self.answers
        late = [(now - at, n) for at, n in self._under_way.items() if n > 0 and now - at > mean]
        seconds = self._seconds + sum(n * taken for taken, n in late)
        return self.limit * (self.answers + sum(n for _, n in late)) / max(seconds, 1e-9)

    @property
    def error(self) -> float:
        """The standard error of what an answer takes, as a share of it."""
        mean = self._seconds / self.answers
        variance = max(0.0, self._squares / self.answers - mean**2)
        return math.sqrt(variance / self.answers) / max(mean, 1e-9)
