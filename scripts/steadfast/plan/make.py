"""Rule plan: what a run would take of every model, judge and rewriter; nothing is sent."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.files import Record, Settings, write_rows, write_text
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, Sample, component
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.contract.part_files import PartFiles, judge_items, read_judge_prompts
from steadfast.contract.request import ANSWERED
from steadfast.engines.asking.journal import final_hashes
from steadfast.engines.base import Setup
from steadfast.engines.cost.forecast import COSTS, COUNTS, LEFT_OUT, CachedTokenizer
from steadfast.engines.cost.roofline import Work
from steadfast.engines.cost.work import asked_work, judging_work
from steadfast.engines.replay import ReplayEngine
from steadfast.judging.ask_judge import judge_prompts_of, load_templates
from steadfast.plan.certificate import COLUMNS as CERTIFICATE_COLUMNS
from steadfast.plan.certificate import Certificate
from steadfast.plan.model import PlannedModel
from steadfast.plan.page import ROLES, benchmark_page, certificate_page, total_page
from steadfast.run.job import JUDGES, MODELS, REWRITERS, Job, Journals, scores_path
from steadfast.show.display import trial_remark
from steadfast.workflow.script import run_rule

ALL = "all"
HOURS = ("hours", "gpu_hours", "load_gpu_hours", "requested_gpu_hours")
ASK = ("ask_prompt_tokens", "ask_distinct_tokens", "ask_output_budget")
WHOLE = ("whole_gpu_hours", *(f"whole_{name}" for name in COSTS))
COLUMNS = (
    "model", "part", "judges", "engine", *COUNTS, *ASK, *HOURS, "speed", *COSTS, "currency",
    "tokenizer", "estimated",
)  # fmt: skip
SUMS = ("requests", "known", "to_ask", *ASK, *HOURS, *COSTS)
TOTAL_COLUMNS = ("benchmark", "model", "role", "engine", *SUMS, "currency")
MISFIT_COLUMNS = ("model", "part", "sample_id", "what", "prompt_tokens", "truncated_tokens")
KEYS = ["benchmark", "role", "model", "part"]
"""Of a row of the plan; a judge's has the jobs about all models' answers together."""
SAME = ["judges", "engine", "speed", "currency", "tokenizer", "estimated"]
"""Columns that all jobs of a row share."""
Planned = Mapping[tuple[str, str], PlannedModel]
"""Models, judges and rewriters by role and name."""


@dataclass(frozen=True)
class PlannedBenchmark:
    """What the plan takes of a benchmark.

    Attributes:
        name: the benchmark's.
        asked: a sentence about the text that would be asked.
        samples: its ``Samples``, by name and settings.
        parts: of each part the tokens of its longest context, its prompts, and the data files that
            these refer to, with kind and name; paths are below the results folder.
        judges_of: the judges of each model that is asked.
        replays: files with the responses of replayed models, by model and part.
        judge_prompts: its ``JudgePrompts``; None where no model judges.
        templates: file of each judge template in use.
        certificate: settings of the ``Certificate`` that the plan gives, but for its score files;
            None: it gives none.
    """

    name: str
    asked: str
    samples: Sequence[Any]
    parts: Mapping[str, tuple[int, str, Sequence[tuple[str, str, str]]]]
    judges_of: Mapping[str, Sequence[str]]
    replays: Mapping[str, Mapping[str, str]]
    judge_prompts: Sequence[Any] | None
    templates: Mapping[str, str]
    certificate: Settings | None = None

    def files(self, results: Path) -> list[PartFiles]:
        """Its parts."""
        return [
            PartFiles(
                name,
                self.samples,
                results / prompts,
                [(kind, source, results / path) for kind, source, path in sources],
            )
            for name, (_, prompts, sources) in self.parts.items()
        ]


def make_plan(
    benchmarks: Sequence[PlannedBenchmark],
    rewrites: Mapping[str, tuple[Sequence[str], Mapping[str, str]]],
    who: Mapping[str, Mapping[str, Settings]],
    waiting: Sequence[Sequence[str]],
    unplanned: Sequence[str],
    asked: Sequence[str],
    hardware: Settings,
    answer_tokens: int,
    results: Path,
    limit: int | None = None,
) -> None:
    """Writes what each model, judge and rewriter would take for each part, and the sums.

    Args:
        benchmarks: those that can be planned.
        rewrites: by benchmark the rewriters, and the requests of each round that is known.
        who: of all models, judges and rewriters, by role, their ``answers`` and ``plan`` settings.
        waiting: the jobs that have still to be answered (``Loads.waiting``).
        unplanned: benchmarks whose prompts wait for rewriters' replies.
        asked: sentences that hold of the whole plan, such as what text is asked.
        hardware: the config's.
        answer_tokens: that an answer is taken to have when it is judged.
        results: folder of all results, which holds the journals and where the plan goes.
        limit: of a trial, for its remark.

    Raises:
        UserError: a file is damaged.
    """
    planned = {
        (role, name): PlannedModel(
            name, **of, hardware=hardware, folders=Journals(results, role, name)
        )
        for role, named in who.items()
        for name, of in named.items()
    }
    jobs: list[Record] = []
    odd: dict[str, list[Record]] = {}
    samples: dict[str, dict[str, Sequence[Sample]]] = {}
    for benchmark in benchmarks:
        odd[benchmark.name], samples[benchmark.name] = [], {}
        for part in benchmark.files(results):
            samples[benchmark.name][part.name] = part.read()
            found, misfits = _part_jobs(benchmark, part, planned, answer_tokens, results)
            jobs += found
            odd[benchmark.name] += misfits
    for name, (rewriters, rounds) in rewrites.items():
        jobs += _rewriting_jobs(name, rewriters, rounds, planned, results)
    rows, remarks = _rows(jobs, planned, waiting)
    folder, trial = results / "plan", trial_remark(limit)
    for of in benchmarks:
        own = _records(rows[(rows["benchmark"] == of.name) & (rows["role"] != REWRITERS)])
        order = list(who[MODELS])
        odd[of.name].sort(key=lambda row: order.index(row["model"]))
        write_rows(folder / f"{of.name}.csv", COLUMNS, own)
        write_rows(folder / f"{of.name}.prompts.csv", MISFIT_COLUMNS, odd[of.name])
        remark = f"{trial} {of.asked}".strip()
        lines = benchmark_page(of.name, COLUMNS, own, odd[of.name], remark, remarks[of.name, False])
        if of.certificate:
            lines += _certificate(of, samples[of.name], own, results)
        write_text(folder / f"{of.name}.md", "\n".join(lines) + "\n")
    for name in rewrites:
        own = _records(rows[(rows["benchmark"] == name) & (rows["role"] == REWRITERS)])
        write_rows(folder / f"{name}.rewrites.csv", COLUMNS, own)
        title = f"{name}: {ROLES[REWRITERS]}"
        lines = benchmark_page(title, COLUMNS, own, misfits=remarks[name, True])
        write_text(folder / f"{name}.rewrites.md", "\n".join(lines) + "\n")
    rows = rows[~rows["engine"].isin(WITHOUT_MODEL)]
    sums = _records(summed(rows))
    write_rows(folder / "total.csv", TOTAL_COLUMNS, sums)
    every = dict.fromkeys(line for lines in remarks.values() for line in lines)
    page = total_page(TOTAL_COLUMNS, sums, _records(rows), [trial, *asked], unplanned, every)
    write_text(folder / "total.md", "\n".join(page) + "\n")


def _part_jobs(
    of: PlannedBenchmark, part: PartFiles, planned: Planned, answer_tokens: int, results: Path
) -> tuple[list[Record], list[Record]]:
    """The jobs that ask models a part, or judges about their answers, and what does not fit."""
    models = {name: planned[MODELS, name] for name in of.judges_of}
    drawn = {draws: part.read(draws) for draws in {one.draws for one in models.values()} | {1}}
    items = {
        draws: [part.joined.item(sample) for sample in found] for draws, found in drawn.items()
    }
    tokenizers: dict[str, CachedTokenizer] = {}
    jobs, odd = [], []
    unanswered: dict[str, list[frozenset[str]]] = {}
    place = {"benchmark": of.name, "part": part.name}
    for name, model in models.items():
        known = final_hashes(results / Job("inference", of.name, name, part.name).journal)
        counts, misfits = model.of_part(items[model.draws], known, tokenizers)
        work = asked_work(part.prompts, of.parts[part.name][0], model.answers)
        job = {**place, "role": MODELS, "model": name, "of": "", "judges": "", "work": work}
        jobs.append(job | counts)
        odd += [dict(zip(MISFIT_COLUMNS, (name, part.name, *one), strict=True)) for one in misfits]
        left_out = {sample for sample, what, *_ in misfits if what == LEFT_OUT}
        unanswered[name] = [
            frozenset(left_out.union(lacking))
            for lacking in _lacking(model, of.replays.get(name, {}).get(part.name), drawn[1])
        ]
    if of.judge_prompts is None:
        return jobs, odd
    prompts = {
        names: _judge_prompts(of, drawn[1], answer_tokens, names)
        for names in dict.fromkeys(names for draws in unanswered.values() for names in draws)
    }
    judged_items = {names: judge_items(asked) for names, asked in prompts.items()}
    for (role, name), judge in planned.items():
        judged = [asked for asked in models if role == JUDGES and name in of.judges_of[asked]]
        answers = f"{len(judged)} models' answers" if judged[1:] else "1 model's answers"
        if any(models[asked].draws > 1 for asked in judged):
            answers += ", at most"  # equal answers are judged once
        counted = {}
        for names in dict.fromkeys(names for asked in judged for names in unanswered[asked]):
            counts, _ = judge.of_part(judged_items[names], (), tokenizers)
            work = judging_work(map(asdict, prompts[names]), judge.answers)
            counted[names] = counts | {"work": work}
        for asked in judged:
            job = {**place, "role": JUDGES, "model": name, "of": asked, "judges": answers}
            jobs.append(job | _summed([counted[names] for names in unanswered[asked]]))
    return jobs, odd


def _rewriting_jobs(
    benchmark: str,
    rewriters: Sequence[str],
    rounds: Mapping[str, str],
    planned: Planned,
    results: Path,
) -> Iterator[Record]:
    """The jobs that ask rewriters."""
    tokenizers: dict[str, CachedTokenizer] = {}
    for round, path in rounds.items():
        items = judge_items(read_judge_prompts(results / path))
        for name in rewriters:
            rewriter = planned[REWRITERS, name]
            known = final_hashes(results / Job("rewrites", benchmark, name, round).journal)
            counts, _ = rewriter.of_part(items, known, tokenizers)
            work = asked_work(results / path, 0, rewriter.answers)
            place = {"benchmark": benchmark, "part": round, "role": REWRITERS, "model": name}
            yield {**place, "of": "", "judges": "", "work": work, **counts}


def _rows(
    jobs: Sequence[Record], planned: Planned, waiting: Sequence[Sequence[str]]
) -> tuple[Any, dict[tuple[str, bool], list[str]]]:
    """The rows of the plan, a job or those of a judge each, in the order of the config.

    Returns:
        The rows, and by benchmark and whether rewriters are asked what does not fit, as sentences.
    """
    loads = {tuple(place): load for load, *place in waiting}
    order, benchmarks = list(planned), list(dict.fromkeys(job["benchmark"] for job in jobs))
    jobs = sorted(
        jobs,
        key=lambda job: (
            job["role"] == REWRITERS,
            benchmarks.index(job["benchmark"]),
            order.index((job["role"], job["model"])),
        ),
    )
    remarks: dict[tuple[str, bool], list[str]] = {}
    of_load: dict[str, list[Record]] = {}
    for job in jobs:
        place = tuple(job[name] for name in ("role", "model", "benchmark", "part", "of"))
        model, load = planned[job["role"], job["model"]], loads.get(place)
        if load is None and job["role"] == JUDGES:  # its journal is not looked at, its verdicts are
            job |= {"known": job["requests"], "to_ask": 0, "ask": Work(0, 0, 0, 0, 0)}
        job |= model.taken(job["ask"], job["whole"])
        job |= {"load_gpu_hours": None, "requested_gpu_hours": None}
        if load is not None and model.plan["gpus"]:
            of_load.setdefault(load, []).append(job)
        remarks.setdefault((job["benchmark"], job["role"] == REWRITERS), [])
    for sharing in of_load.values():
        model = planned[sharing[0]["role"], sharing[0]["model"]]
        asks, remark = model.requested([job["work"] for job in sharing])
        for job, ask in zip(sharing, asks, strict=True):
            job |= ask
            if remark:
                remarks[job["benchmark"], job["role"] == REWRITERS].append(remark)
    floats = [*HOURS, *COSTS, *WHOLE]
    sums = [*COUNTS, *ASK, *floats]
    frame = pd.DataFrame(jobs, columns=[*KEYS, *SAME, *sums]).astype(dict.fromkeys(floats, float))
    grouped = frame.groupby(KEYS, sort=False)
    rows = grouped[sums].sum(min_count=1).join(grouped[SAME].first()).reset_index()
    for place, own in rows.groupby(["benchmark", "role", "model"], sort=False):
        benchmark, role, model = place
        remarks[benchmark, role == REWRITERS].append(
            planned[role, model].too_small(own.to_dict("records"))
        )
    return rows, {of: list(dict.fromkeys(filter(None, said))) for of, said in remarks.items()}


def summed(rows: Any) -> Any:
    """The sums by benchmark, model and role, then by benchmark, then of all; a cost of several
    currencies is no number."""
    found = []
    rows = rows.assign(role=rows["role"].map(ROLES))
    for keys in (["benchmark", "model", "role", "engine"], ["benchmark"], []):
        every = {"benchmark": ALL, "model": ALL, "role": ALL, "engine": ""}
        left = {name: value for name, value in every.items() if name not in keys}
        grouped = rows.assign(**left).groupby(list(every), sort=False)
        sums = grouped[list(SUMS)].sum(min_count=1).join(grouped["currency"].first())
        several = grouped["currency"].nunique() > 1
        sums.loc[several, list(COSTS)] = None
        sums.loc[several, "currency"] = None
        found.append(sums.reset_index())
    return pd.concat(found)


def _records(frame: Any) -> list[Record]:
    """A frame's rows, with None where there is no value."""
    found: list[Record] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return found


