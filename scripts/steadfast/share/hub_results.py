"""A finished run as results on the Hugging Face hub: ``eval.yaml`` and ``.eval_results/*.yaml``.

The first describes a benchmark, in the repository of its data set; the second has a model's values,
in the repository of the model (https://huggingface.co/docs/hub/eval-results).
"""

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from steadfast import __version__
from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json, write_text
from steadfast.contract.records import OWN
from steadfast.jobs.finished import FinishedRun
from steadfast.stats.tidy import read_summary

# How the origin of a source begins that a program made, in ``resources/*/export.yaml``.
SYNTHETIC = "made by "
# Settings of a model that an entry's notes have, where they are set.
SETTINGS = (
    "engine", "revision", "template", "temperature", "top_p", "top_k", "min_p", "max_tokens",
    "repeats", "window", "on_overflow", "reasoning", "system",
)  # fmt: skip


def write_hub_results(run: FinishedRun, words: Iterable[str], folder: Path) -> list[Path]:
    """Writes the files of each benchmark, and returns them; none where one is refused.

    Args:
        run: the finished run.
        words: BENCHMARK=OWNER/NAME, a benchmark and the hub's id of its data set.
        folder: gets ``{benchmark}/eval.yaml`` and ``{model}/.eval_results/{benchmark}.yaml``.

    Raises:
        UserError: a benchmark did not run or is synthetic, or results are partial or simulated.
    """
    contents: dict[Path, object] = {}
    for word in words:
        benchmark, _, dataset = word.partition("=")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", dataset):
            raise UserError(f"--hub: {word!r} names no data set; write BENCHMARK=OWNER/NAME")
        if benchmark not in run.benchmarks:
            names = ", ".join(run.benchmarks)
            raise UserError(f"--hub: the run has no benchmark {benchmark!r}; name one of {names}")
        for reason in refusals(run, benchmark):
            raise UserError(f"{benchmark}: {reason}")
        contents[folder / benchmark / "eval.yaml"] = eval_yaml(run, benchmark)
        for model in _models(run, benchmark):
            path = folder / model / ".eval_results" / f"{benchmark}.yaml"
            contents[path] = entries(run, benchmark, model, dataset)
    for path, content in contents.items():
        write_text(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=96))
    return list(contents)


def refusals(run: FinishedRun, benchmark: str) -> Iterator[str]:
    """Yields why a benchmark's results would mislead beside a model."""
    exports = run.evaluation.tasks[benchmark].exports
    if exports is None:
        yield "cannot be exported, so that the hub has no data set of it"
        return
    sources = exports.make().about().sources
    synthetic = [source.name for source in sources if source.origin.startswith(SYNTHETIC)]
    if synthetic:
        advice = "synthetic data measure no model; run it on released data or on your own"
        yield f"{', '.join(synthetic)}: {advice}"
    models = _models(run, benchmark)
    if not models:
        yield "all models are simulated or replayed; evaluate a real one"
    if run.evaluation.evaluates_part_of(benchmark):
        yield "only some of the prompts were evaluated; run it without limit and adaptive"
    for row in _summary(run, benchmark, models):
        if row.n != row.expected:
            samples = f"{row.n:g} of {row.expected:g} samples"
            advice = "run the workflow again until all have a score"
            yield f"{row.measure} of {row.model} is of {samples}; {advice}"


def eval_yaml(run: FinishedRun, benchmark: str) -> Record:
    """Returns what the hub reads of a benchmark, with a task for each of its main measures."""
    task = run.evaluation.tasks[benchmark]
    assert task.exports
    about = task.exports.make().about()
    splits = [part.replace("-", "_") for part in task.parts]
    measures = run.evaluation.benchmarks[benchmark].measures
    described = [f"{task_id(name)}: {measure.text}" for name, measure in measures.items()]
    sentences = [" ".join(about.summary.split()), *described, f"Splits: {', '.join(splits)}."]
    table = {"config": next(iter(about.tables)), "split": splits[0]}
    # Without ``evaluation_framework``: the hub refuses those that it does not list.
    return {
        "name": about.title,
        "description": "\n".join(sentences),
        "tasks": [{"id": task_id(name), **table} for name in measures],
    }


def entries(run: FinishedRun, benchmark: str, model: str, dataset: str) -> list[Record]:
    """Returns a model's entries, one for each main measure, with the settings as notes."""
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    evaluation = run.evaluation
    settings = evaluation.config.models[model].model_dump(include={*SETTINGS}, exclude_none=True)
    setup = [f"settings {canonical_json(settings)}"]
    for judge in evaluation.judges_of(benchmark, model)[:1]:  # whose verdicts make the scores
        setup.append(f"judge {getattr(evaluation.config.judges[judge], 'model', judge)}")
    setup.append(evaluation.tasks[benchmark].data_note)
    results = []
    for row in _summary(run, benchmark, [model]):
        notes = [f"{row.measure} of steadfast {__version__}", f"n = {row.n:g}"]
        if not math.isnan(row.low):
            notes.append(f"95 % interval {row.low:.4g} to {row.high:.4g}")
        results.append(
            EvalResultEntry(
                dataset_id=dataset,
                task_id=task_id(row.measure),
                value=row.value,
                notes="; ".join([*notes, *setup]),
            )
        )
    return eval_result_entries_to_yaml(results)


def task_id(measure: str) -> str:
    """Returns a measure's name as the id of a task."""
    return re.sub(r"\W+", "_", measure.lower())


def _models(run: FinishedRun, benchmark: str) -> list[str]:
    """The real models that have been evaluated."""
    return [model for model in run.models(benchmark) if model in run.evaluation.real_models]


def _summary(run: FinishedRun, benchmark: str, models: list[str]) -> list[Any]:
    """The rows of the main measures of these models that answered the run's prompts."""
    run.metrics(benchmark)  # checks that the files are unchanged
    rows = read_summary(run.metric_path(benchmark, "summary"))
    measures = run.evaluation.benchmarks[benchmark].measures
    rows = rows[rows["model"].isin(models) & rows["measure"].isin([*measures])]
    return list(rows[rows["prompts"] == OWN].itertuples(index=False))
