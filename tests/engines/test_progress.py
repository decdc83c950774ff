"""Progress in a log and on a terminal."""

import io
from types import SimpleNamespace

import pytest

from steadfast.contract.request import Response
from steadfast.engines.sending.progress import Notices, Progress, duration

OK = Response("ok")


@pytest.fixture
def clock(monkeypatch):
    """Simulated time: a test sets its ``seconds``."""
    clock = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr("steadfast.engines.sending.progress.time.monotonic", lambda: clock.seconds)
    return clock


@pytest.fixture
def stream():
    return io.StringIO()


def test_short_job_logs_nothing(stream):
    progress = Progress("m", 1, stream)
    progress.update(OK)
    progress.close()
    assert stream.getvalue() == ""


def test_log_has_few_lines(stream, clock):
    progress = Progress("m", 500, stream)
    progress.skip(100)
    for _ in range(399):
        progress.update(Response("ok", "x", None, 1000, 0, 10))
    clock.seconds = 10.0
    progress.update(Response("error", error="HTTP 500"))
    progress.close()
    assert stream.getvalue() == "m: 500/500 done, 1 failed, 402,990 tokens\n" * 2


def test_time_left_does_not_count_the_load(stream, clock):
    progress = Progress("m", 161, stream)
    for seconds in range(100, 122, 2):  # loads for 100 s, then answers in 2 s
        clock.seconds = seconds
        progress.update(OK)
    first_line, *_, last_line = stream.getvalue().splitlines()
    assert first_line == "m: 1/161 done, 0 failed, 0 tokens"
    assert last_line == "m: 11/161 done, 0 failed, 0 tokens, 5 min left"


def test_time_left_is_in_seconds_for_a_short_job(stream, clock):
    progress = Progress("m", 41, stream)
    for number in range(21):
        clock.seconds = number / 2
        progress.update(OK)
    assert stream.getvalue() == "m: 21/41 done, 0 failed, 0 tokens, 10 s left\n"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(99, "99 s"), (100, "2 min"), (5_999, "100 min"), (6_000, "1.7 h"), (3_600_000, "1000.0 h")],
)
def test_unit_of_a_duration_fits_it(seconds, text):
    assert duration(seconds) == text


def test_at_most_one_notice_a_minute_is_shown(clock, capsys):
    notices = Notices()
    for seconds in (0.0, 59.9, 60.0, 60.5, 120.0):
        clock.seconds = seconds
        notices.show(f"at {seconds}")
    assert capsys.readouterr().err == "at 0.0\nat 60.0\nat 120.0\n"


def test_terminal_shows_a_bar_which_is_removed(stream):
    stream.isatty = lambda: True
    progress = Progress("m", 2, stream)
    progress.skip(1)
    progress.update(OK)
    progress.close()
    assert "0/2" in stream.getvalue()
    assert stream.getvalue().endswith("\r")
