"""Rule plan: what a run would take of every model, judge and rewriter; nothing is sent."""

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
    asked_work,
    judging_work,
)
from steadfast.engines.cost.options import COSTS, SUMS
from steadfast.engines.simulated import ReplayEngine
from steadfast.jobs.job import MODELS
from steadfast.judging.ask_judge import judge_prompts_of, load_templates
from steadfast.plan.model import ASK, HOURS, KEYS, PlannedJob, planned_jobs
from steadfast.plan.page import adaptive_section, plan_page
from steadfast.plan.power_analysis import COLUMNS as POWER_COLUMNS
from steadfast.plan.power_analysis import power_analysis
from steadfast.show.roster import trial_remark
from steadfast.workflow.script import run_rule

ANSWER_TOKENS = 500
"""Of an answer that is still to be judged."""
SHARED = ["judges", "engine", "speed", "tokenizer", "estimated"]
"""Columns in which all jobs of a row are alike."""
COLUMNS = (
    *KEYS, "judges", "engine", *COUNTS, *ASK, *HOURS, "speed", *SUMS, "tokenizer", "estimated",
)  # fmt: skip
OPTION_COLUMNS = (*KEYS, "option", "configured", *COSTS)
MISFIT_COLUMNS = (
    "benchmark", "model", "part", "sample_id", "what", "prompt_tokens", "prompt_truncated_tokens",
)  # fmt: skip


@dataclass(frozen=True)
class PlannedBenchmark:
    """What the plan takes of a benchmark: parts, prompts, data, judge prompts, power_analysis."""

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
        """Its parts."""
        return [
            PartFiles(
                name,
                self.samples,
                self.results / prompts,
                [(kind, source, self.results / path) for kind, source, path in sources],
            )
            for name, (_, prompts, sources) in self.parts.items()
        ]


def make_plan(
    benchmarks: Sequence[PlannedBenchmark],
    rounds: Mapping[str, Mapping[str, str]],
    jobs: Sequence[PlannedJob],
    results: Path,
    unplanned: Sequence[str] = (),
    asked: Sequence[str] = (),
    limit: int | None = None,
) -> None:
    """Writes what each model, judge and rewriter would take for each part, and the page.

    ``rounds`` has by benchmark the requests of each round of rewriting that is known.
    """
    folder = results / "plan"
    misfits: list[Record] = []
    certified: list[Record] = []
    sections: list[str] = []
    for benchmark in benchmarks:
        of_benchmark = [job for job in jobs if job.job.benchmark == benchmark.name]
        for part in benchmark.files:
            own = [job for job in of_benchmark if job.job.part == part.name and not job.rewrites]
            samples = part.read()
            misfits += _count_answers(own, benchmark, part, samples)
            _count_verdicts(own, benchmark, samples)
        if benchmark.power_analysis:
            metrics = results / benchmark.name / "metrics"
            rows, lines = power_analysis(benchmark.name, metrics, **benchmark.power_analysis)
            certified += rows
            sections += lines
        if benchmark.rounds:
            sections += adaptive_section(benchmark.name, benchmark.rounds)
    for name, paths in rounds.items():
        own = [job for job in jobs if job.job.benchmark == name and job.rewrites]
        _count_rewrites(own, paths, results)
    counted = [job for job in jobs if job.counts]
    remarks = _request_hours(counted)
    frame = plan_frame([job.row for job in counted])
    options = [row for job in counted for row in job.option_rows]
    write_rows(folder / "plan.csv", COLUMNS, _records(frame))
    write_rows(folder / "options.csv", OPTION_COLUMNS, options)
    write_rows(folder / "misfits.csv", MISFIT_COLUMNS, misfits)
    if any(benchmark.power_analysis for benchmark in benchmarks):
        write_rows(folder / "power_analysis.csv", POWER_COLUMNS, certified)
    notes = [note for note in (trial_remark(limit), *asked) if note]
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
    """Counts what models are asked of a part, and returns the prompts that do not fit whole."""
    tokenizers: dict[str, CachedTokenizer] = {}
    found = []
    items: dict[int, list[Item]] = {}
    for job in jobs:
        if job.job.role != MODELS:
            continue
        repeats = job.model.repeats
        if repeats not in items:
            drawn = samples if repeats == 1 else part.read(repeats)
            items[repeats] = [part.joined.item(sample) for sample in drawn]
        misfits = job.count(items[repeats], benchmark.results / job.job.journal, tokenizers)
        context_tokens = benchmark.parts[part.name][0]
        job.work = asked_work(part.prompts, context_tokens, job.model.answers)
        place = benchmark.name, job.job.name, part.name
        found += [dict(zip(MISFIT_COLUMNS, (*place, *misfit), strict=True)) for misfit in misfits]
        left_out = {sample for sample, what, *_ in misfits if what == LEFT_OUT}
        job.unanswered = [frozenset(left_out.union(names)) for names in _lacking(job, samples)]
    return found


