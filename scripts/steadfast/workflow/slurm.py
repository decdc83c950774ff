"""What a run needs of SLURM beyond Snakemake's plugin, which submits its jobs."""

import logging
import os
import re
import shlex
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, cast

from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo

from steadfast.base.names import first_names
from steadfast.base.resources import facts
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.insides import UNSUBMITTED, single_jobs

PLUGIN = "snakemake_executor_plugin_slurm"
# The plugin that starts a job's steps on its node, with srun.
STEPS = "snakemake_executor_plugin_slurm_jobstep"
# Queries in a row without a job after which it counts as ended.
MISSED = 3
# Seconds until a job that SLURM refused for the moment is submitted again.
RESUBMITTED = 30.0
# Between two queries of a step whether SLURM responds.
LOOK_SECONDS = 10.0
SHOWN_NAMES = 3
# The line of ``base.locks`` in the log of a job that waits for another.
HELD = re.compile(r" waiting for (.+), which has locked (.+)")
QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

States = dict[str, str]
Query = Callable[[str, logging.Logger], Awaitable[tuple[States | None, float | None]]]


class Plugin:
    """All uses of the plugin beyond its documented interface.

    Further, ``Watch`` replaces the executor's methods ``run_job``, ``report_job_submission`` and
    ``report_job_error``, which the plugin calls by these names.
    """

    def __init__(self, executor: Any):
        self._executor = executor

    def report_failed(self, job: Any, message: str) -> None:
        """Reports from any thread that a job failed: ``_report_job_error_threadsafe``."""
        self._executor._report_job_error_threadsafe(SubmittedJobInfo(job), message)

    @staticmethod
    def runs(executor: Any) -> bool:
        """Whether an executor is the plugin's: its class is defined in the plugin's package."""
        return type(executor).__module__ == PLUGIN

    @staticmethod
    def replace_query(replace: Callable[[Query], Query]) -> None:
        """Replaces the query of its jobs' states, the package's ``query_job_status``."""
        plugin: Any = sys.modules[PLUGIN]
        plugin.query_job_status = replace(plugin.query_job_status)

    @staticmethod
    def before_steps(call: Callable[[], None]) -> None:
        """Calls a function before each step: ``run_job`` of the step package's ``Executor``."""
        if (plugin := cast(Any, sys.modules.get(STEPS))) is None:
            return
        start = plugin.Executor.run_job

        def run_job(self: Any, job: Any) -> None:
            call()
            start(self, job)

        plugin.Executor.run_job = run_job


