"""The number of requests at once, against servers in simulated time, through the engine itself."""

from collections import deque
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paced_servers import SERVERS, Paced, ask, best_bare
from steadfast.engines.api.level import Level
from steadfast.engines.api.pace import RecentFailures

COUNT = 5_000
"""Of requests in a test, at most: larger numbers of them are in ``bench/``."""
BEST = {
    **dict.fromkeys(SERVERS, 256),
    "64 side by side, others wait": 64,
    "32 side by side, slow, few requests": 32,
    "slows down beyond 40": 32,
    "falls from 64 to 8": 64,
    "falls from 64 to 8, slows down beyond": 8,
    "rises from 8 to 64": 64,
    "100 a second": 8,
    "unequal answers, 64 side by side": 64,
    "halts for 1.5 s of every 6": 64,
}
"""The level at which a bare client is soonest done, as ``best_bare`` found of so many requests."""


@pytest.mark.parametrize("name", SERVERS)
def test_it_takes_at_most_1_3_times_as_long_as_a_bare_client_at_its_best(name):
    how, count = SERVERS[name]
    count = min(count, COUNT)
    seconds, _ = best_bare(how, count, [BEST[name]])
    responses, taken = ask(Paced(**how), count)
    assert [response.status for response in responses] == ["ok"] * count
    assert taken <= 1.3 * seconds


def test_it_grows_past_its_start_where_the_server_has_room_and_never_beyond_the_ceiling():
    server = Paced()
    ask(server, 5_000)
    assert server.most_under_way == 256


@pytest.mark.parametrize("slots", [3, 20, 64])
def test_it_does_not_send_ever_more_to_a_server_that_only_lets_them_wait(slots):
    server = Paced(slots=slots, seconds=0.5)
    ask(server, 3_000, max_concurrency=1024)
    assert server.most_under_way <= 12 * slots  # a rung is three times the one before


def test_a_real_limit_is_kept_with_few_refusals():
    server = Paced(per_second=100)
    ask(server, 1_280)
    assert server.refusals <= 0.1 * 1_280


def taken(rate, count, start=4, most=64, full=lambda number: True):
    """The levels at which requests are sent in turn, each with the number of answers before it,
    where so many answers a second come at each level, one after the other, and each is or is not
    of a time when the level held requests back."""
    level, now, waiting, found = Level(start, most), 0.0, deque(), []
    for number in range(count):
        if not found or level.limit != found[-1][0]:
            found.append((level.limit, number))
        while len(waiting) < level.limit:
            waiting.append(now)
            level.sent(now)
        now += 1 / rate(level.limit, number)
        level.answered(now, waiting.popleft(), full(number))
    return found


def levels(*given, **settings):
    return [level for level, _ in taken(*given, **settings)]


def test_it_climbs_by_three_as_soon_as_two_thirds_of_a_rung_are_answered():
    # Four answers; those left of a rung, and two thirds of the next: 4 + 3 + 8, and 11 + 24 more.
    assert taken(lambda level, _: 10 * level, 3_000) == [(4, 0), (12, 4), (36, 15), (64, 50)]


def test_where_more_requests_bring_no_more_answers_it_stays_at_its_start():
    found = taken(lambda *_: 200, 9_000)
    assert [level for level, _ in found] == [4, 12, *[4, 6] * 12, 4]
    # A measurement is half a second, 100 answers. Trials that fail come ever later: after two
    # measurements, after four, and after eight at most.
    held = [until - since for (level, since), (_, until) in pairwise(found) if level == 4]
    assert [round(gap / 100) for gap in held[3:]] == [2, 4, *[8] * 8]


def test_beyond_a_peak_it_comes_back_and_tries_both_ways():
    found = levels(lambda level, _: 10 * level if level <= 20 else 4_000 / level, 6_000)
    # 36 gives hardly more than 12 does, and 13 and 20 in proportion.
    assert found[:9] == [4, 12, 36, 13, 20, 61, 20, 16, 20]
    assert set(found[9:]) == {16, 20, 30}  # a fifth less, half as much again


def test_a_server_that_gets_faster_is_climbed_to_the_most():
    found = taken(lambda level, n: 10 * min(level, 8 if n < 3_000 else 64), 9_000)
    before = {level for level, number in found if 1_000 < number < 3_000}
    assert before == {6, 8, 12}
    assert max(level for level, _ in found) == 64
    assert {level for level, number in found if number > 5_000} == {64, 51}


def test_a_server_that_gets_slower_gets_a_level_in_proportion_at_once():
    found = taken(lambda level, n: 10 * min(level, 64 if n < 3_000 else 8), 9_000)
    assert [level for level, number in found if number < 3_000] == [4, 12, 36, 64]
    # 51 is the trial that was due. Then 80 answers a second in place of 640: about 64 / 8, twice.
    assert [level for level, number in found if number > 3_000][:3] == [51, 64, 17]
    assert {level for level, number in found if number > 4_000} == {6, 8, 12}


