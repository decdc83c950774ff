"""A rule's function: its params, the checks before it, and errors of the system."""

import os
import subprocess
import sys
from contextlib import suppress
from types import SimpleNamespace

import pytest

from steadfast.base.errors import STOPPED, UserError, fixable_error
from steadfast.base.provenance import Provenance
from steadfast.base.resources import PACKAGE
from steadfast.workflow.script import run_rule

LIMITED = """
import resource, sys
from types import SimpleNamespace
from steadfast.base.files import write_text
from steadfast.workflow.script import run_rule

resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
job = SimpleNamespace(rule="r", log=["{log}"], params={{}}, wildcards={{}})
run_rule(write_text, job, with_provenance=False, path="{path}", text="x" * {size})
"""


def run_limited(tmp_path, size):
    script = LIMITED.format(log=tmp_path / "rule.log", path=tmp_path / "made.txt", size=size)
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)


def test_file_too_large_is_reported_and_the_older_file_stays(tmp_path):
    (tmp_path / "made.txt").write_text("older")
    process = run_limited(tmp_path, 100_000)
    message = f"error: {tmp_path / 'made.txt'}: file too large; let files be larger (ulimit -f)"
    assert process.returncode == 1
    assert process.stderr.startswith(message) and len(process.stderr.splitlines()) == 1
    assert (tmp_path / "rule.log").read_text().startswith(message)
    assert (tmp_path / "made.txt").read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.txt", "rule.log"]


def test_error_message_is_shown_despite_an_unwritable_log(tmp_path):
    (tmp_path / "rule.log").write_text("x" * 4096)  # as much as the limit
    process = run_limited(tmp_path, 100_000)
    assert process.returncode == 1 and "Traceback" not in process.stderr
    assert process.stderr.startswith(f"error: {tmp_path / 'made.txt'}: file too large")


def test_unknown_param_is_an_error():
    def score(majority=False):
        raise AssertionError("it must not run")

    params = {"majorty": True, "code": "c"}
    job = SimpleNamespace(rule="scores", log=[], params=params, wildcards={})
    with pytest.raises(TypeError, match="rule scores: score has no parameter majorty; correct"):
        run_rule(score, job, with_provenance=False)


def test_interrupted_job_ends_as_by_its_signal_and_logs_that_it_stopped(tmp_path):
    def ask():
        raise KeyboardInterrupt

    log = tmp_path / "rule.log"
    job = SimpleNamespace(rule="inference", log=[log], params={}, wildcards={})
    with pytest.raises(SystemExit) as end:
        run_rule(ask, job, with_provenance=False)
    assert end.value.code == 130
    assert log.read_text() == f"{STOPPED}\n"


def test_params_of_script_and_provenance_are_not_passed_to_the_function():
    calls = []
    params = {"majority": True, "code": "c", "samples": []}
    job = SimpleNamespace(rule="scores", log=[], params=params, wildcards={"part": "4k"})
    run_rule(lambda majority: calls.append(majority), job, with_provenance=False, read=["samples"])
    assert calls == [True]


def test_inputs_are_checked_before_the_job_runs(tmp_path, capsys):
    score = tmp_path / "scores/a"
    metric = tmp_path / "metrics/b"
    unused = tmp_path / "metrics/c"
    for file in (score, metric, unused):
        file.parent.mkdir(exist_ok=True)
        file.write_text("1")
    Provenance.beside(score, "lin").write()
    Provenance("met", tmp_path / "metrics/provenance.json", (metric, unused)).write()
    runs = []

    def error_of_run(**made_from: str) -> str:
        made_from = {"scores/a": "lin", "metrics/b": "met"} | made_from
        config = {"results": str(tmp_path)}
        job = SimpleNamespace(log=[], params={"made_from": made_from}, wildcards={}, config=config)
        with suppress(SystemExit):
            run_rule(lambda: runs.append(job), job, with_provenance=False)
        return capsys.readouterr().err

    assert (error_of_run(), len(runs)) == ("", 1)
    assert "scores/a: made from other settings" in error_of_run(**{"scores/a": "other"})
    unused.write_text("2")
    assert (error_of_run(), len(runs)) == ("", 2)
    metric.write_text("2")
    assert "metrics/b: edited since it was made" in error_of_run()
    assert len(runs) == 2


@pytest.mark.parametrize("number", [28, 122, 30, 13, 36])  # as Linux numbers them
def test_system_error_that_a_user_can_fix_names_the_file(number):
    error = fixable_error(OSError(number, "What is wrong", "results/a.jsonl"))
    assert isinstance(error, UserError)
    assert str(error).startswith("results/a.jsonl: what is wrong; ")


def test_system_errors_that_a_user_cannot_fix_are_left_unchanged():
    assert fixable_error(OSError(5, "Input/output error")) is None
