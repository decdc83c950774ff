from pathlib import Path

import pytest

from project import FIGURE, PAPER, Project, once, tiny
from servers import running


@pytest.fixture(scope="session")
def finished() -> Project:
    """The tiny workflow after a run, made once for all workers; not to be changed (fork it)."""
    return tiny()


@pytest.fixture(scope="session")
def paper() -> Project:
    """The same with all tasks of the paper, and a figure."""

    def make(folder: Path) -> None:
        Project.new(folder, PAPER).snakemake("results/tables", FIGURE)

    return Project(once("paper", make))


@pytest.fixture
def project(finished, tmp_path) -> Project:
    """A copy of the finished tiny workflow, free to be changed."""
    return finished.fork(tmp_path)


@pytest.fixture
def server():
    """A server of chat completions that counts requests."""
    with running() as started:
        yield started
