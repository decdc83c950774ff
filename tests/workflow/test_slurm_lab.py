"""Faults on a real SLURM cluster with accounting, several nodes, limits and preemption."""

import copy
import tempfile
import time
from pathlib import Path

import pytest

from project import TINY, Project
from servers import error, running
from slurm_cluster import Unavailable
from slurm_lab import Lab, unpacked
from started_server import serve_command
from test_slurm import OnCluster, gpus, wait_for

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
"""A model for whose jobs a cluster is not needed, but wanted."""
ONE_LENGTH = {**TINY, "lifbench": {"lengths": {"2k": 2048}}}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    try:
        root = unpacked(tmp_path_factory.mktemp("lab"))
    except Unavailable as reason:
        pytest.skip(str(reason))
    with tempfile.TemporaryDirectory(prefix="lab-") as folder, Lab(root, Path(folder)) as started:
        yield started


@pytest.fixture
def run(lab, tmp_path):
    project = Project.new(tmp_path, ONE_LENGTH)
    with OnCluster(lab, project, {}, SITE) as started:
        project.path("site/partitions.yaml").write_text(PARTITIONS)
        yield started


def asking(server, **settings):
    return {
        "engine": "openai", "model": "echo-1", "base_url": server.url, "api_key_env": None,
        "max_concurrency": 1, "gpus": 2, "hours": 0.5, **settings,
    }  # fmt: skip


def test_each_fault_is_told_and_what_can_be_mended_is(lab, run, server):
    server.delay = 0.3
    with running() as rejecting:
        rejecting.faults[""].extend([error(404)] * 100)
        models = {
            "reference": {"engine": "reference"},
            "cpu": ON_CLUSTER,
            "gone": asking(rejecting, gpus=1),
            "slow": asking(server),
            "long": {"engine": "reference", "gpus": 1, "hours": 30},
            "wide": {"engine": "reference", "gpus": 8, "hours": 0.5},
        }
        run.project.configure({**copy.deepcopy(ONE_LENGTH), "models": models})
        started = run.start()

        def said(*words: str) -> None:
            wait_for(lambda: all(word in run.said() for word in words))

        # What can never run, and what would fail again, is named; one job goes without GPUs.
        said(
            "waiting: lifbench/inference/long/2k (SLURM job ",
            ": PartitionTimeLimit): it asks for more time than the partition gives",
            "failed: lifbench/inference/wide/2k: SLURM rejected the job: ",
            "(HTTP 404); check model and base_url, then run again",
        )
        outputs = run.project.path("results/lifbench/outputs")
        wait_for(lambda: all((outputs / f"{m}/2k.jsonl").exists() for m in ("reference", "cpu")))
        assert [gpus(job) for job in run.jobs("cpu_2k")] == [0]
        assert [job["Partition"] for job in run.jobs("cpu_2k")] == ["cpu"]
        assert run.jobs("reference_2k") == []

        # The controller is away for a while.
        lab.stop("slurmctld")
        lab.stop("slurmdbd")
        said("SLURM does not respond: its jobs go on, and it is queried again")
        lab.start_accounting()
        lab.start_controller()
        said("SLURM responds again")

        # Somebody's urgent job cancels ours.
        urgent = ("--nodes=2", "--gres=gpu:2", "--mem=1000", "--time=5", "--wrap=sleep 5")
        quiet = "--output=/dev/null"
        submitted = ("sbatch", "--account=lab", "--qos=urgent", "--partition=gpu", quiet, *urgent)
        lab.wait(lambda: lab(*submitted))
        said("failed: lifbench/inference/slow/2k (SLURM job ", "): the job was preempted; retried")

        # The next one runs out of time.
        job = wait_for(lambda: [j for j in run.jobs("slow_2k") if j["JobState"] == "RUNNING"])[0]
        lab("scontrol", "update", f"JobId={job['JobId']}", "TimeLimit=1")
        said("the job reached its time limit; retried with more time")
        server.delay = 0
        (long,) = run.jobs("long_2k")
        lab("scontrol", "update", f"JobId={long['JobId']}", "TimeLimit=30")
        started.wait()

    assert started.returncode == 1
    first, second, third = run.jobs("slow_2k")
    assert [job["TimeLimit"] for job in (first, third)] == ["00:30:00", "00:45:00"]
    assert first["MinMemoryNode"] == third["MinMemoryNode"]
    assert (second["JobState"], third["JobState"]) == ("TIMEOUT", "COMPLETED")
    assert len(run.jobs("gone_2k")) == 1
    end = run.said().split("2 jobs failed:\n")[1]
    assert "  gone: server 127.0.0.1:" in end and "  wide: SLURM rejected the job" in end
    prompts = run.project.path("results/lifbench/prompts/2k.jsonl").read_text().count("\n")
    assert server.asked.total() <= prompts + 2  # each end of a job cost the request in flight


