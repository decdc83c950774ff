"""Files that the config names: all there before anything runs.

Of a file that is missing Snakemake says nothing where older results stand: it takes them for
given.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.benchmark import Task
from steadfast.config.settings import replay_file
from steadfast.errors import UserError
from steadfast.schema.config import Config


def check_required_files(config: Config, tasks: Mapping[str, Task]) -> None:
    """Checks that each file and directory is there that the running benchmarks and models need.

    Args:
        config: the config.
        tasks: by benchmark.

    Raises:
        UserError: one is not; the sentence names the config's key.
    """
    for key, path in required_files(config, tasks):
        if not Path(path).exists():
            raise UserError(f"config: {key}: {path}: no such file or directory; correct the path")


def required_files(config: Config, tasks: Mapping[str, Task]) -> Iterator[tuple[str, str]]:
    """The config's key and the path of each of them."""
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
