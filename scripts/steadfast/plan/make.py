"""Rule plan: what a run would take of every model, judge and rewriter; nothing is sent."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.files import Record, Settings, write_rows, write_text
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, Sample, component
from steadfast.contract.engine_names import WITHOUT_MODEL
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
from steadfast.engines.stand_ins import ReplayEngine
from steadfast.judging.ask_judge import judge_prompts_of, load_templates
from steadfast.plan.certificate import COLUMNS as CERTIFICATE_COLUMNS
from steadfast.plan.certificate import certificate
from steadfast.plan.model import KEYS, PlannedJob, planned_jobs
from steadfast.plan.page import ROLES, benchmark_page, options_section, records, total_page
from steadfast.run.job import MODELS, REWRITERS
from steadfast.show.roster import trial_remark
from steadfast.workflow.script import run_rule

ALL = "all"
ADAPTIVE = """At most {rounds} rounds, which are what the table above has. A run ends earlier where
the best model is known (docs/cost.md)."""
ANSWER_TOKENS = 500
"""Of an answer that is still to be judged."""
HOURS = ("hours", "gpu_hours", "load_gpu_hours", "requested_gpu_hours")
ASK = ("ask_prompt_tokens", "ask_distinct_tokens", "ask_output_budget")
COLUMNS = (
    "model", "part", "judges", "engine", *COUNTS, *ASK, *HOURS, "speed", *SUMS, "tokenizer",
    "estimated",
)  # fmt: skip
SUMMED = ("requests", "known", "to_ask", *ASK, *HOURS, *COSTS)
TOTAL_COLUMNS = ("benchmark", "model", "role", "engine", *SUMMED)
OPTION_COLUMNS = ("benchmark", "role", "model", "part", "option", "configured", *COSTS)
MISFIT_COLUMNS = ("model", "part", "sample_id", "what", "prompt_tokens", "truncated_tokens")
SAME = ["judges", "engine", "speed", "tokenizer", "estimated"]
"""Columns that all jobs of a row share."""


@dataclass(frozen=True)
class PlannedBenchmark:
    """What the plan takes of a benchmark: parts, prompts, data, judge prompts, certificate."""

    results: Path
    name: str
    asked: str
    samples: Sequence[Any]
    parts: Mapping[str, tuple[int, str, Sequence[tuple[str, str, str]]]]
    judge_prompts: Sequence[Any] | None
    templates: Mapping[str, str]
    certificate: Settings | None = None
    rounds: int | None = None

    @property
    def files(self) -> list[PartFiles]:
        """Returns its parts."""
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
    """Writes what each model, judge and rewriter would take for each part, and the sums.

    ``rounds`` has by benchmark the requests of each round of rewriting that is known.
    """
    folder, trial = results / "plan", trial_remark(limit)
    misfits: dict[str, list[Record]] = {}
    for of in benchmarks:
        misfits[of.name] = []
        for part in of.files:
            own = [one for one in jobs if one.page == (of.name, False)]
            own = [one for one in own if one.job.part == part.name]
            drawn = part.read()
            misfits[of.name] += _count_answers(own, of, part, drawn)
            _count_verdicts(own, of, drawn)
    for name, paths in rounds.items():
        _count_rewrites([one for one in jobs if one.page == (name, True)], paths, results)
    rows, remarks = _rows([one for one in jobs if one.counts])
    models = list(dict.fromkeys(one.job.name for one in jobs if one.job.role == MODELS))
    for of in benchmarks:
        own_rows, odd = records(rows[rows["page"] == (of.name, False)]), misfits[of.name]
        odd.sort(key=lambda row: models.index(row["model"]))
        write_rows(folder / f"{of.name}.prompts.csv", MISFIT_COLUMNS, odd)
        remark = f"{trial} {of.asked}".strip()
        found = remarks.get((of.name, False), [])
        lines = benchmark_page(of.name, COLUMNS, own_rows, odd, remark, found)
        if of.certificate:
            needs, of_certificate = certificate(results / of.name / "metrics", **of.certificate)
            write_rows(folder / f"{of.name}.certificate.csv", CERTIFICATE_COLUMNS, needs)
            lines += of_certificate
        if of.rounds:
            lines += ["", "## Adaptive run", "", ADAPTIVE.format(rounds=of.rounds)]
        _write(folder / of.name, COLUMNS, own_rows, lines)
    for name in rounds:
        own_rows, title = records(rows[rows["page"] == (name, True)]), f"{name}: rewrites"
        lines = benchmark_page(title, COLUMNS, own_rows, misfits=remarks.get((name, True), []))
        _write(folder / f"{name}.rewrites", COLUMNS, own_rows, lines)
    options = _options(one for one in jobs if one.counts and not one.answered)
    write_rows(results / "plan/options.csv", OPTION_COLUMNS, options)
    rows = rows[~rows["engine"].isin(WITHOUT_MODEL)]
    sums = records(summed(rows))
    every = dict.fromkeys(line for lines in remarks.values() for line in lines)
    page = total_page(TOTAL_COLUMNS, sums, records(rows), [trial, *asked], unplanned, every)
    _write(folder / "total", TOTAL_COLUMNS, sums, [*page, *options_section(options)])


def _options(jobs: Iterable[PlannedJob]) -> list[Record]:
    """What each pricing option of each job would cost."""
    return [
        {
            **one.place,
            **option,
            "configured": place == 0,
        }
        for one in jobs
        for place, option in enumerate(one.counts["options"])
    ]


def _write(stem: Path, columns: Sequence[str], rows: Sequence[Record], page: Iterable[str]) -> None:
    write_rows(f"{stem}.csv", columns, rows)
    write_text(f"{stem}.md", "\n".join(page) + "\n")


def _count_answers(
    jobs: Sequence[PlannedJob], of: PlannedBenchmark, part: PartFiles, samples: Sequence[Sample]
) -> list[Record]:
    """Counts what models are asked of a part, and returns the prompts that do not fit whole."""
    tokenizers: dict[str, CachedTokenizer] = {}
    found = []
    items: dict[int, list[Item]] = {}
    for one in (one for one in jobs if one.job.role == MODELS):
        model = one.model
        if model.draws not in items:
            drawn = samples if model.draws == 1 else part.read(model.draws)
            items[model.draws] = [part.joined.item(sample) for sample in drawn]
        misfits = one.count(items[model.draws], of.results / one.job.journal, tokenizers)
        one.work = asked_work(part.prompts, of.parts[part.name][0], model.answers)
        place = one.job.name, part.name
        found += [dict(zip(MISFIT_COLUMNS, (*place, *odd), strict=True)) for odd in misfits]
        left_out = {sample for sample, what, *_ in misfits if what == LEFT_OUT}
        one.unanswered = [frozenset(left_out.union(of)) for of in _lacking(one, samples)]
    return found


def _count_verdicts(
    jobs: Sequence[PlannedJob], of: PlannedBenchmark, samples: Sequence[Sample]
) -> None:
    """Counts what judges are asked about the answers that models would give."""
    tokenizers: dict[str, CachedTokenizer] = {}
    models = {one.job.model: one for one in jobs if one.job.role == MODELS}
    prompts: dict[frozenset[str], list[JudgePrompt]] = {}
    counted: dict[tuple[str, frozenset[str]], Record] = {}
    for one in (one for one in jobs if one.job.judge):
        alike = [models[other.job.model] for other in jobs if other.job.judge == one.job.judge]
        one.judges = f"{len(alike)} models' answers" if alike[1:] else "1 model's answers"
        if any(model.model.draws > 1 for model in alike):
            one.judges += ", at most"  # equal answers are judged once
        draws = [(one.job.judge, names) for names in models[one.job.model].unanswered]
        for draw in dict.fromkeys(draws):
            names = draw[1]
            if names not in prompts:
                prompts[names] = _judge_prompts(of, samples, names)
            if draw not in counted:
                items = judge_items(prompts[names], draws=one.model.draws)
                one.count(items, None, tokenizers)
                work = judging_work(map(asdict, prompts[names]), one.model.answers)
                counted[draw] = one.counts | {"work": work}
        one.counts = _summed([counted[draw] for draw in draws])
        one.work = one.counts["work"]


def _count_rewrites(jobs: Sequence[PlannedJob], paths: Mapping[str, str], results: Path) -> None:
    """Counts what rewriters are asked in the rounds that are known."""
    tokenizers: dict[str, CachedTokenizer] = {}
    for one in (one for one in jobs if one.job.part in paths):
        path = results / paths[one.job.part]
        items = judge_items(read_judge_prompts(path))
        one.count(items, results / one.job.journal, tokenizers)
        one.work = asked_work(path, 0, one.model.answers)


def _rows(jobs: Sequence[PlannedJob]) -> tuple[Any, dict[tuple[str, bool], list[str]]]:
    """Returns the rows of the plan, and by page what does not fit, as sentences."""
    remarks: dict[tuple[str, bool], list[str]] = {one.page: [] for one in jobs}
    of_load: dict[str, list[PlannedJob]] = {}
    for one in jobs:
        if one.load is not None and one.model.plan["gpus"]:
            of_load.setdefault(one.load, []).append(one)
    for sharing in of_load.values():
        asks, remark = sharing[0].model.requested([one.work for one in sharing])
        for one, ask in zip(sharing, asks, strict=True):
            one.counts |= ask
            remarks[one.page].append(remark)
    floats = [*HOURS, *SUMS]
    sums = [*COUNTS, *ASK, *floats]
    frame = pd.DataFrame([one.row for one in jobs], columns=[*KEYS, *SAME, *sums])
    grouped = frame.astype(dict.fromkeys(floats, float)).groupby(KEYS, sort=False)
    rows = grouped[sums].sum(min_count=1).join(grouped[SAME].first()).reset_index()
    rows["page"] = list(zip(rows["benchmark"], rows["role"] == REWRITERS, strict=True))
    return rows, {of: list(dict.fromkeys(filter(None, said))) for of, said in remarks.items()}


def summed(rows: Any) -> Any:
    """The sums by benchmark, model and role, by benchmark, and of all."""
    found = []
    rows = rows.assign(role=rows["role"].map(ROLES))
    for keys in (["benchmark", "model", "role", "engine"], ["benchmark"], []):
        every = {"benchmark": ALL, "model": ALL, "role": ALL, "engine": ""}
        left = {name: value for name, value in every.items() if name not in keys}
        grouped = rows.assign(**left).groupby(list(every), sort=False)
        found.append(grouped[list(SUMMED)].sum(min_count=1).reset_index())
    return pd.concat(found)


def _summed(counts: Sequence[Record]) -> Record:
    """What is counted of a judge, over the draws of one model's answers."""
    works = {name: Work.sum([one[name] for one in counts]) for name in ("ask", "work")}
    numbers = {name: sum(one[name] for one in counts) for name in COUNTS}
    options = [
        {**of[0], **{name: sum(one[name] for one in of) for name in SUMS}}
        for of in zip(*(one["options"] for one in counts), strict=True)
    ]
    return {**counts[0], **numbers, **works, "options": options}


