"""Scripts of jobs in processes forked from one with imported libraries."""

import json
import os
import resource
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from steadfast.workflow import forks as forks_of_jobs
from steadfast.workflow.forking import _forked, _run, _start_forks

SCRIPT = """
import json, os, sys, tempfile
facts = {"name": __name__, "file": __file__, "cwd": os.getcwd(), "pid": os.getpid(),
         "temporary": tempfile.gettempdir(), "warm": "pandas" in sys.modules}
open("facts.json", "w").write(json.dumps(facts))
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="jobs are forked on Linux alone")


@pytest.fixture(scope="module")
def forks():
    return _start_forks("o200k_base")


@pytest.fixture
def run(forks, tmp_path):
    """Runs the text of a script in a forked process."""

    def run(text):
        script = tmp_path / "script.py"
        script.write_text(text)
        with socket.socket(socket.AF_UNIX) as connection:
            assert _forked(connection, forks)
            return _run(connection, [str(script), str(tmp_path), str(tmp_path)])

    return run


@pytest.mark.wide
def test_script_runs_as_python_starts_it(run, tmp_path):
    run(SCRIPT)
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert facts.pop("pid") != os.getpid()
    assert facts == {
        "name": "__main__",
        "file": str(tmp_path / "script.py"),
        "cwd": str(tmp_path),
        "temporary": str(tmp_path),
        "warm": True,
    }


def test_each_script_has_its_own_process(run, tmp_path):
    processes = set()
    for _ in range(2):
        run(SCRIPT + "import builtins\nassert not hasattr(builtins, 'left')\nbuiltins.left = 1\n")
        processes.add(json.loads((tmp_path / "facts.json").read_text())["pid"])
    assert len(processes) == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('a sentence')", 1),
        ("1 / 0", 1),
        ("raise KeyboardInterrupt", 130),
        ("import os; os.kill(os.getpid(), 9)", -9),
        ("", 0),
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit(0)", 0),
    ],
)
def test_exit_code_of_a_script_is_returned(run, text, code):
    if code == 0:
        run(text)
        return
    with pytest.raises(subprocess.CalledProcessError) as error:
        run(text)
    assert error.value.returncode == code


def test_resource_usage_of_a_script_is_measured(run):
    start = time.monotonic()
    usage = run("data = [b'1' * 50_000_000]\nimport time\nend = time.process_time() + 0.2\n"
                "while time.process_time() < end: pass\n")  # fmt: skip
    assert 0.2 <= usage["cpu_time"] <= 2 * (time.monotonic() - start)
    assert 47 < usage["max_rss"] <= usage["max_vms"]
    assert usage["io_in"] >= 0 and usage["io_out"] >= 0


def test_memory_and_bytes_are_in_megabytes(monkeypatch, tmp_path):
    (tmp_path / "status").write_text("VmPeak:\t    2048 kB\n")
    (tmp_path / "io").write_text("read_bytes: 3145728\nwrite_bytes: 1048576\n")
    monkeypatch.setattr(forks_of_jobs, "Path", lambda folder, file: tmp_path / file)
    process = SimpleNamespace(ru_utime=1.0, ru_stime=2.0, ru_maxrss=5 * 1024)
    children = SimpleNamespace(ru_utime=4.0, ru_stime=8.0, ru_maxrss=7 * 1024)
    by_kind = {resource.RUSAGE_SELF: process, resource.RUSAGE_CHILDREN: children}
    monkeypatch.setattr(resource, "getrusage", by_kind.__getitem__)
    assert forks_of_jobs.usage() == {
        "cpu_time": 15, "max_rss": 7, "max_vms": 2, "io_in": 3, "io_out": 1
    }  # fmt: skip
    for name in ("status", "io"):
        (tmp_path / name).unlink()
    assert [forks_of_jobs.usage()[name] for name in ("max_vms", "io_in", "io_out")] == [None] * 3


def test_no_process_is_forked_without_a_server(tmp_path):
    with socket.socket(socket.AF_UNIX) as connection:
        assert not _forked(connection, str(tmp_path / "nobody"))