def _summed(counts: Sequence[Record]) -> Record:
    """What is counted of a judge, over the draws of one model's answers."""
    works = {name: Work.sum([one[name] for one in counts]) for name in ("ask", "whole", "work")}
    return {**counts[0], **{name: sum(one[name] for one in counts) for name in COUNTS}, **works}


def _lacking(
    model: PlannedModel, replay: str | None, samples: Iterable[Sample]
) -> list[Collection[str]]:
    """By draw, the samples that the file of a replayed model has no answer to."""
    if replay is None:
        return [()] * model.draws
    engine, names = ReplayEngine(Setup(model.answers, {"file": replay})), [s.id for s in samples]
    return [
        {name for name in names if engine.response(name, draw).status not in ANSWERED}
        for draw in range(model.draws)
    ]


def _judge_prompts(
    of: PlannedBenchmark, samples: Sequence[Sample], answer_tokens: int, unanswered: Collection[str]
) -> list[JudgePrompt]:
    """What a judge would be asked if every answer had so many tokens.

    The turns after a sample without an answer have none either.
    """
    asking: JudgePrompts = component(of.judge_prompts or ()).make()
    # One token in o200k_base; other tokenizers are near it.
    text = " word" * answer_tokens
    answers: dict[str, Answer] = {}
    for sample in samples:
        before = answers[sample.before.id] if sample.before else None
        lacks = sample.id in unanswered or (before and not before.answered)
        answers[sample.id] = Answer("overflow" if lacks else "ok", text, before=before)
    templates = load_templates(asking, of.templates)
    return list(judge_prompts_of(asking, templates, samples, answers))


def _certificate(
    of: PlannedBenchmark,
    samples: Mapping[str, Sequence[Sample]],
    rows: Sequence[Record],
    results: Path,
) -> list[str]:
    """The lines of a benchmark's certificate, whose rows are written."""
    settings = of.certificate or {}
    scores = {
        (model, part): scores_path(results, of.name, model, part)
        for model in settings["models"]
        for part in of.parts
    }
    found = Certificate(**settings, scores=scores).of(samples)
    out = results / "plan" / f"{of.name}.certificate.csv"
    write_rows(out, CERTIFICATE_COLUMNS, [row for one in found for row in one.rows])
    return [line for one in found for line in certificate_page(one, rows)]


if job := globals().get("snakemake"):
    who = job.params.who
    run_rule(
        make_plan,
        job,
        engines=[job.config[role][name] for role, named in who.items() for name in named],
        benchmarks=[PlannedBenchmark(**of) for of in job.params.planned],
        rewrites=job.params.rewrites,
        who=who,
        waiting=job.params.waiting,
        unplanned=job.params.unplanned,
        asked=job.params.asked,
        hardware=job.params.hardware,
        answer_tokens=job.params.answer_tokens,
        results=Path(job.output.total).parents[1],
        limit=job.params.limit,
    )
