"""The number of concurrent requests, against servers in simulated time, through the engine."""

from collections import deque
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paced_servers import SERVERS, Paced, best_bare, send_all
from steadfast.engines.api.level import Level, Round


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", SERVERS)
def test_run_takes_at_most_1_4_times_as_long_as_the_best_bare_client(name):
    server, _, count, best = SERVERS[name]
    bare_seconds, _ = best_bare(server, count, [best])
    responses, seconds = send_all(Paced(**server), count)
    assert [response.status for response in responses] == ["ok"] * count
    assert seconds <= 1.4 * bare_seconds


BOUNDS = {
    "grows to the maximum": ({}, 1_250, {}, {"most_under_way": (256, 256)}),
    # Slow start multiplies by three.
    "3 at once, others wait": (
        {"slots": 3, "seconds": 0.5}, 1_000, {"max_concurrency": 1024},
        {"most_under_way": (3, 36)}),
    "20 at once, others wait": (
        {"slots": 20, "seconds": 0.5}, 1_000, {"max_concurrency": 1024},
        {"most_under_way": (20, 240)}),
    "few rejections at a rate limit": ({"per_second": 100}, 1_280, {}, {"refusals": (0, 128)}),
    "rejects all beyond 600 a minute": (
        {"per_second": 10, "window": 60.0}, 1_000, {}, {"seconds": (60, 66), "refusals": (0, 256)}),
    "down": ({"down": (0.0, 40.0)}, 300, {}, {"refusals": (0, 100), "seconds": (40, 75)}),
    # Waiting requests take no slot: fifty wait a minute, and five of them two, all at once.
    "a tenth waits a minute": (
        {"seconds": 0.1, "refused": 0.1, "refusal_wait": 60.0}, 500, {"max_concurrency": 16},
        {"most_under_way": (0, 16), "seconds": (0, 60 * 5)}),
    # One rejection delays only its own request: 63 answers, eight a second.
    "one is rejected for half a minute": (
        {"seconds": 1.0, "slots": 8, "refuse_next": 30.0}, 64, {"max_concurrency": 8},
        {"last_but_one": (0, 10), "seconds": (31, 32)}),
}  # fmt: skip
"""Settings of a server, number of requests, operation, and bounds of the results."""


@pytest.mark.parametrize(("settings", "count", "operation", "bounds"), BOUNDS.values(), ids=BOUNDS)
def test_all_requests_are_answered_within_bounds(settings, count, operation, bounds):
    server = Paced(**settings)
    responses, seconds = send_all(server, count, **operation)
    assert [response.status for response in responses] == ["ok"] * count
    results = {**vars(server), "seconds": seconds}
    for name, (low, high) in bounds.items():
        assert low <= results[name] <= high, name


def test_throughput_counts_requests_that_take_longer_than_the_mean():
    measured = Round(4.0, 1.0)
    for eighths in (8, 8, 8, 9.5, 10):
        measured.sent(eighths / 8)
    measured.ended(0.5, 1.5, answered=True)  # sent before the round
    measured.ended(1.0, 1.125, answered=True)
    measured.ended(1.0, 1.25, answered=True)
    # The mean of 1 and 2 eighths is 1.5: a request counts after 3, and not after 1.5 or 1.
    assert measured.rate_at(1.375) == 4 * 3 / ((1 + 2 + 3) / 8)
    assert Round(4.0, 0.0).rate_at(1.0) == 0.0


OVER = [
    # Level, responses, seconds, expected rate (0: unknown), and whether it is a slow start.
    (3, 4, 0.1, 0.0, True), (12, 8, 0.1, 0.0, True), (4, 32, 0.5, 0.0, False),
    (20, 40, 0.5, 0.0, False), (4, 0, 1.0, 64.0, False),
]  # fmt: skip
NOT_OVER = [
    (3, 3, 9.0, 0.0, True), (12, 7, 9.0, 0.0, True), (4, 31, 9.0, 0.0, False),
    (4, 32, 0.49, 0.0, False), (20, 39, 0.5, 0.0, False), (4, 0, 1.0, 63.9, False),
]  # fmt: skip


