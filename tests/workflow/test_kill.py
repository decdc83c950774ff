"""The whole workflow stopped half-way and restarted: nothing lost, nothing requested twice."""

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
    """A project of one length whose server is slow; its run has not begun."""
    server.delay = 0.02
    echo = over_http(server.url, "echo-1", max_concurrency=CONCURRENCY)
    lifbench = {"lengths": {"2k": 2048}, "tasks": ["LSI", "LOI", "LOE"]}
    project.configure({"lifbench": lifbench, "models": {"echo": echo}})
    return project


def half_way(server) -> bool:
    return server.answered.total() >= 40


@pytest.fixture
def process(slow, server):
    """The process of its run, once some prompts are answered."""
    job = subprocess.Popen(
        [*SNAKEMAKE, "results/tables"],
        cwd=slow.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    wait_for(lambda: half_way(server))
    yield job
    with suppress(ProcessLookupError):
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    job.stdout.close()


def repeated_requests(project, server) -> int:
    """The requests beyond one for each prompt, all of which are answered."""
    prompts = len(project.records("lifbench/prompts/2k.jsonl"))
    assert len(server.answered) == prompts == 30 + 66 + 72
    return server.requested.total() - prompts


def test_killed_run_repeats_only_requests_in_flight(slow, server):
    slow.killed(lambda: half_way(server))
    assert not slow.path("results/lifbench/outputs/echo/2k.jsonl").exists()
    slow.snakemake()
    assert repeated_requests(slow, server) <= CONCURRENCY


@pytest.mark.wide
def test_interrupted_run_repeats_only_requests_in_flight(slow, server, process):
    for _ in range(2):  # as an impatient person does
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.2)
    terminal = process.communicate()[0]
    assert process.returncode != 0
    assert "Stopped. The same command continues" in terminal
    assert "Traceback" not in terminal
    assert "failed" not in terminal.partition("Stopped.")[2]
    slow.snakemake()
    assert repeated_requests(slow, server) <= CONCURRENCY


@pytest.mark.wide
def test_terminated_run_finishes_its_jobs_and_repeats_nothing(slow, server, process):
    """The signal reaches the main process alone, as that of ``kill`` or a supervisor does."""
    os.kill(process.pid, signal.SIGTERM)
    terminal = process.communicate()[0]
    assert process.returncode != 0
    assert terminal.count("Stopping: no new jobs start") == 1
    assert terminal.index("Stopping: ") < terminal.index("Stopped. The same command continues")
    for word in ("Traceback", "failed:", "Shutting down"):
        assert word not in terminal
    slow.snakemake()
    assert server.requested.total() == len(server.answered)


@pytest.mark.wide
def test_second_run_on_the_same_results_is_refused(slow, server, process, tmp_path_factory):
    server.delay = 20.0  # so that the first run does not end meanwhile
    second = Project.new(tmp_path_factory.mktemp("second"), TINY)
    results = slow.path("results")
    second.configure({**TINY, "pathvars": {"results": str(results)}})
    terminal = second.snakemake(f"{results}/tables", ok=False)
    assert f"Error: {results}: in use by another run (process {process.pid})" in terminal
    second.snakemake("--dry-run", f"{results}/tables")  # a dry run makes no files
