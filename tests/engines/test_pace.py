"""When a request is sent, in simulated time: slots, pauses and waits of known seconds."""

import asyncio
from functools import wraps

import pytest

from paced_servers import virtually
from steadfast.engines.api.level import Level
from steadfast.engines.api.pace import Pace, RecentFailures, limited_wait

BROKEN = {"after": None, "overloaded": False, "broken": True}
REFUSED = {"after": None, "overloaded": True, "broken": False}


def simulated(test):
    """Runs a test in simulated time."""

    @wraps(test)
    def run(**parameters):
        virtually(test(**parameters))

    return run


async def seconds_until_a_slot(pace: Pace) -> float:
    loop = asyncio.get_running_loop()
    before = loop.time()
    sent_at = await pace.acquire()
    assert sent_at == loop.time()
    pace.release()
    return sent_at - before


async def fail(pace: Pace, count: int, **how) -> None:
    """Sends so many requests, all of which fail at once."""
    sent = [await pace.acquire() for _ in range(count)]
    for sent_at in sent:
        pace.failed(sent_at, **how)
    await asyncio.sleep(0)  # their slots are free


async def answer(pace: Pace, seconds: float) -> float:
    """Sends a request that is answered after so many seconds."""
    sent_at = await pace.acquire()
    await asyncio.sleep(seconds)
    assert pace.succeeded(sent_at) == seconds
    return sent_at


@simulated
async def test_as_many_are_sent_at_once_as_there_are_slots_in_their_order():
    pace = Pace(2, 2)
    sent_at = await asyncio.gather(*(answer(pace, seconds) for seconds in (1.0, 3.0, 1.0, 1.0)))
    assert sent_at == [0.0, 0.0, 1.0, 2.0]
    assert asyncio.get_running_loop().time() == 3.0


