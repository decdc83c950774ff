"""Why jobs fail, whether another try can help, and what a run says of it."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from steadfast.base.errors import ERROR, PASSING
from steadfast.base.names import visible
from steadfast.base.resources import facts
from steadfast.workflow import insides

SHOWN_LINES = 8
"""Of the end of a log, at most."""
READ_BYTES = 20_000
MORE = {"runtime": "more time", "mem_mb": "more memory"}
STOPPED_RUN = (
    "Stopped. The same command continues: responses that arrived are in the journal and are not "
    "re-requested; only requests in flight are lost."
)


class TryEnd(NamedTuple):
    """How a try ended: why, whether another can help, and which resource was short, if any.

    A free one does not count as a try.
    """

    reason: str | None
    again: bool = True
    short: str | None = None
    free: bool = False


@dataclass
class Failure:
    """A job whose last try failed: whom it asks, why, how often, and what the try wrote."""

    who: str
    reason: str
    tries: int
    logs: dict[str, str]


def how_it_ended(said: str, state: str | None = None, message: str | None = None) -> TryEnd:
    """Returns how a try ended, by its log, SLURM's word for it and the executor's message."""
    for start in (insides.REFUSED, insides.UNSUBMITTED):
        if message and start in message:
            refusal = " ".join(message.partition(start)[2].partition("'.\n")[0].split())
            refusals = facts("slurm/refusals.yaml").items()
            advice = next((f"; {advice}" for text, advice in refusals if text in refusal), "")
            return TryEnd(f"SLURM rejected the job: {refusal}{advice}", again=False)
    if refusals := facts("slurm/ends.yaml").get(state):
        free = refusals.get("free", False)
        return TryEnd(f"the job {refusals['reason']}", short=refusals.get("short"), free=free)
    last = said.rstrip().rpartition("\n")[2]
    for mark, again in ((ERROR, False), (PASSING, True)):
        if last.startswith(mark):
            return TryEnd(last.removeprefix(mark), again)
    return TryEnd(None)


class FailedJobs:
    """The failed jobs of a run: each is told when it fails, and all again at its end.

    Another try is left out where it would end alike. One that is made has more of what the last one
    was short of, and of nothing else. Jobs are named after their logs; ``states`` has SLURM's word
    for each of its jobs, by number, where it is known.
    """

    def __init__(self, logs: Path, log: logging.Logger):
        self._logs = logs
        self._log = log
        self.states: dict[str, str] = {}
        self._stopped = False
        self._before: dict[str, object] = {}
        self._short: dict[str, list[str]] = {}
        self._failed: dict[str, Failure] = {}

    def watch_interrupts(self) -> None:
        """Notes Ctrl-C, which ends all jobs: what fails from then on is no failure.

        SIGTERM ends the process as silently as kill -9 would, until Snakemake takes it itself
        (``note_termination``).
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
        sys.excepthook = partial(_say_stopped, sys.excepthook)

    def note_termination(self) -> None:
        """Notes SIGTERM, after which Snakemake waits for the jobs that run and starts no others."""
        self._stopped = True

    def watch(self, executor: Any) -> None:
        """Notes each job that an executor of Snakemake starts, and each that ends there."""

        def started(job: Any) -> None:
            for single in insides.singles(job):
                self._before.update({file: _stamp(file) for file in single.log})

        def succeeded(info: Any) -> None:
            for single in insides.singles(info.job):
                self._failed.pop(self.name(single), None)

        def failed(info: Any, msg: str | None = None, aux_logs: Any = None, **_: Any) -> None:
            if self._stopped:
                insides.give_up(info.job)
            else:
                self._note(info.job, msg, info.external_jobid, aux_logs or [])

        insides.watch_jobs(executor, started, succeeded, failed)

    def by_shortage(
        self, resource: str, ask: Callable[[Any, int], Any]
    ) -> Callable[[Any, int], Any]:
        """Returns a resource of a rule that grows only with the tries that were short of it."""

        def asked(wildcards: Any, attempt: int) -> Any:
            return ask(wildcards, 1 + self._short.get(_key(wildcards), []).count(resource))

        return asked

    def name(self, job: Any) -> str:
        """What a job is called: its log file below the logs' folder, or else its rule."""
        first, *further = insides.singles(job)
        name = named_after(first.log, self._logs) or str(first.rule.name)
        return f"{name} and {len(further)} more" if further else name

    def _note(self, job: Any, message: str | None, number: str | None, logs: list[str]) -> None:
        state = self.states.get(number) if number else None
        said = {single: "".join(map(self.said, single.log)) for single in insides.singles(job)}
        ends = {single: how_it_ended(text, state, message) for single, text in said.items()}
        # In a group, those that say nothing may have finished, or waited for the one that failed.
        ends = {single: end for single, end in ends.items() if end.reason} or ends
        if any(end.free for end in ends.values()):
            insides.forgive(job)
        if not any(end.again for end in ends.values()):
            insides.give_up(job)
        again = insides.is_tried_again(job)
        for single, end in ends.items():
            name = self.name(single)
            reason = end.reason or "it ended without an error message"
            tries = (self._failed[name].tries if name in self._failed else 0) + (not end.free)
            # Where the job itself says why, SLURM's log has it among much else.
            tails = {file: "" if reason in said[single] else self.said(file) for file in logs}
            tails = {file: self.said(file) for file in single.log} | tails
            names = (single.wildcards.get(role) for role in ("judge", "rewriter", "model"))
            who = str(next(filter(None, names), single.rule.name))
            self._failed[name] = Failure(who, reason, tries, tails)
            if end.short:
                self._short.setdefault(_key(single.wildcards), []).append(end.short)
            addition = f" with {MORE[end.short]}" if end.short else ""
            plan = f"; retried{addition}" if again else ""
            slurm = f" (SLURM job {number})" if number else ""
            # What a job on this machine said stands on the terminal already.
            cause = f"{slurm}: {reason}" if number or message else ""
            self._log.error(visible(f"failed: {name}{cause}{plan}"))

    def summary(self, waiting: int) -> str:
        """Returns what is said at a failed run's end: logs' ends, who failed and why."""
        if self._stopped and not self._failed:
            return STOPPED_RUN
        if not self._failed:
            return "The run failed; see the error message above."
        alike: dict[tuple[str, str], list[str]] = {}
        for name, failure in self._failed.items():
            alike.setdefault((failure.who, failure.reason), []).append(name)
        lines = list(self._tails(names[0] for names in alike.values()))
        count = len(self._failed)
        lines += ["", f"{count} {'job' if count == 1 else 'jobs'} failed:"]
        for (who, reason), names in alike.items():
            tries = max(self._failed[name].tries for name in names)
            lines.append(f"  {who}: {reason}{f' ({tries} tries)' if tries > 1 else ''}")
            lines += [f"    {name}" for name in names]
        if waiting:
            lines.append(
                f"{waiting} more did not run, because they depend on these or come after them."
            )
        lines.append(
            "The same command continues the run; responses in the journal are not re-requested."
        )
        return visible("\n".join(lines))

    def _tails(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            failure = self._failed[name]
            for file, log_text in failure.logs.items():
                lines = [line for line in log_text.splitlines() if line.strip()]
                lines = [line for line in lines if failure.reason not in line][-SHOWN_LINES:]
                if Path(file).is_file():
                    yield from ("", f"{file}{':' if lines else ''}", *(f"  {x}" for x in lines))

    def said(self, file: str) -> str:
        """The end of what the last try wrote to a file, which is nothing where it is unchanged."""
        stamp = _stamp(file)
        if stamp is None or stamp == self._before.get(file):
            return ""
        with open(file, "rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - READ_BYTES))
            return log.read().decode("utf-8", errors="replace")


def named_after(log: Sequence[str], logs: Path) -> str | None:
    """What a job is called by its log file below the logs' folder; None where it has none."""
    if not log:
        return None
    path = Path(log[0]).with_suffix("")
    return str(path.relative_to(logs) if path.is_relative_to(logs) else path)


def _say_stopped(otherwise: Callable[..., Any], kind: type, error: Any, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print(STOPPED_RUN, file=sys.stderr)
    else:
        otherwise(kind, error, trace)


def _key(wildcards: Any) -> str:
    return repr(sorted(wildcards.items()))


def _stamp(file: str) -> object:
    """What tells a file from itself after a change; None where there is none."""
    try:
        status = Path(file).stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
