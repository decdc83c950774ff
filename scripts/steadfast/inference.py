"""One inference job: prompts, of a benchmark or for its judge, and a model of the config."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.config import (
    judge_settings,
    load_config,
    model_settings,
    operation_settings,
    replay_file,
)
from steadfast.registry import BENCHMARKS, as_paths, benchmark
from steadfast.workflow import PACKAGE

JOURNAL = Path("results/journal")
VERDICTS = "verdicts"
"""Folder of the judges' journals, beside those of the benchmarks."""


def answer_part(
    benchmark_name: str,
    model: str,
    part: str,
    answers: Mapping[str, Any],
    raw_config: Mapping[str, Any],
    prompts: Path,
    sources: Mapping[str, Mapping[str, str]],
    out: Path,
    identity_out: Path,
    log: Path,
) -> None:
    """Asks one model every prompt of one part, and writes the responses.

    Args:
        benchmark_name: a name in the registry.
        model: the model's name in the config.
        part: part of the benchmark, such as a length.
        answers: the settings that determine the responses; a change of one re-runs the job.
        raw_config: the config as Snakemake read it; the settings of operation are taken from it
            here, so that a change of one re-runs nothing.
        prompts: the prompts file.
        sources: the files that prompts refer to, by kind and name.
        out: where the responses go.
        identity_out: where goes what produced them.
        log: the rule's log file.

    Raises:
        UserError: the surroundings do not let the job finish; what is answered is kept.
    """
    from steadfast.engines.run import run_part

    config = load_config(dict(raw_config))
    operation = operation_settings(model_settings(config, model))
    operation["bill"] = [JOURNAL / name / model for name in BENCHMARKS]
    if replay := replay_file(config, model, benchmark_name, part):
        operation |= {"file": replay, "fields": answers["fields"]}
    files = as_paths(sources)
    chosen = benchmark(benchmark_name)
    run_part(
        model=model,
        answers=dict(answers),
        operation=operation,
        items=chosen.items(prompts, files),
        oracle=chosen.oracle(prompts, files),
        journal=journal_path(benchmark_name, model, part),
        out=out,
        identity_out=identity_out,
        log=log,
        commit=_commit(),
    )


def judge_part(
    benchmark_name: str,
    judge: str,
    model: str,
    part: str,
    answers: Mapping[str, Any],
    attempts: int,
    raw_config: Mapping[str, Any],
    judging: Path,
    out: Path,
    identity_out: Path,
    log: Path,
) -> None:
    """Asks a judge about every answer of one model to one part, and writes its replies.

    A reply that cannot be read is asked for again; the last one is written.

    Args:
        benchmark_name: a name in the registry.
        judge: the judge's name in the config.
        model: whose answers are judged.
        part: part of the benchmark.
        answers: the judge's settings that determine its replies.
        attempts: times that a reply is asked for.
        raw_config: the config as Snakemake read it, for the settings of operation.
        judging: the judge prompts.
        out: where the replies go.
        identity_out: where goes what produced them.
        log: the rule's log file.

    Raises:
        UserError: the surroundings do not let the job finish; what is answered is kept.
    """
    from steadfast.engines.run import run_part
    from steadfast.judging.requests import items, reader

    operation = operation_settings(judge_settings(load_config(dict(raw_config)), judge))
    operation["bill"] = [JOURNAL / VERDICTS / judge]
    chosen = benchmark(benchmark_name)
    run_part(
        model=judge,
        answers=dict(answers),
        operation=operation,
        items=items(judging),
        oracle=chosen.judge_oracle(judging),
        journal=verdicts_journal_path(benchmark_name, judge, model, part),
        out=out,
        identity_out=identity_out,
        log=log,
        commit=_commit(),
        readable=reader(judging, chosen.readable),
        attempts=attempts,
    )


def journal_path(benchmark_name: str, model: str, part: str) -> Path:
    """The journal of a model's answers to a part."""
    return JOURNAL / benchmark_name / model / f"{part}.jsonl"


def verdicts_journal_path(benchmark_name: str, judge: str, model: str, part: str) -> Path:
    """The journal of a judge's replies about a model's answers; one folder holds all of a judge."""
    return JOURNAL / VERDICTS / judge / f"{benchmark_name}.{model}.{part}.jsonl"


def _commit() -> str | None:
    """The workflow's commit, with a plus sign where files differ from it; None outside git."""
    describe = ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+"]
    done = subprocess.run(describe, cwd=PACKAGE, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None
