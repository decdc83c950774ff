"""A job that is killed at any time and restarted repeats only the requests in flight."""

import asyncio
import os
import random
import signal
import sys

import pytest

from parts import Job, Part, items, same_bytes
from servers import running
from steadfast.engines.api.engine import _deferred_signals
from steadfast.engines.sending.journal import Journal

pytestmark = pytest.mark.wide

PART = 3, 20  # contexts and questions


def reached(counts, number):
    """A condition: whether the counts have this total."""
    return lambda: counts.total() >= number


def finish(job):
    code, errors = job.finish()
    assert code == 0, errors


def assert_outputs_of_one_run(folder, server, *part):
    """The outputs are those of a run without interruption."""
    Part(folder / "undisturbed", server.url).run(items(*part))
    assert same_bytes(folder / "stopped", folder / "undisturbed")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped_job_is_continued(tmp_path, server, number):
    server.delay = 0.02
    job = Job(tmp_path / "stopped", server, *PART, python=sys.executable)
    assert job.kill(reached(server.answered, 25), number) in (-number, 128 + number)
    assert not (tmp_path / "stopped" / "out.jsonl").exists()
    finish(Job(tmp_path / "stopped", server, *PART))
    assert server.requested.total() <= 60 + Part(tmp_path).operation["max_concurrency"]
    assert_outputs_of_one_run(tmp_path, server, *PART)


def test_killed_job_loses_and_repeats_no_answer(tmp_path, server):
    server.delay = 0.01
    rng = random.Random("kills")
    contexts = 6
    questions = 25
    kill_count = 5
    folder = tmp_path / "stopped"
    request_count = contexts * questions
    sent_before_kill = 0
    for _ in range(kill_count):
        sent_before_kill += rng.randint(2, 2 * request_count // kill_count - 8)
        job = Job(folder, server, contexts, questions)
        code = job.kill(reached(server.requested, sent_before_kill), pause=rng.uniform(0, 0.02))
        assert code == -signal.SIGKILL
        assert not (folder / "out.jsonl").exists()
    finish(Job(folder, server, contexts, questions))

    hashes = [reply["hash"] for reply in Part(folder).replies()]
    assert len(hashes) == len(set(hashes)) == request_count
    assert len(server.answered) == request_count
    in_flight = kill_count * Part(tmp_path).operation["max_concurrency"]
    assert server.requested.total() <= request_count + in_flight
    assert_outputs_of_one_run(tmp_path, server, contexts, questions)


def test_second_job_waits_for_the_journal_and_repeats_no_request(tmp_path, server):
    first = Part(tmp_path, server.url)
    with Journal(first.journal):
        second = Job(tmp_path, server, *PART)
        second.wait_for(lambda: first.log.exists() and "waiting" in first.log.read_text())
        assert not server.requested
    code, errors = second.finish()
    assert code == 0 and f"echo: waiting for process {os.getpid()}, which has locked" in errors
    first.run()
    assert len(server.answered) == server.requested.total()


def test_log_of_a_continued_job_counts_cached_requests(part):
    part.run(items(1, 5))
    records = part.run(items(1, 8))
    assert [record["status"] for record in records] == ["ok"] * 8
    assert "8 requests, 5 cached, 3 to send" in part.log.read_text("utf-8")


def test_server_that_dies_stops_the_job_without_loss(tmp_path):
    part = Part(tmp_path)
    with running(delay=0.02) as server:
        job = Job(tmp_path, server, *PART)
        job.wait_for(reached(server.answered, 20))
    code, errors = job.finish()
    assert code == 1
    assert "is unreachable" in errors
    with running() as restarted_server:
        part.operation["base_url"] = restarted_server.url
        part.run(items(*PART))
        assert restarted_server.requested.total() <= 40


def test_complete_journal_needs_no_server_and_no_key(part, monkeypatch):
    part.run()
    assert len(part.replies()) == 10
    assert "Read." not in part.journal.read_text("utf-8")  # it has no prompts
    outputs = part.out.read_bytes()
    part.out.unlink()
    monkeypatch.delenv("MY_KEY", raising=False)
    part.run(base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY")
    assert part.out.read_bytes() == outputs


def test_job_that_ignores_ctrl_c_continues_to_ignore_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    loop = asyncio.new_event_loop()
    try:
        with _deferred_signals(loop, asyncio.Queue()):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, None)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        loop.close()
        signal.signal(signal.SIGINT, before)
