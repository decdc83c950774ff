"""Checks before a run that all files named in the config exist; Snakemake would notice late."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.tokens import check_name
from steadfast.config.settings import replay_file
from steadfast.contract.examples import read_examples
from steadfast.contract.task import Task
from steadfast.schema.config import Config
from steadfast.schema.model_base import OpenModel


def check_required_files(config: Config, tasks: Mapping[str, Task]) -> None:
    """Checks the files that running benchmarks and models need, and the name of the tokenizer."""
    check_name(config.tokenizer)
    for key, path in required_files(config, tasks):
        if not Path(path).exists():
            raise UserError(f"config: {key}: {path}: no such file or directory; correct the path")
    for key, path in example_files(config):
        try:
            read_examples(path)
        except UserError as error:
            raise UserError(f"config: {key}: {error}") from None


def required_files(config: Config, tasks: Mapping[str, Task]) -> Iterator[tuple[str, str]]:
    """Config key and path of each required file."""
    yield from example_files(config)
    for name in config.benchmarks:
        for model in config.running:
            for part in tasks[name].parts:
                if path := replay_file(config.models[model], name, part):
                    yield f"models.{model}.file", path
        if rewriting := tasks[name].rewriting:
            for rewriter in rewriting.rewriters:
                for part in rewriting.requests:
                    if path := replay_file(config.rewriters[rewriter], name, part):
                        yield f"rewriters.{rewriter}.file", path
        yield from tasks[name].files


def example_files(config: Config) -> Iterator[tuple[str, str]]:
    """Config key and path of each file with few-shot examples."""
    models = {f"models.{name}": config.models[name] for name in config.running}
    models |= {f"judges.{name}": judge for name, judge in config.judges.items()}
    models |= {f"rewriters.{name}": rewriter for name, rewriter in config.rewriters.items()}
    for key, model in models.items():
        if isinstance(model, OpenModel) and model.examples is not None:
            yield f"{key}.examples", model.examples
