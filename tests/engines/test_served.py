"""A job that starts its model's server and ends it with itself."""

import io
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
from steadfast.engines.api.served import ServerProcess
from steadfast.engines.base import EngineExhausted, Loaded
from steadfast.engines.sending.requests import record_path


@pytest.fixture
def command(tmp_path):
    return serve_command(tmp_path)


@pytest.fixture
def part(tmp_path, command):
    return serving_part(tmp_path, command)


def serving_part(folder, command):
    folder.mkdir(exist_ok=True)
    part = Part(folder)
    part.answers["serve"] = command
    return part


def assert_server_ends(folder):
    """The one server whose process is noted in the folder ends within seconds."""
    (line,) = (folder / "pid").read_text().splitlines()
    status = Path("/proc", line.split()[0], "status")
    end = time.monotonic() + 20
    while status.exists() and "State:\tZ" not in status.read_text():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_job_starts_its_server_and_ends_it(tmp_path, command, part):
    records = part.run(items(2, 3), serve_operation_args=["--tensor-parallel-size", "2"])
    assert len(records) == 6
    assert (tmp_path / "pid").read_text().split()[1:] == ["--tensor-parallel-size", "2"]
    assert_server_ends(tmp_path)
    part.answers["serve"] = [f"{sys.prefix}/bin/python", *command[1:]]
    part.run(items(2, 3))  # all is cached, wherever the program is: no server is started
    assert len((tmp_path / "pid").read_text().splitlines()) == 1


def test_server_is_shared_by_the_parts_of_a_load(tmp_path, command):
    loaded = Loaded()
    for name in ("first", "second"):
        part = serving_part(tmp_path / name, command)
        assert len(part.run(items(1, 2), loaded=loaded)) == 2
        runs = json.loads(record_path(part.journal).read_text())["runs"]
        assert [0 < run["load_seconds"] < 60 for run in runs] == [name == "first"]
    loaded.close()
    assert_server_ends(tmp_path)


def test_server_that_exits_during_requests_is_not_queried_again(tmp_path, part):
    (tmp_path / "dies").touch()
    with pytest.raises(EngineExhausted, match=r"serve: python exited \(code 3\) during requests"):
        part.run(items(1, 2), attempts=1000)
    assert "server: listens" in part.log.read_text()


def test_server_that_exits_is_reported_and_its_output_logged(tmp_path):
    part = serving_part(tmp_path, ["sh", "-c", "echo out of memory >&2; exit 3", "{port}"])
    with pytest.raises(
        UserError, match=r"serve: sh exited \(code 3\); the log has its last output"
    ):
        part.run(items(1, 1))
    assert "server: out of memory" in part.log.read_text()


def test_last_twenty_lines_of_output_are_logged():
    server = object.__new__(ServerProcess)
    server._output = io.BytesIO(b"".join(b"line %d\n" % number for number in range(25)))
    logged = []
    server._report_last(logged.append)
    assert logged == [f"server: line {number}" for number in range(5, 25)]


@pytest.mark.wide
def test_server_that_is_never_ready_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("steadfast.engines.api.served.READY_MINUTES", 0.02)
    with pytest.raises(UserError, match=r"was not ready within 0\.02 minutes"):
        ServerProcess(["sh", "-c", f"echo $$ > {tmp_path / 'pid'}; sleep 100"], print)
    assert_server_ends(tmp_path)


OWNER = """
import sys, time
from steadfast.engines.api.served import ServerProcess
served = ServerProcess(sys.argv[1:], print)
print("ready", flush=True)
time.sleep(100)
"""


@pytest.mark.wide
def test_server_ends_when_its_job_is_killed(tmp_path, command):
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
    assert_server_ends(tmp_path)
