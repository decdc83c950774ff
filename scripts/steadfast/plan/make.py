"""Rule plan: requests, tokens, hours and cost of models, judges and rewriters; nothing is sent."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.files import Record, Settings, write_rows, write_text
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, Sample, component
from steadfast.contract.part_files import PartFiles, judge_items, read_judge_prompts
from steadfast.contract.request import ANSWERED, Item
from steadfast.engines.base import Setup
from steadfast.engines.cost.forecast import (
    COUNTS,
    LEFT_OUT,
    CachedTokenizer,
    Work,
    evaluation_work,
    judging_work,
)
from steadfast.engines.cost.options import COSTS, SUMS
from steadfast.engines.simulated import ReplayEngine
from steadfast.jobs.job import MODELS
from steadfast.judging.ask_judge import judge_prompts_of, load_templates
from steadfast.plan.model import HOURS, KEYS, REMAINING, PlannedJob, planned_jobs
from steadfast.plan.page import adaptive_section, plan_page
from steadfast.plan.power_analysis import COLUMNS as POWER_COLUMNS
from steadfast.plan.power_analysis import power_analysis
from steadfast.show.roster import trial_remark
from steadfast.workflow.script import run_rule

ANSWER_TOKENS = 500
"""Assumed length of a response that is still to be judged."""
SHARED = ["judges", "engine", "speed", "tokenizer", "estimated"]
"""Columns that are the same for all jobs of a row."""
COLUMNS = (
    *KEYS, "judges", "engine", *COUNTS, *REMAINING, *HOURS, "speed", *SUMS, "tokenizer",
    "estimated",
)  # fmt: skip
OPTION_COLUMNS = (*KEYS, "option", "configured", *COSTS)
MISFIT_COLUMNS = (
    "benchmark", "model", "part", "sample_id", "what", "prompt_tokens", "prompt_truncated_tokens",
)  # fmt: skip


@dataclass(frozen=True)
class PlannedBenchmark:
    """The plan's input of a benchmark: parts, prompts, data, judge prompts, power analysis.

    Attributes:
        parts: by name the tokens of a context, the path of the prompts, and the data files, each
            with its kind and name.
        rounds: maximum rounds of an adaptive run.
    """

    results: Path
    name: str
    samples: Sequence[Any]
    parts: Mapping[str, tuple[int, str, Sequence[tuple[str, str, str]]]]
    judge_prompts: Sequence[Any] | None
    templates: Mapping[str, str]
    power_analysis: Settings | None = None
    rounds: int | None = None

    @property
    def files(self) -> list[PartFiles]:
        """The files of each part."""
        part_files = []
        for name, (_, prompts, sources) in self.parts.items():
            paths = [(kind, source, self.results / path) for kind, source, path in sources]
            part_files.append(PartFiles(name, self.samples, self.results / prompts, paths))
        return part_files


def make_plan(
    benchmarks: Sequence[PlannedBenchmark],
    rounds: Mapping[str, Mapping[str, str]],
    jobs: Sequence[PlannedJob],
    results: Path,
    unplanned: Sequence[str] = (),
    data_notes: Sequence[str] = (),
    limit: int | None = None,
) -> None:
    """Writes plan.csv with a row for each model, judge and rewriter and part, and plan.md.

    Args:
        benchmarks: whose prompts exist.
        rounds: for each benchmark with rewriting the paths of the requests of each round that can
            be made already.
        jobs: of all models, judges and rewriters.
        unplanned: benchmarks whose prompts wait for rewriters' replies.
        data_notes: remarks on the data of each benchmark.
        limit: of a trial.
    """
    folder = results / "plan"
    misfits: list[Record] = []
    power_rows: list[Record] = []
    sections: list[str] = []
    for benchmark in benchmarks:
        benchmark_jobs = [job for job in jobs if job.job.benchmark == benchmark.name]
        for part in benchmark.files:
            part_jobs = [
                job for job in benchmark_jobs if job.job.part == part.name and not job.rewrites
            ]
            samples = part.read()
            # Judges' prompts depend on which samples have a response: models come first.
            misfits += _count_answers(part_jobs, benchmark, part, samples)
            _count_verdicts(part_jobs, benchmark, samples)
        if benchmark.power_analysis:
            metrics = results / benchmark.name / "metrics"
            rows, lines = power_analysis(benchmark.name, metrics, **benchmark.power_analysis)
            power_rows += rows
            sections += lines
        if benchmark.rounds:
            sections += adaptive_section(benchmark.name, benchmark.rounds)
    for name, paths in rounds.items():
        rewriting_jobs = [job for job in jobs if job.job.benchmark == name and job.rewrites]
        _count_rewrites(rewriting_jobs, paths, results)
    counted_jobs = [job for job in jobs if job.counts]
    remarks = _request_hours(counted_jobs)
    frame = plan_frame([job.row for job in counted_jobs])
    options: list[Record] = []
    for job in counted_jobs:
        options += job.option_rows
    write_rows(folder / "plan.csv", COLUMNS, _records(frame))
    write_rows(folder / "options.csv", OPTION_COLUMNS, options)
    write_rows(folder / "misfits.csv", MISFIT_COLUMNS, misfits)
    if any(benchmark.power_analysis for benchmark in benchmarks):
        write_rows(folder / "power_analysis.csv", POWER_COLUMNS, power_rows)
    notes = [note for note in (trial_remark(limit), *data_notes) if note]
    page = plan_page(
        _records(frame), _records(summed(frame)), options, misfits, notes, remarks, unplanned
    )
    write_text(folder / "plan.md", "\n".join([*page, *sections]) + "\n")


def _count_answers(
    jobs: Sequence[PlannedJob],
    benchmark: PlannedBenchmark,
    part: PartFiles,
    samples: Sequence[Sample],
) -> list[Record]:
    """Counts models' requests; returns the prompts that are truncated or do not fit."""
    tokenizers: dict[str, CachedTokenizer] = {}
    misfit_rows = []
    items: dict[int, list[Item]] = {}
    for job in jobs:
        if job.job.role != MODELS:
            continue
        repeats = job.model.repeats
        if repeats not in items:
            repeated = samples if repeats == 1 else part.read(repeats)
            items[repeats] = [part.joined.item(sample) for sample in repeated]
        misfits = job.count(items[repeats], benchmark.results / job.job.journal, tokenizers)
        context_tokens = benchmark.parts[part.name][0]
        job.work = evaluation_work(part.prompts, context_tokens, job.model.answers)
        for misfit in misfits:
            row = (benchmark.name, job.job.name, part.name, *misfit)
            misfit_rows.append(dict(zip(MISFIT_COLUMNS, row, strict=True)))
        skipped = {sample for sample, outcome, *_ in misfits if outcome == LEFT_OUT}
        job.unanswered = [frozenset(skipped.union(names)) for names in _missing(job, samples)]
    return misfit_rows