@pytest.mark.parametrize("state", [*OVER, *NOT_OVER])
def test_round_lasts_for_enough_responses_and_time(state):
    limit, responses, seconds, expected_rate, early = state
    current = Round(limit, 10.0)
    current.responses = responses
    assert current.is_over(10.0 + seconds, expected_rate, early=early) is (state in OVER)


def level_changes(rate, count, start=4, maximum=64, full=lambda number: True):
    """The levels in turn, each with the number of answers before it.

    Args:
        rate: the answers a second, by level and number of answers so far.
        full: whether the level held requests back at the time of an answer, by its number.
    """
    level = Level(start, maximum)
    now = 0.0
    in_flight = deque()
    changes = []
    for number in range(count):
        if not changes or level.limit != changes[-1][0]:
            changes.append((level.limit, number))
        while len(in_flight) < level.limit:
            in_flight.append(now)
            level.sent(now)
        now += 1 / rate(level.limit, number)
        level.answered(in_flight.popleft(), now, full(number))
    return changes


def levels(*arguments, **options):
    return [level for level, _ in level_changes(*arguments, **options)]


def proportional(level, number):
    """Ten answers a second for each concurrent request."""
    return 10 * level


def test_slow_start_triples_after_two_thirds_of_a_round():
    # Four answers; the end of a round, and two thirds of the next: 4 + 3 + 8, and 11 + 24 more.
    assert level_changes(proportional, 500) == [(4, 0), (12, 4), (36, 15), (64, 50)]


def test_trials_without_gain_become_rarer():
    changes = level_changes(lambda *_: 200, 4_000)
    assert [level for level, _ in changes] == [4, 12] * 7 + [4]
    starts = [number for _, number in changes]
    # A round is half a second, 100 answers. The first one at level 4 is of the slow start.
    rounds = [round((end - start) / 100) for start, end in pairwise(starts)]
    assert rounds[2::2] == [1, 2, 4, 8, 8, 8]


def test_level_returns_to_a_peak_and_tries_both_directions():
    changes = level_changes(lambda level, _: 10 * level if level <= 20 else 4_000 / level, 3_000)
    tried = [level for level, _ in changes]
    assert tried[:9] == [4, 12, 36, 12, 9, 12, 20, 28, 20]  # 36 gives hardly more than 12 does
    assert set(tried[9:]) == {16, 20, 28}  # a fifth less, eight more
    holds = []
    for (level, start), (_, end) in pairwise(changes[8:]):
        if level == 20:
            holds.append(round((end - start) / 100))  # rounds of half a second
    assert holds == [2, 4, 8, 8]


def test_trial_after_slow_start_goes_upwards_where_it_gained():
    # 36 requests give a fifth more than 12 do: too little, so it is 12 or a fifth more.
    changes = levels(lambda level, _: 10 * level if level <= 12 else 144, 1_500)
    assert changes[:3] == [4, 12, 36] and 12 <= changes[3] <= 14
    assert changes[4:6] == [changes[3] + 8, changes[3]]


def test_level_grows_when_the_server_becomes_faster():
    changes = level_changes(lambda level, n: 10 * min(level, 8 if n < 1_500 else 64), 3_000)
    assert {level for level, number in changes if 400 < number < 1_500} == {7, 9, 17}
    after = [level for level, number in changes if number > 1_600]
    assert after == [17, 25, 33, 41, 49, 57, 64]  # eight more each


def test_level_falls_in_proportion_when_the_server_becomes_slower():
    changes = level_changes(lambda level, n: 10 * min(level, 64 if n < 1_000 else 8), 3_000)
    after = [level for level, number in changes if number > 1_000]
    assert after[0] == 32  # after two rounds of less than half of the answers
    assert min(after[:5]) <= 12
    assert {level for level, number in changes if number > 2_000} <= {7, 8, 9, 16, 17}


def test_fewer_requests_are_tried_at_the_maximum_after_two_holds():
    changes = level_changes(proportional, 6_000)
    assert [level for level, _ in changes] == [4, 12, 36, 64, 51, 64]
    # A round is half a second, 320 answers, and a hold is eight of them.
    assert round((changes[4][1] - changes[3][1]) / 320) == 16


