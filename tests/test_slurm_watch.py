"""No job of SLURM's is forgotten or waited for in vain, and those that cannot start are named."""

import asyncio
import io
import logging
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.resources import Resources

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job_resources import Scheduling
from steadfast.jobs.loads import Loads
from steadfast.stages.session import Session
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.insides import Snakemake
from steadfast.workflow.slurm import PLUGIN, STEPS, Watch, passing_refusal, wait_before_steps

COMMAND = "squeue --format='%i|%T' --states=all --noheader --name steadfast_1"


class Slurm:
    """A cluster that answers what it is told to; None: it does not answer."""

    def __init__(self):
        stream = io.StringIO()
        self.said = stream.getvalue
        logger = logging.Logger("slurm")
        logger.addHandler(logging.StreamHandler(stream))
        self.failures = FailedJobs(Path("logs"), logger)
        self.watch = Watch(logger, self.failures)
        self.waiting = {}

    def look(self, states):
        """What the plugin learns where SLURM answers so."""

        async def ask(command, log):
            if states is None:
                return None, None
            return (self.waiting if "PENDING" in command else states), 0.1

        return asyncio.run(self.watch.query(ask)(COMMAND, logging.getLogger()))[0]

    def submits(self, info):
        """What happens when the plugin has handed over a job."""
        executor = type("Executor", (), {"__module__": PLUGIN})()
        for name in ("report_job_submission", "report_job_error", "run_job"):
            setattr(executor, name, lambda *_, **__: None)
        self.watch.watch(executor)
        executor.report_job_submission(info)


@pytest.fixture
def slurm():
    return Slurm()


def test_while_slurm_is_away_its_jobs_are_neither_ended_nor_forgotten(slurm):
    assert slurm.look({"1": "RUNNING"}) == {"1": "RUNNING"}
    assert slurm.look(None) == slurm.look(None) == {}  # no news: the plugin goes on waiting
    assert slurm.look({"1": "COMPLETED"}) == {"1": "COMPLETED"}
    assert slurm.said().splitlines() == [
        "SLURM does not respond: its jobs go on, and it is queried again",
        "SLURM responds again",
    ]


@pytest.mark.parametrize("state", ["PREEMPTED", "NODE_FAIL"])
def test_a_job_that_slurm_does_not_queue_again_ends_at_the_second_look(slurm, state):
    slurm.look({"1": "RUNNING"})
    assert slurm.look({"1": state}) == {"1": state}
    assert slurm.look({"1": state}) == {"1": "CANCELLED"}
    assert slurm.failures.states == {"1": state}


def test_jobs_that_are_queued_again_go_on_and_cancelled_ones_have_ended(slurm):
    for state in ("RUNNING", "PREEMPTED", "PENDING", "RUNNING", "PREEMPTED", "PENDING"):
        assert slurm.look({"1": state}) == {"1": state}
    assert slurm.look({"1": "CANCELLED by 1000"}) == {"1": "CANCELLED"}


def test_a_job_that_slurm_has_forgotten_ends_after_three_looks_and_its_files_decide(slurm):
    slurm.look({"1": "RUNNING", "2": "COMPLETED"})
    assert slurm.look({}) == slurm.look({}) == {}
    assert slurm.look({}) == {"1": "UNKNOWN"}


def test_a_group_that_the_plugin_cannot_submit_is_reported_with_the_first_reason(
    slurm, monkeypatch
):
    plugin = SimpleNamespace(query_job_status=None)
    monkeypatch.setitem(sys.modules, PLUGIN, plugin)
    reported = []
    group = SimpleNamespace(is_group=lambda: True)

    class Executor:
        report_job_submission = report_job_error = None

        def run_job(self, job):
            try:
                raise ValueError("no such account")
            except ValueError:
                print(job.rule)  # as the plugin does, which takes it for a single job

        def _report_job_error_threadsafe(self, info, msg):
            reported.append((info.job, msg))

    Executor.__module__ = PLUGIN
    executor = Executor()
    slurm.watch.watch(executor)
    executor.run_job(group)
    assert reported == [(group, "Job submission failed with exception: no such account")]


def test_jobs_that_cannot_start_are_named_once_with_what_to_do(slurm):
    slurm.waiting = {"1": "PartitionTimeLimit", "2": "Priority", "3": "(JobHeldUser)"}
    slurm.look({})
    slurm.look({})
    assert slurm.said().splitlines() == [
        "waiting: 1 (SLURM job 1: PartitionTimeLimit): it asks for more time than the partition "
        "gives, and so never starts; lower its time, or take another partition",
        "waiting: 3 (SLURM job 3: (JobHeldUser)): it is held; release it with scontrol release",
    ]


def test_many_jobs_that_wait_for_the_same_are_one_line(slurm):
    slurm.waiting = {str(job): "AssocMaxJobsLimit" for job in range(1, 9)}
    slurm.look({})
    assert slurm.said() == (
        "waiting: 1, 2, 3 and 5 more (SLURM job 1, 2, 3 and 5 more: AssocMaxJobsLimit): a limit "
        "of jobs at once is reached; it starts when others of them end\n"
    )


