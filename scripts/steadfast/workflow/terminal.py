"""The output while jobs run: a progress bar on a terminal, elsewhere a line for each stage."""

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

from steadfast.base.names import first_names
from steadfast.base.provenance import PROVENANCE
from steadfast.workflow.failures import named_after
from steadfast.workflow.insides import FINISHING, MESSAGES, NOTHING, terminal_handlers

HIDDEN = {
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.JOB_ERROR,
    LogEvent.GROUP_ERROR,
    LogEvent.WORKFLOW_STARTED,
}
# Messages that this or ``failures.FailedJobs`` replaces, or that help no user.
HIDDEN_MESSAGES = re.compile("|".join(chain.from_iterable(MESSAGES.values())))
STOPPING = (
    "Stopping: no new jobs start, and running jobs finish first. Killing them loses only requests "
    "in flight: responses that arrived are in the journal."
)
# Seconds without a line after which an unfinished stage gets one.
SILENCE = 60
# Statuses of responses that a job's line counts, with their labels; all but ``error`` only where
# there are some.
REMARKABLE = {
    "error": "failed",
    "empty": "empty",
    "length": "truncated",
    "unfinished": "unfinished",
    "overflow": "too long",
    "refused": "refused",
}
# Further counts of ``response_counts``: all responses, and their tokens.
DONE = "done"
TOKENS = "tokens"
BAR = "{percentage:3.0f} % |{bar:20}| {n_fmt} of {total_fmt} jobs, {elapsed}{postfix}"
# Jobs that the progress bar names; the others are counted.
MOST_RUNNING = 2


@dataclass
class Stage:
    """The jobs of one rule, or of one rule for each benchmark, and those that are done.

    Attributes:
        benchmarks: finished jobs, by the benchmark's title.
        requests: responses and tokens of finished jobs (``response_counts``).
    """

    total: int = 0
    done: int = 0
    benchmarks: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)


class JobLines(logging.Filter, logging.Formatter):
    """Shows a line for each finished stage, in place of Snakemake's five lines for each job.

    A stage is named after its rule, such as ``inference``; ``lifbench_tables`` belongs to stage
    ``tables``. Its line has the finished jobs by benchmark and, of inference, responses and tokens.
    An unfinished stage gets a line after a minute without one. On a terminal, a progress bar
    replaces these lines. A job with failed or otherwise remarkable responses has a line of its own
    (with ``each_job``, all jobs have). Jobs are named after their logs, such as
    ``lifbench/inference/my-model/4k``.

    Snakemake's messages on failed jobs are hidden, since ``failures.FailedJobs`` reports these. The
    number of jobs replaces the table of jobs. All else is shown unchanged, and so is a dry run.
    """

    def __init__(
        self,
        handler: logging.Handler,
        logs: Path,
        dry: Callable[[], bool],
        titles: Mapping[str, str],
        each_job: bool,
    ):
        logging.Filter.__init__(self)
        logging.Formatter.__init__(self)
        self._formatter = handler.formatter or logging.Formatter()
        self._filters: Any = handler.filters
        self._logs = logs
        self._dry = dry
        self._titles = titles
        self._each_job = each_job
        self._stages: dict[str, Stage] = {}
        self._started: dict[int, Any] = {}
        self._finished: list[str] = []
        self._stage_lines: list[str] = []
        self._last_line = monotonic()
        self._stream: Any = getattr(handler, "stream", None)
        self._on_terminal = bool(self._stream and self._stream.isatty())
        self._bar: Any = None

    @classmethod
    def install(
        cls,
        logger: logging.Logger,
        logs: Path,
        dry: Callable[[], bool] = bool,
        titles: Mapping[str, str] = {},
        each_job: bool = False,
    ) -> None:
        """Replaces formatter and filters of Snakemake's handler for the terminal, if there is one.

        ``titles`` are the benchmarks' titles by name.
        """
        for handler in terminal_handlers(logger):
            lines = cls(handler, logs, dry, titles, each_job)
            handler.filters = [lines]
            handler.setFormatter(lines)

    def filter(self, record: Any) -> bool:
        """Whether a record is shown."""
        event = None if self._dry() else getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            self._begin(record.stats)
        elif event == LogEvent.JOB_INFO:
            self._started[record.jobid] = record
        elif event == LogEvent.JOB_FINISHED:
            self._finish(record)
        if event in HIDDEN or (HIDDEN_MESSAGES.match(str(record.msg)) and not self._each_job):
            return False
        is_error = record.levelno >= logging.ERROR  # which --quiet all would hide
        is_shown = is_error or all(record_filter.filter(record) for record_filter in self._filters)
        if is_shown and event == LogEvent.PROGRESS:
            if self._on_terminal:
                self._advance(record)
            is_shown = bool(self._finished or self._stage_lines)
        if is_shown and self._bar:
            self._bar.clear()  # the record stands above it
        return is_shown

    def _begin(self, jobs: Mapping[str, int]) -> None:
        """Notes how many jobs each stage has, from the number of jobs of each rule."""
        self._stages = {}
        for rule, count in jobs.items():
            stage = self._stages.setdefault(self._stage_of(rule)[0], Stage())
            stage.total += count

    def _stage_of(self, rule: str) -> tuple[str, str | None]:
        """A rule's stage, and the title of the benchmark that the rule's name begins with."""
        benchmark, _, stage = rule.partition("_")
        return (stage, self._titles[benchmark]) if benchmark in self._titles else (rule, None)

    def _finish(self, record: Any) -> None:
        """Notes the lines on a finished job and its stage."""
        started = self._started.pop(record.job_id, None)
        if started is None:
            if not self._on_terminal:
                self._finished.append(record.getMessage())
            return
        counts = response_counts(started.output)
        if self._each_job or any(counts[status] for status in REMARKABLE):
            responses = f": {counts_text(counts)}" if counts else ""
            self._finished.append(self._name(started) + responses)
        if self._on_terminal or self._each_job:
            return
        name, title = self._stage_of(str(started.rule_name))
        title = title or self._titles.get(self._name(started).partition("/")[0])
        stage = self._stages.setdefault(name, Stage())
        stage.done += 1
        stage.requests.update(counts)
        if title:
            stage.benchmarks[title] += 1
        makes_something = bool(started.log or started.output)
        is_late = monotonic() - self._last_line > SILENCE
        if makes_something and (stage.done >= stage.total or is_late):
            self._stage_lines.append(stage_line(name, stage, self._titles.values()))
            self._last_line = monotonic()

    def _name(self, started: Any) -> str:
        return named_after(started.log, self._logs) or str(started.rule_name)

    def _advance(self, record: Any) -> None:
        """Moves the progress bar, which names running jobs."""
        from tqdm import tqdm  # loaded only for a terminal

        if self._bar is None:
            self._bar = tqdm(
                total=record.total, file=self._stream, bar_format=BAR, dynamic_ncols=True
            )
        running = [self._name(started) for started in self._started.values()]
        self._bar.n = record.done
        self._bar.set_postfix_str(first_names(running, MOST_RUNNING))
        if record.done >= record.total:
            self._bar.close()

    def format(self, record: Any) -> str:
        """The lines of finished jobs and stages; other records as Snakemake formats them."""
        event = None if self._dry() else getattr(record, "event", None)
        if event == LogEvent.RUN_INFO:
            total = record.stats["total"]
            return f"{total} {'job' if total == 1 else 'jobs'}"
        if event == LogEvent.PROGRESS:
            lines = []
            if self._finished:
                lines.append(f"{record.done} of {record.total} done: {', '.join(self._finished)}")
            lines += self._stage_lines
            self._finished = []
            self._stage_lines = []
            return "\n".join(lines)
        return self._formatter.format(record)


