import pytest

from project import PAPER, TARGETS, TINY, Project, once
from servers import running


@pytest.fixture(scope="session")
def finished() -> Project:
    """The tiny workflow, run to its tables, once for all workers; not to be changed (fork it)."""
    return made("finished", TINY)


@pytest.fixture(scope="session")
def paper() -> Project:
    """The same with all tasks of the paper."""
    return made("paper", PAPER)


def made(name: str, config: dict) -> Project:
    return Project(once(name, lambda folder: Project.new(folder, config).snakemake(*TARGETS)))


@pytest.fixture
def project(finished, tmp_path) -> Project:
    """A copy of the finished tiny workflow, free to be changed."""
    return finished.fork(tmp_path)


@pytest.fixture
def server():
    """A real server that answers chat completions and counts what it is asked."""
    with running() as started:
        yield started