def test_a_running_job_that_waits_for_what_another_holds_is_told_once(slurm, tmp_path, monkeypatch):
    log = tmp_path / "2k.log"
    job = SimpleNamespace(is_group=lambda: False, log=[str(log)], rule=SimpleNamespace(name="r"))
    monkeypatch.setitem(sys.modules, PLUGIN, SimpleNamespace(query_job_status=None))
    slurm.submits(SimpleNamespace(job=job, external_jobid="17"))
    log.write_text("m: 3 requests\nm: waiting for SLURM job 16, which has locked j.jsonl\n")
    slurm.look({"17": "PENDING"})
    slurm.look({"17": "RUNNING"})
    slurm.look({"17": "RUNNING"})
    held = f"{tmp_path}/2k (SLURM job 17): waiting until SLURM job 16, which has locked j.jsonl, has ended"  # noqa: E501
    assert slurm.said().count(held) == 1


@pytest.mark.parametrize(
    ("reason", "meaning"),
    [
        ("QOSMaxGRESPerJob", "more than a limit gives one job, and so never starts"),
        ("ReqNodeNotAvail, UnavailableNodes:g1", "are away or reserved"),
        ("QOSMaxBillingPerUser", "sacctmgr show qos lists the limits"),
        (
            "Job's QOS not permitted to use this partition (cpu denies urgent)",
            "may not use the partition, and so it never starts",
        ),
        ("SomethingNew", "SLURM gives no further reason"),
    ],
)
def test_what_slurm_means_by_a_reason(slurm, reason, meaning):
    slurm.waiting = {"1": reason}
    slurm.look({})
    assert meaning in slurm.said()


def test_a_job_that_slurm_may_take_later_is_no_failure():
    for said, meaning in (
        ("Unable to contact slurm controller (connect failure)", "SLURM does not respond"),
        ("QOSMaxSubmitJobPerUserLimit", "a limit of jobs in the queue is reached"),
        (
            "sshare: Problem talking to the database: Connection refused",
            "SLURM's accounting does not respond",
        ),
        ("Requested node configuration is not available", None),
        ("Invalid account or account/partition combination specified", None),
    ):
        message = f"SLURM sbatch failed. The error message was 'sbatch: error: {said}'.\n"
        assert passing_refusal(message) == meaning, said


def option(name, model, own):
    """What SLURM is told of a model's job, with a profile's defaults."""
    settings = {"engine": "openai", "model": "m"}
    raw = {
        "lifbench": {"lengths": {"2k": 2048}},
        "models": {"own": {**settings, "slurm": own}, "other": settings},
    }
    run = Evaluation(load_config(raw))
    profile = Resources.parser_factory(allow_expressions=True)(
        ["slurm_partition=cpu", "qos=normal"]
    )
    snakemake = Snakemake(
        SimpleNamespace(resource_settings=SimpleNamespace(default_resources=profile))
    )
    loads = Loads(run, InputDigests(run), Path("results"))
    failures = FailedJobs(Path("logs"), logging.getLogger(__name__))
    ask = Scheduling(loads, snakemake, failures).slurm[name]
    wildcards = {"benchmark": "lifbench", "model": model, "part": "2k"}
    known = {"input": [], "attempt": 1, "threads": 1, "rulename": "-", "async_run": asyncio.run}
    return ask(SimpleNamespace(get=wildcards.get, **wildcards), **known)


def test_what_a_model_says_of_slurm_stands_in_place_of_the_profile():
    own = {
        "partition": "long", "constraint": "a100|h100",
        "nice": 5, "exclusive": True, "requeue": False, "mail-user": "a; b",
    }  # fmt: skip
    names = ("slurm_partition", "qos", "constraint", "slurm_extra", "slurm_account")
    assert [option(name, "own", own) for name in names] == [
        "long", "normal", "a100|h100", "--nice=5 --exclusive '--mail-user=a; b'", None,
    ]  # fmt: skip
    assert [option(name, "other", own) for name in names] == ["cpu", "normal", None, None, None]


def test_what_a_model_may_not_say_of_slurm():
    for settings, expected in (
        ({"time": 5}, "models.m.slurm: time cannot be set here; set hours"),
        ({"--exclude": "g7"}, "'--exclude' is not a long option of sbatch; write one without"),
        ({"exclude": "g7\n--wrap"}, "models.m.slurm.exclude"),
    ):
        model = {"engine": "reference", "slurm": settings}
        with pytest.raises(UserError) as raised:
            load_config({"lifbench": {"lengths": {"2k": 2048}}, "models": {"m": model}})
        assert expected in str(raised.value), settings


def test_arrays_are_refused():
    session = SimpleNamespace(_snakemake=SimpleNamespace(arrays="inference", jobs=[]))
    with pytest.raises(UserError, match=r"--slurm-array-jobs: .+; remove this option"):
        Session.refuse_targets(session)


def test_a_step_begins_when_slurm_answers(tmp_path, monkeypatch, capsys):
    """The controller is away at the first look, and back at the second."""
    squeue = tmp_path / "squeue"
    squeue.write_text(
        f"#!/bin/sh\ntest -e {tmp_path}/asked || {{ touch {tmp_path}/asked; exit 1; }}"
    )
    squeue.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("steadfast.workflow.slurm.LOOK_SECONDS", 0.01)
    begun = []
    executor = type("Executor", (), {"run_job": lambda self, job: begun.append(job)})
    monkeypatch.setitem(sys.modules, STEPS, SimpleNamespace(Executor=executor))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    wait_before_steps()
    executor().run_job("no job of SLURM's")
    assert not (tmp_path / "asked").exists()
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    wait_before_steps()
    executor().run_job("first")
    executor().run_job("second")
    assert begun == ["no job of SLURM's", "first", "second"]
    assert capsys.readouterr().err.count("SLURM does not respond") == 1
