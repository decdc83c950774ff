"""Why jobs fail, whether and with which resources they are retried, and their messages."""

import io
import logging
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from steadfast.workflow.failures import STOPPED_RUN, AttemptEnd, FailedJobs, attempt_end

REFUSED = (
    "SLURM sbatch failed. The error message was 'sbatch: error: Batch job submission failed: "
    "Invalid account'.\n    sbatch call:\n        sbatch --parsable\n"
)


def test_error_line_decides_on_a_retry():
    for log, state, expected in (
        ("m: 3 requests\nerror: no key\n", None, AttemptEnd("no key", retry=False)),
        ("temporary error: no server\n", "FAILED", AttemptEnd("no server", retry=True)),
        ("error: no key\nm: 3 requests\n", "FAILED", AttemptEnd(None, retry=True)),
        ("", None, AttemptEnd(None, retry=True)),
    ):
        assert attempt_end(log, state) == expected, log


def test_slurm_state_overrides_the_error_line():
    timeout = AttemptEnd("the job reached its time limit", shortage="runtime")
    assert attempt_end("error: no key\n", "TIMEOUT") == timeout
    assert attempt_end("", "NODE_FAIL") == AttemptEnd("the job lost its node")


def test_job_rejected_by_slurm_is_not_retried():
    advice = (
        "SLURM rejected the job: sbatch: error: Batch job submission failed: Invalid account; "
        "correct slurm_account in the profile, or slurm.account of the model; sacctmgr show assoc "
        "user=$USER lists yours"
    )
    assert attempt_end("", None, REFUSED) == AttemptEnd(advice, retry=False)
    message = "Job submission failed with exception: no such\nfile"
    expected = AttemptEnd("SLURM rejected the job: no such file", retry=False)
    assert attempt_end("", None, message) == expected


class Job:
    """The parts of Snakemake's job that ``FailedJobs`` uses."""

    rule = SimpleNamespace(name="inference")
    attempt = 1
    restart_times = 3

    def __init__(self, log: Path, model: str):
        self.log = [str(log)]
        self.wildcards = {"benchmark": "lifbench", "model": model, "part": log.stem}

    def is_group(self):
        return False

    def fail(self, run: "Run", log: str, state: str | None = None, **report) -> None:
        """One failed attempt, and Snakemake's count of attempts after it."""
        run.executor.run_job_pre(self)
        if log:
            Path(self.log[0]).write_text(log)
        run.fail(self, state, **report)
        self.attempt += self.attempt <= self.restart_times


class Group(list):
    """The parts of Snakemake's group of jobs that ``FailedJobs`` uses."""

    attempt = 1
    restart_times = 3

    def is_group(self):
        return True


class Run:
    def __init__(self, folder: Path):
        self.folder = folder
        self._stream = io.StringIO()
        logger = logging.Logger("run")
        logger.addHandler(logging.StreamHandler(self._stream))
        self.executor = SimpleNamespace(
            run_job_pre=lambda job: None,
            report_job_success=lambda info: None,
            report_job_error=lambda info, msg=None, **_: None,
        )
        self.failures = FailedJobs(folder, logger)
        self.failures.watch(self.executor)

    @property
    def output(self) -> str:
        return self._stream.getvalue()

    def job(self, name: str) -> Job:
        path = self.folder / f"inference/{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        return Job(path, path.parent.name)

    def fail(self, job: Job | Group, state: str | None = None, **report) -> None:
        """The executor's report on a job that failed, on SLURM if it has a state."""
        self.failures.states["12"] = state
        info = SimpleNamespace(job=job, external_jobid="12" if state else None)
        self.executor.report_job_error(info, **report)

    def attempts(self, job: Job) -> tuple[int, int]:
        """The attempts that a job's time and memory are requested for."""
        time = self.failures.by_shortage("runtime", lambda wildcards, attempt: attempt)
        memory = self.failures.by_shortage("mem_mb", lambda wildcards, attempt: attempt)
        return time(job.wildcards, job.attempt), memory(job.wildcards, job.attempt)


@pytest.fixture
def run(tmp_path):
    return Run(tmp_path)


def test_what_a_job_on_this_machine_wrote_is_not_repeated(run):
    run.job("m/4k").fail(run, "temporary error: no server\n")
    assert run.output == "failed: inference/m/4k; retried\n"
    run.job("m/8k").fail(run, "", msg=f"{REFUSED} and so on")
    assert "failed: inference/m/8k: SLURM rejected the job: sbatch: error" in run.output


def test_summary_has_the_last_lines_of_a_long_log(run):
    lines = [f"request {number}" for number in range(3_000)]
    job = run.job("m/4k")
    for count, tries in ((1, ""), (2, " (2 tries)")):
        job.fail(run, "\n".join([*lines, f"error: no key {count}\n"]), "FAILED")
        shown = run.failures.summary(0).splitlines()
        assert [line.strip() for line in shown if "request " in line] == lines[-8:]
        assert shown[-4:-1] == [
            "1 job failed:",
            f"  m: no key {count}{tries}",
            "    inference/m/4k",
        ]
    assert len(run.failures.log_end(job.log[0])) == 20_000


def test_permanent_error_is_not_retried(run):
    job = run.job("m/4k")
    job.fail(run, "error: no such model\n", "FAILED")
    assert job.attempt > job.restart_times
    assert run.output == "failed: inference/m/4k (SLURM job 12): no such model\n"


def test_temporary_error_is_retried_with_the_same_resources(run):
    job = run.job("m/4k")
    job.fail(run, "temporary error: no server\n", "FAILED")
    assert job.attempt == 2
    assert run.output.endswith("no server; retried\n")
    assert run.attempts(job) == (1, 1)


