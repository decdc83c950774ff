"""The number of requests at once: found by what a server gives, and never beyond the ceiling."""

import heapq
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadfast.engines.pace import Level


class Served:
    """A server in simulated time: beyond its capacity, requests take longer in proportion.

    Args:
        capacity: requests that it serves side by side at full speed.
        seconds: that a reply takes then.
        spread: of the seconds, as a share.
    """

    def __init__(self, capacity, seconds=0.05, spread=0.0, seed=0):
        self.capacity, self.seconds, self.spread = capacity, seconds, spread
        self.now, self.under_way, self.rng = 0.0, [], random.Random(seed)
        self.levels = []

    def ask(self, level, answers):
        """So many answers; the answers a second over the last half of them."""
        half = None
        for number in range(answers):
            while len(self.under_way) < level.limit:
                slowed = max(1.0, (len(self.under_way) + 1) / self.capacity)
                jitter = 1 + self.spread * self.rng.uniform(-1, 1)
                heapq.heappush(self.under_way, self.now + self.seconds * slowed * jitter)
            full = len(self.under_way) >= level.limit
            self.now = heapq.heappop(self.under_way)
            level.answered(self.now, full)
            self.levels.append(level.limit)
            if number == answers // 2:
                half = self.now
        return (answers - answers // 2 - 1) / (self.now - half)

    @property
    def best(self):
        """Answers a second, at most."""
        return self.capacity / self.seconds


def test_it_grows_past_its_start_where_the_server_has_room():
    level, served = Level(8, 256), Served(capacity=10_000)
    served.ask(level, 5_000)
    assert level.limit > 200
    assert max(served.levels) <= 256


@pytest.mark.parametrize("capacity", [3, 20, 64, 150])
def test_it_finds_the_level_of_a_server_that_slows_down_and_does_not_run_away(capacity):
    level, served = Level(8, 1024), Served(capacity, spread=0.5)
    rate = served.ask(level, 20_000)
    assert rate >= 0.8 * served.best
    assert max(served.levels[10_000:]) <= 4 * capacity + 8


def test_it_comes_down_where_a_server_gets_slower_and_not_below_its_start():
    level, served = Level(8, 256), Served(capacity=100, spread=0.2)
    served.ask(level, 5_000)
    before = level.limit
    served.capacity = 3
    served.ask(level, 20_000)
    assert before >= 60
    assert 8 <= level.limit <= 20


def test_it_follows_a_server_that_gets_more_room():
    level, served = Level(8, 256), Served(capacity=10, spread=0.2)
    served.ask(level, 5_000)
    before = level.limit
    served.capacity = 100
    served.ask(level, 20_000)
    assert before <= 30
    assert level.limit >= 60


def test_an_overload_halves_it():
    level = Level(64, 256)
    level.overloaded()
    assert level.limit == 32


def test_it_does_not_grow_where_something_else_holds_the_answers_back():
    level = Level(8, 256)
    for number in range(10_000):
        level.answered(number * 0.01, full=False)
    assert level.limit == 8


@settings(max_examples=30, deadline=None)
@given(
    start=st.integers(1, 64),
    most=st.integers(1, 128),
    capacity=st.integers(1, 300),
    spread=st.floats(0, 0.9),
    overloads=st.sets(st.integers(0, 3_000), max_size=5),
    seed=st.integers(0, 99),
)
def test_it_never_leaves_its_bounds_and_loses_no_more_than_half(
    start, most, capacity, spread, overloads, seed
):
    level, served = Level(start, most), Served(capacity, spread=spread, seed=seed)
    for begin in range(0, 3_000, 500):
        served.ask(level, 500)
        if any(begin <= at < begin + 500 for at in overloads):
            level.overloaded()
    rate = served.ask(level, 8_000)
    assert all(1 <= limit <= most for limit in served.levels)
    assert rate >= 0.5 * min(served.best, most / served.seconds)