def _lacking(one: PlannedJob, samples: Iterable[Sample]) -> list[Collection[str]]:
    """Returns by draw the samples that the file of a replayed model has no answer to."""
    model = one.model
    if one.replay is None:
        return [()] * model.draws
    engine = ReplayEngine(Setup(model.answers, {"file": one.replay}))
    names = [sample.id for sample in samples]
    return [
        {name for name in names if engine.response(name, draw).status not in ANSWERED}
        for draw in range(model.draws)
    ]


def _judge_prompts(
    of: PlannedBenchmark, samples: Sequence[Sample], unanswered: Collection[str]
) -> list[JudgePrompt]:
    """What a judge would be asked if every answer had ``ANSWER_TOKENS``."""
    asking: JudgePrompts = component(of.judge_prompts or ()).make()
    # One token in o200k_base; other tokenizers are near it.
    text = " word" * ANSWER_TOKENS
    answers: dict[str, Answer] = {}
    for sample in samples:
        before = answers[sample.before.id] if sample.before else None
        lacks = sample.id in unanswered or (before and not before.answered)
        answers[sample.id] = Answer("overflow" if lacks else "ok", text, before=before)
    templates = load_templates(asking, of.templates, of.results)
    return list(judge_prompts_of(asking, templates, samples, answers))


if job := globals().get("snakemake"):
    params, who = job.params, job.params.who
    results = Path(job.output.total).parents[1]
    run_rule(
        make_plan,
        job,
        # A change of journals and of the comparisons that a certificate takes makes the plan anew.
        read=("hardware", "journals", "pilot", "planned", "who"),
        engines=[job.config[role][name] for role, named in who.items() for name in named],
        benchmarks=[PlannedBenchmark(results, **of) for of in params.planned],
        jobs=planned_jobs(params.jobs, who, params.hardware, results),
        results=results,
    )