@simulated
async def test_a_place_that_is_given_up_is_the_next_ones():
    pace = Pace(1, 1)
    await pace.acquire()
    first, second = (asyncio.create_task(pace.acquire()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    pace.release()
    assert await second == 0.0


@simulated
async def test_all_wait_twice_as_long_with_each_pause_until_an_answer_comes():
    pace = Pace(8, 8)
    for seconds in (2.0, 4.0, 8.0):
        await fail(pace, 6, **BROKEN)
        assert await seconds_until_a_slot(pace) == seconds
    await answer(pace, 0.0)
    await fail(pace, 6, **BROKEN)
    assert await seconds_until_a_slot(pace) == 2.0


@pytest.mark.parametrize(
    ("after", "waited"),
    [(30.0, 30.0), (86_400.0, 600.0), (None, 2.0)],
    ids=["as the server asks", "ten minutes at most", "two seconds by itself"],
)
@simulated
async def test_a_pause_is_as_long_as_the_server_asks_within_bounds(after, waited):
    pace = Pace(8, 8)
    await fail(pace, 6, **REFUSED | {"after": after})
    assert await seconds_until_a_slot(pace) == waited


@simulated
async def test_where_less_than_half_is_refused_fewer_are_sent_and_none_waits():
    pace = Pace(64, 64)
    sent = [await pace.acquire() for _ in range(17)]
    for sent_at in sent[:7]:  # the seventh of seventeen is more than five and a tenth
        assert pace.level.limit == 64
        pace.failed(sent_at, **REFUSED)
    # Ten of the seventeen are under way: fewer than half of the level.
    assert (pace.level.limit, await seconds_until_a_slot(pace)) == (32, 0.0)


@simulated
async def test_what_was_let_in_before_the_level_fell_is_not_sent_beyond_it():
    pace = Pace(8, 32)
    pace.level.disturbed = pace.level.answered = lambda *_: None
    sent = []

    async def send(number):
        sent_at = await pace.acquire()
        sent.append(number)
        await asyncio.sleep(1)
        pace.succeeded(sent_at)

    sending = [asyncio.create_task(send(number)) for number in range(12)]
    await asyncio.sleep(0.5)
    pace.level = Level(12, 32)
    pace._wake()  # the first of four that may be sent now
    pace.level = Level(9, 32)
    await asyncio.sleep(0)
    assert sent == list(range(9))
    await asyncio.gather(*sending)
    assert sent == list(range(12))


@pytest.mark.parametrize(("answered", "waited"), [(False, 4.0), (True, 0.0)])
@simulated
async def test_while_no_answer_comes_after_a_pause_fewer_failures_are_enough_for_the_next(
    answered, waited
):
    pace = Pace(64, 64)
    await fail(pace, 6, **BROKEN)
    if answered:
        await answer(pace, 0.0)
    sent = [await pace.acquire() for _ in range(17)]
    for sent_at in sent[:7]:
        pace.failed(sent_at, **BROKEN)
    assert await seconds_until_a_slot(pace) == waited


@pytest.mark.parametrize(("busy", "full"), [(17, False), (18, True)])
@simulated
async def test_a_level_of_which_nine_tenths_are_in_use_holds_requests_back(busy, full):
    pace = Pace(20, 20)
    fullness = []
    pace.level.answered = lambda sent_at, now, full: fullness.append(full)
    await asyncio.sleep(100)
    sent = [await pace.acquire() for _ in range(busy)]
    await asyncio.sleep(1)
    pace.succeeded(sent[0])
    assert fullness == [full]


@pytest.mark.parametrize(
    ("count", "broken", "waited"),
    [(6, True, 2.0), (8, False, 0.0)],
    ids=["the server fails", "the request itself is wrong"],
)
@simulated
async def test_where_nothing_is_refused_no_fewer_are_sent(count, broken, waited):
    pace = Pace(8, 8)
    await fail(pace, count, **BROKEN | {"broken": broken})
    assert (pace.level.limit, await seconds_until_a_slot(pace)) == (8, waited)


@pytest.mark.parametrize(
    ("answers", "waited"),
    [([3.0], 3.0), ([16.0, 32.0], 17.0)],
    ids=["as long as an answer takes", "which follows the answers by a sixteenth"],
)
@simulated
async def test_a_refused_request_keeps_its_slot(answers, waited):
    pace = Pace(1, 1)
    for seconds in answers:
        await answer(pace, seconds)
    pace.failed(await pace.acquire(), **REFUSED)
    assert await seconds_until_a_slot(pace) == waited


@pytest.mark.parametrize(
    ("attempt", "after", "least", "most"),
    [(1, 5.0, 5, 5), (1, 9_999.0, 600, 600), (1, None, 0.5, 1), (3, None, 2, 4), (9, None, 30, 60)],
)
@simulated
async def test_the_next_attempt_waits_as_asked_or_ever_longer(attempt, after, least, most):
    await Pace(1, 1).wait(attempt, after)
    assert least <= asyncio.get_running_loop().time() <= most


def test_a_wish_to_wait_is_kept_for_ten_minutes():
    assert [limited_wait(after) for after in (0.0, 600.0, 601.0)] == [0.0, 600.0, 600.0]


def test_five_and_a_tenth_of_the_last_requests_may_fail():
    failures = RecentFailures()
    for number in range(10):
        failures.sent(float(number), 8)
    # Six are five and a tenth of ten; the seventh is more.
    assert [failures.failed(float(n)) for n in range(7)] == [None] * 6 + [0.7]
    assert failures.failed(9.0) is None  # all were before the alarm


@pytest.mark.parametrize(("limit", "looked_at"), [(64, 128), (65, 130)])
def test_as_many_requests_are_looked_at_as_the_window_holds(limit, looked_at):
    failures = RecentFailures()
    for number in range(looked_at + 2):
        failures.sent(float(number), limit)
    assert failures.failed(1.0) is None  # two more have gone, and with them their failures
    for number in range(2, 19 + (looked_at == 130)):
        assert failures.failed(float(number)) is None
    # More than 5 + 12.8, and more than 5 + 13.
    assert failures.failed(30.0) == (18 if looked_at == 128 else 19) / looked_at