def test_retry_requests_more_of_the_resource_that_was_too_small(run):
    job = run.job("m/4k")
    for state in ("TIMEOUT", "TIMEOUT", "NODE_FAIL"):
        job.fail(run, "m: 3 requests\n", state)
    assert run.attempts(job) == (3, 1)
    job.fail(run, "m: 3 requests\n", "OUT_OF_MEMORY")
    assert run.attempts(job) == (3, 2)
    assert run.attempts(run.job("m/8k")) == (1, 1)
    assert "reached its time limit; retried with more time\n" in run.output


def test_preemption_does_not_count_as_a_try(run):
    job = run.job("m/4k")
    for _ in range(9):
        job.fail(run, "m: 3 requests\n", "PREEMPTED")
    assert job.attempt == 1
    assert run.output.count("the job was preempted; retried\n") == 9
    job.fail(run, "error: no key\n", "FAILED")
    assert "m: no key\n" in run.failures.summary(0)


def test_log_of_an_earlier_try_is_not_the_last_error(run):
    job = run.job("m/4k")
    Path(job.log[0]).write_text("error: no such model\n")
    job.fail(run, "", "FAILED")  # such as where its node cannot start Python
    assert job.attempt == 2
    assert "it ended without an error message" in run.output


def test_failed_job_of_a_group_is_reported_alone(run):
    finished = run.job("m/4k")
    failed = run.job("m/8k")
    group = Group([finished, failed])
    run.executor.run_job_pre(group)
    Path(finished.log[0]).write_text("m: 3 records\n")
    Path(failed.log[0]).write_text("error: too long\n")
    assert run.failures.name(group) == "inference/m/4k and 1 more"
    run.fail(group, "FAILED")
    assert run.output == "failed: inference/m/8k (SLURM job 12): too long\n"
    assert group.attempt > group.restart_times


def test_all_jobs_of_a_group_get_more_time_after_a_timeout(run):
    group = Group([run.job("m/4k"), run.job("m/8k")])
    run.executor.run_job_pre(group)
    run.fail(group, "TIMEOUT")
    assert [run.attempts(job)[0] for job in group] == [2, 2]


def test_summary_has_log_ends_and_jobs_grouped_by_error(run):
    for part in ("4k", "8k"):
        run.job(f"gone/{part}").fail(run, "gone: 461 requests\nerror: no such model\n", "FAILED")
    for _ in range(2):
        run.job("late/4k").fail(run, "late: 461 requests\n", "TIMEOUT")
    recovered = run.job("fine/4k")
    recovered.fail(run, "", "NODE_FAIL")
    run.executor.report_job_success(SimpleNamespace(job=recovered))
    slurm_log = run.folder / "12.log"
    slurm_log.write_text("slurmstepd: error: CANCELLED DUE TO TIME LIMIT\n")
    run.job("late/4k").fail(run, "late: 9 requests\n", "TIMEOUT", aux_logs=[str(slurm_log)])
    assert (
        run.failures.summary(waiting=7).replace(str(run.folder), "logs")
        == """
logs/inference/gone/4k.log:
  gone: 461 requests

logs/inference/late/4k.log:
  late: 9 requests

logs/12.log:
  slurmstepd: error: CANCELLED DUE TO TIME LIMIT

3 jobs failed:
  gone: no such model
    inference/gone/4k
    inference/gone/8k
  late: the job reached its time limit (3 tries)
    inference/late/4k
7 more did not run, because they depend on these or come after them.
The same command continues the run; responses in the journal are not re-requested."""
    )


def test_escape_sequences_in_error_messages_are_made_visible(run):
    run.job("m/4k").fail(run, "m: \x1b[2J\r\nerror: it said \x1b]0;owned\x07\n", "FAILED")
    assert "it said <U+001B>]0;owned<U+0007>" in run.output
    text = run.output + run.failures.summary(waiting=0)
    assert all(map(str.isprintable, text.splitlines()))


def test_summary_without_failed_jobs_points_to_the_message_above(run):
    assert "see the error message above" in run.failures.summary(waiting=0)


def test_jobs_that_end_after_termination_are_not_reported_as_failed(run):
    run.job("m/4k").fail(run, "error: no such model\n", "FAILED")
    stopped = Run(run.folder)
    stopped.failures.note_termination()
    job = stopped.job("m/8k")
    job.fail(stopped, "m: 3 requests\n")
    assert job.attempt > job.restart_times
    assert (stopped.output, stopped.failures.summary(waiting=7)) == ("", STOPPED_RUN)
    run.failures.note_termination()
    assert "m: no such model" in run.failures.summary(waiting=7)


@pytest.fixture
def signal_handlers(monkeypatch):
    """Restores Python's handlers of signals and exceptions at the end."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


def test_second_ctrl_c_is_ignored(run, signal_handlers):
    run.failures.watch_interrupts()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
    assert run.failures.summary(waiting=7) == STOPPED_RUN


def test_ctrl_c_before_the_first_job_has_a_message(run, signal_handlers, capsys):
    run.failures.watch_interrupts()
    with pytest.raises(KeyboardInterrupt) as interrupt:
        signal.raise_signal(signal.SIGINT)
    sys.excepthook(interrupt.type, interrupt.value, None)
    assert capsys.readouterr().err == f"{STOPPED_RUN}\n"


def test_sigterm_before_the_first_job_has_a_message(run, signal_handlers, capsys):
    run.failures.watch_interrupts()
    with pytest.raises(SystemExit) as termination:
        signal.raise_signal(signal.SIGTERM)
    assert termination.value.code == 128 + signal.SIGTERM
    assert capsys.readouterr().err == f"{STOPPED_RUN}\n"
