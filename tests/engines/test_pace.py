"""When requests are sent, in simulated time: slots, pauses and waits of known length."""

import asyncio
from functools import wraps

import pytest

from paced_servers import virtually
from steadfast.engines.api.level import Level
from steadfast.engines.api.pace import Pace, RecentFailures, wait_of

SERVER_ERROR = {"after": None, "overloaded": False, "broken": True}
REJECTED = {"after": None, "overloaded": True, "broken": False}


def simulated(test):
    """Runs a test in simulated time."""

    @wraps(test)
    def run(**parameters):
        virtually(test(**parameters))

    return run


def now() -> float:
    return asyncio.get_running_loop().time()


async def wait_for_slot(pace: Pace) -> float:
    """The seconds until a slot is free."""
    start = now()
    sent_at = await pace.acquire()
    assert sent_at == now()
    pace.release()
    return sent_at - start


async def fail(pace: Pace, failure: dict, sent: int, failed: int | None = None) -> None:
    """Sends so many requests, of which some or all fail at once."""
    times = [await pace.acquire() for _ in range(sent)]
    for sent_at in times[:failed]:
        pace.failed(sent_at, **failure)
    await asyncio.sleep(0)  # their slots are free


async def answer(pace: Pace, seconds: float) -> float:
    """Sends a request that is answered after so many seconds."""
    sent_at = await pace.acquire()
    await asyncio.sleep(seconds)
    assert pace.succeeded(sent_at) == seconds
    return sent_at


@simulated
async def test_requests_are_sent_in_order_as_slots_become_free():
    pace = Pace(2, 2)
    sent_at = await asyncio.gather(*[answer(pace, seconds) for seconds in (1.0, 3.0, 1.0, 1.0)])
    assert sent_at == [0.0, 0.0, 1.0, 2.0]
    assert now() == 3.0


@simulated
async def test_slot_of_a_cancelled_request_goes_to_the_next():
    pace = Pace(1, 1)
    await pace.acquire()
    first = asyncio.create_task(pace.acquire())
    second = asyncio.create_task(pace.acquire())
    await asyncio.sleep(0)
    first.cancel()
    pace.release()
    assert await second == 0.0


@simulated
async def test_pauses_double_until_an_answer_comes():
    pace = Pace(8, 8)
    for seconds in (2.0, 4.0, 8.0):
        await fail(pace, SERVER_ERROR, 6)
        assert await wait_for_slot(pace) == seconds
    await answer(pace, 0.0)
    await fail(pace, SERVER_ERROR, 6)
    assert await wait_for_slot(pace) == 2.0


@pytest.mark.parametrize(
    ("failure", "count", "waited", "limit"),
    [
        (REJECTED | {"after": 30.0}, 6, 30.0, 4),
        (REJECTED | {"after": 86_400.0}, 6, 600.0, 4),
        (REJECTED, 6, 2.0, 4),
        (SERVER_ERROR, 6, 2.0, 8),
        (SERVER_ERROR | {"broken": False}, 8, 0.0, 8),
    ],
    ids=["server's wait", "ten minutes at most", "default wait", "server error", "invalid request"],
)
@simulated
async def test_failures_pause_all_requests_and_lower_the_level(failure, count, waited, limit):
    pace = Pace(8, 8)
    await fail(pace, failure, count)
    assert (await wait_for_slot(pace), pace.level.limit) == (waited, limit)


@simulated
async def test_rejections_of_less_than_half_lower_the_level_without_a_pause():
    pace = Pace(64, 64)
    sent = [await pace.acquire() for _ in range(17)]
    for sent_at in sent[:7]:  # the seventh of seventeen is more than five and a tenth
        assert pace.level.limit == 64
        pace.failed(sent_at, **REJECTED)
    # Ten of the seventeen are in flight: fewer than half of the level.
    assert (pace.level.limit, await wait_for_slot(pace)) == (32, 0.0)


@simulated
async def test_level_falls_to_the_requests_in_flight():
    pace = Pace(64, 64)
    for _ in range(3):
        await answer(pace, 0.0)
    await fail(pace, REJECTED, 50, 11)  # the eleventh is more than five and a tenth of 53
    assert pace.level.limit == 39


@simulated
async def test_waiting_requests_are_not_sent_beyond_a_lower_level():
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
async def test_next_pause_needs_fewer_failures_until_an_answer_comes(answered, waited):
    pace = Pace(64, 64)
    await fail(pace, SERVER_ERROR, 6)
    if answered:
        await answer(pace, 0.0)
    await fail(pace, SERVER_ERROR, 17, 7)
    assert await wait_for_slot(pace) == waited


@pytest.mark.parametrize(("busy", "full"), [(17, False), (18, True)])
@simulated
async def test_level_is_full_from_nine_tenths_on(busy, full):
    pace = Pace(20, 20)
    fullness = []
    pace.level.answered = lambda sent_at, now, full: fullness.append(full)
    await asyncio.sleep(100)
    sent = [await pace.acquire() for _ in range(busy)]
    await asyncio.sleep(1)
    pace.succeeded(sent[0])
    assert fullness == [full]


@pytest.mark.parametrize(
    ("answer_seconds", "waited"),
    [([3.0], 3.0), ([16.0, 32.0], 17.0)],
    ids=["as long as an answer takes", "average of answers moves by a sixteenth"],
)
@simulated
async def test_rejected_request_keeps_its_slot(answer_seconds, waited):
    pace = Pace(1, 1)
    for seconds in answer_seconds:
        await answer(pace, seconds)
    pace.failed(await pace.acquire(), **REJECTED)
    assert await wait_for_slot(pace) == waited


@pytest.mark.parametrize(
    ("attempt", "after", "shortest", "longest"),
    [
        (1, 0.0, 0, 0), (1, 5.0, 5, 5), (1, 601.0, 600, 600), (1, 9_999.0, 600, 600),
        (1, None, 0.5, 1), (3, None, 2, 4), (9, None, 30, 60),
    ],
)  # fmt: skip
@simulated
async def test_next_attempt_waits_as_the_server_says_or_ever_longer(
    attempt, after, shortest, longest
):
    await Pace(1, 1).wait(attempt, after)
    assert shortest <= now() <= longest


def test_waits_double_up_to_a_minute():
    waits = [wait_of(None, failures) for failures in (0, 1, 5, 6, 1_000)]
    assert waits == [1, 2, 32, 60, 60]


def test_alarm_after_five_failures_and_a_tenth_of_the_requests():
    failures = RecentFailures()
    for number in range(10):
        failures.sent(float(number), 8)
    # Six are five and a tenth of ten; the seventh is more.
    assert [failures.failed(float(n)) for n in range(7)] == [None] * 6 + [0.7]
    assert failures.failed(9.0) is None  # all were before the alarm


@pytest.mark.parametrize(("limit", "window", "alarm"), [(64, 128, 18), (65, 130, 19)])
def test_failures_are_counted_in_a_window_of_recent_requests(limit, window, alarm):
    failures = RecentFailures()
    for number in range(window + 2):
        failures.sent(float(number), limit)
    assert failures.failed(1.0) is None  # this request and its failure are beyond the window
    for number in range(alarm - 1):  # no more than 5 + 12.8, and 5 + 13
        assert failures.failed(2.0 + number) is None
    assert failures.failed(30.0) == alarm / window
