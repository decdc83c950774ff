"""A job continues in the interpreter that its engine needs, in the same process."""

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
def model_python(tmp_path):
    """An interpreter that leaves its mark in the environment."""
    path = tmp_path / "other python"
    path.write_text(f'#!/bin/sh\nBY=other exec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path


def run(tmp_path, engine, python, forked=False):
    """The job's process, what it wrote and its errors."""
    script = tmp_path / "script.py"
    out = tmp_path / "out"
    script.write_text(SCRIPT)
    program = [script]
    if forked:  # as a process that has run something else before
        program = ["-c", f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"]
    process = subprocess.Popen(
        [sys.executable, *program, out, tmp_path / "log", engine, python],
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        stderr=subprocess.PIPE,
        text=True,
    )
    _, errors = process.communicate(timeout=60)
    return process, out.read_text() if out.is_file() else "", errors


def test_job_continues_once_in_the_interpreter_of_its_model(tmp_path, model_python):
    process, text, errors = run(tmp_path, "vllm", model_python)
    assert process.returncode == 0, errors
    assert text == f"{process.pid} other\n"


def test_forked_job_starts_the_interpreter_and_returns_its_exit_code(tmp_path, model_python):
    process, text, errors = run(tmp_path, "vllm", model_python, forked=True)
    assert process.returncode == 0, errors
    pid, mark = text.split()
    assert int(pid) != process.pid and mark == "other"
    (tmp_path / "out").unlink()
    (tmp_path / "out").mkdir()  # cannot be written to
    process, _, _ = run(tmp_path, "vllm", model_python, forked=True)
    assert process.returncode == 1


def test_engine_without_its_own_interpreter_stays(tmp_path, model_python):
    process, text, _ = run(tmp_path, "openai", model_python)
    assert text == f"{process.pid} nobody\n"
    vllm = SCRIPTS.parent / ".venv-vllm" / "bin" / "python"
    assert interpreter({"engine": "vllm", "python": None}) in (None, vllm)


def test_missing_interpreter_is_reported(tmp_path):
    process, text, errors = run(tmp_path, "vllm", tmp_path / "nowhere" / "python")
    assert (process.returncode, text) == (1, "")
    assert errors.startswith("error: python: ")
    assert "name one that has vllm" in errors
    with pytest.raises(UserError, match="name one that has vllm"):
        interpreter({"engine": "vllm", "python": str(tmp_path)[1:]})


def test_served_model_or_its_tokenizer_needs_the_vllm_environment(tmp_path, monkeypatch):
    python = tmp_path / ".venv-vllm/bin/python"
    python.parent.mkdir(parents=True)
    python.touch()
    monkeypatch.setattr("steadfast.workflow.interpreter.HOME", tmp_path)
    monkeypatch.setattr("steadfast.workflow.interpreter.find_spec", lambda module: None)
    model = {"engine": "openai", "serve": None, "tokenizer": "o200k_base"}
    assert interpreter(model) is None
    assert interpreter({**model, "serve": ["vllm", "serve", "m"]}) == python
    assert interpreter({**model, "tokenizer": "Qwen/Qwen2.5-7B-Instruct"}) == python