def add_closing_summary(end: Callable[[], str], record: logging.LogRecord) -> bool:
    """A filter that adds the summary of a run with nothing to do, for which there is no hook."""
    if str(record.msg).startswith(NOTHING):
        record.msg = f"{record.msg}\n{end()}"
    return True


class StoppingFilter:
    """A filter that replaces the message on a run that ends after its running jobs, shown once."""

    def __init__(self) -> None:
        self._shown = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is shown."""
        if not str(record.msg).startswith(FINISHING):
            return True
        is_first = not self._shown
        self._shown = True
        record.msg = STOPPING
        return is_first


def response_counts(files: Iterable[str]) -> Counter[str]:
    """The responses of a finished job by status, from their provenance; empty for other jobs."""
    for file in map(str, files):
        record = json.loads(Path(file).read_text("utf-8")) if file.endswith(PROVENANCE) else {}
        if "statuses" in record and "tokens" in record:
            tokens = record["tokens"]
            counts = Counter({**record["statuses"], "empty": record.get("empty", 0)})
            counts[DONE] = sum(record["statuses"].values())
            counts[TOKENS] = (tokens.get("prompt") or 0) + (tokens.get("completion") or 0)
            return counts
    return Counter()


def stage_line(name: str, stage: Stage, titles: Iterable[str]) -> str:
    """The line of a stage: its jobs, by benchmark if all belong to one, responses and tokens.

    >>> stage_line("inference", Stage(2, 2, Counter(LIFBench=2)), ["LIFBench"])
    'inference: 2 jobs done (LIFBench 2)'
    """
    counts = [(title, stage.benchmarks[title]) for title in titles]
    number = str(stage.done) if stage.done >= stage.total else f"{stage.done} of {stage.total}"
    jobs = "job" if number == "1" else "jobs"
    benchmarks = ", ".join(f"{title} {count}" for title, count in counts if count)
    by_benchmark = f" ({benchmarks})" if stage.benchmarks.total() == stage.done else ""
    requests = f"; responses: {counts_text(stage.requests)}" if stage.requests else ""
    return f"{name}: {number} {jobs} done{by_benchmark}{requests}"


def counts_text(counts: Mapping[str, int]) -> str:
    """All responses, those of each remarkable status, and tokens."""
    parts = [f"{counts[DONE]:,} done"]
    for status, label in REMARKABLE.items():
        if counts.get(status) or status == "error":
            parts.append(f"{counts.get(status, 0):,} {label}")
    return ", ".join([*parts, f"{counts[TOKENS]:,} tokens"])
