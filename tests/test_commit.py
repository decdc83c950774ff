"""The workflow's commit, whatever becomes of git."""

import os
import subprocess
from pathlib import Path

import pytest

from steadfast.base import commit
from steadfast.base.errors import PassingError

COMMIT = "0123456789" * 4


@pytest.fixture
def git(tmp_path, monkeypatch):
    """Makes a git that does as a script says; the script finds its number of calls in $CALL."""
    calls = tmp_path / "calls"

    def make(script):
        program = tmp_path / "git"
        count = f"echo >> {calls}; CALL=$(wc -l < {calls})"
        program.write_text(f"#!/bin/sh\n{count}\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return calls

    return make


def test_a_git_that_is_killed_is_asked_again(git):
    git(f'if [ "$CALL" = 1 ]; then kill -9 $$; fi; echo {COMMIT}')
    assert commit.asked_of_git("describe") == COMMIT


def test_a_git_whose_child_is_killed_is_asked_again(git):
    git(f'if [ "$CALL" = 1 ]; then echo "fatal: diff-index died" >&2; exit 128; fi; echo {COMMIT}')
    assert commit.asked_of_git("describe") == COMMIT


def test_a_git_that_is_always_killed_stops_the_job(git):
    calls = git("kill -9 $$")
    with pytest.raises(
        PassingError, match="git was killed before it returned the workflow's commit"
    ):
        commit.asked_of_git("describe")
    assert len(calls.read_text().splitlines()) == commit.TRIES


def test_outside_git_there_is_no_commit(git, monkeypatch, tmp_path):
    monkeypatch.setattr(commit, "PACKAGE", tmp_path)
    assert commit.asked_of_git("log", "-1") is None
    calls = git('echo "fatal: detected dubious ownership in repository" >&2; exit 128')
    assert commit.asked_of_git("log", "-1") is None
    assert len(calls.read_text().splitlines()) == 1
    monkeypatch.setenv("PATH", "/nowhere")
    assert commit.asked_of_git("log", "-1") is None


def test_an_installation_or_repository_without_a_commit_has_none(git, monkeypatch, tmp_path):
    git(f"echo {COMMIT}")
    monkeypatch.setattr(commit, "HOME", tmp_path / "lib/site-packages/steadfast_workflow")
    assert commit.asked_of_git("describe") is None
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.setattr(commit, "PACKAGE", Path(tmp_path))
    assert commit.asked_of_git("log", "-1", "--format=%H %ct") is None
