"""The plan of a benchmark: every model and part, from prompts and journals, nothing sent."""

import csv
import io
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from steadfast.engines.base import Engine
from steadfast.engines.build import build_engine
from steadfast.engines.fit import fit
from steadfast.engines.journal import final_hashes
from steadfast.engines.plan import COLUMNS, Memo, markdown, misfits, plan_part, total
from steadfast.engines.request import Item
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_jsonl, write_text
from steadfast.inference import journal_path
from steadfast.judging.requests import items as judge_items
from steadfast.registry import Sources, as_paths, benchmark
from steadfast.tokens import load_tokenizer

FREE = frozenset({"reference", "simulated", "replay"})
"""Engines without a model: they cost nothing and keep no journal."""
ESTIMATE = "o200k_base"
SHOWN = 5
MISFIT_COLUMNS = ("model", "part", "sample_id", "what", "prompt_tokens", "truncated_tokens")
NOTES = """Prompt tokens are logical: what the prompts would be without sharing. Distinct tokens are
left when prompts of a context share their prefix; a cache that holds computes no more. Hours and
cost are of what is still to be asked (the columns "ask"), with the whole output limit used.
Judges' rows, where there are any, take every answer to have judging.answer_tokens tokens and each
reply to be readable at once; what their journals hold is not known before the answers are.
"""


def journal_sizes(benchmark_name: str, models: Sequence[str], parts: Sequence[str]) -> list[int]:
    """Bytes of each journal, in order: a plan is made anew when one has grown."""
    paths = [journal_path(benchmark_name, m, p) for m in models for p in parts]
    return [path.stat().st_size if path.exists() else 0 for path in paths]


@dataclass(frozen=True)
class Asked:
    """A model or judge of the plan: its settings, its engine where there is one, its counts.

    Args:
        name: in the plan.
        answers: the settings that determine responses.
        plan: throughput and price.
    """

    name: str
    answers: Mapping[str, Any]
    plan: Mapping[str, Any]

    @cached_property
    def engine(self) -> Engine | None:
        """The engine, made and never started; None where there is no model, or it is not here."""
        return _engine(self.answers)

    def of_part(
        self, items: Sequence[Item], known: Collection[str], memos: dict[str, Memo]
    ) -> tuple[dict[str, Any], list[tuple[str, str, int, int]]]:
        """What a part would take, and its prompts that do not fit whole.

        Args:
            items: what is asked.
            known: hashes that the journal answers.
            memos: tokenizers by name, shared by the models of a part.
        """
        answers, engine = self.answers, self.engine
        own = engine.tokenizer if engine else None
        name, estimated = ("own", False) if own else _tokenizer(answers)
        tokenizer = Memo(own) if own else memos.setdefault(name, Memo(load_tokenizer(name)))
        template = answers.get("template_tokens")
        if template is None:
            template = engine.template_tokens(tokenizer.count) if engine else 0
        on_overflow = answers.get("on_overflow") or "error"
        requests = fit(
            items,
            answers.get("window"),
            "truncate" if on_overflow == "truncate" else "skip",
            tokenizer,
            model=self.name,
            answers=engine.answers if engine else {},
            template_tokens=template,
        )
        facts = plan_part(requests, known, tokenizer, template, **self.plan)
        facts |= {"engine": answers["engine"], "tokenizer": name, "estimated": estimated}
        return facts, list(misfits(requests, on_overflow))


def write_plan(
    benchmark_name: str,
    models: Mapping[str, Mapping[str, Any]],
    parts: Mapping[str, Mapping[str, Mapping[str, str]]],
    prompts: Sequence[Path],
    judging: Mapping[str, Any],
    out_md: Path,
    out_csv: Path,
    out_prompts: Path,
) -> None:
    """Writes what each model would take for each part, and each judge for all the models.

    Args:
        benchmark_name: a name in the registry.
        models: per model its ``answers`` and ``plan`` settings.
        parts: per part the files that its prompts refer to.
        prompts: the prompts file of each part.
        judging: where a model judges: ``judges`` (settings as of models), ``templates``,
            ``settings`` and ``answer_tokens``; empty elsewhere.
        out_md: the plan for people.
        out_csv: the plan, a row a model and part.
        out_prompts: the prompts that would be cut or do not fit.
    """
    chosen = benchmark(benchmark_name)
    asked = [Asked(name, **settings) for name, settings in models.items()]
    judges = [Asked(name, **settings) for name, settings in judging.get("judges", {}).items()]
    rows: list[dict[str, Any]] = []
    odd: list[dict[str, Any]] = []
    for (part, sources), path in zip(parts.items(), prompts, strict=True):
        files = as_paths(sources)
        items, memos = list(chosen.items(path, files)), {}
        for model in asked:
            known = final_hashes(journal_path(benchmark_name, model.name, part))
            facts, misfit = model.of_part(items, known, memos)
            rows.append({"model": model.name, "part": part, "judges": "", **facts})
            odd += [
                dict(zip(MISFIT_COLUMNS, (model.name, part, *found), strict=True))
                for found in misfit
            ]
        items = _judge_items(chosen, part, path, files, **judging) if judges else []
        for judge in judges:
            facts, _ = judge.of_part(items, (), memos)
            facts = {name: _times(len(asked), value) for name, value in facts.items()}
            answers = f"{len(asked)} models' answers"
            rows.append({"model": judge.name, "part": part, "judges": answers, **facts})
    order = {name: number for number, name in enumerate([*models, *judging.get("judges", {})])}
    rows.sort(key=lambda row: (bool(row["judges"]), order[row["model"]]))
    odd.sort(key=lambda row: order[row["model"]])
    write_text(out_csv, _csv(COLUMNS, rows))
    write_text(out_prompts, _csv(MISFIT_COLUMNS, odd))
    write_text(out_md, _page(benchmark_name, rows, odd))


