"""SLURM's jobs: none is waited for forever, and those that cannot start are reported."""

import asyncio
import io
import logging
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.resources import Resources

from job_scheduling import Wildcards, scheduling
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.stages.session import Session
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.slurm import PLUGIN, STEPS, Watch, temporary_refusal, wait_before_steps

QUERY = "squeue --format='%i|%T' --states=all --noheader --name steadfast_1"


class Slurm:
    """A cluster with set states of jobs, and what a run logs about them."""

    def __init__(self):
        self._stream = io.StringIO()
        logger = logging.Logger("slurm")
        logger.addHandler(logging.StreamHandler(self._stream))
        self.failures = FailedJobs(Path("logs"), logger)
        self.watch = Watch(logger, self.failures)
        self.reasons = {}

    @property
    def output(self):
        return self._stream.getvalue()

    def query(self, states):
        """The states that the plugin gets from SLURM's; None: SLURM does not respond."""

        async def query_states(command, log):
            if states is None:
                return None, None
            return (self.reasons if "PENDING" in command else states), 0.1

        return asyncio.run(self.watch.query(query_states)(QUERY, logging.getLogger()))[0]


@pytest.fixture
def slurm():
    return Slurm()


def test_jobs_go_on_while_slurm_does_not_respond(slurm):
    assert slurm.query({"1": "RUNNING"}) == {"1": "RUNNING"}
    assert slurm.query(None) == slurm.query(None) == {}  # no news: the plugin goes on waiting
    assert slurm.query({"1": "COMPLETED"}) == {"1": "COMPLETED"}
    assert slurm.output.splitlines() == [
        "SLURM does not respond: its jobs go on, and it is queried again",
        "SLURM responds again",
    ]


@pytest.mark.parametrize("state", ["PREEMPTED", "NODE_FAIL"])
def test_job_that_is_not_requeued_ends_at_the_second_query(slurm, state):
    slurm.query({"1": "RUNNING"})
    assert slurm.query({"1": state}) == {"1": state}
    assert slurm.query({"1": state}) == {"1": "CANCELLED"}
    assert slurm.failures.states == {"1": state}


def test_requeued_job_goes_on_and_cancelled_job_has_ended(slurm):
    for state in ("RUNNING", "PREEMPTED", "PENDING", "RUNNING", "PREEMPTED", "PENDING"):
        assert slurm.query({"1": state}) == {"1": state}
    assert slurm.query({"1": "CANCELLED by 1000"}) == {"1": "CANCELLED"}


def test_job_unknown_to_slurm_ends_after_three_queries(slurm):
    slurm.query({"1": "RUNNING", "2": "COMPLETED"})
    assert slurm.query({}) == slurm.query({}) == {}
    assert slurm.query({}) == {"1": "UNKNOWN"}


def test_group_that_cannot_be_submitted_is_reported_with_the_first_error(slurm, monkeypatch):
    monkeypatch.setitem(sys.modules, PLUGIN, SimpleNamespace(query_job_status=None))
    reports = []

    class Executor:
        __module__ = PLUGIN
        report_job_submission = report_job_error = None

        def run_job(self, job):
            try:
                raise ValueError("no such account")
            except ValueError:
                print(job.rule)  # as the plugin does, which takes it for a single job

        def _report_job_error_threadsafe(self, info, msg):
            reports.append((info.job, msg))

    executor = Executor()
    slurm.watch.watch(executor)
    group = SimpleNamespace(is_group=lambda: True)
    executor.run_job(group)
    assert reports == [(group, "Job submission failed with exception: no such account")]


def test_jobs_that_cannot_start_are_reported_once_with_advice(slurm):
    slurm.reasons = {"1": "PartitionTimeLimit", "2": "Priority", "3": "(JobHeldUser)"}
    slurm.query({})
    slurm.query({})
    assert slurm.output.splitlines() == [
        "waiting: 1 (SLURM job 1: PartitionTimeLimit): it asks for more time than the partition "
        "gives, and so never starts; lower its time, or take another partition",
        "waiting: 3 (SLURM job 3: (JobHeldUser)): it is held; release it with scontrol release",
    ]


def test_jobs_that_wait_for_one_reason_share_a_line(slurm):
    slurm.reasons = dict.fromkeys("12345678", "AssocMaxJobsLimit")
    slurm.query({})
    assert slurm.output == (
        "waiting: 1, 2, 3 and 5 more (SLURM job 1, 2, 3 and 5 more: AssocMaxJobsLimit): a limit "
        "of jobs at once is reached; it starts when others of them end\n"
    )


