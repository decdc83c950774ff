"""The whole workflow killed half-way and started again: nothing lost, nothing asked twice."""

import os
import signal
import subprocess
import time

import pytest

from project import SNAKEMAKE

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

CONCURRENCY = 4


def test_killed_and_started_again(project, server):
    server.delay = 0.02
    project.configure(
        {
            "lifbench": {"lengths": {"2k": 2048}, "tasks": ["LSI", "LOI", "LOE"]},
            "models": {
                "echo": {
                    "engine": "openai",
                    "model": "echo-1",
                    "base_url": server.url,
                    "api_key_env": None,
                    "concurrency": CONCURRENCY,
                }
            },
        }
    )
    job = subprocess.Popen(
        [*SNAKEMAKE, "results/tables"],
        cwd=project.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_for(lambda: server.answered.total() >= 40)
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    assert not project.path("results/lifbench/outputs/echo/2k.jsonl").exists()

    # Snakemake locks the folder of a run that it did not see end.
    project.snakemake("--unlock")
    project.snakemake()
    prompts = project.path("results/lifbench/prompts/2k.jsonl").read_text().count("\n")
    assert len(server.answered) == prompts == 30 + 66 + 72
    assert server.asked.total() - prompts <= CONCURRENCY


def wait_for(condition, seconds=300):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
