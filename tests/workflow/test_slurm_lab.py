"""Faults on a real SLURM cluster with accounting, several nodes, limits and preemption."""

import time

import pytest

from project import TINY, Project, over_http
from servers import error, running
from slurm_lab import Lab, unpacked
from started_server import serve_command
from test_slurm import OnCluster, gpus, started, wait_for

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.heavy,
    pytest.mark.xdist_group("slurm"),
    pytest.mark.timeout(1200),
]

SITE = """
default-resources: {slurm_account: lab, qos: scavenger}
slurm-partition-config: partitions.yaml
"""
PARTITIONS = "partitions: {gpu: {max_gpu: 8}, cpu: {}}"
ON_CLUSTER = {"engine": "reference", "slurm": {"nice": 0}}
"""A model whose jobs would not need a cluster, but are to run on it."""
ONE_LENGTH = {**TINY, "lifbench": {"lengths": {"2k": 2048}}}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    yield from started(Lab, unpacked, tmp_path_factory.mktemp("lab"))


@pytest.fixture
def run(lab, tmp_path):
    project = Project.new(tmp_path, ONE_LENGTH)
    with OnCluster(lab, project, {}, SITE) as run:
        project.path("site/partitions.yaml").write_text(PARTITIONS)
        yield run


def configure(run: OnCluster, **models: dict) -> None:
    run.project.configure(ONE_LENGTH | {"models": models})


def over_gpus(server, **settings) -> dict:
    """A model behind a server, whose jobs request GPUs."""
    requested = {"max_concurrency": 1, "gpus": 2, "hours": 0.5}
    return over_http(server.url, "echo-1", **requested | settings)


def wait_for_messages(run: OnCluster, *messages: str) -> None:
    wait_for(lambda: all(message in run.terminal() for message in messages))


def prompt_count(run: OnCluster) -> int:
    return len(run.project.records("lifbench/prompts/2k.jsonl"))


def test_faults_are_reported_and_jobs_retried(lab, run, server):
    server.delay = 0.3
    with running() as rejecting:
        rejecting.faults[""].extend([error(404)] * 100)
        configure(
            run,
            reference={"engine": "reference"},
            cpu=ON_CLUSTER,
            gone=over_gpus(rejecting, gpus=1),
            slow=over_gpus(server),
            long={"engine": "reference", "gpus": 1, "hours": 30},
            wide={"engine": "reference", "gpus": 8, "hours": 0.5},
        )
        process = run.start()

        # Jobs that can never run, or would fail again, are named; one job runs without GPUs.
        wait_for_messages(
            run,
            "waiting: lifbench/inference/long/2k (SLURM job ",
            ": PartitionTimeLimit): it asks for more time than the partition gives",
            "failed: lifbench/inference/wide/2k: SLURM rejected the job: ",
            "(HTTP 404); check model and base_url, then run again",
        )
        for model in ("reference", "cpu"):
            wait_for(run.project.path(f"results/lifbench/outputs/{model}/2k.jsonl").exists)
        assert [(gpus(job), job["Partition"]) for job in run.jobs("cpu_2k")] == [(0, "cpu")]
        assert run.jobs("reference_2k") == []

        # The controller is away for a while.
        lab.stop("slurmctld")
        lab.stop("slurmdbd")
        wait_for_messages(run, "SLURM does not respond: its jobs go on, and it is queried again")
        lab.start_accounting()
        lab.start_controller()
        wait_for_messages(run, "SLURM responds again")

        # Another user's urgent job preempts ours.
        options = "--account=lab --qos=urgent --partition=gpu --output=/dev/null"
        resources = "--nodes=2 --gres=gpu:2 --mem=1000 --time=5"
        urgent = ["sbatch", *options.split(), *resources.split(), "--wrap=sleep 5"]
        lab.wait(lambda: lab(*urgent))
        preempted = "failed: lifbench/inference/slow/2k (SLURM job "
        wait_for_messages(run, preempted, "): the job was preempted; retried")

        # The next one runs out of time.
        job = wait_for(lambda: [j for j in run.jobs("slow_2k") if j["JobState"] == "RUNNING"])[0]
        lab("scontrol", "update", f"JobId={job['JobId']}", "TimeLimit=1")
        wait_for_messages(run, "the job reached its time limit; retried with more time")
        server.delay = 0
        (long,) = run.jobs("long_2k")
        lab("scontrol", "update", f"JobId={long['JobId']}", "TimeLimit=30")
        process.wait()

    assert process.returncode == 1
    first, second, third = run.jobs("slow_2k")
    assert (first["TimeLimit"], third["TimeLimit"]) == ("00:30:00", "00:45:00")
    assert first["MinMemoryNode"] == third["MinMemoryNode"]
    assert (second["JobState"], third["JobState"]) == ("TIMEOUT", "COMPLETED")
    assert len(run.jobs("gone_2k")) == 1
    summary = run.terminal().split("2 jobs failed:\n")[1]
    assert "  gone: server 127.0.0.1:" in summary
    assert "  wide: SLURM rejected the job" in summary
    # Each end of a job cost the request in flight.
    assert server.requested.total() <= prompt_count(run) + 2


