"""One inference job: a benchmark's prompts, a model of the config, the engine between them."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.config import load_config, model_settings, operation_settings, replay_file
from steadfast.registry import as_paths, benchmark
from steadfast.workflow import PACKAGE

JOURNAL = Path("results/journal")


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
    if replay := replay_file(config, model, part):
        operation |= {"file": replay, "fields": answers["fields"]}
    files = as_paths(sources)
    chosen = benchmark(benchmark_name)
    run_part(
        model=model,
        answers=dict(answers),
        operation=operation,
        items=chosen.items(prompts, files),
        oracle=chosen.oracle(prompts, files),
        journal=JOURNAL / benchmark_name / model / f"{part}.jsonl",
        out=out,
        identity_out=identity_out,
        log=log,
        commit=_commit(),
    )


def _commit() -> str | None:
    """The workflow's commit, with a plus sign where files differ from it; None outside git."""
    describe = ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+"]
    done = subprocess.run(describe, cwd=PACKAGE, capture_output=True, text=True, check=False)
    return done.stdout.strip() or None