def _count_verdicts(
    jobs: Sequence[PlannedJob], benchmark: PlannedBenchmark, samples: Sequence[Sample]
) -> None:
    """Counts what judges are asked about the answers that models would give.

    Answers are not there yet, so that all models whose answers are to the same samples have the
    same judge prompts: these are counted once for each judge.
    """
    tokenizers: dict[str, CachedTokenizer] = {}
    answering = {job.job.model: job for job in jobs if job.job.role == MODELS}
    judging: dict[str, list[PlannedJob]] = defaultdict(list)
    for job in jobs:
        if job.job.judge:
            judging[job.job.judge].append(job)
    prompts: dict[frozenset[str], list[JudgePrompt]] = {}
    for of_judge in judging.values():
        judged = [answering[job.job.model] for job in of_judge]
        text = f"{len(judged)} models' answers" if judged[1:] else "1 model's answers"
        if any(job.model.repeats > 1 for job in judged):
            text += ", at most"  # equal answers are judged once
        counted: dict[frozenset[str], Record] = {}
        for job, answers in zip(of_judge, judged, strict=True):
            for unanswered in answers.unanswered:
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
            job.counts = _summed([counted[unanswered] for unanswered in answers.unanswered])
            job.work = job.counts["work"]


def _count_rewrites(jobs: Sequence[PlannedJob], paths: Mapping[str, str], results: Path) -> None:
    """Counts what rewriters are asked in the rounds that are known."""
    tokenizers: dict[str, CachedTokenizer] = {}
    for job in jobs:
        if job.job.part in paths:
            path = results / paths[job.job.part]
            items = judge_items(read_judge_prompts(path))
            job.count(items, results / job.job.journal, tokenizers)
            job.work = asked_work(path, 0, job.model.answers)


def _request_hours(jobs: Iterable[PlannedJob]) -> list[str]:
    """Counts what the jobs of each load ask for; returns sentences on what does not fit."""
    loads: dict[str, list[PlannedJob]] = defaultdict(list)
    for job in jobs:
        if job.load is not None and job.model.gpus:
            loads[job.load].append(job)
    remarks = []
    for sharing in loads.values():
        asks, remark = sharing[0].model.requested([job.work for job in sharing])
        for job, ask in zip(sharing, asks, strict=True):
            job.counts |= ask
        remarks.append(remark)
    return list(dict.fromkeys(filter(None, remarks)))


def plan_frame(rows: Sequence[Record]) -> pd.DataFrame:
    """The plan's rows (``COLUMNS``): the jobs of a judge about all models' answers are one."""
    floats = [*HOURS, *SUMS]
    sums = [*COUNTS, *ASK, *floats]
    frame = pd.DataFrame(rows, columns=[*KEYS, *SHARED, *sums])
    by_place = frame.astype(dict.fromkeys(floats, float)).groupby(KEYS, sort=False)
    return by_place[sums].sum(min_count=1).join(by_place[SHARED].first()).reset_index()


def summed(frame: pd.DataFrame) -> pd.DataFrame:
    """The plan's sums over parts, by benchmark, model and role."""
    keys = ["benchmark", "model", "role", "engine"]
    sums = ["requests", "known", "to_ask", *ASK, *HOURS, *COSTS]
    return frame.groupby(keys, sort=False)[sums].sum(min_count=1).reset_index()


def _records(frame: pd.DataFrame) -> list[Record]:
    """A frame's rows, with None where there is no value."""
    rows: list[Record] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows


def _summed(counts: Sequence[Record]) -> Record:
    """What is counted of a judge, over the repeats of one model's answers."""
    works = {name: Work.sum([one[name] for one in counts]) for name in ("ask", "work")}
    numbers = {name: sum(one[name] for one in counts) for name in COUNTS}
    options = [
        {**repeats[0], **{name: sum(option[name] for option in repeats) for name in SUMS}}
        for repeats in zip(*(one["options"] for one in counts), strict=True)
    ]
    return {**counts[0], **numbers, **works, "options": options}


def _lacking(job: PlannedJob, samples: Iterable[Sample]) -> list[Collection[str]]:
    """Returns by repeat the samples that the file of a replayed model has no answer to."""
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
    """What a judge would be asked if every answer had ``ANSWER_TOKENS``."""
    asking: JudgePrompts = component(benchmark.judge_prompts or ()).make()
    # One token in o200k_base; other tokenizers are near it.
    text = " word" * ANSWER_TOKENS
    answers: dict[str, Answer] = {}
    for sample in samples:
        before = answers[sample.before.id] if sample.before else None
        lacks = sample.id in unanswered or (before and not before.answered)
        answers[sample.id] = Answer("overflow" if lacks else "ok", text, before=before)
    templates = load_templates(asking, benchmark.templates, benchmark.results)
    return list(judge_prompts_of(asking, templates, samples, answers))


if job := globals().get("snakemake"):
    params, who = job.params, job.params.who
    results = Path(job.output.page).parents[1]
    run_rule(
        make_plan,
        job,
        # A change of journals and of the comparisons that a power analysis takes makes the plan anew.
        read=("hardware", "journals", "pilot", "planned", "who"),
        engines=[job.config[role][name] for role, named in who.items() for name in named],
        benchmarks=[PlannedBenchmark(results, **of) for of in params.planned],
        jobs=planned_jobs(params.jobs, who, params.hardware, results),
        results=results,
    )
