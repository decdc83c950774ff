"""The models and jobs of a plan: their counts, hours and cost."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.engine_names import BEHIND_APIS, WITHOUT_MODEL
from steadfast.contract.request import Item
from steadfast.engines.asking.journal import final_tiers
from steadfast.engines.base import Engine, Setup, build_engine
from steadfast.engines.cost import expected
from steadfast.engines.cost.forecast import CachedTokenizer, Work, misfits, plan_part
from steadfast.engines.cost.options import COSTS, SUMS, once, option_records
from steadfast.engines.fit import reckoned
from steadfast.jobs.job import MODELS, REWRITERS, Job, Journals
from steadfast.plan.page import ESTIMATE

# Keys of a row of the plan; a judge's row has its jobs for all models.
KEYS = ["benchmark", "role", "model", "part"]
REMAINING = ("remaining_prompt_tokens", "remaining_distinct_tokens", "remaining_output_budget")
HOURS = ("hours", "gpu_hours", "load_gpu_hours", "requested_gpu_hours")
NOTHING = Work(0, 0, 0, 0)


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

    def of_part(
        self,
        items: Sequence[Item],
        known: Collection[str],
        tokenizers: dict[str, CachedTokenizer],
        load: str | None = None,
    ) -> tuple[Record, list[tuple[str, str, int, int]]]:
        """The counts of a part (``engines.cost.forecast``), and its misfits.

        Args:
            load: name of the shared load, whose parts go in one pass (``engines.asking.joint``).
        """
        answers = self.answers
        if self.engine and self.engine.tokenizer:
            name = "own"
            estimated = False
            tokenizer = CachedTokenizer(self.engine.tokenizer)
        else:
            # Shared by the models of a part, whose prompts are the same.
            name, estimated = _tokenizer(answers)
            if name not in tokenizers:
                tokenizers[name] = CachedTokenizer(load_tokenizer(name))
            tokenizer = tokenizers[name]
        requests, template = reckoned(self.name, self.engine, answers, items, tokenizer)
        computed = self.prefixes.setdefault(load, {}) if load else {}
        counts = plan_part(requests, known, tokenizer, template, computed)
        counts |= {"engine": answers["engine"], "tokenizer": name, "estimated": estimated}
        counts["options"] = []
        if price := self.plan["price"]:
            counts["options"] = option_records(
                once(requests), known, tokenizer.count, template, answers, price, self.plan["how"]
            )
        return counts, list(misfits(requests, answers.get("on_overflow") or "error"))

    def taken(self, remaining: Work, options: Sequence[Record]) -> Record:
        """Tokens, hours and cost of work, and the source of its speed."""
        speed = self.speed
        hours = speed.seconds(remaining) / 3600 if speed else None
        # The first option is the configured one.
        costs = options[0] if options else dict.fromkeys(SUMS)
        return {
            "remaining_prompt_tokens": remaining.prompt,
            "remaining_distinct_tokens": remaining.distinct,
            "remaining_output_budget": remaining.output,
            "hours": hours,
            "gpu_hours": None if hours is None else hours * self.gpus,
            "speed": speed.source if speed else None,
            **{name: costs[name] for name in SUMS},
        }

    def requested(self, works: Sequence[Work]) -> tuple[list[Record], str]:
        """GPU-hours that the jobs of one load request, and a remark where they exceed the limit."""
        speed = self.speed
        jobs = len(works)
        needed = [expected.job_minutes(work, speed, jobs, self.plan["hours"]) for work in works]
        most_hours = self.hardware["max_hours"]
        requested = expected.within_most(needed, most_hours)
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


def _tokenizer(answers: Settings) -> tuple[str, bool]:
    """The tiktoken encoding that counts, and whether it only approximates the model's own."""
    name = answers.get("tokenizer") or ESTIMATE
    try:
        load_tokenizer(name)
    except UserError:
        return ESTIMATE, True
    return name, answers["engine"] not in WITHOUT_MODEL | BEHIND_APIS


@dataclass
class PlannedJob:
    """One job of the plan, with its counts once its prompts are read.

    Attributes:
        replay: the file with its responses, for engine replay.
        load: the load that still has to run it; None: its outputs exist.
        work: that the job requests time for.
        judges: whose responses a judge judges, as text.
        unanswered: for each repeat the samples without a response of the model.
    """

    job: Job
    model: PlannedModel
    replay: str | None = None
    load: str | None = None
    counts: Record = field(default_factory=dict)
    work: Work = NOTHING
    judges: str = ""
    unanswered: Sequence[frozenset[str]] = ()

    @property
    def rewrites(self) -> bool:
        """Whether it is a rewriter's job."""
        return self.job.role == REWRITERS

    def evaluates(self, benchmark: str, part: str) -> bool:
        """Whether a model or judge is queried about this part."""
        return (self.job.benchmark, self.job.part) == (benchmark, part) and not self.rewrites

    @property
    def place(self) -> Record:
        """Its values of ``KEYS``."""
        job = self.job
        return dict(zip(KEYS, (job.benchmark, job.role, job.name, job.part), strict=True))

    @property
    def row(self) -> Record:
        """Its row in the plan."""
        counts = self.counts
        if self.answered:  # all its verdicts exist, and none is requested
            nothing = dict.fromkeys(COSTS, 0.0)
            counts |= {"cached": counts["requests"], "remaining": 0, "remaining_work": NOTHING}
            counts["options"] = [option | nothing for option in counts["options"]]
        duration = self.model.taken(counts["remaining_work"], counts["options"])
        return self.place | {"judges": self.judges} | counts | duration

    @property
    def option_rows(self) -> list[Record]:
        """The cost of each pricing option, the configured one first."""
        if self.answered:
            return []
        rows = []
        for number, option in enumerate(self.counts["options"]):
            rows.append(self.place | option | {"configured": number == 0})
        return rows

    @property
    def answered(self) -> bool:
        """Whether a judge's verdicts exist already."""
        return self.load is None and bool(self.job.judge)

    def count(
        self, items: Sequence[Item], journal: Path | None, tokenizers: dict[str, CachedTokenizer]
    ) -> list[tuple[str, str, int, int]]:
        """Counts the requests; returns the prompts that are truncated or do not fit."""
        cached = final_tiers(journal) if journal else ()
        load = self.load if self.job.role == MODELS else None
        self.counts, misfits = self.model.of_part(items, cached, tokenizers, load)
        return misfits


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
    for fields, *further in jobs:
        job = Job(*fields)
        if model := models.get((job.role, job.name)):
            jobs_of_models.append(PlannedJob(job, model, *further))
    benchmarks = list(dict.fromkeys(planned.job.benchmark for planned in jobs_of_models))
    order = list(models)

    def sort_key(planned: PlannedJob) -> tuple[bool, int, int]:
        job = planned.job
        model = order.index((job.role, job.name))
        return planned.rewrites, benchmarks.index(job.benchmark), model

    return sorted(jobs_of_models, key=sort_key)  # stable: parts keep their order
