"""The workflow on a real SLURM cluster of one node with two (fake) GPUs, through the profile."""

import contextlib
import copy
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from project import ROOT, TINY, Project, over_http
from slurm_cluster import Cluster, Unavailable, unpack

pytestmark = [pytest.mark.workflow, pytest.mark.heavy, pytest.mark.xdist_group("slurm")]

SNAKEMAKE = [
    *(sys.executable, "-m", "snakemake", "--configfile", "my.yaml"),
    *("--workflow-profile", "profiles/slurm", "--profile", "site"),
    *("--slurm-init-seconds-before-status-checks", "5"),
    "results/tables",
]
SITE = "default-resources:\n  slurm_partition: gpu\nslurm-no-account: true\n"


def started(kind: type[Cluster], unpack: Callable[[Path], Path], folder: Path) -> Iterator[Cluster]:
    """Yields a running cluster whose programs are unpacked into a folder; or skips the test."""
    try:
        root = unpack(folder)
    except Unavailable as reason:
        pytest.skip(str(reason))
    # A socket's path has about a hundred characters, and pytest's folders are long.
    with tempfile.TemporaryDirectory(prefix="slurm-") as short, kind(root, Path(short)) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    yield from started(Cluster, unpack, tmp_path_factory.mktemp("slurm"))


class OnCluster:
    """A project that runs its inference on the cluster, which it leaves empty."""

    def __init__(self, cluster: Cluster, project: Project, models: dict, site: str = SITE):
        self.cluster = cluster
        self.project = project
        config = copy.deepcopy(TINY)
        for name, settings in models.items():
            config["models"][name] = config["models"].get(name, {}) | settings
        project.configure(config)
        project.path("site").mkdir()
        project.path("site/config.yaml").write_text(site)
        self.processes: list[subprocess.Popen] = []

    def __enter__(self) -> "OnCluster":
        return self

    def __exit__(self, *_) -> None:
        for process in self.processes:  # those left by a failed test
            process.kill()
            process.wait()
        self.cluster.clear()

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen:
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        # A job starts Python four times: compiled modules make that bearable.
        compiled = {"PYTHONPYCACHEPREFIX": str(self.project.path("compiled"))}
        with open(self.project.path("terminal"), "w") as terminal:
            process = subprocess.Popen(
                [*SNAKEMAKE, *arguments],
                cwd=self.project.folder,
                env={**inherited, **compiled, **self.cluster.environment, **variables},
                stdout=terminal,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process

    def terminal(self) -> str:
        """The terminal output of the last start so far."""
        return self.project.path("terminal").read_text()

    def finish(self, process: subprocess.Popen) -> None:
        assert process.wait() == 0, self.terminal()

    def jobs(self, ending: str = "") -> list[dict[str, str]]:
        """The present and past jobs of this project whose comment has that ending."""
        folder = str(self.project.folder.resolve())
        jobs = [job for job in self.cluster.jobs() if job["WorkDir"] == folder]
        return [job for job in jobs if job.get("Comment", "").endswith(ending)]


@pytest.fixture
def on_cluster(cluster):
    """Starts projects on the cluster; after the test it is empty."""
    with contextlib.ExitStack() as runs:
        yield lambda *arguments: runs.enter_context(OnCluster(cluster, *arguments))


def gpus(job: dict[str, str]) -> int:
    """The number of GPUs that the job requested."""
    return int(job.get("TresPerJob", "gres:gpu:0").split(":")[-1])


def wait_for(condition, seconds=240):
    """The first true value of a condition."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return value


def tables(project: Project) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in project.path("results/tables").iterdir()}


def test_default_workflow_gets_its_gpus(cluster, on_cluster, finished, tmp_path):
    project = Project.new(tmp_path, TINY)
    run = on_cluster(project, {"sim-a": {"gpus": 2, "mem_gb": 10, "hours": 2}})
    run.finish(run.start())
    assert tables(project) == tables(finished)

    by_comment = {job["Comment"]: job for job in run.jobs()}
    # The job of the reference answers needs no cluster.
    expected = [f"rule_inference_wildcards_lifbench_sim-a_{length}" for length in ("2k", "3k")]
    assert sorted(by_comment) == expected
    visible = cluster.gpus_seen()
    for job in by_comment.values():
        assert (job["JobState"], job["NumNodes"], gpus(job)) == ("COMPLETED", "1", 2)
        assert visible[job["JobId"]] == "[0,1]"
        assert job["JobName"].startswith("steadfast_")
    job = by_comment["rule_inference_wildcards_lifbench_sim-a_2k"]
    requested = (job["MinMemoryNode"], job["TimeLimit"], job["CPUs/Task"])
    assert requested == ("10000M", "02:00:00", "8")


def test_cancelled_and_preempted_jobs_complete(cluster, on_cluster, project, server):
    server.delay = 0.5  # so that both jobs are running until they are stopped
    run = on_cluster(project, {"echo": over_http(server.url, "echo-1", max_concurrency=2, gpus=1)})
    process = run.start()

    def half_way(part: str):
        """The running job of a part, once some of its answers are in the journal."""
        journal = project.path(f"results/journal/lifbench/echo/{part}.jsonl")
        running = [job for job in run.jobs(f"echo_{part}") if job["JobState"] == "RUNNING"]
        return running and journal.exists() and len(journal.read_bytes()) > 2000 and running[0]

    cancelled = wait_for(lambda: half_way("2k"))["JobId"]
    cluster("scancel", cancelled)
    preempted = wait_for(lambda: half_way("3k"))["JobId"]
    cluster("scontrol", "requeue", preempted)  # what SLURM does to a job that it preempts
    wait_for(lambda: is_running_again(cluster, preempted))
    server.delay = 0
    run.finish(process)

    first, second = run.jobs("echo_2k")
    assert (first["JobId"], first["JobState"]) == (cancelled, "CANCELLED")
    assert second["JobState"] == "COMPLETED"
    (requeued,) = run.jobs("echo_3k")
    assert (requeued["JobId"], requeued["JobState"]) == (preempted, "COMPLETED")

    prompts = sum(len(project.records(f"lifbench/prompts/{part}.jsonl")) for part in ("2k", "3k"))
    assert len(server.answered) <= prompts
    assert server.requested.total() - len(server.answered) <= 2 * 2  # the requests in flight


def is_running_again(cluster: Cluster, job_id: str) -> bool:
    """Whether a requeued job runs again; without SLURM's pause of two minutes."""
    job = next(job for job in cluster.jobs() if job["JobId"] == job_id)
    if job["Restarts"] == "1" and job["JobState"] == "PENDING":
        with contextlib.suppress(subprocess.CalledProcessError):  # it has started meanwhile
            cluster("scontrol", "update", f"JobId={job_id}", "StartTime=now")
    return job["Restarts"] == "1" and job["JobState"] in ("RUNNING", "COMPLETED")


def test_jobs_of_a_loaded_model_are_one_slurm_job(on_cluster, tmp_path):
    loaded = {"engine": "vllm", "window": 65536, "hours": 1}
    raw = {
        "lifbench": {"lengths": {"2k": 2048, "3k": 3072, "4k": 4000}},
        "limit": 1,
        "models": {
            "small": {**loaded, "model": "small"},
            "large": {**loaded, "model": "large", "tensor_parallel_size": 2},
        },
    }
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
