"""What a run shows while its jobs run: a progress bar on a terminal, elsewhere a line a stage."""

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any, NamedTuple

from snakemake_interface_logger_plugins.common import LogEvent

from steadfast.base.names import some
from steadfast.base.provenance import PROVENANCE
from steadfast.workflow.failures import named_after
from steadfast.workflow.insides import FINISHING, NOTHING, SAYS, terminals

HIDDEN = {
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.JOB_ERROR,
    LogEvent.GROUP_ERROR,
    LogEvent.WORKFLOW_STARTED,
}
SAID_BY_US = re.compile("|".join(pattern for each in SAYS.values() for pattern in each))
"""What this or ``failures.FailedJobs`` says in other words, or what helps no user."""
STOPPING = (
    "Stopping: no new jobs start, and running jobs finish first. Killing them loses only requests "
    "in flight: responses that arrived are in the journal."
)
SILENCE = 60
"""Seconds without a line, after which a stage that goes on says how far it is."""
REMARKABLE = {
    "error": "failed",
    "empty": "empty",
    "length": "truncated",
    "unfinished": "unfinished",
    "overflow": "too long",
    "refused": "refused",
}
"""Answers that a job's line names, those that did not fail only where there are some, by status,
and what it calls them."""
DONE = "done"
TOKENS = "tokens"
"""What ``Answers.counts`` has beside statuses."""
BAR = "{percentage:3.0f} % |{bar:20}| {n_fmt} of {total_fmt} jobs, {elapsed}{postfix}"
MOST_RUNNING = 2
"""Jobs that the progress bar names; of the others it has the number."""


@dataclass
class Stage:
    """The jobs of one rule, or of one for each benchmark, and what they did so far."""

    total: int = 0
    done: int = 0
    benchmarks: Counter[str] = field(default_factory=Counter)
    """Jobs that are done, by the benchmark's title."""
    requests: Counter[str] = field(default_factory=Counter)
    """Responses and tokens of jobs that are done, by their status in ``Answers``."""


class JobLines(logging.Filter, logging.Formatter):
    """Shows a finished stage in one line, in place of the five that Snakemake has for each job.

    A stage is called by its rule, such as ``inference``, and ``lifbench_tables`` is of ``tables``;
    behind it stand its jobs by benchmark and, of inference, responses and tokens. After a minute
    without a line a stage says how far it is. On a terminal a progress bar stands in place of these
    lines. A job with responses that failed or are otherwise remarkable has a line of its own, and
    with ``each_job`` all have; it is called by its log file below the logs' folder, such as
    ``lifbench/inference/my-model/4k``.

    What Snakemake says of jobs that fail is not shown, since ``failures.FailedJobs`` says why they
    do. Of the jobs that there are the number stands in place of a table. All else, and a dry run,
    is shown as it was before.
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
        """Takes over the handler that Snakemake itself has for the terminal, where it has one.

        ``titles`` are those of benchmarks by their names.
        """
        for handler in terminals(logger):
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
        if event in HIDDEN or (SAID_BY_US.match(str(record.msg)) and not self._each_job):
            return False
        is_error = record.levelno >= logging.ERROR  # which --quiet all would hide
        is_shown = is_error or all(record_filter.filter(record) for record_filter in self._filters)
        if is_shown and event == LogEvent.PROGRESS:
            if self._on_terminal:
                self._advance(record)
            is_shown = bool(self._finished or self._stage_lines)
        if is_shown and self._bar:
            self._bar.clear()  # what is said stands above it
        return is_shown

    def _begin(self, jobs: Mapping[str, int]) -> None:
        """Notes how many jobs each stage has, by the number of each rule's."""
        self._stages = {}
        for rule, count in jobs.items():
            stage = self._stages.setdefault(self._stage_of(rule)[0], Stage())
            stage.total += count

    def _stage_of(self, rule: str) -> tuple[str, str | None]:
        """A rule's stage, and the title of the benchmark that is in the rule's name."""
        benchmark, _, stage = rule.partition("_")
        return (stage, self._titles[benchmark]) if benchmark in self._titles else (rule, None)

    def _finish(self, record: Any) -> None:
        """Notes what is to be said of a finished job."""
        started = self._started.pop(record.job_id, None)
        if started is None:
            self._finished += [] if self._on_terminal else [record.getMessage()]
            return
        answers = answered(started.output)
        if answers.is_remarkable or self._each_job:
            self._finished.append(self._name(started) + answers.line)
        if self._on_terminal or self._each_job:
            return
        name, title = self._stage_of(str(started.rule_name))
        title = title or self._titles.get(self._name(started).partition("/")[0])
        stage = self._stages.setdefault(name, Stage())
        stage.done += 1
        stage.requests.update(answers.counts)
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
            total = record.stats["total"]
            return f"{total} {'job' if total == 1 else 'jobs'}"
        if event == LogEvent.PROGRESS:
            lines = self._stage_lines
            self._stage_lines = []
            finished = ", ".join(self._finished)
            self._finished = []
            job_lines = [f"{record.done} of {record.total} done: {finished}"] if finished else []
            return "\n".join([*job_lines, *lines])
        return self._formatter.format(record)


