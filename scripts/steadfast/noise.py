"""The noise of one model on one part: a sample asked repeatedly, scored, and compared."""

import csv
import io
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.config import load_config, model_settings, operation_settings
from steadfast.engines.build import build_engine
from steadfast.engines.journal import Journal
from steadfast.engines.noise import ask_repeatedly, draw
from steadfast.engines.request import Request, Response
from steadfast.engines.run import fitted, output_record
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_jsonl, write_text
from steadfast.inference import JOURNAL
from steadfast.metrics.noise import COLUMNS, Pass, noise_page, noise_rows
from steadfast.registry import Sources, as_paths, benchmark


def measure_noise(
    benchmark_name: str,
    model: str,
    part: str,
    answers: Mapping[str, Any],
    noise: Mapping[str, int],
    seed: int,
    scoring: Mapping[str, Any],
    raw_config: Mapping[str, Any],
    prompts: Path,
    sources: Mapping[str, Mapping[str, str]],
    out_csv: Path,
    out_md: Path,
    log: Path,
) -> None:
    """Asks a sample repeatedly and writes how much the answers and their scores differ.

    Args:
        benchmark_name: a name in the registry.
        model: the model's name in the config.
        part: part of the benchmark, such as a length.
        answers: the settings that determine the responses.
        noise: ``sample`` and ``repeats``.
        seed: the config's; the sample follows from it and the part.
        scoring: the benchmark's settings of scoring, such as the rubric.
        raw_config: the config as Snakemake read it, for the settings of operation.
        prompts: the prompts file.
        sources: the files that prompts refer to, by kind and name.
        out_csv: rows per task and overall.
        out_md: the same for people.
        log: the rule's log file.

    Raises:
        UserError: no prompt fits, or the surroundings do not let the job finish; what is answered
            is kept.
    """
    chosen, files = benchmark(benchmark_name), as_paths(sources)
    operation = operation_settings(model_settings(load_config(dict(raw_config)), model))
    journal = JOURNAL / benchmark_name / model / f"{part}.noise.jsonl"
    with open(log, "a", encoding="utf-8", buffering=1) as lines, Journal(journal) as book:

        def say(text: str) -> None:
            print(text, file=lines)

        # A provider's batch says nothing of a cache that is warm at once.
        operation.pop("batch", None)
        engine = build_engine(answers, operation, None, say, journal)
        requests = fitted(model, engine, answers, chosen.items(prompts, files))
        sample = draw(requests, noise["sample"], f"{seed}/noise/{benchmark_name}/{part}")
        if not sample:
            raise UserError(f"noise: no prompt of {part} fits model {model}; leave that part out")
        passes = ask_repeatedly(engine, sample, noise["repeats"], book)
    scored = {
        key: _scored(part, scoring, prompts, files, sample, responses, chosen)
        for key, responses in passes.items()
    }
    rows = noise_rows(scored)
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _plain(value) for name, value in row.items()} for row in rows)
    write_text(out_csv, text.getvalue())
    write_text(out_md, noise_page(f"{model} on {benchmark_name} {part}", rows, _show))


def _scored(
    part: str,
    scoring: Mapping[str, Any],
    prompts: Path,
    sources: Sources,
    sample: list[Request],
    responses: Mapping[str, Response],
    chosen: Any,
) -> Pass:
    """One pass through the benchmark's own scorer, by way of files as it reads them."""
    outputs = {
        request.sample_id: output_record(request, responses[request.hash]) for request in sample
    }
    with tempfile.TemporaryDirectory() as folder:
        few, answered, scores = (Path(folder) / name for name in ("prompts", "outputs", "scores"))
        write_jsonl(few, (p for p in read_jsonl(prompts) if p["sample_id"] in outputs))
        write_jsonl(answered, outputs.values())
        chosen.score_part(part, scoring, few, sources, answered, scores, {})
        return {
            record["sample_id"]: {
                "task": record["task"],
                "total": record["total"],
                "text": outputs[record["sample_id"]]["text"],
                "prompt": outputs[record["sample_id"]]["prompt_tokens"],
                "cached": outputs[record["sample_id"]]["cached_tokens"],
            }
            for record in read_jsonl(scores)
        }


def _plain(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value


def _show(value: Any) -> str:
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
