"""A program that is started warm cannot tell."""

import json
import os
import signal
import subprocess
import sys

import pytest

from warm_python import COLD, warm_python

FACTS = """
import json, os, sys
print(json.dumps({
    "argv": sys.argv, "path": sys.path, "folder": os.getcwd(), "name": __name__,
    "read": sys.stdin.read(), "variables": dict(os.environ),
    "main": sys.modules["__main__"].__dict__ is globals(),
    "own": [name for name in sys.modules if name.startswith("steadfast")], "group": os.getpgrp(),
    "executable": sys.executable, "terminal": sys.stdout.isatty(),
}))
"""
pytestmark = pytest.mark.skipif(COLD, reason="programs are started as users start them")


def both(*arguments, **options):
    """What Python and its simulator make of a program."""
    options = {"capture_output": True, "text": True} | options
    return [
        subprocess.run([python, *arguments], **options)
        for python in (sys.executable, warm_python())
    ]


@pytest.mark.parametrize(
    "begin", [["-c", FACTS], ["-P", "-c", FACTS], ["facts.py"], ["-P", "facts.py"], ["-m", "facts"]]
)
def test_it_finds_what_any_program_finds(begin, tmp_path):
    (tmp_path / "facts.py").write_text(FACTS)
    variables = {**os.environ, "PYTHONPATH": str(tmp_path / "more"), "HOME": "/nowhere"}
    cold, warm = both(*begin, "a b", "-x", cwd=tmp_path, env=variables, input="text")
    found = json.loads(warm.stdout)
    assert found == json.loads(cold.stdout)
    assert (found["argv"][1:], found["read"], found["own"]) == (["a b", "-x"], "text", [])


def test_it_ends_as_any_program_ends():
    for code, ended in (
        ("pass", 0),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('a sentence')", 1),
        ("1 / 0", 1),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("import atexit; atexit.register(print, 'the end'); print('first')", 0),
        ("import threading, time; threading.Timer(.01, print, ['later']).start()", 0),
    ):
        cold, warm = both("-c", code)
        assert (warm.returncode, warm.stdout) == (cold.returncode, cold.stdout), code
        assert warm.stderr.splitlines()[-1:] == cold.stderr.splitlines()[-1:], code
        assert warm.returncode == ended, code


def test_libraries_are_there_but_with_another_hash_seed():
    code = "import sys; print('pandas' in sys.modules, 'snakemake.cli' in sys.modules)"
    cold, warm = both("-c", code)
    assert (cold.stdout, warm.stdout) == ("False False\n", "True True\n")
    code = "import sys; print(hash('text'), 'pandas' in sys.modules)"
    cold, warm = both("-c", code, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert warm.stdout == cold.stdout
