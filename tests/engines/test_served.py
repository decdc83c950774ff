"""A job that starts its model's server for itself, and ends it with itself."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from parts import SCRIPTS, Part, items
from started_server import serve_command
from steadfast.base.errors import UserError
from steadfast.engines.api.served import Served
from steadfast.engines.asking.requests import record_path
from steadfast.engines.base import EngineExhausted, Loaded


@pytest.fixture
def command(tmp_path):
    return serve_command(tmp_path)


@pytest.fixture
def part(tmp_path, command):
    return serving_part(tmp_path, command)


def serving_part(folder, command):
    """A part that starts its server by that command."""
    part = Part(folder)
    part.answers["serve"] = command
    return part


def gone(pid: int) -> bool:
    """Whether a process has ended, within a few seconds."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return True
        time.sleep(0.05)
    return False


def test_a_job_starts_its_server_asks_it_and_ends_it(tmp_path, command, part):
    part.run(items(2, 3), serve_operation_args=["--tensor-parallel-size", "2"])
    assert len(part.out.read_text().splitlines()) == 6
    pid, *further = (tmp_path / "pid").read_text().split()
    assert further == ["--tensor-parallel-size", "2"]
    assert gone(int(pid))
    part.answers["serve"] = [f"{sys.prefix}/bin/python", *command[1:]]
    part.run(items(2, 3))  # all is known, wherever the program lies: no server is started
    assert len((tmp_path / "pid").read_text().splitlines()) == 1


def test_a_server_that_one_part_has_started_is_asked_by_the_next(tmp_path, command):
    loaded = Loaded()
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        part = serving_part(folder, command)
        part.run(items(1, 2), loaded=loaded)
        assert len(part.out.read_text().splitlines()) == 2
        runs = json.loads(record_path(part.journal).read_text())["runs"]
        assert [run["load_seconds"] > 0 for run in runs] == [name == "first"]
    (line,) = (tmp_path / "pid").read_text().splitlines()
    loaded.close()
    assert gone(int(line))


def test_a_server_that_ends_while_it_is_asked_is_lost_and_not_asked_again(tmp_path, part):
    (tmp_path / "dies").touch()
    with pytest.raises(EngineExhausted, match=r"serve: python exited \(code 3\) during requests"):
        part.run(items(1, 2), attempts=1000)
    assert "server: listens" in part.log.read_text()


def test_a_server_that_ends_is_one_sentence_and_its_words_are_in_the_log(tmp_path):
    part = serving_part(tmp_path, ["sh", "-c", "echo out of memory >&2; exit 3", "{port}"])
    sentence = r"serve: sh exited \(code 3\); the log has its last output"
    with pytest.raises(UserError, match=sentence):
        part.run(items(1, 1))
    assert "server: out of memory" in part.log.read_text()


@pytest.mark.wide
def test_a_server_that_is_never_ready_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("steadfast.engines.api.served.READY_MINUTES", 0.02)
    with pytest.raises(UserError, match=r"was not ready within 0\.02 minutes"):
        Served(["sh", "-c", f"echo $$ > {tmp_path / 'pid'}; sleep 100"], print)
    assert gone(int((tmp_path / "pid").read_text()))


OWNER = """
import sys, time
from steadfast.engines.api.served import Served
served = Served(sys.argv[1:], print)
print("ready", flush=True)
time.sleep(100)
"""


@pytest.mark.wide
def test_a_server_does_not_outlive_a_job_that_is_killed(tmp_path, command):
    job = subprocess.Popen(
        [sys.executable, "-c", OWNER, *command],
        env={"PYTHONPATH": str(SCRIPTS)},
        stdout=subprocess.PIPE,
        text=True,
    )
    with job:
        while job.stdout.readline() != "ready\n":
            pass
        job.send_signal(signal.SIGKILL)
    assert gone(int((tmp_path / "pid").read_text()))