def _count_verdicts(
    jobs: Sequence[PlannedJob], benchmark: PlannedBenchmark, samples: Sequence[Sample]
) -> None:
    """Counts judges' requests about the responses that models would give.

    The responses do not exist yet: models with responses to the same samples have the same judge
    prompts, which are counted once for each judge.
    """
    tokenizers: dict[str, CachedTokenizer] = {}
    model_jobs = {job.job.model: job for job in jobs if job.job.role == MODELS}
    jobs_by_judge: dict[str, list[PlannedJob]] = defaultdict(list)
    for job in jobs:
        if job.job.judge:
            jobs_by_judge[job.job.judge].append(job)
    prompts: dict[frozenset[str], list[JudgePrompt]] = {}  # by the samples without a response
    for judge_jobs in jobs_by_judge.values():
        judged = [model_jobs[job.job.model] for job in judge_jobs]
        text = f"{len(judged)} models' responses" if judged[1:] else "1 model's responses"
        if any(job.model.repeats > 1 for job in judged):
            text += ", at most"  # equal responses are judged once
        counted: dict[frozenset[str], Record] = {}
        for job, model_job in zip(judge_jobs, judged, strict=True):
            for unanswered in model_job.unanswered:
                if unanswered not in prompts:
                    prompts[unanswered] = _judge_prompts(benchmark, samples, unanswered)
                if unanswered not in counted:
                    job.count(
                        judge_items(prompts[unanswered], repeats=job.model.repeats),
                        None,
                        tokenizers,
                    )
                    work = judging_work(map(asdict, prompts[unanswered]), job.model.answers)
                    counted[unanswered] = job.counts | {"work": work}
            job.judges = text
            job.counts = _summed([counted[unanswered] for unanswered in model_job.unanswered])
            job.work = job.counts["work"]


def _count_rewrites(jobs: Sequence[PlannedJob], paths: Mapping[str, str], results: Path) -> None:
    """Counts rewriters' requests in the rounds that can be made already."""
    tokenizers: dict[str, CachedTokenizer] = {}
    for job in jobs:
        if job.job.part in paths:
            path = results / paths[job.job.part]
            items = judge_items(read_judge_prompts(path))
            job.count(items, results / job.job.journal, tokenizers)
            job.work = evaluation_work(path, 0, job.model.answers)


