"""What a run shows while its jobs run: a progress bar on a terminal, elsewhere a line a job."""

import json
import logging
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from snakemake_interface_logger_plugins.common import LogEvent

from steadfast.base.names import some
from steadfast.base.seal import IDENTITY
from steadfast.workflow.failures import named_after
from steadfast.workflow.insides import NOTHING, SAYS, terminals

HIDDEN = {
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.JOB_ERROR,
    LogEvent.GROUP_ERROR,
}
SAID_BY_US = re.compile("|".join(said for each in SAYS.values() for said in each))
"""What this or ``failures.FailedJobs`` says in other words, or what says nothing."""
REMARKABLE = {
    "error": "failed",
    "empty": "empty",
    "length": "cut",
    "unfinished": "unfinished",
    "overflow": "too long",
    "refused": "refused",
}
"""Answers that a job's line names, those that did not fail only where there are some, by status,
and what it calls them."""
BAR = "{percentage:3.0f} % |{bar:20}| {n_fmt} of {total_fmt} jobs, {elapsed}{postfix}"
MOST_RUNNING = 2
"""Jobs that the progress bar names; of the others it has the number."""


class JobLines(logging.Filter, logging.Formatter):
    """Shows a finished job in one line, in place of the five that Snakemake has for it.

    A job is called by its log file below the logs' folder, such as
    ``lifbench/inference/my-model/4k``; behind one of inference stand its answers, those that
    failed, and tokens. On a terminal a progress bar stands in place of these lines, but for those
    of jobs with answers that failed or are otherwise remarkable.

    What Snakemake says of jobs that fail is not shown, since ``failures.FailedJobs`` says why they
    do. Of the jobs that there are the number stands in place of a table. All else, and a dry run,
    is shown as it was before.
    """

    def __init__(self, handler: logging.Handler, logs: Path, dry: Callable[[], bool]):
        logging.Filter.__init__(self)
        logging.Formatter.__init__(self)
        self._formatter = handler.formatter or logging.Formatter()
        self._filters: Any = handler.filters
        self._logs, self._dry = logs, dry
        self._started: dict[int, Any] = {}
        self._finished: list[str] = []
        self._stream: Any = getattr(handler, "stream", None)
        self._on_terminal = bool(self._stream and self._stream.isatty())
        self._bar: Any = None

    @classmethod
    def install(cls, logger: logging.Logger, logs: Path, dry: Callable[[], bool] = bool) -> None:
        """Takes over the handler that Snakemake itself has for the terminal, where it has one."""
        for handler in terminals(logger):
            lines = cls(handler, logs, dry)
            handler.filters = [lines]
            handler.setFormatter(lines)

    def filter(self, record: Any) -> bool:
        """Whether a record is shown."""
        event = None if self._dry() else getattr(record, "event", None)
        if event == LogEvent.JOB_INFO:
            self._started[record.jobid] = record
        elif event == LogEvent.JOB_FINISHED:
            started = self._started.pop(record.job_id, None)
            done = record.getMessage()
            answers = answered(getattr(started, "output", ())) if started else Answers()
            if started:
                done = self._name(started) + answers.line
            if answers.is_remarkable or not self._on_terminal:
                self._finished.append(done)
        if event in HIDDEN or SAID_BY_US.match(str(record.msg)):
            return False
        shown = all(one.filter(record) for one in self._filters)
        if shown and event == LogEvent.PROGRESS and self._on_terminal:
            self._advance(record)
            shown = bool(self._finished)
        if shown and self._bar:
            self._bar.clear()  # what is said stands above it
        return shown

    def _name(self, started: Any) -> str:
        return named_after(started.log, self._logs) or str(started.rule_name)

    def _advance(self, record: Any) -> None:
        """Moves the progress bar, which names jobs that run."""
        from tqdm import tqdm  # no run without a terminal loads it

        if self._bar is None:
            self._bar = tqdm(
                total=record.total, file=self._stream, bar_format=BAR, dynamic_ncols=True
            )
        running = [self._name(started) for started in self._started.values()]
        self._bar.n = record.done
        self._bar.set_postfix_str(some(running, MOST_RUNNING), refresh=True)
        if record.done >= record.total:
            self._bar.close()

    def format(self, record: Any) -> str:
        """The line of a finished job; others as Snakemake has them."""
        event = None if self._dry() else getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            return f"{record.stats['total']} jobs"
        if event == LogEvent.PROGRESS:
            finished, self._finished = ", ".join(self._finished), []
            return f"{record.done} of {record.total} done: {finished}"
        return self._formatter.format(record)


def with_end(end: Callable[[], str], record: logging.LogRecord) -> bool:
    """A filter that adds a run's end where there is nothing to do, of which no hook is told."""
    if str(record.msg).startswith(NOTHING):
        record.msg = f"{record.msg}\n{end()}"
    return True


class Answers(NamedTuple):
    """What stands behind a finished job, and whether any of its answers is remarkable."""

    line: str = ""
    is_remarkable: bool = False


def answered(files: Iterable[str]) -> Answers:
    """Returns what stands behind a finished job, by the identity of its answers."""
    for path in (Path(file) for file in files if str(file).endswith(IDENTITY)):
        made = json.loads(path.read_text(encoding="utf-8"))
        if "statuses" in made and "tokens" in made:
            statuses, tokens = made["statuses"], made["tokens"]
            counted = (tokens.get("prompt") or 0) + (tokens.get("completion") or 0)
            found = {"error": 0, **statuses, "empty": made.get("empty", 0)}
            remarks = [
                f"{found[name]} {word}"
                for name, word in REMARKABLE.items()
                if found.get(name) or name == "error"
            ]
            done = sum(statuses.values())
            line = f": {', '.join([f'{done} done', *remarks])}, {counted:,} tokens"
            return Answers(line, any(found.get(name) for name in REMARKABLE))
    return Answers()