def _times(count: int, value: Any) -> Any:
    """A number of one model's answers as that of so many models'."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value * count if number else value


def _judge_items(
    chosen: Any,
    part: str,
    prompts: Path,
    sources: Sources,
    judges: Any,
    templates: Mapping[str, str],
    settings: Mapping[str, Any],
    answer_tokens: int,
) -> list[Item]:
    """What a judge would be asked if every answer had so many tokens."""
    # One token in o200k_base; other tokenizers are near it.
    answer = {"status": "ok", "text": " word" * answer_tokens, "truncated_tokens": 0}
    with tempfile.TemporaryDirectory() as folder:
        outputs, judging = Path(folder) / "outputs", Path(folder) / "judging"
        ids = (prompt["sample_id"] for prompt in read_jsonl(prompts))
        write_jsonl(outputs, ({"sample_id": name, **answer} for name in ids))
        files = {name: Path(path) for name, path in templates.items()}
        chosen.write_judge_prompts(part, prompts, sources, outputs, files, settings, judging)
        return list(judge_items(judging))


def _tokenizer(answers: Mapping[str, Any]) -> tuple[str, bool]:
    """The tiktoken encoding that counts, and whether it only stands in for the model's own."""
    name = answers.get("tokenizer") or ESTIMATE
    try:
        load_tokenizer(name)
    except UserError:
        return ESTIMATE, True
    return name, answers["engine"] not in FREE | {"openai"}


def _engine(answers: Mapping[str, Any]) -> Engine | None:
    """The engine, made and never started; None where there is no model, or it is not here."""
    if answers["engine"] in FREE:
        return None
    try:
        return build_engine(answers, {}, None, lambda line: None)
    except UserError:  # such as a local model that lies on another machine
        return None


def _csv(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({c: _plain(row[c]) for c in columns} for row in rows)
    return text.getvalue()


def _plain(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value


def _show(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.2f}"
    return str(value)


def _page(name: str, rows: Sequence[Mapping[str, Any]], odd: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"# Plan of {name}", "", NOTES]
    lines += [*markdown(rows, _show), "", "## Totals", ""]
    paid = [row for row in rows if row["engine"] not in FREE and not row["judges"]]
    lines.append(f"- still to be asked of models: {total(paid, 'to_ask') or 0:,} requests")
    if judged := [row for row in rows if row["engine"] not in FREE and row["judges"]]:
        lines.append(f"- to be asked of judges: {total(judged, 'to_ask') or 0:,} requests")
    if (hours := total(rows, "gpu_hours")) is not None:
        lines.append(f"- GPU-hours, of the models whose throughput is stated: {hours:,.2f}")
    for currency in sorted({row["currency"] for row in rows if row["currency"]}):
        priced = [row for row in rows if row["currency"] == currency]
        lines.append(f"- {currency}, of the models with prices: {total(priced, 'cost'):,.2f}")
    if any(row["estimated"] for row in rows):
        lines.append(
            f"- where estimated is yes, {ESTIMATE} stands in for the model's own tokenizer, "
            "which is not on this machine: what the journal holds is not known"
        )
    lines += ["", "## Prompts that do not fit whole", ""]
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for row in odd:
        kinds.setdefault((row["model"], row["part"], row["what"]), []).append(row["sample_id"])
    for (model, part, what), samples in kinds.items():
        more = ", …" if len(samples) > SHOWN else ""
        lines.append(
            f"- {model}, {part}: {len(samples)} {what} ({', '.join(samples[:SHOWN])}{more})"
        )
    return "\n".join(lines if kinds else [*lines, "None."]) + "\n"
