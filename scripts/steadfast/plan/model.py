"""The models and jobs of a plan: their counts, hours and cost."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.engine_names import BEHIND_APIS, WITHOUT_MODEL
from steadfast.contract.request import Item, Request, distinct_requests
from steadfast.engines.base import Engine, Setup, build_engine
from steadfast.engines.cost import expected
from steadfast.engines.cost.forecast import CachedTokenizer, Work, plan_part
from steadfast.engines.cost.options import SUMS, option_records
from steadfast.engines.fit import estimated_requests
from steadfast.jobs.job import REWRITERS, Job, Journals
from steadfast.plan.page import ESTIMATE

# Keys of a row of the plan; a judge's row has its jobs for all models.
KEYS = ["benchmark", "role", "model", "part"]
NOTHING = Work(0, 0)


class Counted(NamedTuple):
    """Requests of a job: its row in the plan, the cost of each pricing option, and themselves."""

    row: Record
    options: list[Record]
    requests: list[Request]


@cache
def shared_tokenizer(name: str) -> CachedTokenizer:
    """A tokenizer that models share; its counts are of one part (``cache_clear``)."""
    return CachedTokenizer(load_tokenizer(name))


@dataclass(frozen=True)
class PlannedModel:
    """A model, judge or rewriter of the plan: its settings and its engine."""

    name: str
    answers: Settings
    plan: Settings
    hardware: Settings = field(default_factory=dict)
    folders: Iterable[Path] = ()
    prefixes: dict[str, dict[str, int]] = field(default_factory=dict)
    """By load: prefixes that parts counted so far compute, with their tokens."""

    @property
    def gpus(self) -> int:
        """GPUs of a job."""
        return int(self.plan["gpus"])

    @property
    def repeats(self) -> int:
        """Responses requested for each prompt."""
        return self.answers.get("repeats") or 1

    @cached_property
    def speed(self) -> expected.Speed | None:
        """Its expected speed; None where unknown."""
        if self.answers["engine"] in WITHOUT_MODEL:
            return None
        runs = expected.past_runs(self.folders, self.gpus // self.plan["copies"])
        return expected.speed(self.plan, runs)

    @cached_property
    def engine(self) -> Engine | None:
        """Its engine, never started; None without a model, or for one not on this machine."""
        if self.answers["engine"] in WITHOUT_MODEL:
            return None
        try:
            return build_engine(Setup(self.answers))
        except UserError:  # such as a local model on another machine
            return None

    def count(
        self, items: Sequence[Item], cached: Collection[str] | None, load: str | None = None
    ) -> Counted:
        """The requests of a part, with their tokens, hours and cost.

        Args:
            cached: hashes of the requests with a response; None: all have one.
            load: name of the shared load, whose parts go in one pass (``engines.sending.joint``).
        """
        name, estimated, tokenizer = self._tokenizer
        requests, template = estimated_requests(
            self.name, self.engine, self.answers, items, tokenizer
        )
        if cached is None:
            cached = {request.hash for request in requests}
        computed = self.prefixes.setdefault(load, {}) if load else {}
        counts = plan_part(requests, cached, tokenizer, template, computed)
        options = []
        if price := self.plan["price"]:
            sent = distinct_requests(requests)
            how = self.plan["how"]
            options = option_records(sent, cached, tokenizer.count, self.answers, price, how)
        speed = self.speed
        remaining = Work(counts["remaining_distinct_tokens"], counts["remaining_output_budget"])
        hours = speed.seconds(remaining) / 3600 if speed else None
        # The first option is the configured one.
        costs = options[0] if options else dict.fromkeys(SUMS)
        row = counts | {
            "engine": self.answers["engine"],
            "tokenizer": name,
            "estimated": estimated,
            "hours": hours,
            "gpu_hours": None if hours is None else hours * self.gpus,
            "speed": speed.source if speed else None,
            **{name: costs[name] for name in SUMS},
        }
        return Counted(row, options, requests)

    @property
    def _tokenizer(self) -> tuple[str, bool, CachedTokenizer]:
        """Its tokenizer with its name, and whether it only approximates the model's own."""
        if self.engine and self.engine.tokenizer:
            return "own", False, CachedTokenizer(self.engine.tokenizer)
        name = self.answers.get("tokenizer") or ESTIMATE
        estimated = self.answers["engine"] not in WITHOUT_MODEL | BEHIND_APIS
        try:
            return name, estimated, shared_tokenizer(name)
        except UserError:
            return ESTIMATE, True, shared_tokenizer(ESTIMATE)

    def requested(self, works: Sequence[Work]) -> tuple[list[Record], str]:
        """GPU-hours that the jobs of one load request, and a remark where they exceed the limit."""
        speed = self.speed
        jobs = len(works)
        needed = [expected.job_minutes(work, speed, jobs, self.plan["hours"]) for work in works]
        most_hours = self.hardware["max_hours"]
        requested = expected.limited_minutes(needed, most_hours)
        # The jobs of a load share the time that loading takes.
        load_hours = speed.load / jobs * self.gpus / 3600 if speed else None
        rows: list[Record] = []
        for minutes in requested:
            gpu_hours = minutes * self.gpus / 60
            rows.append({"load_gpu_hours": load_hours, "requested_gpu_hours": gpu_hours})
        if requested == needed:
            return rows, ""
        return rows, (
            f"{self.name}: the jobs of one model load need {sum(needed) / 60:.1f} hours, more than "
            f"hardware.max_hours; they request {most_hours:g}, and retries continue where the time "
            "limit ends a job. Lower parts_per_load or more GPUs make jobs shorter"
        )