def _request_hours(jobs: Iterable[PlannedJob]) -> list[str]:
    """Adds the hours that the jobs of each load request; returns remarks on exceeded limits."""
    loads: dict[str, list[PlannedJob]] = defaultdict(list)
    for job in jobs:
        if job.load is not None and job.model.gpus:
            loads[job.load].append(job)
    remarks = []
    for load_jobs in loads.values():
        hours, remark = load_jobs[0].model.requested([job.work for job in load_jobs])
        for job, job_hours in zip(load_jobs, hours, strict=True):
            job.counts |= job_hours
        remarks.append(remark)
    return list(dict.fromkeys(filter(None, remarks)))


def plan_frame(rows: Sequence[Record]) -> pd.DataFrame:
    """The plan's rows (``COLUMNS``), with one row for all models that a judge judges."""
    floats = [*HOURS, *SUMS]
    sums = [*COUNTS, *REMAINING, *floats]
    frame = pd.DataFrame(rows, columns=[*KEYS, *SHARED, *sums])
    by_key = frame.astype(dict.fromkeys(floats, float)).groupby(KEYS, sort=False)
    return by_key[sums].sum(min_count=1).join(by_key[SHARED].first()).reset_index()


def summed(frame: pd.DataFrame) -> pd.DataFrame:
    """The plan's sums over parts, by benchmark, model and role."""
    keys = ["benchmark", "model", "role", "engine"]
    sums = ["requests", "cached", "remaining", *REMAINING, *HOURS, *COSTS]
    return frame.groupby(keys, sort=False)[sums].sum(min_count=1).reset_index()


def _records(frame: pd.DataFrame) -> list[Record]:
    """A frame's rows, with None where there is no value."""
    rows: list[Record] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows


def _summed(counts: Sequence[Record]) -> Record:
    """The counts of a judge, summed over the repeats of one model's responses."""
    works = {
        name: Work.sum([repeat[name] for repeat in counts]) for name in ("remaining_work", "work")
    }
    numbers = {name: sum(repeat[name] for repeat in counts) for name in COUNTS}
    options = []
    # For each pricing option its record of each repeat.
    for records in zip(*(repeat["options"] for repeat in counts), strict=True):
        sums = {name: sum(record[name] for record in records) for name in SUMS}
        options.append({**records[0], **sums})
    return {**counts[0], **numbers, **works, "options": options}


def _missing(job: PlannedJob, samples: Iterable[Sample]) -> list[Collection[str]]:
    """For each repeat the samples without a response in the file of a replayed model."""
    model = job.model
    if job.replay is None:
        return [()] * model.repeats
    engine = ReplayEngine(Setup(model.answers, {"file": job.replay}))
    names = [sample.id for sample in samples]
    return [
        {name for name in names if engine.response(name, repeat).status not in ANSWERED}
        for repeat in range(model.repeats)
    ]


def _judge_prompts(
    benchmark: PlannedBenchmark, samples: Sequence[Sample], unanswered: Collection[str]
) -> list[JudgePrompt]:
    """The judge prompts if every response had ``ANSWER_TOKENS``."""
    make_prompts: JudgePrompts = component(benchmark.judge_prompts or ()).make()
    # One token each in o200k_base, and about as many with other tokenizers. The number at the end
    # keeps requests apart that differ in the response alone.
    text = " word" * (ANSWER_TOKENS - 1)
    answers: dict[str, Answer] = {}
    for number, sample in enumerate(samples):
        before = answers[sample.before.id] if sample.before else None
        missing = sample.id in unanswered or (before and not before.answered)
        response = f"{text} {number}"
        answers[sample.id] = Answer("overflow" if missing else "ok", response, before=before)
    templates = load_templates(make_prompts, benchmark.templates, benchmark.results)
    return list(judge_prompts_of(make_prompts, templates, samples, answers))


if job := globals().get("snakemake"):
    params = job.params
    who = params.who
    results = Path(job.output.page).parents[1]
    run_rule(
        make_plan,
        job,
        # Params that only trigger a new plan: journals that grew, comparisons that changed.
        read=("hardware", "journals", "pilot", "planned", "who"),
        engines=[job.config[role][name] for role, named in who.items() for name in named],
        benchmarks=[PlannedBenchmark(results, **benchmark) for benchmark in params.planned],
        jobs=planned_jobs(params.jobs, who, params.hardware, results),
        results=results,
    )