def test_nothing_is_tried_where_the_level_holds_no_request_back():
    assert taken(lambda level, _: 10 * level, 3_000, full=lambda _: False) == [(4, 0)]


@pytest.mark.parametrize(("every", "tries"), [(2, True), (3, False)])
def test_a_measurement_counts_where_the_level_held_half_of_its_requests_back(every, tries):
    # 64 answers a second at any level: half a second is 32 of them to the very last bit.
    found = levels(lambda *_: 64, 3_000, full=lambda number: number % every == 0)
    assert found[:3] == [4, 12, 4] and (6 in found) == tries


def test_it_neither_falls_below_its_start_nor_grows_beyond_the_most():
    assert taken(lambda level, _: 10 * level, 3_000, start=8, most=8) == [(8, 0)]
    assert min(levels(lambda level, _: 1_000 / level, 5_000, start=16)) == 16
    assert max(levels(lambda level, _: 10 * level, 3_000, start=4, most=10)) == 10


@pytest.mark.parametrize(("share", "left"), [(0.25, 48), (0.5, 32), (0.9, 32)])
def test_many_refusals_lower_it_by_their_share_and_by_half_at_most(share, left):
    level = Level(64, 64)
    level.refused(share, 1.0)
    assert level.limit == left


def test_one_refusal_holds_back_what_it_refused_alone():
    server = Paced(seconds=1.0, slots=8)
    server.refuse_next = 30.0
    responses, taken = ask(server, 64, max_concurrency=8)
    assert {response.status for response in responses} == {"ok"}
    assert server.last_but_one <= 10.0  # 63 answers, eight a second
    assert 31.0 <= taken <= 32.0


def test_a_server_that_refuses_all_is_left_alone_as_long_as_it_asks():
    server = Paced(per_second=10, window=60.0)  # 600 a minute
    responses, taken = ask(server, 1_000)
    assert {response.status for response in responses} == {"ok"}
    assert 60 <= taken <= 66
    assert server.refusals <= 256


def test_a_server_that_is_down_gets_few_requests():
    server = Paced(down=(0.0, 40.0))
    responses, taken = ask(server, 300)
    assert {response.status for response in responses} == {"ok"}
    assert server.refusals <= 100
    assert taken <= 75


def test_what_waits_to_be_asked_again_takes_no_place():
    server = Paced(seconds=0.1, refused=0.1, refusal_wait=60.0)
    responses, taken = ask(server, 2_000, max_concurrency=16)
    assert {response.status for response in responses} == {"ok"}
    assert server.most_under_way <= 16
    # Two hundred wait a minute, and twenty of them two, all side by side.
    assert taken <= 60 * 5


def outcomes(share, count, every=1.0):
    """How many alarms there are where that share of requests fails, evenly spread."""
    failures, alarms, due = RecentFailures(), 0, 0.0
    for number in range(count):
        failures.sent(number * every, 32)
        due += share
        if due >= 1:
            due -= 1
            alarms += failures.failed(number * every) is not None
    return alarms


def test_scattered_failures_are_no_alarm_and_many_are():
    assert outcomes(0.07, 10_000) == 0
    assert outcomes(0.13, 10_000) == 0
    assert outcomes(0.2, 10_000) > 0
    assert outcomes(1.0, 6) == 1


def test_failures_of_requests_that_were_sent_before_an_alarm_are_no_second_one():
    failures = RecentFailures()
    for number in range(32):
        failures.sent(float(number), 32)
    shares = [failures.failed(float(number)) for number in range(32)]
    assert [share for share in shares if share] == [9 / 32]


@settings(max_examples=15, deadline=None)
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
def test_whatever_the_server_all_is_answered_within_the_bounds(
    start, room, slots, slower, spread, refused, failed, seed
):
    server = Paced(
        slots=slots, slower=slower, spread=spread, refused=refused, failed=failed, seed=seed
    )
    operation = {"at_once": start, "max_concurrency": start + room}
    with patch("steadfast.engines.api.engine.ATTEMPTS", 12):
        responses, _ = ask(server, 1_000, **operation)
    assert {response.status for response in responses} == {"ok"}
    assert server.replies == 1_000
    assert server.most_under_way <= start + room


@settings(max_examples=50, deadline=None)
@given(
    start=st.integers(1, 64),
    most=st.integers(1, 256),
    events=st.lists(
        st.tuples(st.sampled_from("afrd"), st.floats(0, 2), st.booleans()), max_size=300
    ),
)
def test_it_never_leaves_its_bounds(start, most, events):
    level, now, under_way = Level(start, most), 0.0, []
    for kind, seconds, full in events:
        now += seconds
        while len(under_way) < level.limit:
            under_way.append(now)
            level.sent(now)
        sent_at = under_way.pop(0)
        if kind == "a":
            level.answered(now, sent_at, full)
        else:
            level.failed(now, sent_at)
        if kind == "r":
            level.refused(seconds / 2, now)
        if kind == "d":
            level.disturbed(now)
        assert 1 <= level.limit <= most