class Watch:
    """Watches the plugin's jobs: waits until SLURM responds again, and reports waiting jobs.

    The plugin itself forgets all jobs when a query fails. And it waits forever for jobs that were
    preempted for good, that somebody cancelled, or that SLURM no longer knows, and for groups of
    jobs that it cannot submit.
    """

    def __init__(self, log: logging.Logger, failures: FailedJobs):
        self._log = log
        self._failures = failures
        self._name = failures.name
        # By the number of the SLURM job:
        self._names: dict[str, str] = {}
        self._logs: dict[str, list[str]] = {}
        self._missed: Counter[str] = Counter()
        self._reported: set[tuple[str, str]] = set()
        self._unresponsive = False

    def watch(self, executor: Any) -> None:
        """Watches the jobs of an executor of Snakemake, if it is SLURM's."""
        if not Plugin.runs(executor):
            return
        plugin = Plugin(executor)
        submit = executor.report_job_submission
        fail = executor.report_job_error
        run = executor.run_job

        def run_job(job: Any) -> None:
            try:
                run(job)
            except Exception as error:  # the plugin's own error report fails for groups
                plugin.report_failed(job, f"Job {UNSUBMITTED}{error.__context__ or error}")

        def submitted(info: Any, **further: Any) -> None:
            name = self._name(info.job)
            self._names[info.external_jobid] = name
            logs = self._logs[info.external_jobid] = []
            for single in single_jobs(info.job):
                logs += single.log
            self._log.info(f"submitted: {name} (SLURM job {info.external_jobid})")
            submit(info, **further)

        def failed(info: Any, msg: str | None = None, **further: Any) -> None:
            reason = temporary_refusal(msg or "")
            if not reason:
                fail(info, msg=msg, **further)
                return
            line = f"not submitted yet: {reason}; submission is retried"
            self._report_once(self._name(info.job), line)
            later = threading.Timer(RESUBMITTED, executor.run_job, [info.job])
            later.daemon = True
            later.start()

        executor.report_job_submission = submitted
        executor.report_job_error = failed
        executor.run_job = run_job
        plugin.replace_query(self.query)

    def query(self, query_states: Query) -> Query:
        """The plugin's query of its jobs' states, changed so that it never waits for ended jobs."""

        async def query(command: str, log: logging.Logger) -> tuple[States, float]:
            states, seconds = await query_states(command, log)
            if states is None:
                if not self._unresponsive:
                    self._log.warning(
                        "SLURM does not respond: its jobs go on, and it is queried again"
                    )
                self._unresponsive = True
                return {}, 0.0
            if self._unresponsive:
                self._log.warning("SLURM responds again")
                self._unresponsive = False
            words = shlex.split(command)
            run = words[words.index("--name") + 1]
            reasons = f"squeue --noheader --states=PENDING --format='%i|%r' --name {run}"
            waiting, _ = await query_states(reasons, log)
            self.report_waiting(waiting or {})
            self.report_held(states)
            return self.seen(states), seconds or 0.0

        return query

    def seen(self, states: States) -> States:
        """The states of the jobs for the plugin, from SLURM's states."""
        ends = facts("slurm/ends.yaml")
        final = {*ends, "COMPLETED", "FAILED"}
        before = self._failures.states
        now = {job: state.split()[0] for job, state in states.items()}
        active = {job for job, state in before.items() if state not in final}
        self._missed = Counter({job: self._missed[job] + 1 for job in active - now.keys()})
        self._failures.states = before | now
        for job, state in now.items():
            if (before.get(job), state) == ("RUNNING", "PENDING"):
                self._log.warning(f"requeued by SLURM: {self._shown(job)}")
            if before.get(job) == state and ends.get(state, {}).get("requeues"):
                now[job] = "CANCELLED"  # by the second query, it has not been queued again
        ended = [job for job, queries in self._missed.items() if queries >= MISSED]
        return now | dict.fromkeys(ended, "UNKNOWN")  # their files show whether they succeeded

    def report_waiting(self, reasons: States) -> None:
        """Reports, once each, the jobs that wait for something that needs the user."""
        pending = facts("slurm/pending.yaml")
        alike: dict[str, list[str]] = {}
        for job, reason in reasons.items():
            if (
                reason.strip("()") not in pending["ordinary"]
                and (job, reason) not in self._reported
            ):
                self._reported.add((job, reason))
                alike.setdefault(reason, []).append(job)
        for reason, jobs in alike.items():
            meaning = next(
                (text for part, text in pending["reasons"].items() if part in reason), ""
            )
            names = first_names([self._names.get(job, job) for job in jobs], SHOWN_NAMES)
            numbers = first_names(jobs, SHOWN_NAMES)
            reason_text = meaning or "SLURM gives no further reason"
            self._log.warning(f"waiting: {names} (SLURM job {numbers}: {reason}): {reason_text}")

    def report_held(self, states: States) -> None:
        """Reports, once each, the running jobs that wait for a lock of another job."""
        running = [job for job, state in states.items() if state.startswith("RUNNING")]
        for job in running:
            for file in self._logs.get(job, ()):
                last = self._failures.log_end(file).rstrip().rpartition("\n")[2]
                if held := HELD.search(last):
                    line = f"waiting until {held[1]}, which has locked {held[2]}, has ended"
                    self._report_once(self._shown(job), line)

    def _shown(self, job: str) -> str:
        return f"{self._names.get(job, 'a job')} (SLURM job {job})"

    def _report_once(self, name: str, line: str) -> None:
        if (name, line) not in self._reported:
            self._reported.add((name, line))
            self._log.warning(f"{name}: {line}")


def wait_before_steps() -> None:
    """Makes each step wait until SLURM responds: without its controller ``srun`` fails at once."""
    number = os.environ.get("SLURM_JOB_ID")

    def wait() -> None:
        waits = False
        while subprocess.run(["squeue", "--noheader", "--jobs", str(number)], **QUIET).returncode:
            if not waits:
                print("SLURM does not respond: the next step waits until it does", file=sys.stderr)
            waits = True
            time.sleep(LOOK_SECONDS)

    if number is not None:
        Plugin.before_steps(wait)


def temporary_refusal(message: str) -> str | None:
    """Why SLURM refused a job only for the moment; None for other refusals."""
    refusals = facts("slurm/submissions.yaml").items()
    return next((meaning for text, meaning in refusals if text in message), None)
