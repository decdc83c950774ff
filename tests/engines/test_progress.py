"""Progress on a stream that is no terminal, and on one that is."""

import io

from steadfast.contract.request import Response
from steadfast.engines.asking.progress import Progress


def test_a_job_that_ends_at_once_has_no_line_of_its_own():
    stream = io.StringIO()
    progress = Progress("m", 1, stream)
    progress.update(Response("ok"))
    progress.close()
    assert stream.getvalue() == ""


def test_a_log_gets_few_lines(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("steadfast.engines.asking.progress.time.monotonic", lambda: clock[0])
    stream = io.StringIO()
    progress = Progress("m", 500, stream)
    progress.skip(100)
    for _ in range(399):
        progress.update(Response("ok", "x", None, 1000, 0, 10))
    clock[0] = 10.0
    progress.update(Response("error", error="HTTP 500"))
    progress.close()
    assert stream.getvalue() == "m: 500/500 done, 1 failed, 402,990 tokens\n" * 2


def test_the_time_left_is_told_of_answers_after_the_start(monkeypatch):
    """A model that loads for 100 s, then answers one request in 2 s."""
    clock = [0.0]
    monkeypatch.setattr("steadfast.engines.asking.progress.time.monotonic", lambda: clock[0])
    stream = io.StringIO()
    progress = Progress("lifbench 4k m", 161, stream)
    for second in range(100, 122, 2):
        clock[0] = second
        progress.update(Response("ok"))
    lines = stream.getvalue().splitlines()
    assert lines[0] == "lifbench 4k m: 1/161 done, 0 failed, 0 tokens"
    assert lines[-1] == "lifbench 4k m: 11/161 done, 0 failed, 0 tokens, 5 min left"


def test_seconds_are_left_and_no_minutes_of_a_short_job(monkeypatch):
    """A job of 20 s: half of it is done after 10 s."""
    clock = [0.0]
    monkeypatch.setattr("steadfast.engines.asking.progress.time.monotonic", lambda: clock[0])
    stream = io.StringIO()
    progress = Progress("m", 41, stream)
    for answer in range(21):
        clock[0] = answer / 2
        progress.update(Response("ok"))
    assert stream.getvalue() == "m: 21/41 done, 0 failed, 0 tokens, 10 s left\n"


def test_a_terminal_gets_a_bar():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    progress = Progress("m", 2, stream)
    progress.skip(1)
    progress.update(Response("ok"))
    progress.close()
    assert "0/2" in stream.getvalue()
    assert stream.getvalue().endswith("\r"), "it is gone at its end"
