"""A program runs the same whether it is started warm or cold."""

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
    "loaded": [name for name in sys.modules if name.startswith("steadfast")],
    "group": os.getpgrp(),
    "executable": sys.executable, "terminal": sys.stdout.isatty(),
}))
"""
pytestmark = pytest.mark.skipif(COLD, reason="programs are started as users start them")


def run_cold_and_warm(*arguments, **options):
    options = {"capture_output": True, "text": True} | options
    pythons = (sys.executable, warm_python())
    return [subprocess.run([python, *arguments], **options) for python in pythons]


@pytest.mark.parametrize(
    "program",
    [["-c", FACTS], ["-P", "-c", FACTS], ["facts.py"], ["-P", "facts.py"], ["-m", "facts"]],
)
def test_arguments_variables_and_streams_are_the_same(program, tmp_path):
    (tmp_path / "facts.py").write_text(FACTS)
    variables = {**os.environ, "PYTHONPATH": str(tmp_path / "more"), "HOME": "/nowhere"}
    options = {"cwd": tmp_path, "env": variables, "input": "text"}
    cold, warm = run_cold_and_warm(*program, "a b", "-x", **options)
    facts = json.loads(warm.stdout)
    assert facts == json.loads(cold.stdout)
    assert (facts["argv"][1:], facts["read"], facts["loaded"]) == (["a b", "-x"], "text", [])


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("pass", 0),
        ("import sys; sys.exit(3)", 3),
        ("import sys; sys.exit('a sentence')", 1),
        ("1 / 0", 1),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
        ("import atexit; atexit.register(print, 'the end'); print('first')", 0),
        ("import threading, time; threading.Timer(.01, print, ['later']).start()", 0),
    ],
)
def test_exit_code_and_output_are_the_same(code, exit_code):
    cold, warm = run_cold_and_warm("-c", code)
    assert (warm.returncode, warm.stdout) == (cold.returncode, cold.stdout)
    assert warm.stderr.splitlines()[-1:] == cold.stderr.splitlines()[-1:]
    assert warm.returncode == exit_code


def test_libraries_are_preloaded():
    code = "import sys; print('pandas' in sys.modules, 'snakemake.cli' in sys.modules)"
    cold, warm = run_cold_and_warm("-c", code)
    assert (cold.stdout, warm.stdout) == ("False False\n", "True True\n")


def test_another_hash_seed_starts_a_cold_python():
    code = "import sys; print(hash('text'), 'pandas' in sys.modules)"
    cold, warm = run_cold_and_warm("-c", code, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert warm.stdout == cold.stdout
