"""The plan of a benchmark: every model and part, from prompts and journals, nothing sent."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.engines.base import Engine
from steadfast.engines.build import build_engine
from steadfast.engines.fit import fit
from steadfast.engines.journal import final_hashes
from steadfast.engines.plan import COLUMNS, Memo, markdown, misfits, plan_part, total
from steadfast.errors import UserError
from steadfast.files import write_text
from steadfast.inference import JOURNAL
from steadfast.registry import as_paths, benchmark
from steadfast.tokens import load_tokenizer

FREE = frozenset({"reference", "simulated", "replay"})
"""Engines without a model: they cost nothing and keep no journal."""
ESTIMATE = "o200k_base"
SHOWN = 5
MISFIT_COLUMNS = ("model", "part", "sample_id", "what", "prompt_tokens", "truncated_tokens")
NOTES = """Prompt tokens are logical: what the prompts would be without sharing. Distinct tokens are
left when prompts of a context share their prefix; a cache that holds computes no more. Hours and
cost are of what is still to be asked (the columns "ask"), with the whole output limit used.
"""


def journal_sizes(benchmark_name: str, models: Sequence[str], parts: Sequence[str]) -> list[int]:
    """Bytes of each journal, in order: a plan is made anew when one has grown."""
    paths = [JOURNAL / benchmark_name / m / f"{p}.jsonl" for m in models for p in parts]
    return [path.stat().st_size if path.exists() else 0 for path in paths]


def write_plan(
    benchmark_name: str,
    models: Mapping[str, Mapping[str, Any]],
    parts: Mapping[str, Mapping[str, Mapping[str, str]]],
    prompts: Sequence[Path],
    out_md: Path,
    out_csv: Path,
    out_prompts: Path,
) -> None:
    """Writes what each model would take for each part.

    Args:
        benchmark_name: a name in the registry.
        models: per model its ``answers`` and ``plan`` settings.
        parts: per part the files that its prompts refer to.
        prompts: the prompts file of each part.
        out_md: the plan for people.
        out_csv: the plan, a row a model and part.
        out_prompts: the prompts that would be cut or do not fit.
    """
    rows: list[dict[str, Any]] = []
    odd: list[dict[str, Any]] = []
    engines = {model: _engine(settings["answers"]) for model, settings in models.items()}
    for (part, sources), path in zip(parts.items(), prompts, strict=True):
        items = list(benchmark(benchmark_name).items(path, as_paths(sources)))
        memos: dict[str, Memo] = {}
        for model, settings in models.items():
            answers = settings["answers"]
            engine = engines[model]
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
                model=model,
                answers=engine.answers if engine else {},
                template_tokens=template,
            )
            known = final_hashes(JOURNAL / benchmark_name / model / f"{part}.jsonl")
            facts = plan_part(requests, known, tokenizer, template, **settings["plan"])
            place = {"model": model, "part": part, "engine": answers["engine"]}
            rows.append({**place, **facts, "tokenizer": name, "estimated": estimated})
            odd += [
                dict(zip(MISFIT_COLUMNS, (model, part, *misfit), strict=True))
                for misfit in misfits(requests, on_overflow)
            ]
    order = {model: number for number, model in enumerate(models)}
    rows.sort(key=lambda row: order[row["model"]])
    odd.sort(key=lambda row: order[row["model"]])
    write_text(out_csv, _csv(COLUMNS, rows))
    write_text(out_prompts, _csv(MISFIT_COLUMNS, odd))
    write_text(out_md, _page(benchmark_name, rows, odd))


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
    paid = [row for row in rows if row["engine"] not in FREE]
    lines.append(f"- still to be asked of models: {total(paid, 'to_ask') or 0:,} requests")
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