def test_running_job_that_waits_for_a_lock_is_reported_once(slurm, tmp_path, monkeypatch):
    log = tmp_path / "2k.log"
    job = SimpleNamespace(is_group=lambda: False, log=[str(log)], rule=SimpleNamespace(name="r"))
    monkeypatch.setitem(sys.modules, PLUGIN, SimpleNamespace(query_job_status=None))

    def ignore(*arguments, **keywords):
        pass

    executor = type("Executor", (), {"__module__": PLUGIN})()
    executor.report_job_submission = executor.report_job_error = executor.run_job = ignore
    slurm.watch.watch(executor)
    executor.report_job_submission(SimpleNamespace(job=job, external_jobid="17"))
    log.write_text("m: 3 requests\nm: waiting for SLURM job 16, which has locked j.jsonl\n")
    slurm.query({"17": "PENDING"})
    slurm.query({"17": "RUNNING"})
    slurm.query({"17": "RUNNING"})
    line = (
        f"{tmp_path}/2k (SLURM job 17): waiting until SLURM job 16, which has locked j.jsonl, "
        "has ended"
    )
    assert slurm.output.count(line) == 1


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
def test_slurm_reason_is_explained(slurm, reason, meaning):
    slurm.reasons = {"1": reason}
    slurm.query({})
    assert meaning in slurm.output


def test_temporary_refusals_are_distinguished_from_failures():
    for error, meaning in (
        ("Unable to contact slurm controller (connect failure)", "SLURM does not respond"),
        ("QOSMaxSubmitJobPerUserLimit", "a limit of jobs in the queue is reached"),
        (
            "sshare: Problem talking to the database: Connection refused",
            "SLURM's accounting does not respond",
        ),
        ("Requested node configuration is not available", None),
        ("Invalid account or account/partition combination specified", None),
    ):
        message = f"SLURM sbatch failed. The error message was 'sbatch: error: {error}'.\n"
        assert temporary_refusal(message) == meaning, error


def slurm_option(name, model, slurm):
    """An option of SLURM for a model's job, with a profile's defaults."""
    settings = {"engine": "openai", "model": "m"}
    models = {"with-options": {**settings, "slurm": slurm}, "plain": settings}
    config = load_config({"lifbench": {"lengths": {"2k": 2048}}, "models": models})
    parse_resources = Resources.parser_factory(allow_expressions=True)
    profile = parse_resources(["slurm_partition=cpu", "qos=normal"])
    run_settings = SimpleNamespace(default_resources=profile)
    options = scheduling(config, Path("results"), resource_settings=run_settings).slurm
    job = Wildcards(benchmark="lifbench", model=model, part="2k")
    facts = {"input": [], "attempt": 1, "threads": 1, "rulename": "-", "async_run": asyncio.run}
    return options[name](job, **facts)


def test_model_options_override_the_profile():
    slurm = {
        "partition": "long", "constraint": "a100|h100",
        "nice": 5, "exclusive": True, "requeue": False, "mail-user": "a; b",
    }  # fmt: skip
    names = ("slurm_partition", "qos", "constraint", "slurm_extra", "slurm_account")
    assert [slurm_option(name, "with-options", slurm) for name in names] == [
        "long", "normal", "a100|h100", "--nice=5 --exclusive '--mail-user=a; b'", None,
    ]  # fmt: skip
    profile = ["cpu", "normal", None, None, None]
    assert [slurm_option(name, "plain", slurm) for name in names] == profile


def test_invalid_slurm_options_are_refused():
    for options, message in (
        ({"time": 5}, "models.m.slurm: time cannot be set here; set hours"),
        ({"--exclude": "g7"}, "'--exclude' is not a long option of sbatch; write one without"),
        ({"exclude": "g7\n--wrap"}, "models.m.slurm.exclude"),
    ):
        model = {"engine": "reference", "slurm": options}
        with pytest.raises(UserError, match=re.escape(message)):
            load_config({"lifbench": {"lengths": {"2k": 2048}}, "models": {"m": model}})


def test_job_arrays_are_refused():
    session = SimpleNamespace(_snakemake=SimpleNamespace(arrays="inference", jobs=[]))
    with pytest.raises(UserError, match=r"--slurm-array-jobs: .+; remove this option"):
        Session.refuse_targets(session)


def test_step_waits_until_slurm_responds(tmp_path, monkeypatch, capsys):
    queried = tmp_path / "queried"
    squeue = tmp_path / "squeue"  # does not respond at first
    squeue.write_text(f"#!/bin/sh\ntest -e {queried} || {{ touch {queried}; exit 1; }}")
    squeue.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("steadfast.workflow.slurm.LOOK_SECONDS", 0.01)
    started = []
    executor = type("Executor", (), {"run_job": lambda self, job: started.append(job)})
    monkeypatch.setitem(sys.modules, STEPS, SimpleNamespace(Executor=executor))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    wait_before_steps()
    executor().run_job("not on SLURM")
    assert not queried.exists()
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    wait_before_steps()
    executor().run_job("first")
    executor().run_job("second")
    assert started == ["not on SLURM", "first", "second"]
    assert capsys.readouterr().err.count("SLURM does not respond") == 1