@dataclass
class PlannedJob:
    """One job of the plan, with its rows once its prompts are read.

    Attributes:
        load: the load that still has to run it; None: its outputs exist.
        rows: of its requests; a judge's job has a row for each repeat of the model's responses.
        options: the cost of each pricing option, for each of these rows.
        work: that the job requests time for.
        skipped: samples whose prompts do not fit the model's window, and so are not sent.
        response_numbers: of a model's job, a number for each response, equal for equal ones.
    """

    job: Job
    model: PlannedModel
    load: str | None = None
    rows: list[Record] = field(default_factory=list)
    options: list[Record] = field(default_factory=list)
    work: Work = NOTHING
    skipped: frozenset[str] = frozenset()
    response_numbers: tuple[int, ...] = ()

    @property
    def rewrites(self) -> bool:
        """Whether it is a rewriter's job."""
        return self.job.role == REWRITERS

    @property
    def judged(self) -> bool:
        """Whether it is a judge's job whose verdicts exist already."""
        return self.load is None and bool(self.job.judge)

    def evaluates(self, benchmark: str, part: str) -> bool:
        """Whether a model or judge is queried about this part."""
        return (self.job.benchmark, self.job.part) == (benchmark, part) and not self.rewrites

    def add(self, counted: Counted, work: Work, judges: str = "") -> None:
        """Adds requests with their estimated work; ``judges``: the responses judged."""
        job = self.job
        values = (job.benchmark, job.role, job.name, job.part)
        keys: Record = dict(zip(KEYS, values, strict=True))
        self.rows.append(keys | {"judges": judges} | counted.row)
        if not self.judged:
            self.options += [keys | option for option in counted.options]
        self.work = Work(self.work.distinct + work.distinct, self.work.output + work.output)


def planned_jobs(
    jobs: Sequence[Sequence[Any]],
    who: Mapping[str, Mapping[str, Settings]],
    hardware: Settings,
    results: Path,
) -> list[PlannedJob]:
    """The jobs (``Loads.planned``) in the order in which they are shown."""
    models: dict[tuple[str, str], PlannedModel] = {}
    for role, settings_by_name in who.items():
        for name, settings in settings_by_name.items():
            folders = Journals(results, role, name)
            models[role, name] = PlannedModel(name, **settings, hardware=hardware, folders=folders)
    jobs_of_models: list[PlannedJob] = []
    for fields, load in jobs:
        job = Job(*fields)
        if model := models.get((job.role, job.name)):
            jobs_of_models.append(PlannedJob(job, model, load))
    benchmarks = list(dict.fromkeys(planned.job.benchmark for planned in jobs_of_models))
    order = list(models)

    def sort_key(planned: PlannedJob) -> tuple[bool, int, int]:
        job = planned.job
        model = order.index((job.role, job.name))
        return planned.rewrites, benchmarks.index(job.benchmark), model

    return sorted(jobs_of_models, key=sort_key)  # stable: parts keep their order