def test_level_that_is_never_full_stays():
    assert level_changes(proportional, 500, full=lambda _: False) == [(4, 0)]


@pytest.mark.parametrize(("every", "is_tried"), [(2, True), (3, False)])
def test_round_counts_if_half_of_its_requests_found_the_level_full(every, is_tried):
    # 64 answers a second at any level: half a second is 32 of them to the very last bit.
    changes = levels(lambda *_: 64, 1_000, full=lambda number: number % every == 0)
    assert changes[:2] == [4, 12] and (len(changes) > 2) == is_tried


def test_level_stays_between_start_and_maximum():
    assert level_changes(proportional, 500, start=8, maximum=8) == [(8, 0)]
    assert min(levels(lambda level, _: 1_000 / level, 1_500, start=16)) == 16
    assert max(levels(proportional, 500, start=4, maximum=10)) == 10


@pytest.mark.parametrize(("accepted", "limit"), [(48, 48), (32, 32), (6, 32), (70, 64)])
def test_rejections_lower_the_level_by_half_at_most(accepted, limit):
    level = Level(64, 64)
    level.refused(accepted, 1.0)
    assert level.limit == limit
    least = Level(2, 2)
    least.refused(0, 1.0)
    assert least.limit == 1


@pytest.mark.parametrize(("accepted", "limit"), [(40, 40), (20, 24)])
def test_rejections_in_slow_start_return_to_a_level_without_any(accepted, limit):
    level = Level(8, 256)
    for now, count in ((1.0, 8), (2.0, 24)):
        for _ in range(count):
            level.sent(now)
        for _ in range(count):
            level.answered(now, now + 1, True)
    assert level.limit == 72
    level.refused(accepted, 3.0)
    assert level.limit == limit


def test_rejected_trials_become_rarer():
    level = Level(8, 64)
    now = 0.0
    in_flight = deque()
    rejections = []
    for number in range(1_000):
        if level.limit > 8:
            level.refused(8, now)
            rejections.append(number)
        while len(in_flight) < 8:
            in_flight.append(now)
            level.sent(now)
        now += 1 / 64
        level.answered(in_flight.popleft(), now, True)
    # A round is 32 answers, without those to the eight requests in flight at its beginning.
    rounds = [round((after - before) / 40) for before, after in pairwise(rejections)]
    assert rounds == [1, 2, 4, 8, 8]


@settings(max_examples=8, deadline=None)
@given(
    start=st.integers(1, 64),
    room=st.integers(0, 128),
    slots=st.integers(1, 300),
    slower=st.sampled_from([0.0, 1.0, 1.5]),
    spread=st.floats(0, 1.0),
    refused=st.floats(0, 0.05),
    failed=st.floats(0, 0.05),
    seed=st.integers(0, 99),
)
def test_any_server_answers_all_requests_within_the_maximum(start, room, **server_settings):
    server = Paced(**server_settings)
    operation = {"at_once": start, "max_concurrency": start + room}
    with patch("steadfast.engines.api.engine.ATTEMPTS", 12):
        responses, _ = send_all(server, 500, **operation)
    assert {response.status for response in responses} == {"ok"}
    assert server.replies == 500
    assert server.most_under_way <= start + room


@settings(max_examples=30, deadline=None)
@given(
    start=st.integers(1, 64),
    maximum=st.integers(1, 256),
    events=st.lists(
        st.tuples(st.sampled_from("afrd"), st.floats(0, 2), st.booleans()), max_size=300
    ),
)
def test_level_stays_within_its_bounds_at_any_events(start, maximum, events):
    level = Level(start, maximum)
    now = 0.0
    in_flight = []
    for kind, seconds, full in events:
        now += seconds
        while len(in_flight) < level.limit:
            in_flight.append(now)
            level.sent(now)
        sent_at = in_flight.pop(0)
        if kind == "a":
            level.answered(sent_at, now, full)
        else:
            level.failed(sent_at, now)
        if kind == "r":
            level.refused(len(in_flight), now)
        if kind == "d":
            level.disturbed(now)
        assert 1 <= level.limit <= maximum
