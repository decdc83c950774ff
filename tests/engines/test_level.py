"""The number of requests at once, against servers in simulated time, through the engine itself."""

from collections import deque
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paced_servers import SERVERS, Paced, ask, best_bare
from steadfast.engines.api.level import Level


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", SERVERS)
def test_it_takes_at_most_1_4_times_as_long_as_a_bare_client_at_its_best(name):
    how, _, count, best = SERVERS[name]
    seconds, _ = best_bare(how, count, [best])
    responses, taken = ask(Paced(**how), count)
    assert [response.status for response in responses] == ["ok"] * count
    assert taken <= 1.4 * seconds


BOUNDS = {
    "grows where there is room, to the ceiling": ({}, 1_250, {}, {"most_under_way": (256, 256)}),
    # Slow start goes by three.
    "3 side by side, others wait": (
        {"slots": 3, "seconds": 0.5}, 1_000, {"max_concurrency": 1024},
        {"most_under_way": (3, 36)}),
    "20 side by side, others wait": (
        {"slots": 20, "seconds": 0.5}, 1_000, {"max_concurrency": 1024},
        {"most_under_way": (20, 240)}),
    "a limit is kept with few refusals": ({"per_second": 100}, 1_280, {}, {"refusals": (0, 128)}),
    "refuses all beyond 600 a minute": (
        {"per_second": 10, "window": 60.0}, 1_000, {}, {"seconds": (60, 66), "refusals": (0, 256)}),
    "down": ({"down": (0.0, 40.0)}, 300, {}, {"refusals": (0, 100), "seconds": (40, 75)}),
    # What waits takes no slot: fifty wait a minute, and five of them two, all side by side.
    "a tenth waits a minute": (
        {"seconds": 0.1, "refused": 0.1, "refusal_wait": 60.0}, 500, {"max_concurrency": 16},
        {"most_under_way": (0, 16), "seconds": (0, 60 * 5)}),
    # One refusal holds back what it refused alone: 63 answers, eight a second.
    "one is refused for half a minute": (
        {"seconds": 1.0, "slots": 8, "refuse_next": 30.0}, 64, {"max_concurrency": 8},
        {"last_but_one": (0, 10), "seconds": (31, 32)}),
}  # fmt: skip
"""Settings of a server, the number of requests, the operation, and bounds of what then happens."""


@pytest.mark.parametrize(("how", "count", "operation", "bounds"), BOUNDS.values(), ids=BOUNDS)
def test_all_is_answered_within_bounds(how, count, operation, bounds):
    server = Paced(**how)
    responses, seconds = ask(server, count, **operation)
    assert [response.status for response in responses] == ["ok"] * count
    results = {**vars(server), "seconds": seconds}
    for name, (least, most) in bounds.items():
        assert least <= results[name] <= most, name


def taken(rate, count, start=4, most=64, full=lambda number: True):
    """The levels at which requests are sent in turn, each with the number of answers before it,
    where so many answers a second come at each level, one after the other, and each is or is not
    of a time when the level held requests back."""
    level = Level(start, most)
    now = 0.0
    waiting = deque()
    sent = []
    for number in range(count):
        if not sent or level.limit != sent[-1][0]:
            sent.append((level.limit, number))
        while len(waiting) < level.limit:
            waiting.append(now)
            level.sent(now)
        now += 1 / rate(level.limit, number)
        level.answered(waiting.popleft(), now, full(number))
    return sent


def levels(*given, **settings):
    return [level for level, _ in taken(*given, **settings)]


def test_slow_start_goes_by_three_as_soon_as_two_thirds_of_a_round_are_answered():
    # Four answers; those left of a round, and two thirds of the next: 4 + 3 + 8, and 11 + 24 more.
    assert taken(lambda level, _: 10 * level, 500) == [(4, 0), (12, 4), (36, 15), (64, 50)]


def test_where_more_requests_bring_no_more_answers_trials_come_ever_later():
    sent = taken(lambda *_: 200, 4_000)
    assert [level for level, _ in sent] == [4, 12] * 7 + [4]
    # A round is half a second, 100 answers.
    held = [until - since for (level, since), (_, until) in pairwise(sent) if level == 4]
    assert [round(gap / 100) for gap in held[1:]] == [1, 2, 4, 8, 8, 8]


