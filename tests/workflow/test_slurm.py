"""The workflow on a real SLURM cluster of one node with two (fake) GPUs, through the profile."""

import contextlib
import copy
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from project import ROOT, TINY, Project
from slurm_cluster import Cluster, Unavailable, unpack

pytestmark = [pytest.mark.workflow, pytest.mark.heavy, pytest.mark.xdist_group("slurm")]

SNAKEMAKE = [
    *(sys.executable, "-m", "snakemake", "--configfile", "my.yaml"),
    *("--workflow-profile", "profiles/slurm", "--profile", "site"),
    *("--slurm-init-seconds-before-status-checks", "5"),
    "results/tables",
]
SITE = "default-resources:\n  slurm_partition: gpu\nslurm-no-account: true\n"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    try:
        root = unpack(tmp_path_factory.mktemp("slurm"))
    except Unavailable as reason:
        pytest.skip(str(reason))
    # A socket's path has about a hundred characters, and pytest's folders are long.
    with (
        tempfile.TemporaryDirectory(prefix="slurm-") as folder,
        Cluster(root, Path(folder)) as started,
    ):
        yield started


class OnCluster:
    """A project that runs its inference on the cluster, which it leaves empty."""

    def __init__(self, cluster: Cluster, project: Project, models: dict, site: str = SITE):
        self.cluster = cluster
        self.project = project
        config = copy.deepcopy(TINY)
        for name, settings in models.items():
            config["models"][name] = {**config["models"].get(name, {}), **settings}
        project.configure(config)
        project.path("site").mkdir()
        project.path("site/config.yaml").write_text(site)
        self.started: list[subprocess.Popen] = []

    def __enter__(self) -> "OnCluster":
        return self

    def __exit__(self, *_) -> None:
        for process in self.started:  # what a failed test has left
            process.kill()
            process.wait()
        self.cluster.clear()

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen:
        # A job starts Python four times: compiled modules make that bearable.
        compiled = {"PYTHONPYCACHEPREFIX": str(self.project.path("compiled"))}
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        with open(self.project.path("said"), "w") as said:
            started = subprocess.Popen(
                [*SNAKEMAKE, *arguments],
                cwd=self.project.folder,
                env={**inherited, **compiled, **self.cluster.environment, **variables},
                stdout=said,
                stderr=subprocess.STDOUT,
            )
        self.started.append(started)
        return started

    def said(self) -> str:
        """What the last start has shown so far."""
        return self.project.path("said").read_text()

    def finish(self, run: subprocess.Popen) -> None:
        assert run.wait() == 0, self.said()

    def jobs(self, of: str = "") -> list[dict[str, str]]:
        """The jobs of this project whose comment ends so, as they are or were."""
        folder = str(self.project.folder.resolve())
        jobs = [job for job in self.cluster.jobs() if job["WorkDir"] == folder]
        return [job for job in jobs if job.get("Comment", "").endswith(of)]


@pytest.fixture
def on_cluster(cluster):
    """Starts projects on the cluster; after the test it is empty."""
    with contextlib.ExitStack() as runs:
        yield lambda *arguments: runs.enter_context(OnCluster(cluster, *arguments))


def gpus(job: dict[str, str]) -> int:
    """GPUs that the job asked SLURM for."""
    return int(job.get("TresPerJob", "gres:gpu:0").split(":")[-1])


def wait_for(condition, seconds=240):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return found


def tables(project: Project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in project.path("results/tables").iterdir()}


def test_the_default_workflow_runs_and_gets_the_gpus_it_asks_for(
    cluster, on_cluster, finished, tmp_path
):
    project = Project.new(tmp_path, TINY)
    models = {"sim-a": {"gpus": 2, "mem_gb": 10, "hours": 2}}
    run = on_cluster(project, models)
    run.finish(run.start())
    assert tables(project) == tables(finished)

    by_comment = {job["Comment"]: job for job in run.jobs()}
    # The job of the reference answers needs no cluster.
    expected = [f"rule_inference_wildcards_lifbench_sim-a_{length}" for length in ("2k", "3k")]
    assert sorted(by_comment) == expected
    seen = cluster.gpus_seen()
    for job in by_comment.values():
        assert (job["JobState"], job["NumNodes"], gpus(job)) == ("COMPLETED", "1", 2)
        assert seen[job["JobId"]] == "[0,1]"
        assert job["JobName"].startswith("steadfast_")
    asked = by_comment["rule_inference_wildcards_lifbench_sim-a_2k"]
    assert (asked["MinMemoryNode"], asked["TimeLimit"], asked["CPUs/Task"]) == (
        "10000M",
        "02:00:00",
        "8",
    )


