"""Rule plan: what every model and part of a benchmark would take; nothing is sent."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, Settings, write_rows, write_text
from steadfast.base.paths import VERDICTS, JournalFolders, journal_path, scores_path
from steadfast.contract.components import Answer, Sample, component
from steadfast.contract.part_files import PartFiles, judge_items, sources_by_part
from steadfast.contract.request import Item
from steadfast.engines.asking.journal import final_hashes
from steadfast.engines.cost.forecast import COLUMNS, LEFT_OUT, CachedTokenizer
from steadfast.judging.ask_judge import judge_prompts_of, load_templates
from steadfast.plan.certificate import COLUMNS as CERTIFICATE_COLUMNS
from steadfast.plan.certificate import Certificate
from steadfast.plan.model import PlannedModel
from steadfast.plan.page import certificate_page, page
from steadfast.run.request_of_job import JUDGES, MODELS
from steadfast.show.display import trial_remark
from steadfast.workflow.script import paths, run_rule

MISFIT_COLUMNS = ("model", "part", "sample_id", "what", "prompt_tokens", "truncated_tokens")


def plan_requests(
    benchmark: str,
    models: Mapping[str, Settings],
    judges: Mapping[str, Settings],
    judges_of: Mapping[str, Sequence[str]],
    parts: Sequence[PartFiles],
    judge_prompts: Sequence[Any] | None,
    templates: Mapping[str, str],
    answer_tokens: int,
    results: Path,
    out_md: Path,
    out_csv: Path,
    out_prompts: Path,
    hardware: Settings,
    elsewhere: Mapping[str, Mapping[str, int]],
    limit: int | None = None,
    asked: str = "",
    certificate: Settings | None = None,
    out_certificate: Path | None = None,
) -> None:
    """Writes what each model would take for each part, and each judge for all the models.

    Args:
        benchmark: its name.
        models: per model its ``answers`` and ``plan`` settings.
        judges: likewise.
        judges_of: names of the judges of each model's answers.
        parts: that would be asked.
        judge_prompts: the benchmark's ``JudgePrompts``; None where no model judges.
        templates: file of each judge template in use.
        answer_tokens: that an answer is taken to have when it is judged.
        results: folder of all results, which holds the journals.
        out_md: the plan for people.
        out_csv: the plan, a row a model and part.
        out_prompts: the prompts that would be cut or do not fit.
        hardware: the config's.
        elsewhere: by role and name, the jobs of other benchmarks that share its loads.
        limit: of a trial, for its remark.
        asked: a sentence about the text that would be asked.
        certificate: settings of the ``Certificate`` that the plan gives, but for its score files;
            None: it gives none.
        out_certificate: what each pair of models needs, where the plan gives a certificate.

    Raises:
        UserError: a file is damaged.
    """
    planned = [
        PlannedModel(name, **of, hardware=hardware, folders=JournalFolders(results, name))
        for name, of in models.items()
    ]
    judging = [
        PlannedModel(name, **of, hardware=hardware, folders=JournalFolders(results, name, VERDICTS))
        for name, of in judges.items()
    ]
    rows: list[Record] = []
    odd: list[Record] = []
    samples: dict[str, Sequence[Sample]] = {}
    for part in parts:
        drawn = {draws: part.read(draws) for draws in {model.draws for model in planned} | {1}}
        samples[part.name] = drawn[1]
        items_by_draws = {
            draws: [part.joined.item(sample) for sample in samples]
            for draws, samples in drawn.items()
        }
        tokenizers: dict[str, CachedTokenizer] = {}
        left_out: dict[str, frozenset[str]] = {}
        for model in planned:
            known = final_hashes(journal_path(results, benchmark, model.name, part.name))
            row, misfit = model.of_part(items_by_draws[model.draws], known, tokenizers)
            rows.append({"model": model.name, "part": part.name, "judges": "", **row})
            places = [(model.name, part.name, *one) for one in misfit]
            odd += [dict(zip(MISFIT_COLUMNS, place, strict=True)) for place in places]
            left_out[model.name] = frozenset(name for name, what, *_ in misfit if what == LEFT_OUT)
        if judge_prompts:
            items = {
                names: _judge_items(judge_prompts, templates, drawn[1], answer_tokens, names)
                for names in set(left_out.values())
            }
            for judge in judging:
                judged = [model for model in planned if judge.name in judges_of[model.name]]
                if not judged:
                    continue
                draws: Counter[frozenset[str]] = Counter()
                for model in judged:
                    draws[left_out[model.name]] += model.draws
                row = _summed(
                    [
                        (judge.of_part(items[names], (), tokenizers)[0], n)
                        for names, n in draws.items()
                    ]
                )
                answers = f"{len(judged)} models' answers" if judged[1:] else "1 model's answers"
                rows.append({"model": judge.name, "part": part.name, "judges": answers, **row})
    judged_by = {name: sum(name in of for of in judges_of.values()) for name in judges}
    groups = [(one, MODELS, 1) for one in planned]
    groups += [(one, JUDGES, judged_by[one.name]) for one in judging]
    remarks = [
        remark
        for one, role, jobs in groups
        for remark in one.add_requested(
            [of for of in rows if (of["model"], bool(of["judges"])) == (one.name, role == JUDGES)],
            jobs,
            elsewhere.get(role, {}).get(one.name, 0),
        )
    ]
    order = {name: number for number, name in enumerate([*models, *judges])}
    rows.sort(key=lambda row: (bool(row["judges"]), order[row["model"]]))
    odd.sort(key=lambda row: order[row["model"]])
    write_rows(out_csv, COLUMNS, rows)
    write_rows(out_prompts, MISFIT_COLUMNS, odd)
    lines = page(benchmark, rows, odd, f"{trial_remark(limit)} {asked}".strip(), remarks)
    if certificate and out_certificate:
        scores = {
            (model, part.name): scores_path(results, benchmark, model, part.name)
            for model in certificate["models"]
            for part in parts
        }
        found = Certificate(**certificate, scores=scores).of(samples)
        write_rows(out_certificate, CERTIFICATE_COLUMNS, [row for of in found for row in of.rows])
        lines += [line for of in found for line in certificate_page(of, rows)]
    write_text(out_md, "\n".join(lines) + "\n")


def _summed(rows: Sequence[tuple[Record, int]]) -> Record:
    """The sum of rows of one judge, each so many times; what is no number is that of the first."""

    def of(column: str, first: object) -> object:
        if isinstance(first, bool) or not isinstance(first, int | float):
            return first
        return sum(row[column] * times for row, times in rows)

    return {column: of(column, value) for column, value in rows[0][0].items()}


def _judge_items(
    judge_prompts: Sequence[Any],
    templates: Mapping[str, str],
    samples: Sequence[Sample],
    answer_tokens: int,
    left_out: Collection[str],
) -> list[Item]:
    """What a judge would be asked if every answer had so many tokens.

    Samples whose prompts are left out have no answer, and neither have the turns after them.
    """
    asking = component(judge_prompts).make()
    # One token in o200k_base; other tokenizers are near it.
    text = " word" * answer_tokens
    answers: dict[str, Answer] = {}
    for sample in samples:
        before = answers[sample.before.id] if sample.before else None
        unanswered = sample.id in left_out or (before and not before.answered)
        answers[sample.id] = Answer("overflow" if unanswered else "ok", text, before=before)
    return judge_items(
        judge_prompts_of(asking, load_templates(asking, templates), samples, answers)
    )


if job := globals().get("snakemake"):
    sources = sources_by_part(job.params.sources, job.input.sources)
    files = zip(sources.items(), paths(job.input.prompts), strict=True)
    out = Path(job.output.md)
    certificates = paths(job.output.certificate)
    run_rule(
        plan_requests,
        job,
        engines=[
            job.config[kind][name]
            for kind, names in (
                ("models", job.params.models),
                ("judges", job.params.judges),
            )
            for name in names
        ],
        benchmark=job.wildcards.benchmark,
        models=job.params.models,
        judges=job.params.judges,
        judges_of=job.params.judges_of,
        parts=[PartFiles(part, job.params.samples, prompts, of) for (part, of), prompts in files],
        judge_prompts=job.params.judge_prompts,
        templates=job.params.templates,
        answer_tokens=job.params.answer_tokens,
        limit=job.params.limit,
        asked=job.params.asked,
        results=out.parents[1],
        hardware=job.params.hardware,
        elsewhere=job.params.elsewhere,
        out_md=out,
        out_csv=Path(job.output.csv),
        out_prompts=Path(job.output.prompts),
        certificate=job.params.certificate,
        out_certificate=certificates[0] if certificates else None,
    )
