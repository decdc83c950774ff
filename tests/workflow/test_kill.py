"""The whole workflow killed half-way and started again: nothing lost, nothing asked twice."""

import os
import signal
import subprocess
import time
from contextlib import suppress

import pytest

from project import SNAKEMAKE, TINY, Project, over_http, wait_for

pytestmark = pytest.mark.workflow

CONCURRENCY = 4


@pytest.fixture
def slow(project, server):
    """A run of one length whose server is slow; it has not begun."""
    server.delay = 0.02
    echo = over_http(server.url, "echo-1", max_concurrency=CONCURRENCY)
    lifbench = {"lengths": {"2k": 2048}, "tasks": ["LSI", "LOI", "LOE"]}
    project.configure({"lifbench": lifbench, "models": {"echo": echo}})
    return project


def under_way(server) -> bool:
    return server.answered.total() >= 40


@pytest.fixture
def started(slow, server):
    """Its process, once it is under way."""
    job = subprocess.Popen(
        [*SNAKEMAKE, "results/tables"],
        cwd=slow.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    wait_for(lambda: under_way(server))
    yield job
    with suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    job.stdout.close()


def asked_once(project, server) -> bool:
    """Whether no prompt was asked again but those in flight."""
    prompts = len(project.records("lifbench/prompts/2k.jsonl"))
    assert len(server.answered) == prompts == 30 + 66 + 72
    return server.asked.total() - prompts <= CONCURRENCY


def test_killed_and_started_again(slow, server):
    slow.killed(lambda: under_way(server))
    assert not slow.path("results/lifbench/outputs/echo/2k.jsonl").exists()
    slow.snakemake()
    assert asked_once(slow, server)


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