def test_a_job_cancelled_or_preempted_half_way_completes(cluster, on_cluster, project, server):
    server.delay = 0.5  # so that both jobs are under way until they are stopped
    echo = {
        "engine": "openai",
        "model": "echo-1",
        "base_url": server.url,
        "api_key_env": None,
        "max_concurrency": 2,
    }
    run = on_cluster(project, {"echo": {**echo, "gpus": 1}})
    started = run.start()

    def half_way(part: str):
        """The running job of a part, once some of its answers are in the journal."""
        journal = project.path(f"results/journal/lifbench/echo/{part}.jsonl")
        running = [job for job in run.jobs(f"echo_{part}") if job["JobState"] == "RUNNING"]
        return running and journal.exists() and len(journal.read_bytes()) > 2000 and running[0]

    cancelled = wait_for(lambda: half_way("2k"))["JobId"]
    cluster("scancel", cancelled)
    preempted = wait_for(lambda: half_way("3k"))["JobId"]
    cluster("scontrol", "requeue", preempted)  # what SLURM does to a job that it preempts
    wait_for(lambda: begins_again(cluster, preempted))
    server.delay = 0
    run.finish(started)

    states = {job["JobId"]: job["JobState"] for job in run.jobs()}
    first, second = run.jobs("echo_2k")
    assert (first["JobId"], first["JobState"]) == (cancelled, "CANCELLED")
    assert second["JobState"] == "COMPLETED"
    assert states[preempted] == "COMPLETED" and len(run.jobs("echo_3k")) == 1

    prompts = sum(
        project.path(f"results/lifbench/prompts/{part}.jsonl").read_text().count("\n")
        for part in ("2k", "3k")
    )
    assert len(server.answered) <= prompts
    assert server.asked.total() - len(server.answered) <= 2 * echo["max_concurrency"]


def begins_again(cluster: Cluster, job: str) -> bool:
    """Whether a requeued job runs again; without SLURM's pause of two minutes."""
    state = next(each for each in cluster.jobs() if each["JobId"] == job)
    if state["Restarts"] == "1" and state["JobState"] == "PENDING":
        with contextlib.suppress(subprocess.CalledProcessError):  # by now it runs by itself
            cluster("scontrol", "update", f"JobId={job}", "StartTime=now")
    return state["Restarts"] == "1" and state["JobState"] in ("RUNNING", "COMPLETED")


def test_the_jobs_of_a_loaded_model_are_one_job_of_the_cluster(on_cluster, tmp_path):
    lengths = {"2k": 2048, "3k": 3072, "4k": 4000}
    loaded = {"engine": "vllm", "window": 65536, "hours": 1}
    models = {
        "small": {**loaded, "model": "small"},
        "large": {**loaded, "model": "large", "tensor_parallel_size": 2},
    }
    raw = {"lifbench": {"lengths": lengths}, "limit": 1, "models": models}
    project = Project.new(tmp_path, raw)
    run = on_cluster(project, {})
    project.configure(raw)
    loads = project.path("loads")
    fake = {"PYTHONPATH": str(ROOT / "tests/engines/fake_vllm"), "FAKE_VLLM_LOADS": str(loads)}
    run.finish(run.start(**fake))
    jobs = run.jobs()
    assert sorted(gpus(job) for job in jobs) == [1, 2]
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    assert sorted(line.split()[0] for line in loads.read_text().splitlines()) == ["large", "small"]
    assert "lifbench_table3_ars.tex" in tables(project)
