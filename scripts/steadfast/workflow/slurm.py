"""What a run must know of SLURM beyond the plugin of Snakemake that submits its jobs."""

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

from steadfast.base.names import some
from steadfast.base.resources import facts
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.insides import UNSUBMITTED, singles

PLUGIN = "snakemake_executor_plugin_slurm"
STEPS = "snakemake_executor_plugin_slurm_jobstep"
"""What starts each of a job's own jobs on its node, with srun."""
MISSED = 3
"""After so many looks in a row that did not find it, a job is taken to have ended."""
RESUBMITTED = 30.0
"""Seconds until a job that SLURM refused for the moment is submitted again."""
LOOK_SECONDS = 10.0
"""Between two looks of a job at whether SLURM answers."""
SHOWN_NAMES = 3
HELD = re.compile(r" waiting for (.+), which has locked (.+)")
"""How ``base.locks`` says in a job's log that it waits for another."""
QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

States = dict[str, str]
Query = Callable[[str, logging.Logger], Awaitable[tuple[States | None, float | None]]]


class Plugin:
    """What this takes of the plugin beyond its documented interface, each named once.

    The executor's ``run_job``, ``report_job_submission`` and ``report_job_error`` are called by
    these names, also where they are replaced.
    """

    def __init__(self, executor: Any):
        self._executor = executor

    def report_failed(self, job: Any, message: str) -> None:
        """Reports from any thread that a job failed: ``_report_job_error_threadsafe``."""
        self._executor._report_job_error_threadsafe(SubmittedJobInfo(job), message)

    @staticmethod
    def runs(executor: Any) -> bool:
        """Whether an executor is the plugin's: its class is of the plugin's package itself."""
        return type(executor).__module__ == PLUGIN

    @staticmethod
    def replace_query(replace: Callable[[Query], Query]) -> None:
        """Replaces the question after its jobs' states, the package's ``query_job_status``."""
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
    """Waits for SLURM where it is away, sees jobs end that nobody queues again, says who waits.

    The plugin itself forgets all jobs at a question without an answer, and waits for ever for jobs
    that were preempted for good, were cancelled by somebody, or are known to SLURM no more, and for
    groups of jobs that it cannot submit.
    """

    def __init__(self, log: logging.Logger, failures: FailedJobs):
        self._log = log
        self._failures = failures
        self._name = failures.name
        self._names: dict[str, str] = {}
        self._logs: dict[str, list[str]] = {}
        self._missed: Counter[str] = Counter()
        self._said: set[tuple[str, str]] = set()
        self._away = False

    def watch(self, executor: Any) -> None:
        """Looks after the jobs of an executor of Snakemake, where it is SLURM's."""
        if not Plugin.runs(executor):
            return
        plugin = Plugin(executor)
        submit = executor.report_job_submission
        fail = executor.report_job_error
        run = executor.run_job

        def run_job(job: Any) -> None:
            try:
                run(job)
            except Exception as error:  # in the plugin's own report, which takes a group for a job
                plugin.report_failed(job, f"Job {UNSUBMITTED}{error.__context__ or error}")

        def submitted(info: Any, **further: Any) -> None:
            self._names[info.external_jobid] = name = self._name(info.job)
            logs = [file for single in singles(info.job) for file in single.log]
            self._logs[info.external_jobid] = logs
            self._log.info(f"submitted: {name} (SLURM job {info.external_jobid})")
            submit(info, **further)

        def failed(info: Any, msg: str | None = None, **further: Any) -> None:
            if not (why := passing_refusal(msg or "")):
                fail(info, msg=msg, **further)
                return
            self._say_once(self._name(info.job), f"not submitted yet: {why}; submission is retried")
            later = threading.Timer(RESUBMITTED, executor.run_job, [info.job])
            later.daemon = True
            later.start()

        executor.report_job_submission = submitted
        executor.report_job_error = failed
        executor.run_job = run_job
        plugin.replace_query(self.query)

    def query(self, ask: Query) -> Query:
        """Returns the plugin's question after its jobs' states, which leaves no job hanging."""

        async def asked(command: str, log: logging.Logger) -> tuple[States, float]:
            states, seconds = await ask(command, log)
            if (states is None) != self._away:
                self._away = states is None
                away = "does not respond: its jobs go on, and it is queried again"
                self._log.warning(f"SLURM {away if self._away else 'responds again'}")
            if states is None:
                return {}, 0.0
            words = shlex.split(command)
            run = words[words.index("--name") + 1]
            reasons = f"squeue --noheader --states=PENDING --format='%i|%r' --name {run}"
            waiting, _ = await ask(reasons, log)
            self.say_waiting(waiting or {})
            self.say_held(states)
            return self.seen(states), seconds or 0.0

        return asked

    def seen(self, states: States) -> States:
        """Returns what the plugin is to know of its jobs, by SLURM's word for each."""
        ends = facts("slurm/ends.yaml")
        before = self._failures.states
        now = {job: state.split()[0] for job, state in states.items()}
        going = {
            job for job, state in before.items() if state not in {*ends, "COMPLETED", "FAILED"}
        }
        self._missed = Counter({job: self._missed[job] + 1 for job in going - set(now)})
        self._failures.states = before | now
        for job, state in now.items():
            if (before.get(job), state) == ("RUNNING", "PENDING"):
                self._log.warning(f"requeued by SLURM: {self._shown(job)}")
            if before.get(job) == state and ends.get(state, {}).get("requeues"):
                now[job] = "CANCELLED"  # at the second look, it has not been queued again
        gone = [job for job, times in self._missed.items() if times >= MISSED]
        return now | dict.fromkeys(gone, "UNKNOWN")  # their files tell whether they succeeded

    def say_waiting(self, reasons: States) -> None:
        """Says once which jobs wait for what does not pass by itself, in SLURM's words."""
        pending = facts("slurm/pending.yaml")
        alike: dict[str, list[str]] = {}
        for job, reason in reasons.items():
            if reason.strip("()") not in pending["ordinary"] and (job, reason) not in self._said:
                self._said.add((job, reason))
                alike.setdefault(reason, []).append(job)
        for reason, jobs in alike.items():
            meaning = next((text for part, text in pending["told"].items() if part in reason), "")
            names = some([self._names.get(job, job) for job in jobs], SHOWN_NAMES)
            numbers = some(jobs, SHOWN_NAMES)
            reason_text = meaning or "SLURM gives no further reason"
            self._log.warning(f"waiting: {names} (SLURM job {numbers}: {reason}): {reason_text}")

    def say_held(self, states: States) -> None:
        """Says which running jobs wait for what another job holds, each once."""
        for job in (job for job, state in states.items() if state.startswith("RUNNING")):
            for file in self._logs.get(job, ()):
                last = self._failures.said(file).rstrip().rpartition("\n")[2]
                if held := HELD.search(last):
                    line = f"waiting until {held[1]}, which has locked {held[2]}, has ended"
                    self._say_once(self._shown(job), line)

    def _shown(self, job: str) -> str:
        return f"{self._names.get(job, 'a job')} (SLURM job {job})"

    def _say_once(self, name: str, line: str) -> None:
        if (name, line) not in self._said:
            self._said.add((name, line))
            self._log.warning(f"{name}: {line}")


def wait_before_steps() -> None:
    """Has each step wait until SLURM answers: without its controller ``srun`` fails at once."""
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


def passing_refusal(message: str) -> str | None:
    """Returns why SLURM did not take a job that it may take a moment later; None: it will not."""
    refusals = facts("slurm/submissions.yaml").items()
    return next((meaning for text, meaning in refusals if text in message), None)
