"""A job killed at any instant and started again asks nothing twice but what was in flight."""

import asyncio
import os
import random
import signal
import sys

import pytest

from parts import Job, Part, items, same_bytes
from servers import running
from steadfast.engines.api.engine import _signals
from steadfast.engines.asking.journal import Journal

pytestmark = pytest.mark.wide

PART = 3, 20  # contexts and questions


def reached(counts, number):
    """Whether so much was counted, to be asked again and again."""
    return lambda: sum(counts.values()) >= number


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_job_goes_on_where_it_stood(tmp_path, server, number):
    server.delay = 0.02
    job = Job(tmp_path / "stopped", server, *PART, python=sys.executable)
    assert job.kill(reached(server.answered, 25), number) in (-number, 128 + number)
    assert not (tmp_path / "stopped" / "out.jsonl").exists()
    code, errors = Job(tmp_path / "stopped", server, *PART).finish()
    assert code == 0, errors
    assert sum(server.asked.values()) <= 60 + Part(tmp_path).operation["max_concurrency"]

    Part(tmp_path / "undisturbed", server.url).run(items(*PART))
    assert same_bytes(tmp_path / "stopped", tmp_path / "undisturbed")


def test_five_kills_at_random_moments_lose_nothing_and_ask_nothing_twice(tmp_path, server):
    server.delay = 0.01
    rng = random.Random("kills")
    contexts = 6
    questions = 25
    kills = 5
    killed = tmp_path / "killed"
    requests = contexts * questions
    asked = 0
    for _ in range(kills):
        asked += rng.randint(2, 2 * requests // kills - 8)
        job = Job(killed, server, contexts, questions)
        ended = job.kill(reached(server.asked, asked), pause=rng.uniform(0, 0.02))
        assert ended == -signal.SIGKILL
        assert not (killed / "out.jsonl").exists()
    code, errors = Job(killed, server, contexts, questions).finish()
    assert code == 0, errors

    hashes = [reply["hash"] for reply in Part(killed).replies()]
    assert len(hashes) == len(set(hashes)) == requests
    assert len(server.answered) == requests
    in_flight = kills * Part(tmp_path).operation["max_concurrency"]
    assert sum(server.asked.values()) <= requests + in_flight

    Part(tmp_path / "undisturbed", server.url).run(items(contexts, questions))
    assert same_bytes(killed, tmp_path / "undisturbed")


def test_a_second_job_waits_for_the_first_one_s_journal_and_asks_nothing_twice(tmp_path, server):
    first = Part(tmp_path, server.url)
    with Journal(first.journal):
        second = Job(tmp_path, server, *PART)
        second.wait_for(lambda: first.log.exists() and "waiting" in first.log.read_text())
        assert not server.asked
    code, errors = second.finish()
    assert code == 0 and f"echo: waiting for process {os.getpid()}, which has locked" in errors
    first.run()
    assert len(server.answered) == server.asked.total()


def test_a_resumed_job_counts_what_is_known_as_done(tmp_path, server):
    part = Part(tmp_path, server.url)
    part.run(items(1, 5))
    part.run(items(1, 8))
    assert [record["status"] for record in part.records()] == ["ok"] * 8
    assert "8 requests, 5 cached, 3 to send" in part.log.read_text("utf-8")


def test_a_server_that_dies_stops_the_job_and_loses_nothing(tmp_path):
    part = Part(tmp_path)
    with running(delay=0.02) as server:
        job = Job(tmp_path, server, *PART)
        job.wait_for(reached(server.answered, 20))
    code, errors = job.finish()
    assert code == 1
    assert "is unreachable" in errors
    with running() as other:
        part.operation["base_url"] = other.url
        part.run(items(*PART))
        assert sum(other.asked.values()) <= 40


def test_a_whole_journal_needs_no_server_and_no_key(part, monkeypatch):
    part.run()
    assert len(part.replies()) == 10
    assert "Read." not in part.journal.read_text("utf-8")  # it holds no prompt
    first = part.out.read_bytes()
    part.out.unlink()
    monkeypatch.delenv("MY_KEY", raising=False)
    part.run(base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY")
    assert part.out.read_bytes() == first


def test_a_job_that_is_deaf_to_ctrl_c_stays_so():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    loop = asyncio.new_event_loop()
    try:
        with _signals(loop, asyncio.Queue()):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, None)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        loop.close()
        signal.signal(signal.SIGINT, before)
