"""Why jobs fail, whether a retry can help, and the error messages of a run."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from steadfast.base.errors import ERROR, TEMPORARY
from steadfast.base.names import escape_hidden
from steadfast.base.resources import facts
from steadfast.workflow import insides

# Lines of a failed job's log in the summary, at most.
SHOWN_LINES = 8
# Read of the end of a log, at most.
READ_BYTES = 20_000
MORE = {"runtime": "more time", "mem_mb": "more memory"}
STOPPED_RUN = (
    "Stopped. The same command continues: responses that arrived are in the journal and are not "
    "re-requested; only requests in flight are lost."
)


class AttemptEnd(NamedTuple):
    """How an attempt at a job ended."""

    reason: str | None  # None where neither the job nor SLURM gives one
    retry: bool = True  # whether a retry can help
    shortage: str | None = None  # the resource that was too small
    uncounted: bool = False  # whether it does not count as an attempt


@dataclass
class Failure:
    """A job whose last attempt failed."""

    who: str  # the model, judge or rewriter that it queries, else its rule
    reason: str
    attempts: int
    logs: dict[str, str]  # what the last attempt wrote, by log file


def attempt_end(log: str, state: str | None = None, message: str | None = None) -> AttemptEnd:
    """How an attempt ended, from the end of its log, SLURM's state and the executor's message."""
    for start in (insides.REFUSED, insides.UNSUBMITTED):
        if message and start in message:
            refusal = " ".join(message.partition(start)[2].partition("'.\n")[0].split())
            for text, advice in facts("slurm/refusals.yaml").items():
                if text in refusal:
                    refusal = f"{refusal}; {advice}"
                    break
            return AttemptEnd(f"SLURM rejected the job: {refusal}", retry=False)
    if end := facts("slurm/ends.yaml").get(state):
        reason = f"the job {end['reason']}"
        uncounted = end.get("free", False)
        return AttemptEnd(reason, shortage=end.get("short"), uncounted=uncounted)
    last_line = log.rstrip().rpartition("\n")[2]
    if last_line.startswith(ERROR):
        return AttemptEnd(last_line.removeprefix(ERROR), retry=False)
    if last_line.startswith(TEMPORARY):
        return AttemptEnd(last_line.removeprefix(TEMPORARY))
    return AttemptEnd(None)


class FailedJobs:
    """The failed jobs of a run: each is reported when it fails, and all at the end of the run.

    A job is not retried where the retry would fail alike. A retry requests more of the resource
    that was too small, and of no other. Jobs are named after their logs. ``states`` has the states
    of SLURM's jobs, by number.
    """

    def __init__(self, logs: Path, log: logging.Logger):
        self._logs = logs
        self._log = log
        self.states: dict[str, str] = {}
        self._stopped = False
        self._stamps: dict[str, object] = {}  # of the log files, before the last attempt
        # The resource that was too small at each attempt, by job.
        self._shortages: dict[str, list[str]] = {}
        self._failed: dict[str, Failure] = {}

    def watch_interrupts(self) -> None:
        """Notes Ctrl-C, which ends all jobs: jobs that end from then on have not failed.

        Until Snakemake handles SIGTERM itself (``note_termination``), it would end the process
        without a message.
        """

        def terminate(number: int, frame: Any) -> None:
            print(STOPPED_RUN, file=sys.stderr)
            sys.exit(128 + number)

        def interrupt(number: int, frame: Any) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough: the jobs are ending
            self._stopped = True
            signal.default_int_handler(number, frame)

        signal.signal(signal.SIGINT, interrupt)
        signal.signal(signal.SIGTERM, terminate)
        sys.excepthook = partial(_print_stopped, sys.excepthook)

    def note_termination(self) -> None:
        """Notes SIGTERM, after which Snakemake waits for running jobs and starts no others."""
        self._stopped = True

    def watch(self, executor: Any) -> None:
        """Notes each job that an executor of Snakemake starts, and how it ends."""

        def started(job: Any) -> None:
            for single in insides.single_jobs(job):
                for file in single.log:
                    self._stamps[file] = _stamp(file)

        def succeeded(info: Any) -> None:
            for single in insides.single_jobs(info.job):
                self._failed.pop(self.name(single), None)

        def failed(info: Any, msg: str | None = None, aux_logs: Any = None, **_: Any) -> None:
            if self._stopped:
                insides.prevent_retry(info.job)
            else:
                self._note(info.job, msg, info.external_jobid, aux_logs or [])

        insides.watch_jobs(executor, started, succeeded, failed)

    def by_shortage(
        self, resource: str, amount: Callable[[Any, int], Any]
    ) -> Callable[[Any, int], Any]:
        """A rule's resource that grows only with the attempts for which it was too small."""

        def requested(wildcards: Any, attempt: int) -> Any:
            return amount(wildcards, 1 + self._shortages.get(_key(wildcards), []).count(resource))

        return requested

    def name(self, job: Any) -> str:
        """The name of a job: its log file below the logs' folder, or else its rule."""
        first, *further = insides.single_jobs(job)
        name = named_after(first.log, self._logs) or str(first.rule.name)
        return f"{name} and {len(further)} more" if further else name

    def _note(self, job: Any, message: str | None, number: str | None, logs: list[str]) -> None:
        """Reports a failed job, or those of a group, and lets Snakemake retry it or not."""
        state = self.states.get(number) if number else None
        texts = {}
        ends = {}
        for single in insides.single_jobs(job):
            texts[single] = "".join(map(self.log_end, single.log))
            ends[single] = attempt_end(texts[single], state, message)
        # In a group, jobs without a reason may have finished, or waited for the one that failed.
        ends = {single: end for single, end in ends.items() if end.reason} or ends
        if any(end.uncounted for end in ends.values()):
            insides.uncount_attempt(job)
        if not any(end.retry for end in ends.values()):
            insides.prevent_retry(job)
        retried = insides.will_be_retried(job)
        for single, end in ends.items():
            name = self.name(single)
            reason = end.reason or "it ended without an error message"
            failed_before = self._failed[name].attempts if name in self._failed else 0
            log_ends = {file: self.log_end(file) for file in single.log}
            for file in logs:
                # Where the job itself gives the reason, SLURM's log has it among much else.
                log_ends[file] = "" if reason in texts[single] else self.log_end(file)
            attempts = failed_before if end.uncounted else failed_before + 1
            self._failed[name] = Failure(_queried(single), reason, attempts, log_ends)
            plan = "; retried" if retried else ""
            if end.shortage:
                self._shortages.setdefault(_key(single.wildcards), []).append(end.shortage)
                plan += f" with {MORE[end.shortage]}" if retried else ""
            slurm = f" (SLURM job {number})" if number else ""
            # What a job on this machine wrote is on the terminal already.
            cause = f"{slurm}: {reason}" if number or message else ""
            self._log.error(escape_hidden(f"failed: {name}{cause}{plan}"))

    def summary(self, waiting: int) -> str:
        """The last message of a failed run: the ends of logs, and which jobs failed and why."""
        if self._stopped and not self._failed:
            return STOPPED_RUN
        if not self._failed:
            return "The run failed; see the error message above."
        names_by_cause: dict[tuple[str, str], list[str]] = {}
        for name, failure in self._failed.items():
            names_by_cause.setdefault((failure.who, failure.reason), []).append(name)
        lines = list(self._tails(names[0] for names in names_by_cause.values()))
        count = len(self._failed)
        lines += ["", f"{count} {'job' if count == 1 else 'jobs'} failed:"]
        for (who, reason), names in names_by_cause.items():
            attempts = max(self._failed[name].attempts for name in names)
            lines.append(f"  {who}: {reason}" + (f" ({attempts} tries)" if attempts > 1 else ""))
            lines += [f"    {name}" for name in names]
        if waiting:
            lines.append(
                f"{waiting} more did not run, because they depend on these or come after them."
            )
        lines.append(
            "The same command continues the run; responses in the journal are not re-requested."
        )
        return escape_hidden("\n".join(lines))

    def _tails(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            failure = self._failed[name]
            for file, log_text in failure.logs.items():
                lines = [line for line in log_text.splitlines() if line.strip()]
                lines = [line for line in lines if failure.reason not in line][-SHOWN_LINES:]
                if Path(file).is_file():
                    yield from ("", f"{file}:" if lines else file)
                    yield from (f"  {line}" for line in lines)

    def log_end(self, file: str) -> str:
        """The end of what the last attempt wrote to a log; empty where it wrote nothing."""
        stamp = _stamp(file)
        if stamp is None or stamp == self._stamps.get(file):
            return ""
        with open(file, "rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - READ_BYTES))
            return log.read().decode("utf-8", errors="replace")


def named_after(log: Sequence[str], logs: Path) -> str | None:
    """The name of a job by its log file below the logs' folder; None without a log file."""
    if not log:
        return None
    path = Path(log[0]).with_suffix("")
    return str(path.relative_to(logs) if path.is_relative_to(logs) else path)


def _queried(job: Any) -> str:
    """The judge, rewriter or model that a job queries; the rule of other jobs."""
    for role in ("judge", "rewriter", "model"):
        if name := job.wildcards.get(role):
            return str(name)
    return str(job.rule.name)


def _print_stopped(otherwise: Callable[..., Any], kind: type, error: Any, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print(STOPPED_RUN, file=sys.stderr)
    else:
        otherwise(kind, error, trace)


def _key(wildcards: Any) -> str:
    return repr(sorted(wildcards.items()))


def _stamp(file: str) -> object:
    """A value that differs once a file has changed; None without a file."""
    try:
        status = Path(file).stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
