"""A job goes on in the interpreter that its engine needs: the same process, the script anew."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.workflow.interpreter import interpreter

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
SCRIPT = """
import os, sys
from pathlib import Path
from types import SimpleNamespace
from steadfast.workflow.script import run_rule

def work(out):
    with open(out, "a") as file:
        file.write(f"{os.getpid()} {os.environ.get('BY', 'nobody')}\\n")

out, log, engine, python = sys.argv[1:]
engines = [{"engine": engine, "python": python}]
job = SimpleNamespace(log=[log], params={}, wildcards={})
run_rule(work, job, with_provenance=False, engines=engines, out=out)
"""


@pytest.fixture
def other(tmp_path):
    """An interpreter that says that it was taken."""
    path = tmp_path / "other python"
    path.write_text(f'#!/bin/sh\nBY=other exec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path


def run(tmp_path, engine, python, forked=False):
    script = tmp_path / "script.py"
    out = tmp_path / "out"
    script.write_text(SCRIPT)
    begin = [script]
    if forked:  # as a process that has run something else before
        begin = ["-c", f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"]
    job = subprocess.Popen(
        [sys.executable, *begin, out, tmp_path / "log", engine, python],
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        stderr=subprocess.PIPE,
        text=True,
    )
    _, errors = job.communicate(timeout=60)
    return job, out.read_text() if out.is_file() else "", errors


def test_the_same_process_goes_on_once_in_the_interpreter_that_a_model_names(tmp_path, other):
    job, done, errors = run(tmp_path, "vllm", other)
    assert job.returncode == 0, errors
    assert done == f"{job.pid} other\n"


def test_a_forked_process_lives_to_say_how_its_script_ended(tmp_path, other):
    job, done, errors = run(tmp_path, "vllm", other, forked=True)
    assert job.returncode == 0, errors
    pid, by = done.split()
    assert (int(pid) != job.pid, by) == (True, "other")
    (tmp_path / "out").unlink()
    (tmp_path / "out").mkdir()  # which nothing can be written to
    job, _, _ = run(tmp_path, "vllm", other, forked=True)
    assert job.returncode == 1


def test_an_engine_of_the_base_or_without_an_interpreter_of_its_own_stays(tmp_path, other):
    job, done, _ = run(tmp_path, "openai", other)
    assert done == f"{job.pid} nobody\n"
    assert interpreter({"engine": "vllm", "python": None}) in (
        None,
        SCRIPTS.parent / ".venv-vllm" / "bin" / "python",
    )


def test_an_interpreter_that_is_not_there_is_one_sentence(tmp_path):
    job, done, errors = run(tmp_path, "vllm", tmp_path / "nowhere" / "python")
    assert job.returncode == 1
    assert done == ""
    assert errors.startswith("error: python: ")
    assert "name one that has vllm" in errors
    with pytest.raises(UserError, match="name one that has vllm"):
        interpreter({"engine": "vllm", "python": str(tmp_path)[1:]})


def test_a_model_that_is_served_or_counts_its_own_tokens_needs_vllm_s_environment(
    tmp_path, monkeypatch
):
    python = tmp_path / ".venv-vllm/bin/python"
    python.parent.mkdir(parents=True)
    python.touch()
    monkeypatch.setattr("steadfast.workflow.interpreter.HOME", tmp_path)
    monkeypatch.setattr("steadfast.workflow.interpreter.find_spec", lambda module: None)
    asked = {"engine": "openai", "serve": None, "tokenizer": "o200k_base"}
    assert interpreter(asked) is None
    assert interpreter({**asked, "serve": ["vllm", "serve", "m"]}) == python
    assert interpreter({**asked, "tokenizer": "Qwen/Qwen2.5-7B-Instruct"}) == python
