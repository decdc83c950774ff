"""Progress on a stream that is no terminal, and on one that is."""

import io

import pytest

from steadfast.contract.request import Response
from steadfast.engines.asking.progress import Progress

OK = Response("ok")


@pytest.fixture
def clock(monkeypatch):
    """Seconds in a list, which a test sets."""
    seconds = [0.0]
    monkeypatch.setattr("steadfast.engines.asking.progress.time.monotonic", lambda: seconds[0])
    return seconds


@pytest.fixture
def stream():
    return io.StringIO()


def test_a_job_that_ends_at_once_has_no_line_of_its_own(stream):
    progress = Progress("m", 1, stream)
    progress.update(OK)
    progress.close()
    assert stream.getvalue() == ""


def test_a_log_gets_few_lines(stream, clock):
    progress = Progress("m", 500, stream)
    progress.skip(100)
    for _ in range(399):
        progress.update(Response("ok", "x", None, 1000, 0, 10))
    clock[0] = 10.0
    progress.update(Response("error", error="HTTP 500"))
    progress.close()
    assert stream.getvalue() == "m: 500/500 done, 1 failed, 402,990 tokens\n" * 2


LOADING = "m: 1/161 done, 0 failed, 0 tokens", "m: 11/161 done, 0 failed, 0 tokens, 5 min left"
"""The first and the last line of a model that loads for 100 s, then answers one request in 2 s."""
SHORT = ("m: 21/41 done, 0 failed, 0 tokens, 10 s left",)
"""The line of a job of 20 s, half of which is done after 10 s."""


@pytest.mark.parametrize(
    ("total", "seconds", "shown"),
    [(161, range(100, 122, 2), LOADING), (41, [number / 2 for number in range(21)], SHORT)],
)
def test_the_time_left_is_told_of_answers_after_the_start(stream, clock, total, seconds, shown):
    progress = Progress("m", total, stream)
    for clock[0] in seconds:
        progress.update(OK)
    lines = stream.getvalue().splitlines()
    assert (lines[0], *lines[1:][-1:]) == shown


def test_a_terminal_gets_a_bar(stream):
    stream.isatty = lambda: True
    progress = Progress("m", 2, stream)
    progress.skip(1)
    progress.update(OK)
    progress.close()
    assert "0/2" in stream.getvalue()
    assert stream.getvalue().endswith("\r"), "it is gone at its end"
