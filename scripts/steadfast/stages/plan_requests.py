"""Rule plan: what every model and part of a benchmark would take; nothing is sent."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from steadfast.components import Answer, Sample, component
from steadfast.engines.base import Engine, Setup
from steadfast.engines.build import WITHOUT_MODEL, build_engine
from steadfast.engines.fit import adapted, fit
from steadfast.engines.forecast import COLUMNS, CachedTokenizer, misfits, plan_part
from steadfast.engines.journal import final_hashes
from steadfast.engines.request import Item
from steadfast.errors import UserError
from steadfast.files import Record, Settings, write_rows, write_text
from steadfast.show.display import trial_remark
from steadfast.stages.ask_judge import judge_prompts_of, load_templates
from steadfast.stages.journals import journal_path, scores_path
from steadfast.stages.plan_certificate import COLUMNS as CERTIFICATE_COLUMNS
from steadfast.stages.plan_certificate import Certificate
from steadfast.stages.plan_page import ESTIMATE, certificate_page, page
from steadfast.stages.samples import PartFiles, judge_items
from steadfast.tokens import load_tokenizer

MISFIT_COLUMNS = ("model", "part", "sample_id", "what", "prompt_tokens", "truncated_tokens")


@dataclass(frozen=True)
class PlannedModel:
    """A model or judge of the plan: its settings, its engine where there is one, its counts.

    Args:
        name: in the plan.
        answers: the settings that determine responses.
        plan: throughput and price.
    """

    name: str
    answers: Settings
    plan: Settings

    @property
    def draws(self) -> int:
        """Answers that it draws for each prompt."""
        return self.answers.get("draws") or 1

    @cached_property
    def engine(self) -> Engine | None:
        """The engine, made and never started; None where there is no model, or it is not here."""
        if self.answers["engine"] in WITHOUT_MODEL:
            return None
        try:
            return build_engine(Setup(self.answers))
        except UserError:  # such as a local model that lies on another machine
            return None

    def of_part(
        self,
        items: Sequence[Item],
        known: Collection[str],
        tokenizers: dict[str, CachedTokenizer],
    ) -> tuple[Record, list[tuple[str, str, int, int]]]:
        """What a part would take, and its prompts that do not fit whole.

        Args:
            items: what is asked.
            known: hashes that the journal answers.
            tokenizers: by name, shared by the models of a part.
        """
        answers, engine = self.answers, self.engine
        own = engine.tokenizer if engine else None
        name, estimated = ("own", False) if own else _tokenizer(answers)
        tokenizer = CachedTokenizer(own) if own else _shared(tokenizers, name)
        template = answers.get("template_tokens")
        if template is None:
            template = engine.template_tokens(tokenizer.count) if engine else 0
        on_overflow = answers.get("on_overflow") or "error"
        requests = fit(
            adapted(items, answers),
            answers.get("window"),
            "truncate" if on_overflow == "truncate" else "skip",
            tokenizer,
            model=self.name,
            answers=engine.answers if engine else {},
            template_tokens=template,
        )
        row = plan_part(requests, known, tokenizer, template, **self.plan)
        row |= {"engine": answers["engine"], "tokenizer": name, "estimated": estimated}
        return row, list(misfits(requests, on_overflow))


def _shared(tokenizers: dict[str, CachedTokenizer], name: str) -> CachedTokenizer:
    if name not in tokenizers:
        tokenizers[name] = CachedTokenizer(load_tokenizer(name))
    return tokenizers[name]


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
        limit: of a trial, for its remark.
        asked: a sentence about the text that would be asked.
        certificate: settings of the ``Certificate`` that the plan gives, but for its score files;
            None: it gives none.
        out_certificate: what each pair of models needs, where the plan gives a certificate.

    Raises:
        UserError: a file is damaged.
    """
    planned = [PlannedModel(name, **settings) for name, settings in models.items()]
    judging = [PlannedModel(name, **settings) for name, settings in judges.items()]
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
        for model in planned:
            known = final_hashes(journal_path(results, benchmark, model.name, part.name))
            row, misfit = model.of_part(items_by_draws[model.draws], known, tokenizers)
            rows.append({"model": model.name, "part": part.name, "judges": "", **row})
            places = [(model.name, part.name, *one) for one in misfit]
            odd += [dict(zip(MISFIT_COLUMNS, place, strict=True)) for place in places]
        if judge_prompts:
            items = _judge_items(judge_prompts, templates, drawn[1], answer_tokens)
            for judge in judging:
                judged = [model for model in planned if judge.name in judges_of[model.name]]
                count = sum(model.draws for model in judged)
                if not count:
                    continue
                row, _ = judge.of_part(items, (), tokenizers)
                row = {column: _times(count, value) for column, value in row.items()}
                answers = f"{len(judged)} models' answers" if judged[1:] else "1 model's answers"
                rows.append({"model": judge.name, "part": part.name, "judges": answers, **row})
    order = {name: number for number, name in enumerate([*models, *judges])}
    rows.sort(key=lambda row: (bool(row["judges"]), order[row["model"]]))
    odd.sort(key=lambda row: order[row["model"]])
    write_rows(out_csv, COLUMNS, rows)
    write_rows(out_prompts, MISFIT_COLUMNS, odd)
    lines = page(benchmark, rows, odd, f"{trial_remark(limit)} {asked}".strip())
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


def _times(count: int, value: object) -> object:
    """A number of one model's answers as that of so many models'."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return value * count


def _judge_items(
    judge_prompts: Sequence[Any],
    templates: Mapping[str, str],
    samples: Sequence[Sample],
    answer_tokens: int,
) -> list[Item]:
    """What a judge would be asked if every answer had so many tokens."""
    asking = component(judge_prompts).make()
    # One token in o200k_base; other tokenizers are near it.
    text = " word" * answer_tokens
    answers: dict[str, Answer] = {}
    for sample in samples:
        before = answers[sample.before.id] if sample.before else None
        answers[sample.id] = Answer("ok", text, before=before)
    return judge_items(
        judge_prompts_of(asking, load_templates(asking, templates), samples, answers)
    )


def _tokenizer(answers: Settings) -> tuple[str, bool]:
    """The tiktoken encoding that counts, and whether it only stands in for the model's own."""
    name = answers.get("tokenizer") or ESTIMATE
    try:
        load_tokenizer(name)
    except UserError:
        return ESTIMATE, True
    return name, answers["engine"] not in WITHOUT_MODEL | {"openai"}
