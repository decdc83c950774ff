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
from steadfast.engines.cost.forecast import (
    COUNTS,
    LEFT_OUT,
    Work,
    evaluation_work,
    judging_work,
    misfits,
)
from steadfast.engines.cost.options import COSTS, SUMS
from steadfast.engines.sending.journal import final_tiers
from steadfast.jobs.job import MODELS
from steadfast.judging.judge_prompts import judge_prompts_of, load_templates
from steadfast.plan.model import KEYS, Counted, PlannedJob, planned_jobs, shared_tokenizer
from steadfast.plan.page import HOURS, adaptive_section, plan_page
from steadfast.plan.power_analysis import POWER_COLUMNS, power_analysis
from steadfast.show.roster import trial_remark
from steadfast.stats.tidy import records
from steadfast.workflow.script import run_rule

# Assumed length of a response that is still to be judged.
ANSWER_TOKENS = 500
# Columns that are the same for all jobs of a row.
SHARED = ["judges", "engine", "speed", "tokenizer", "estimated"]
COLUMNS = (
    *KEYS, "judges", "engine", *COUNTS, *HOURS, "speed", *SUMS, "tokenizer", "estimated",
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
    misfit_rows: list[Record] = []
    power_rows: list[Record] = []
    sections: list[str] = []
    for benchmark in benchmarks:
        for part in benchmark.files:
            shared_tokenizer.cache_clear()  # models of a part share its prompts, and parts do not
            part_jobs = [job for job in jobs if job.evaluates(benchmark.name, part.name)]
            # Judges' prompts depend on which samples have a response: models come first.
            misfit_rows += _count_answers(part_jobs, benchmark, part)
            _count_verdicts(part_jobs, benchmark, part)
        if benchmark.power_analysis:
            metrics = results / benchmark.name / "metrics"
            needs, lines = power_analysis(benchmark.name, metrics, **benchmark.power_analysis)
            power_rows += needs
            sections += lines
        if benchmark.rounds:
            sections += adaptive_section(benchmark.name, benchmark.rounds)
    _count_rewrites(jobs, rounds, results)
    remarks = _request_hours(jobs)
    rows: list[Record] = []
    option_rows: list[Record] = []
    for job in jobs:
        rows += job.rows
        option_rows += job.options
    frame = plan_frame(rows)
    options = _option_frame(option_rows)
    write_rows(folder / "plan.csv", COLUMNS, records(frame))
    write_rows(folder / "options.csv", OPTION_COLUMNS, records(options))
    write_rows(folder / "misfits.csv", MISFIT_COLUMNS, misfit_rows)
    if any(benchmark.power_analysis for benchmark in benchmarks):
        write_rows(folder / "power_analysis.csv", POWER_COLUMNS, power_rows)
    notes = filter(None, (trial_remark(limit), *data_notes))
    page = plan_page(frame, options, misfit_rows, notes, remarks, unplanned)
    write_text(folder / "plan.md", "\n".join([*page, *sections]) + "\n")


def _count_answers(
    jobs: Sequence[PlannedJob], benchmark: PlannedBenchmark, part: PartFiles
) -> list[Record]:
    """Counts models' requests; returns the prompts that are truncated or do not fit."""
    misfit_rows = []
    models = [job for job in jobs if job.job.role == MODELS]
    repeats = max((job.model.repeats for job in models), default=1)
    # Repeat after repeat, each of all prompts.
    samples = part.read(repeats)
    items = list(map(part.joined.item, samples))
    prompts = len(items) // repeats
    for job in models:
        cached = final_tiers(benchmark.results / job.job.journal)
        counted = job.model.count(items[: prompts * job.model.repeats], cached, job.load)
        context_tokens = benchmark.parts[part.name][0]
        job.add(counted, evaluation_work(part.prompts, context_tokens, job.model.answers))
        hashes = [request.hash for request in counted.requests[:prompts]]
        job.response_numbers = response_numbers(samples[:prompts], hashes)
        keys = {"benchmark": benchmark.name, "model": job.job.name, "part": part.name}
        skipped = set()
        for misfit in misfits(counted.requests, job.model.answers.get("on_overflow") or "error"):
            misfit_rows.append(keys | misfit)
            if misfit["what"] == LEFT_OUT:
                skipped.add(misfit["sample_id"])
        job.skipped = frozenset(skipped)
    return misfit_rows


def response_numbers(samples: Sequence[Sample], hashes: Sequence[str]) -> tuple[int, ...]:
    """A number for each sample's response: equal requests have one response.

    The hash of a conversation's later turn is without the earlier responses.
    """
    numbers: dict[tuple[int | None, str], int] = {}
    by_sample: dict[str, int] = {}
    for sample, request_hash in zip(samples, hashes, strict=True):
        earlier = by_sample[sample.before.id] if sample.before else None
        by_sample[sample.id] = numbers.setdefault((earlier, request_hash), len(numbers))
    return tuple(by_sample.values())


def _count_verdicts(
    jobs: Sequence[PlannedJob], benchmark: PlannedBenchmark, part: PartFiles
) -> None:
    """Counts judges' requests about the responses that models would give.

    The responses do not exist yet: models that skip the same samples, and have one response to the
    same ones, have the same judge prompts, which are counted once for each judge.
    """
    model_jobs = {job.job.model: job for job in jobs if job.job.role == MODELS}
    jobs_by_judge: dict[str, list[PlannedJob]] = defaultdict(list)
    for job in jobs:
        if job.job.judge:
            jobs_by_judge[job.job.judge].append(job)
    samples = part.read() if jobs_by_judge else []
    # By the skipped samples and the responses' numbers.
    prompts: dict[tuple[frozenset[str], tuple[int, ...]], list[JudgePrompt]] = {}
    for judge_jobs in jobs_by_judge.values():
        judged = [model_jobs[job.job.model] for job in judge_jobs]
        text = f"{len(judged)} models' responses" if len(judged) > 1 else "1 model's responses"
        if max(job.model.repeats for job in judged) > 1:
            text += ", at most"  # equal responses are judged once
        counted: dict[tuple[Any, bool], tuple[Counted, Work]] = {}
        for job, model_job in zip(judge_jobs, judged, strict=True):
            responses = (model_job.skipped, model_job.response_numbers)
            if responses not in prompts:
                prompts[responses] = _judge_prompts(benchmark, samples, *responses)
            key = (responses, job.judged)
            if key not in counted:
                items = judge_items(prompts[responses], repeats=job.model.repeats)
                # Not by the journal: verdicts on assumed responses cannot be cached.
                requests = job.model.count(items, None if job.judged else ())
                work = judging_work(map(asdict, prompts[responses]), job.model.answers)
                counted[key] = (requests, work)
            for _ in range(model_job.model.repeats):
                job.add(*counted[key], text)


def _count_rewrites(
    jobs: Sequence[PlannedJob], rounds: Mapping[str, Mapping[str, str]], results: Path
) -> None:
    """Counts rewriters' requests in the rounds that can be made already."""
    for job in jobs:
        requests = rounds.get(job.job.benchmark, {}).get(job.job.part)
        if job.rewrites and requests:
            path = results / requests
            items = judge_items(read_judge_prompts(path))
            counted = job.model.count(items, final_tiers(results / job.job.journal))
            job.add(counted, evaluation_work(path, 0, job.model.answers))


def _request_hours(jobs: Iterable[PlannedJob]) -> list[str]:
    """Adds the hours that the jobs of each load request; returns remarks on exceeded limits."""
    loads: dict[str, list[PlannedJob]] = defaultdict(list)
    for job in jobs:
        if job.load is not None and job.model.gpus and job.rows:  # else it is not planned
            loads[job.load].append(job)
    remarks = []
    for load_jobs in loads.values():
        hours, remark = load_jobs[0].model.requested([job.work for job in load_jobs])
        for job, job_hours in zip(load_jobs, hours, strict=True):
            job.rows[0] |= job_hours
        remarks.append(remark)
    return list(dict.fromkeys(filter(None, remarks)))


def plan_frame(rows: Sequence[Record]) -> pd.DataFrame:
    """The plan's rows (``COLUMNS``), with one row for all models that a judge judges."""
    floats = [*HOURS, *SUMS]
    sums = [*COUNTS, *floats]
    frame = pd.DataFrame(rows, columns=[*KEYS, *SHARED, *sums])
    by_key = frame.astype(dict.fromkeys(floats, float)).groupby(KEYS, sort=False)
    return by_key[sums].sum(min_count=1).join(by_key[SHARED].first()).reset_index()


def _option_frame(rows: Sequence[Record]) -> pd.DataFrame:
    """The cost of each pricing option (``OPTION_COLUMNS``), the configured one first."""
    keys = [*KEYS, "option", "configured"]
    frame = pd.DataFrame(rows, columns=[*keys, *COSTS])
    return frame.groupby(keys, sort=False)[list(COSTS)].sum().reset_index()


def _judge_prompts(
    benchmark: PlannedBenchmark,
    samples: Sequence[Sample],
    skipped: Collection[str],
    numbers: Sequence[int],
) -> list[JudgePrompt]:
    """The judge prompts if every response had ``ANSWER_TOKENS``, without those of some samples.

    Responses with the same number are equal, and no others.
    """
    make_prompts: JudgePrompts = component(benchmark.judge_prompts or ()).make()
    # One token each in o200k_base, and about as many with other tokenizers. The number at the end
    # keeps requests apart that differ in the response alone.
    text = " word" * (ANSWER_TOKENS - 1)
    answers: dict[str, Answer] = {}
    for number, sample in zip(numbers, samples, strict=True):
        # A turn of a conversation is judged only if those before it have responses.
        before = answers[sample.before.id] if sample.before else None
        missing = sample.id in skipped or (before and not before.answered)
        status = "overflow" if missing else "ok"
        answers[sample.id] = Answer(status, f"{text} {number}", before=before)
    templates = load_templates(make_prompts, benchmark.templates, benchmark.results)
    return list(judge_prompts_of(make_prompts, templates, samples, answers))


if job := globals().get("snakemake"):
    params = job.params
    results = Path(job.output.page).parents[1]
    engines = []
    for role, models in params.who.items():
        engines += [job.config[role][name] for name in models]
    run_rule(
        make_plan,
        job,
        # Params that only trigger a new plan: journals that grew, comparisons that changed.
        read=("hardware", "journals", "pilot", "planned", "who"),
        engines=engines,
        benchmarks=[PlannedBenchmark(results, **benchmark) for benchmark in params.planned],
        jobs=planned_jobs(params.jobs, params.who, params.hardware, results),
        results=results,
    )
