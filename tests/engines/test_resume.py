"""A job killed at any instant and started again asks nothing twice but what was in flight."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parts import Part, items
from servers import running
from steadfast.engines.journal import Journal
from steadfast.errors import UserError

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
JOB = """
import sys
from pathlib import Path
from parts import Part, items
Part(Path(sys.argv[1]), sys.argv[2]).run(items(contexts=3, questions=20))
"""


def start(directory, server):
    paths = os.pathsep.join([str(SCRIPTS), str(Path(__file__).parent)])
    return subprocess.Popen(
        [sys.executable, "-c", JOB, str(directory), server.url],
        env={**os.environ, "PYTHONPATH": paths},
        stderr=subprocess.PIPE,
    )


def wait_for_answers(server, count):
    end = time.monotonic() + 30
    while sum(server.answered.values()) < count and time.monotonic() < end:
        time.sleep(0.002)


def finish(job):
    _, errors = job.communicate(timeout=60)
    return job.returncode, errors.decode()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_job_goes_on_where_it_stood(tmp_path, server, number):
    server.delay = 0.02
    kills = (5, 17, 40) if number == signal.SIGKILL else (25,)
    for answers in kills:
        job = start(tmp_path / "killed", server)
        wait_for_answers(server, answers)
        job.send_signal(number)
        code, errors = finish(job)
        assert code in (-number, 128 + number), errors
        assert not (tmp_path / "killed" / "out.jsonl").exists()
    code, errors = finish(start(tmp_path / "killed", server))
    assert code == 0, errors
    assert len(server.answered) == 60
    again = sum(server.asked.values()) - 60
    in_flight = Part(tmp_path).operation["concurrency"] * len(kills)
    assert again <= in_flight

    Part(tmp_path / "undisturbed", server.url).run(items(contexts=3, questions=20))
    for name in ("out.jsonl", "out.identity.json"):
        killed, undisturbed = (tmp_path / run / name for run in ("killed", "undisturbed"))
        assert killed.read_bytes() == undisturbed.read_bytes()


def test_two_jobs_on_one_journal_are_refused(part, server):
    with Journal(part.journal), pytest.raises(UserError, match="another job is writing"):
        part.run()
    assert not server.asked


def test_a_resumed_job_counts_what_is_known_as_done(tmp_path, server, capsys):
    part = Part(tmp_path, server.url)
    part.run(items(1, 5))
    capsys.readouterr()
    part.run(items(1, 8))
    assert "echo: 8/8 done, 0 failed" in capsys.readouterr().err
    assert "8 requests, 5 known, 3 to ask" in part.log.read_text("utf-8")


def test_a_server_that_dies_stops_the_job_and_loses_nothing(tmp_path):
    part = Part(tmp_path)
    with running(delay=0.02) as server:
        job = start(tmp_path, server)
        wait_for_answers(server, 20)
    code, errors = finish(job)
    assert code == 1
    assert "is unreachable" in errors
    with running() as other:
        part.operation["base_url"] = other.url
        part.run(items(contexts=3, questions=20))
        assert sum(other.asked.values()) <= 40


def test_a_whole_journal_needs_no_server_and_no_key(part, monkeypatch):
    part.run()
    first = part.out.read_bytes()
    part.out.unlink()
    monkeypatch.delenv("MY_KEY", raising=False)
    part.run(base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY")
    assert part.out.read_bytes() == first


def test_the_journal_holds_no_prompt(part):
    part.run()
    records = [json.loads(line) for line in part.journal.read_text("utf-8").splitlines()]
    assert len(records) == 10
    assert "Read." not in part.journal.read_text("utf-8")