def test_after_a_killed_snakemake_new_jobs_wait_for_the_old_ones_and_ask_nothing_twice(
    lab, run, server
):
    server.delay = 0.3
    run.project.configure({**copy.deepcopy(ONE_LENGTH), "models": {"slow": asking(server)}})
    killed = run.start()
    log = run.project.path("results/logs/lifbench/inference/slow/2k.log")
    wait_for(lambda: server.answered)
    killed.kill()
    killed.wait()
    again = run.start()
    (old, _) = wait_for(lambda: len(run.jobs("slow_2k")) == 2 and run.jobs("slow_2k"))
    waits = f"slow: waiting for SLURM job {old['JobId']}, which has locked"
    wait_for(lambda: log.exists() and waits in log.read_text())
    wait_for(lambda: f"): waiting until SLURM job {old['JobId']}, which has locked" in run.said())
    server.delay = 0
    run.finish(again)
    prompts = run.project.path("results/lifbench/prompts/2k.jsonl").read_text().count("\n")
    assert server.asked.total() == prompts


def test_a_job_that_slurm_is_away_to_take_is_submitted_when_it_is_back(lab, run):
    models = {"reference": ON_CLUSTER}
    run.project.configure({**copy.deepcopy(ONE_LENGTH), "models": models})
    started = run.start()
    wait_for(lambda: " done" in run.said())
    lab.stop("slurmctld")
    name = "lifbench/inference/reference/2k"
    try:
        wait_for(
            lambda: f"{name}: not submitted yet: SLURM does not respond; submission" in run.said()
        )
    finally:
        lab.start_controller()
    run.finish(started)
    assert run.said().count(f"submitted: {name} (SLURM job ") == 1
    assert "failed: " not in run.said()


def test_a_group_that_runs_while_slurm_is_away_for_three_minutes_loses_nothing(lab, run):
    folder = run.project.folder
    served = {"engine": "openai", "model": "echo-1", "serve": serve_command(folder)}
    models = {"served": {**served, "gpus": 1, "hours": 0.5, "max_concurrency": 1}}
    run.project.configure({**copy.deepcopy(TINY), "limit": 1, "models": models})
    run.project.path("slow").write_text("3")
    started = run.start()
    journal = run.project.path("results/journal/lifbench/served/2k.jsonl")
    wait_for(lambda: journal.exists() and journal.read_text())
    lab.stop("slurmctld")
    try:  # the second of the group's jobs is to begin meanwhile
        time.sleep(180)
    finally:
        lab.start_controller()
    run.finish(started)
    assert "failed: " not in run.said()
    assert len(run.project.path("pid").read_text().splitlines()) == 1
    (job,) = run.jobs()
    assert (job["JobState"], gpus(job)) == ("COMPLETED", 1)


def test_a_model_s_own_settings_stand_in_place_of_the_profile_s(lab, run):
    own = {"partition": "gpu", "qos": "urgent", "account": "lab", "nice": 7}
    reference = {"engine": "reference", "hours": 0.5}
    models = {"one": {**reference, "slurm": own}, "two": {**ON_CLUSTER, "hours": 0.5}}
    run.project.configure({**copy.deepcopy(ONE_LENGTH), "models": models})
    run.finish(run.start())
    asked = {"Partition", "QOS", "Account", "Nice"}
    (one,), (two,) = (run.jobs(f"{model}_2k") for model in models)
    assert {key: one[key] for key in asked} == {
        "Partition": "gpu", "QOS": "urgent", "Account": "lab", "Nice": "7",
    }  # fmt: skip
    assert {key: two[key] for key in asked} == {
        "Partition": "cpu", "QOS": "scavenger", "Account": "lab", "Nice": "0",
    }  # fmt: skip


def test_an_account_that_slurm_does_not_know_ends_the_run_with_a_sentence(lab, run):
    loaded = {"engine": "vllm", "model": "small", "window": 65536, "hours": 0.5}
    models = {"reference": ON_CLUSTER, "loaded": loaded}
    run.project.configure({**copy.deepcopy(ONE_LENGTH), "models": models})
    run.project.path("site/config.yaml").write_text(SITE.replace("lab", "nobodys"))
    started = run.start()
    assert started.wait(timeout=240) == 1
    assert run.jobs() == []
    for name in ("reference", "loaded"):
        refused = f"failed: lifbench/inference/{name}/2k: SLURM rejected the job: The given "
        (line,) = (line for line in run.said().splitlines() if line.startswith(refused))
        assert "account nobodys appears to be invalid" in line
        assert line.endswith(
            "; correct slurm_account in the profile, or slurm.account of the model"
        )
    assert "Traceback" not in run.said() and "tried again" not in run.said()


def test_a_qos_that_its_partition_does_not_allow_is_named_and_keeps_nobody_waiting(lab, run):
    """A profile's QoS is for the partition with GPUs: jobs without a model do without both."""
    models = {"reference": {"engine": "reference"}, "cpu": ON_CLUSTER}
    run.project.configure({**copy.deepcopy(ONE_LENGTH), "models": models})
    run.project.path("site/config.yaml").write_text(SITE.replace("scavenger", "urgent"))
    lab("scontrol", "update", "PartitionName=cpu", "DenyQos=urgent")
    try:
        started = run.start()
        wait_for(lambda: "its QoS or account may not use the partition" in run.said())
        assert "waiting: lifbench/inference/cpu/2k (SLURM job " in run.said()
        wait_for(run.project.path("results/lifbench/scores/reference/2k.jsonl").exists)
    finally:
        lab("scontrol", "update", "PartitionName=cpu", "DenyQos=")
    run.finish(started)
