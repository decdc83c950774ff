"""When a request is sent, in simulated time: slots, pauses and waits of known seconds."""

import asyncio

import pytest

from paced_servers import virtually
from steadfast.engines.api.level import Level
from steadfast.engines.api.pace import Pace, RecentFailures, limited_wait


async def seconds_until_a_slot(pace: Pace) -> float:
    loop = asyncio.get_running_loop()
    before = loop.time()
    sent_at = await pace.acquire()
    assert sent_at == loop.time()
    pace.release()
    return sent_at - before


async def fail(pace: Pace, count: int, **how) -> None:
    """Sends so many requests, all of which fail at once: refused, if nothing else is said."""
    sent = [await pace.acquire() for _ in range(count)]
    for at in sent:
        pace.failed(at, **{"after": None, "overloaded": True, "broken": False} | how)
    await asyncio.sleep(0)  # their slots are free


def test_as_many_are_sent_at_once_as_there_are_slots_in_their_order():
    async def run():
        pace = Pace(2, 2)
        order = []

        async def ask(name, seconds):
            sent_at = await pace.acquire()
            order.append((name, sent_at))
            await asyncio.sleep(seconds)
            assert pace.succeeded(sent_at) == seconds

        await asyncio.gather(ask("a", 1.0), ask("b", 3.0), ask("c", 1.0), ask("d", 1.0))
        return order

    found, taken = virtually(run())
    assert found == [("a", 0.0), ("b", 0.0), ("c", 1.0), ("d", 2.0)]
    assert taken == 3.0


def test_a_place_that_is_given_up_is_the_next_ones():
    async def run():
        pace = Pace(1, 1)
        await pace.acquire()
        first, second = (asyncio.create_task(pace.acquire()) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        pace.release()
        return await second

    assert virtually(run())[0] == 0.0


def test_all_wait_twice_as_long_with_each_pause_until_an_answer_comes():
    async def run():
        pace = Pace(8, 8)
        waits = []
        for _ in range(3):
            await fail(pace, 6, overloaded=False, broken=True)
            waits.append(await seconds_until_a_slot(pace))
        pace.succeeded(await pace.acquire())
        await fail(pace, 6, overloaded=False, broken=True)
        return [*waits, await seconds_until_a_slot(pace)]

    assert virtually(run())[0] == [2.0, 4.0, 8.0, 2.0]


@pytest.mark.parametrize(
    ("after", "failures", "waited"),
    [(30.0, 6, 30.0), (86_400.0, 6, 600.0), (None, 6, 2.0)],
    ids=["as the server asks", "ten minutes at most", "two seconds by itself"],
)
def test_a_pause_is_as_long_as_the_server_asks_within_bounds(after, failures, waited):
    async def run():
        pace = Pace(8, 8)
        await fail(pace, failures, after=after)
        return await seconds_until_a_slot(pace)

    assert virtually(run())[0] == waited


def test_where_less_than_half_is_refused_fewer_are_sent_and_none_waits():
    async def run():
        pace = Pace(64, 64)
        sent = [await pace.acquire() for _ in range(17)]
        for at in sent[:7]:  # the seventh of seventeen is more than five and a tenth
            assert pace.level.limit == 64
            pace.failed(at, None, overloaded=True, broken=False)
        return pace.level.limit, await seconds_until_a_slot(pace)

    # Ten of the seventeen are under way: fewer than half of the level.
    assert virtually(run())[0] == (32, 0.0)


def test_what_was_let_in_before_the_level_fell_is_not_sent_beyond_it():
    async def run():
        pace = Pace(8, 32)
        sent = []
        pace.level.disturbed = pace.level.answered = lambda *_: None

        async def ask(name):
            sent_at = await pace.acquire()
            sent.append(name)
            await asyncio.sleep(1)
            pace.succeeded(sent_at)

        asking = [asyncio.create_task(ask(number)) for number in range(12)]
        await asyncio.sleep(0.5)
        pace.level = Level(12, 32)
        pace._wake()  # the first of four that may be sent now
        pace.level = Level(9, 32)
        await asyncio.sleep(0)
        before = list(sent)
        await asyncio.gather(*asking)
        return before, sent

    before, sent = virtually(run())[0]
    assert before == list(range(9))
    assert sent == list(range(12))


@pytest.mark.parametrize(("answered", "waited"), [(False, 4.0), (True, 0.0)])
def test_while_no_answer_comes_after_a_pause_fewer_failures_are_enough_for_the_next(
    answered, waited
):
    async def run():
        pace = Pace(64, 64)
        await fail(pace, 6, overloaded=False, broken=True)
        if answered:
            pace.succeeded(await pace.acquire())
        sent = [await pace.acquire() for _ in range(17)]
        for at in sent[:7]:
            pace.failed(at, None, overloaded=False, broken=True)
        return await seconds_until_a_slot(pace)

    assert virtually(run())[0] == waited


@pytest.mark.parametrize(("busy", "full"), [(17, False), (18, True)])
def test_a_level_of_which_nine_tenths_are_in_use_holds_requests_back(busy, full):
    async def run():
        pace = Pace(20, 20)
        seen = []
        pace.level.answered = lambda sent_at, now, full: seen.append(full)
        await asyncio.sleep(100)
        sent = [await pace.acquire() for _ in range(busy)]
        await asyncio.sleep(1)
        pace.succeeded(sent[0])
        return seen

    assert virtually(run())[0] == [full]


def test_a_server_that_fails_gets_no_fewer_and_all_wait():
    async def run():
        pace = Pace(8, 8)
        await fail(pace, 6, overloaded=False, broken=True)
        return pace.level.limit, await seconds_until_a_slot(pace)

    assert virtually(run())[0] == (8, 2.0)


def test_what_is_wrong_with_a_request_itself_is_no_alarm():
    async def run():
        pace = Pace(8, 8)
        await fail(pace, 8, overloaded=False, broken=False)
        return pace.level.limit, await seconds_until_a_slot(pace)

    assert virtually(run())[0] == (8, 0.0)


def test_a_refused_request_keeps_its_slot_as_long_as_an_answer_takes():
    async def run():
        pace = Pace(1, 1)
        sent_at = await pace.acquire()
        await asyncio.sleep(3)
        pace.succeeded(sent_at)
        pace.failed(await pace.acquire(), None, overloaded=True, broken=False)
        return await seconds_until_a_slot(pace)

    assert virtually(run())[0] == 3.0


def test_the_usual_time_follows_the_answers_by_a_sixteenth():
    async def run():
        pace = Pace(1, 1)
        for seconds in (16.0, 32.0):
            sent_at = await pace.acquire()
            await asyncio.sleep(seconds)
            pace.succeeded(sent_at)
        pace.failed(await pace.acquire(), None, overloaded=True, broken=False)
        return await seconds_until_a_slot(pace)

    assert virtually(run())[0] == 17.0


def test_the_next_attempt_waits_as_asked_or_ever_longer():
    async def run():
        pace = Pace(1, 1)
        loop = asyncio.get_running_loop()
        waits = []
        for attempt, after in ((1, 5.0), (1, 9_999.0), (1, None), (3, None), (9, None)):
            before = loop.time()
            await pace.wait(attempt, after)
            waits.append(loop.time() - before)
        return waits

    asked, longest, first, third, ninth = virtually(run())[0]
    assert (asked, longest) == (5.0, 600.0)
    assert 0.5 <= first <= 1 and 2 <= third <= 4 and 30 <= ninth <= 60


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
