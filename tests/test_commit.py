"""The workflow's commit, where git works, fails or is killed."""

import os
import subprocess

import pytest

from steadfast.base import commit
from steadfast.base.errors import TemporaryError

COMMIT = "0123456789" * 4


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Replaces git by a script, which has the number of its calls in $CALL; returns their file."""
    calls = tmp_path / "calls"

    def replace_git(script):
        program = tmp_path / "git"
        count = f"echo >> {calls}; CALL=$(wc -l < {calls})"
        program.write_text(f"#!/bin/sh\n{count}\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return calls

    return replace_git


@pytest.mark.parametrize(
    "failure", ["kill -9 $$", 'echo "fatal: diff-index died" >&2; exit 128'], ids=["git", "child"]
)
def test_killed_git_is_run_again(git, failure):
    git(f'if [ "$CALL" = 1 ]; then {failure}; fi; echo {COMMIT}')
    assert commit.git_output("describe") == COMMIT


def test_git_that_is_always_killed_stops_the_job(git):
    calls = git("kill -9 $$")
    message = "git was killed before it returned the workflow's commit"
    with pytest.raises(TemporaryError, match=message):
        commit.git_output("describe")
    assert len(calls.read_text().splitlines()) == commit.TRIES


def test_folder_outside_git_has_no_commit(monkeypatch, tmp_path):
    monkeypatch.setattr(commit, "PACKAGE", tmp_path)
    assert commit.git_output("log", "-1") is None


def test_failing_or_missing_git_returns_no_commit(git, monkeypatch):
    calls = git('echo "fatal: detected dubious ownership in repository" >&2; exit 128')
    assert commit.git_output("log", "-1") is None
    assert len(calls.read_text().splitlines()) == 1
    monkeypatch.setenv("PATH", "/nowhere")
    assert commit.git_output("log", "-1") is None


def test_installed_package_has_no_commit(git, monkeypatch, tmp_path):
    git(f"echo {COMMIT}")
    monkeypatch.setattr(commit, "HOME", tmp_path / "lib/site-packages/steadfast_workflow")
    assert commit.git_output("describe") is None


def test_repository_without_commits_has_no_commit(monkeypatch, tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.setattr(commit, "PACKAGE", tmp_path)
    assert commit.git_output("log", "-1", "--format=%H %ct") is None
