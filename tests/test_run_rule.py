"""A rule's function: what the system refuses is one sentence, and the older file stays."""

import os
import subprocess
import sys
from contextlib import suppress
from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError, of_system
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


def run(tmp_path, size):
    script = LIMITED.format(log=tmp_path / "rule.log", path=tmp_path / "made.txt", size=size)
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env)


def test_a_file_that_cannot_be_written_whole_is_one_sentence_and_leaves_the_older_one(tmp_path):
    (tmp_path / "made.txt").write_text("older")
    done = run(tmp_path, 100_000)
    sentence = f"error: {tmp_path / 'made.txt'}: file too large; let files be larger (ulimit -f)"
    assert done.returncode == 1
    assert done.stderr.startswith(sentence) and len(done.stderr.splitlines()) == 1
    assert (tmp_path / "rule.log").read_text().startswith(sentence)
    assert (tmp_path / "made.txt").read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.txt", "rule.log"]


def test_a_param_that_the_function_does_not_take_is_an_error():
    def scored(majority=False):
        raise AssertionError("it must not run")

    params = {"majorty": True, "code": "c"}
    job = SimpleNamespace(rule="scores", log=[], params=params, wildcards={})
    with pytest.raises(TypeError, match="rule scores: scored has no parameter majorty; correct"):
        run_rule(scored, job, with_provenance=False)


def test_a_param_is_taken_by_its_name_read_by_the_script_or_provenance():
    taken = []

    def scored(majority):
        taken.append(majority)

    params = {"majority": True, "code": "c", "samples": []}
    job = SimpleNamespace(rule="scores", log=[], params=params, wildcards={"part": "4k"})
    run_rule(scored, job, with_provenance=False, read=["samples"])
    assert taken == [True]


def test_files_that_a_job_is_made_from_are_checked_before_it_runs(tmp_path, capsys):
    files = [tmp_path / name for name in ("scores/a.jsonl", "metrics/b.csv", "metrics/c.csv")]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text("1")
    Provenance.beside(files[0], "lin").write()
    Provenance("met", tmp_path / "metrics/provenance.json", tuple(files[1:])).write()
    made = []

    def run(**made_from: str) -> str:
        """The error message of a job that is made from the first score and metric."""
        made_from = {"scores/a.jsonl": "lin", "metrics/b.csv": "met"} | made_from
        config = {"results": str(tmp_path)}
        job = SimpleNamespace(log=[], params={"made_from": made_from}, wildcards={}, config=config)
        with suppress(SystemExit):
            run_rule(lambda: made.append(job), job, with_provenance=False)
        return capsys.readouterr().err

    assert (run(), len(made)) == ("", 1)
    assert "scores/a.jsonl: made from other settings" in run(**{"scores/a.jsonl": "other"})
    files[2].write_text("2")  # another file of the folder
    assert (run(), len(made)) == ("", 2)
    files[1].write_text("2")
    assert "metrics/b.csv: edited since it was made" in run()
    assert len(made) == 2


def test_a_log_that_cannot_be_written_hides_no_sentence(tmp_path):
    (tmp_path / "rule.log").write_text("x" * 4096)  # as much as the limit
    done = run(tmp_path, 100_000)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.startswith(f"error: {tmp_path / 'made.txt'}: file too large")


@pytest.mark.parametrize("number", [28, 122, 30, 13, 36])  # as Linux numbers them
def test_what_a_user_can_mend_is_said_with_the_file(number):
    error = OSError(number, "What is wrong", "results/a.jsonl")
    found = of_system(error)
    assert isinstance(found, UserError)
    assert str(found).startswith("results/a.jsonl: what is wrong; ")


def test_other_errors_of_the_system_are_told_as_they_are():
    assert of_system(OSError(5, "Input/output error")) is None
