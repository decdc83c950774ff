import fcntl
import shutil

import pytest

from project import TINY, Project
from servers import running


@pytest.fixture(scope="session")
def finished(tmp_path_factory, worker_id) -> Project:
    """The tiny workflow, run to its tables, once for all workers; not to be changed (fork it)."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    with open(shared / "finished.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = shared / "finished"
        if (folder / "results/tables").exists():
            return Project(folder)
        shutil.rmtree(folder, ignore_errors=True)  # what another worker could not finish
        folder.mkdir()
        project = Project.new(folder, TINY)
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