def test_beyond_a_peak_it_comes_back_and_tries_both_ways():
    sent = levels(lambda level, _: 10 * level if level <= 20 else 4_000 / level, 3_000)
    assert sent[:9] == [4, 12, 36, 12, 9, 12, 20, 28, 20]  # 36 gives hardly more than 12 does
    assert set(sent[9:]) == {16, 20, 28}  # a fifth less, eight more


def test_a_server_that_gets_faster_gets_ever_more():
    sent = taken(lambda level, n: 10 * min(level, 8 if n < 1_500 else 64), 3_000)
    assert {level for level, number in sent if 400 < number < 1_500} == {7, 9, 17}
    after = [level for level, number in sent if number > 1_600]
    assert after == [17, 25, 33, 41, 49, 57, 64]  # eight more each


def test_a_server_that_gets_slower_gets_a_level_in_proportion_at_once():
    sent = taken(lambda level, n: 10 * min(level, 64 if n < 1_000 else 8), 3_000)
    after = [level for level, number in sent if number > 1_000]
    assert after[0] == 32  # after two rounds of less than half of the answers
    assert min(after[:5]) <= 12
    assert {level for level, number in sent if number > 2_000} <= {7, 8, 9, 16, 17}


def test_nothing_is_tried_where_the_level_holds_no_request_back():
    assert taken(lambda level, _: 10 * level, 500, full=lambda _: False) == [(4, 0)]


@pytest.mark.parametrize(("every", "trials"), [(2, True), (3, False)])
def test_a_round_counts_where_the_level_held_half_of_its_requests_back(every, trials):
    # 64 answers a second at any level: half a second is 32 of them to the very last bit.
    sent = levels(lambda *_: 64, 1_000, full=lambda number: number % every == 0)
    assert sent[:2] == [4, 12] and (len(sent) > 2) == trials


def test_it_neither_falls_below_its_start_nor_grows_beyond_the_most():
    assert taken(lambda level, _: 10 * level, 500, start=8, most=8) == [(8, 0)]
    assert min(levels(lambda level, _: 1_000 / level, 1_500, start=16)) == 16
    assert max(levels(lambda level, _: 10 * level, 500, start=4, most=10)) == 10


@pytest.mark.parametrize(("accepted", "left"), [(48, 48), (32, 32), (6, 32), (70, 64)])
def test_refusals_lower_it_to_what_is_accepted_and_by_half_at_most(accepted, left):
    level = Level(64, 64)
    level.refused(accepted, 1.0)
    assert level.limit == left


@pytest.mark.parametrize(("accepted", "left"), [(40, 40), (20, 24)])
def test_slow_start_that_meets_refusals_goes_back_no_further_than_what_met_none(accepted, left):
    level = Level(8, 256)
    for now, count in ((1.0, 8), (2.0, 24)):
        for _ in range(count):
            level.sent(now)
        for _ in range(count):
            level.answered(now, now + 1, True)
    assert level.limit == 72
    level.refused(accepted, 3.0)
    assert level.limit == left


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
def test_whatever_the_server_all_is_answered_within_the_bounds(
    start, room, slots, slower, spread, refused, failed, seed
):
    server = Paced(
        slots=slots, slower=slower, spread=spread, refused=refused, failed=failed, seed=seed
    )
    operation = {"at_once": start, "max_concurrency": start + room}
    with patch("steadfast.engines.api.engine.ATTEMPTS", 12):
        responses, _ = ask(server, 500, **operation)
    assert {response.status for response in responses} == {"ok"}
    assert server.replies == 500
    assert server.most_under_way <= start + room


@settings(max_examples=30, deadline=None)
@given(
    start=st.integers(1, 64),
    most=st.integers(1, 256),
    events=st.lists(
        st.tuples(st.sampled_from("afrd"), st.floats(0, 2), st.booleans()), max_size=300
    ),
)
def test_it_never_leaves_its_bounds(start, most, events):
    level = Level(start, most)
    now = 0.0
    under_way = []
    for kind, seconds, full in events:
        now += seconds
        while len(under_way) < level.limit:
            under_way.append(now)
            level.sent(now)
        sent_at = under_way.pop(0)
        if kind == "a":
            level.answered(sent_at, now, full)
        else:
            level.failed(sent_at, now)
        if kind == "r":
            level.refused(len(under_way), now)
        if kind == "d":
            level.disturbed(now)
        assert 1 <= level.limit <= most