def test_new_jobs_wait_for_those_of_a_killed_run(lab, run, server):
    server.delay = 0.3
    configure(run, slow=over_gpus(server))
    killed = run.start()
    log = run.project.path("results/logs/lifbench/inference/slow/2k.log")
    wait_for(lambda: server.answered)
    killed.kill()
    killed.wait()
    process = run.start()
    (old, _) = wait_for(lambda: len(run.jobs("slow_2k")) == 2 and run.jobs("slow_2k"))
    message = f"slow: waiting for SLURM job {old['JobId']}, which has locked"
    wait_for(lambda: log.exists() and message in log.read_text())
    wait_for_messages(run, f"): waiting until SLURM job {old['JobId']}, which has locked")
    server.delay = 0
    run.finish(process)
    assert server.requested.total() == prompt_count(run)


def test_submission_is_retried_while_slurm_is_away(lab, run):
    configure(run, reference=ON_CLUSTER)
    process = run.start()
    wait_for_messages(run, " done")
    lab.stop("slurmctld")
    name = "lifbench/inference/reference/2k"
    try:
        wait_for_messages(run, f"{name}: not submitted yet: SLURM does not respond; submission")
    finally:
        lab.start_controller()
    run.finish(process)
    assert run.terminal().count(f"submitted: {name} (SLURM job ") == 1
    assert "failed: " not in run.terminal()


def test_group_survives_three_minutes_without_slurm(lab, run):
    project = run.project
    served = {"engine": "openai", "model": "echo-1", "serve": serve_command(project.folder)}
    served |= {"gpus": 1, "hours": 0.5, "max_concurrency": 1}
    project.configure(TINY | {"limit": 1, "models": {"served": served}})
    project.path("slow").write_text("3")
    process = run.start()
    journal = project.path("results/journal/lifbench/served/2k.jsonl")
    wait_for(lambda: journal.exists() and journal.read_text())
    lab.stop("slurmctld")
    try:  # the second of the group's jobs is to begin meanwhile
        time.sleep(180)
    finally:
        lab.start_controller()
    run.finish(process)
    assert "failed: " not in run.terminal()
    assert len(project.path("pid").read_text().splitlines()) == 1
    (job,) = run.jobs()
    assert (job["JobState"], gpus(job)) == ("COMPLETED", 1)


def test_slurm_settings_of_a_model_replace_the_profiles(lab, run):
    slurm = {"partition": "gpu", "qos": "urgent", "account": "lab", "nice": 7}
    own_settings = {"engine": "reference", "hours": 0.5, "slurm": slurm}
    configure(run, one=own_settings, two={**ON_CLUSTER, "hours": 0.5})
    run.finish(run.start())
    expected = {"one": ("gpu", "urgent", "lab", "7"), "two": ("cpu", "scavenger", "lab", "0")}
    for model, values in expected.items():
        (job,) = run.jobs(f"{model}_2k")
        assert (job["Partition"], job["QOS"], job["Account"], job["Nice"]) == values


def test_unknown_account_is_reported(lab, run):
    loaded = {"engine": "vllm", "model": "small", "window": 65536, "hours": 0.5}
    configure(run, reference=ON_CLUSTER, loaded=loaded)
    run.project.path("site/config.yaml").write_text(SITE.replace("lab", "nobodys"))
    process = run.start()
    assert process.wait(timeout=240) == 1
    assert run.jobs() == []
    for name in ("reference", "loaded"):
        rejected = f"failed: lifbench/inference/{name}/2k: SLURM rejected the job: The given "
        (line,) = (line for line in run.terminal().splitlines() if line.startswith(rejected))
        assert "account nobodys appears to be invalid" in line
        hint = "; correct slurm_account in the profile, or slurm.account of the model"
        assert line.endswith(hint)
    assert "Traceback" not in run.terminal() and "tried again" not in run.terminal()


def test_qos_refused_by_a_partition_is_reported_and_blocks_no_other_job(lab, run):
    """A profile's QoS is for the partition with GPUs: jobs without a model do without both."""
    configure(run, reference={"engine": "reference"}, cpu=ON_CLUSTER)
    run.project.path("site/config.yaml").write_text(SITE.replace("scavenger", "urgent"))
    lab("scontrol", "update", "PartitionName=cpu", "DenyQos=urgent")
    try:
        process = run.start()
        wait_for_messages(run, "its QoS or account may not use the partition")
        assert "waiting: lifbench/inference/cpu/2k (SLURM job " in run.terminal()
        wait_for(run.project.path("results/lifbench/scores/reference/2k.jsonl").exists)
    finally:
        lab("scontrol", "update", "PartitionName=cpu", "DenyQos=")
    run.finish(process)
