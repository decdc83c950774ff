"""Checks before a run that all files named in the config exist; Snakemake would notice late."""

from collections.abc import Iterator
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.tokens import check_name
from steadfast.contract.examples import read_examples
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.job import Job
from steadfast.schema.config import Config
from steadfast.schema.model_base import OpenModel


def check_required_files(run: Evaluation) -> None:
    """Checks the files that running benchmarks and models need, and the name of the tokenizer."""
    check_name(run.config.tokenizer)
    for key, path in required_files(run):
        if not Path(path).exists():
            raise UserError(f"config: {key}: {path}: no such file or directory; correct the path")
    for key, path in example_files(run.config):
        try:
            read_examples(path)
        except UserError as error:
            raise UserError(f"config: {key}: {error}") from None


def required_files(run: Evaluation) -> Iterator[tuple[str, str]]:
    """Config key and path of each required file."""
    yield from example_files(run.config)
    for name in run.config.benchmarks:
        jobs = [Job("inference", name, model, part) for model, part in run.cells(name)]
        for job in jobs + run.rewriter_jobs(name):
            if path := run.replayed(job):
                yield f"{job.role}.{job.name}.file", path
        yield from run.tasks[name].files


def example_files(config: Config) -> Iterator[tuple[str, str]]:
    """Config key and path of each file with few-shot examples."""
    models = {f"models.{name}": config.models[name] for name in config.running}
    models |= {f"judges.{name}": judge for name, judge in config.judges.items()}
    models |= {f"rewriters.{name}": rewriter for name, rewriter in config.rewriters.items()}
    for key, model in models.items():
        if isinstance(model, OpenModel) and model.examples is not None:
            yield f"{key}.examples", model.examples
