"""Why jobs fail, whether they are tried again and with what more, and what is said of it."""

import io
import logging
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from steadfast.workflow.failures import STOPPED_RUN, FailedJobs, TryEnd, how_it_ended

REFUSED = (
    "SLURM sbatch failed. The error message was 'sbatch: error: Batch job submission failed: "
    "Invalid account'.\n    sbatch call:\n        sbatch --parsable\n"
)
SHORT = TryEnd("the job took more memory than it had asked for", short="mem_mb")


def test_how_a_job_ended():
    for said, state, message, expected in (
        ("m: 3 requests\nerror: no key\n", None, None, TryEnd("no key", again=False)),
        ("temporary error: no server\n", "FAILED", None, TryEnd("no server", again=True)),
        ("error: no key\nm: 3 requests\n", "FAILED", None, TryEnd(None, again=True)),
        ("", None, None, TryEnd(None, again=True)),
        # What SLURM did counts, whatever the job said before.
        (
            "error: no key\n",
            "TIMEOUT",
            None,
            TryEnd("the job reached its time limit", short="runtime"),
        ),
        ("", "NODE_FAIL", None, TryEnd("the job lost its node")),
        (
            "",
            None,
            REFUSED,
            TryEnd(
                "SLURM rejected the job: sbatch: error: Batch job submission failed: "
                "Invalid account; correct slurm_account in the profile, or slurm.account of the "
                "model; sacctmgr show assoc "
                "user=$USER lists yours",
                again=False,
            ),
        ),
        (
            "",
            None,
            "Job submission failed with exception: no such\nfile",
            TryEnd("SLURM rejected the job: no such file", again=False),
        ),
    ):
        assert how_it_ended(said, state, message) == expected, said


class Job:
    """As much of Snakemake's job as is looked at."""

    def __init__(self, log: Path, model: str, retries=3):
        self.log = [str(log)]
        self.rule = SimpleNamespace(name="inference")
        self.wildcards = {"benchmark": "lifbench", "model": model, "part": log.stem}
        self.attempt = 1
        self.restart_times = retries

    def is_group(self):
        return False

    def end(self, run: "Run", said: str, state: str | None = None, **further) -> None:
        """One try, and what Snakemake does after it."""
        run.executor.run_job_pre(self)
        if said:
            Path(self.log[0]).write_text(said)
        run.failures.states["12"] = state
        info = SimpleNamespace(job=self, external_jobid="12" if state else None)
        run.executor.report_job_error(info, **further)
        self.attempt += self.attempt <= self.restart_times


class Group(list):
    """As much of Snakemake's group of jobs."""

    attempt = 1
    restart_times = 3

    def is_group(self):
        return True


class Run:
    def __init__(self, folder: Path):
        self.folder = folder
        stream = io.StringIO()
        self.said = stream.getvalue
        logger = logging.Logger("run")
        logger.addHandler(logging.StreamHandler(stream))
        nothing = {"run_job_pre": lambda job: None, "report_job_success": lambda info: None}
        self.executor = SimpleNamespace(
            **nothing, report_job_error=lambda info, msg=None, **_: None
        )
        self.failures = FailedJobs(folder, logger)
        self.failures.watch(self.executor)

    def job(self, name: str) -> Job:
        path = self.folder / f"inference/{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        return Job(path, path.parent.name)


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def more(run, job, resource):
    """Which attempt a resource is asked for as."""
    ask = run.failures.by_shortage(resource, lambda wildcards, attempt: attempt)
    return ask(job.wildcards, job.attempt)


def test_a_failure_that_would_come_again_is_not_tried_again(run):
    job = run.job("m/4k")
    job.end(run, "error: no such model\n", "FAILED")
    assert job.attempt > job.restart_times
    assert run.said() == "failed: inference/m/4k (SLURM job 12): no such model\n"


def test_one_that_may_pass_is_tried_again_with_what_it_had(run):
    job = run.job("m/4k")
    job.end(run, "temporary error: no server\n", "FAILED")
    assert job.attempt == 2
    assert run.said().endswith("no server; retried\n")
    assert (more(run, job, "runtime"), more(run, job, "mem_mb")) == (1, 1)


def test_a_job_gets_more_of_what_it_was_short_of_and_of_nothing_else(run):
    job = run.job("m/4k")
    other = run.job("m/8k")
    job.end(run, "m: 3 requests\n", "TIMEOUT")
    job.end(run, "m: 3 requests\n", "TIMEOUT")
    job.end(run, "m: 3 requests\n", "NODE_FAIL")
    assert (more(run, job, "runtime"), more(run, job, "mem_mb")) == (3, 1)
    job.end(run, "m: 3 requests\n", "OUT_OF_MEMORY")
    assert (more(run, job, "runtime"), more(run, job, "mem_mb")) == (3, 2)
    assert (more(run, other, "runtime"), more(run, other, "mem_mb")) == (1, 1)
    assert "reached its time limit; retried with more time\n" in run.said()


