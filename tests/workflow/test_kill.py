"""The whole workflow killed half-way and started again: nothing lost, nothing asked twice."""

import os
import signal
import subprocess
import time
from contextlib import suppress

import pytest

from project import SNAKEMAKE, TINY, Project, wait_for

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

CONCURRENCY = 4


@pytest.fixture
def started(project, server):
    """A run of one length that a slow server answers, and its process."""
    server.delay = 0.02
    own = {"engine": "openai", "model": "echo-1", "base_url": server.url, "api_key_env": None}
    project.configure(
        {
            "lifbench": {"lengths": {"2k": 2048}, "tasks": ["LSI", "LOI", "LOE"]},
            "models": {"echo": {**own, "max_concurrency": CONCURRENCY}},
        }
    )
    job = subprocess.Popen(
        [*SNAKEMAKE, "results/tables"],
        cwd=project.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    wait_for(lambda: server.answered.total() >= 40)
    yield job
    with suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    job.stdout.close()


def asked_once(project, server) -> bool:
    """Whether no prompt was asked again but those in flight."""
    prompts = project.path("results/lifbench/prompts/2k.jsonl").read_text().count("\n")
    assert len(server.answered) == prompts == 30 + 66 + 72
    return server.asked.total() - prompts <= CONCURRENCY


def test_killed_and_started_again(project, server, started):
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    assert not project.path("results/lifbench/outputs/echo/2k.jsonl").exists()
    project.snakemake()
    assert asked_once(project, server)


@pytest.mark.wide
def test_stopped_and_started_again(project, server, started):
    for _ in range(2):  # as an impatient person does
        os.killpg(started.pid, signal.SIGINT)
        time.sleep(0.2)
    said = started.communicate()[0]
    assert started.returncode != 0
    assert "Stopped. The same command continues" in said
    assert "Traceback" not in said
    assert "failed" not in said.partition("Stopped.")[2]
    project.snakemake()
    assert asked_once(project, server)


@pytest.mark.wide
def test_terminated_and_started_again(project, server, started):
    """The signal reaches the main process alone, as that of ``kill`` or a supervisor does."""
    os.kill(started.pid, signal.SIGTERM)
    said = started.communicate()[0]
    assert started.returncode != 0
    assert said.count("Stopping: no new jobs start") == 1
    assert said.index("Stopping: ") < said.index("Stopped. The same command continues")
    assert not [word for word in ("Traceback", "failed:", "Shutting down") if word in said]
    project.snakemake()
    assert server.asked.total() == len(server.answered)


@pytest.mark.wide
def test_a_second_run_on_the_same_results_is_refused(project, server, started, tmp_path_factory):
    server.delay = 20.0  # so that the first run does not end meanwhile
    elsewhere = Project.new(tmp_path_factory.mktemp("elsewhere"), TINY)
    results = project.path("results")
    elsewhere.configure({**TINY, "pathvars": {"results": str(results)}})
    said = elsewhere.snakemake(f"{results}/tables", ok=False)
    assert f"Error: {results}: in use by another run (process {started.pid})" in said
    elsewhere.snakemake("--dry-run", f"{results}/tables")  # makes none
