import pytest

from project import TINY, Project, once
from servers import running


@pytest.fixture(scope="session")
def finished() -> Project:
    """The tiny workflow, run to its tables, once for all workers; not to be changed (fork it)."""

    def make(folder):
        targets = "results/tables", "results/figures/lifbench_ars_by_length.png"
        Project.new(folder, TINY).snakemake(*targets)

    return Project(once("finished", make))


@pytest.fixture
def project(finished, tmp_path) -> Project:
    """A copy of the finished tiny workflow, free to be changed."""
    return finished.fork(tmp_path)


@pytest.fixture
def server():
    """A real server that answers chat completions and counts what it is asked."""
    with running() as started:
        yield started
