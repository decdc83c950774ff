"""Scripts of jobs in processes that are forked from a warm one."""

import json
import os
import socket
import subprocess
import sys
import time

import pytest

from steadfast.workflow.forking import _forked, _run, _start_forks

SCRIPT = """
import json, os, sys, tempfile
facts = {"name": __name__, "file": __file__, "here": os.getcwd(), "pid": os.getpid(),
         "temporary": tempfile.gettempdir(), "warm": "pandas" in sys.modules}
open("facts.json", "w").write(json.dumps(facts))
"""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="jobs are forked on Linux alone")


@pytest.fixture(scope="module")
def forks():
    return _start_forks("o200k_base")


@pytest.fixture
def run(forks, tmp_path):
    """Runs the text of a script, forked."""

    def run(text):
        script = tmp_path / "script.py"
        script.write_text(text)
        with socket.socket(socket.AF_UNIX) as connection:
            assert _forked(connection, forks)
            return _run(connection, [str(script), str(tmp_path), str(tmp_path)])

    return run


@pytest.mark.wide
def test_a_script_runs_as_python_would_start_it(run, tmp_path):
    run(SCRIPT)
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert facts.pop("pid") != os.getpid()
    assert facts == {
        "name": "__main__",
        "file": str(tmp_path / "script.py"),
        "here": str(tmp_path),
        "temporary": str(tmp_path),
        "warm": True,
    }


def test_each_script_has_a_process_of_its_own(run, tmp_path):
    found = []
    for _ in range(2):
        run(SCRIPT + "import builtins\nassert not hasattr(builtins, 'left')\nbuiltins.left = 1\n")
        found.append(json.loads((tmp_path / "facts.json").read_text())["pid"])
    assert found[0] != found[1]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('a sentence')", 1),
        ("1 / 0", 1),
        ("raise KeyboardInterrupt", 130),
        ("import os; os.kill(os.getpid(), 9)", -9),
    ],
)
def test_a_script_that_fails_has_failed(run, text, code):
    with pytest.raises(subprocess.CalledProcessError) as failed:
        run(text)
    assert failed.value.returncode == code


def test_a_script_says_what_it_used(run):
    began = time.monotonic()
    used = run("kept = [b'1' * 50_000_000]\nimport time\nend = time.process_time() + 0.2\n"
               "while time.process_time() < end: pass\n")  # fmt: skip
    assert 0.2 <= used["cpu_time"] <= 2 * (time.monotonic() - began)
    assert 47 < used["max_rss"] <= used["max_vms"]
    assert used["io_in"] >= 0 and used["io_out"] >= 0


@pytest.mark.parametrize("end", ["", "import sys; sys.exit()", "import sys; sys.exit(0)"])
def test_a_script_that_ends_well_has_not(run, end):
    run(end)


def test_where_nobody_forks_there_is_no_process(tmp_path):
    with socket.socket(socket.AF_UNIX) as connection:
        assert not _forked(connection, str(tmp_path / "nobody"))
