import pytest

from project import TINY, Project
from servers import running


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """The tiny workflow, run to its tables; not to be changed (fork it)."""
    project = Project.new(tmp_path_factory.mktemp("finished"), TINY)
    project.snakemake("results/tables", "results/figures/lifbench_ars_by_length.png")
    return project


@pytest.fixture
def project(finished, tmp_path) -> Project:
    """A copy of the finished tiny workflow, free to be changed."""
    return finished.fork(tmp_path)


@pytest.fixture
def server():
    """A real server that answers chat completions and counts what it is asked."""
    with running() as started:
        yield started