def with_end(end: Callable[[], str], record: logging.LogRecord) -> bool:
    """A filter that adds a run's end where there is nothing to do, of which no hook is told."""
    if str(record.msg).startswith(NOTHING):
        record.msg = f"{record.msg}\n{end()}"
    return True


class Stopping:
    """A filter that says in other words, and once, that a run ends after the jobs under way."""

    def __init__(self) -> None:
        self._said = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is one to be shown."""
        if not str(record.msg).startswith(FINISHING):
            return True
        if self._said:
            return False
        self._said = True
        record.msg = STOPPING
        return True


class Answers(NamedTuple):
    """What stands behind a finished job, whether any of its responses is remarkable, and how many
    there are of each kind."""

    line: str = ""
    is_remarkable: bool = False
    counts: Mapping[str, int] = MappingProxyType({})


def answered(files: Iterable[str]) -> Answers:
    """Returns what stands behind a finished job, by the provenance of its answers."""
    for path in (Path(file) for file in files if str(file).endswith(PROVENANCE)):
        record = json.loads(path.read_text(encoding="utf-8"))
        if "statuses" in record and "tokens" in record:
            statuses = record["statuses"]
            tokens = record["tokens"]
            counted = (tokens.get("prompt") or 0) + (tokens.get("completion") or 0)
            found = {"error": 0, **statuses, "empty": record.get("empty", 0)}
            counts = {**found, DONE: sum(statuses.values()), TOKENS: counted}
            is_remarkable = any(found.get(name) for name in REMARKABLE)
            return Answers(f": {_counted(counts)}", is_remarkable, counts)
    return Answers()


def stage_line(name: str, stage: Stage, titles: Iterable[str]) -> str:
    """What is said of a stage: its jobs, those of each benchmark where all are of one, responses
    and tokens.

    >>> stage_line("inference", Stage(2, 2, Counter(LIFBench=2)), ["LIFBench"])
    'inference: 2 jobs done (LIFBench 2)'
    """
    counts = [(title, stage.benchmarks[title]) for title in titles]
    number = str(stage.done) if stage.done >= stage.total else f"{stage.done} of {stage.total}"
    jobs = "job" if number == "1" else "jobs"
    benchmarks = ", ".join(f"{title} {count}" for title, count in counts if count)
    behind = f" ({benchmarks})" if stage.benchmarks.total() == stage.done else ""
    requests = f"; responses: {_counted(stage.requests)}" if stage.requests else ""
    return f"{name}: {number} {jobs} done{behind}{requests}"


def _counted(counts: Mapping[str, int]) -> str:
    """Responses by their status, those that did not fail only where there are some, and tokens."""
    words = [f"{counts[DONE]:,} done"]
    for status, word in REMARKABLE.items():
        if counts.get(status) or status == "error":
            words.append(f"{counts.get(status, 0):,} {word}")
    return ", ".join([*words, f"{counts[TOKENS]:,} tokens"])