def test_a_preemption_is_no_try(run):
    job = run.job("m/4k")
    for _ in range(9):
        job.end(run, "m: 3 requests\n", "PREEMPTED")
    assert job.attempt == 1
    assert run.said().count("the job was preempted; retried\n") == 9
    job.end(run, "error: no key\n", "FAILED")
    assert "m: no key\n" in run.failures.summary(0)


def test_what_an_earlier_try_wrote_is_not_taken_for_the_last_one_s_word(run):
    job = run.job("m/4k")
    Path(job.log[0]).write_text("error: no such model\n")
    job.end(run, "", "FAILED")  # such as where its node cannot start Python
    assert job.attempt == 2
    assert "it ended without an error message" in run.said()


def test_in_a_group_the_job_that_failed_is_told_and_not_those_beside_it(run):
    done = run.job("m/4k")
    failed = run.job("m/8k")
    group = Group([done, failed])
    run.executor.run_job_pre(group)
    Path(done.log[0]).write_text("m: 3 records\n")
    Path(failed.log[0]).write_text("error: too long\n")
    run.executor.report_job_error(SimpleNamespace(job=group, external_jobid="12"))
    assert run.said() == "failed: inference/m/8k (SLURM job 12): too long\n"
    assert group.attempt > group.restart_times


def test_a_group_out_of_time_gets_more_for_each_of_its_jobs(run):
    group = Group([run.job("m/4k"), run.job("m/8k")])
    run.failures.states["12"] = "TIMEOUT"
    run.executor.run_job_pre(group)
    run.executor.report_job_error(SimpleNamespace(job=group, external_jobid="12"))
    assert [more(run, job, "runtime") for job in group] == [2, 2]


def test_the_end_says_who_failed_and_why_once_below_the_ends_of_the_logs(run):
    for part in ("4k", "8k"):
        run.job(f"gone/{part}").end(run, "gone: 461 requests\nerror: no such model\n", "FAILED")
    for _ in range(2):
        run.job("late/4k").end(run, "late: 461 requests\n", "TIMEOUT")
    passed = run.job("fine/4k")
    passed.end(run, "", "NODE_FAIL")
    run.executor.report_job_success(SimpleNamespace(job=passed))
    slurm = run.folder / "12.log"
    slurm.write_text("slurmstepd: error: CANCELLED DUE TO TIME LIMIT\n")
    run.job("late/4k").end(run, "late: 9 requests\n", "TIMEOUT", aux_logs=[str(slurm)])
    assert run.failures.summary(waiting=7).replace(str(run.folder), "logs").splitlines() == [
        "",
        "logs/inference/gone/4k.log:",
        "  gone: 461 requests",
        "",
        "logs/inference/late/4k.log:",
        "  late: 9 requests",
        "",
        "logs/12.log:",
        "  slurmstepd: error: CANCELLED DUE TO TIME LIMIT",
        "",
        "3 jobs failed:",
        "  gone: no such model",
        "    inference/gone/4k",
        "    inference/gone/8k",
        "  late: the job reached its time limit (3 tries)",
        "    inference/late/4k",
        "7 more did not run, because they depend on these or come after them.",
        "The same command continues the run; responses in the journal are not re-requested.",
    ]


def test_what_a_server_or_model_said_does_not_act_on_the_terminal(run):
    run.job("m/4k").end(run, "m: \x1b[2J\r\nerror: it said \x1b]0;owned\x07\n", "FAILED")
    assert "it said <U+001B>]0;owned<U+0007>" in run.said()
    whole = run.said() + run.failures.summary(waiting=0)
    assert all(line.isprintable() for line in whole.splitlines())


def test_a_run_that_fails_by_no_job_says_so(run):
    assert "see the error message above" in run.failures.summary(waiting=0)


def test_a_run_that_was_terminated_says_so_and_names_no_job_that_it_stopped(run):
    run.job("m/4k").end(run, "error: no such model\n", "FAILED")
    stopped = Run(run.folder)
    stopped.failures.note_termination()
    job = stopped.job("m/8k")
    job.end(stopped, "m: 3 requests\n")
    assert job.attempt > job.restart_times
    assert (stopped.said(), stopped.failures.summary(waiting=7)) == ("", STOPPED_RUN)
    run.failures.note_termination()
    assert "m: no such model" in run.failures.summary(waiting=7)


def test_ctrl_c_interrupts_once(run, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        run.failures.watch_interrupts()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert run.failures.summary(waiting=7) == STOPPED_RUN


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_first_job_says_how_to_go_on(run, number, monkeypatch, capsys):
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    try:
        run.failures.watch_interrupts()
        with pytest.raises((KeyboardInterrupt, SystemExit)) as ended:
            signal.raise_signal(number)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    if number == signal.SIGINT:
        sys.excepthook(ended.type, ended.value, None)
    else:
        assert ended.value.code == 128 + number
    assert capsys.readouterr().err == f"{STOPPED_RUN}\n"
