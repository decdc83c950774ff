"""Files that the config names: all there before anything runs.

Of a file that is missing Snakemake says nothing where older results stand: it takes them for
given.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steadfast.config import replay_file
from steadfast.errors import UserError
from steadfast.registry import JUDGED, benchmark


def check_given(config: Any) -> None:
    """Checks that each file and directory is there that the running benchmarks and models need.

    Raises:
        UserError: one is not; the sentence names the config's key.
    """
    for key, path in given_files(config):
        if not Path(path).exists():
            raise UserError(f"config: {key}: {path}: no such file or directory; correct the path")


def given_files(config: Any) -> Iterator[tuple[str, str]]:
    """The config's key and the path of each of them."""
    for name in config.benchmarks:
        for model in config.running:
            for part in benchmark(name).parts(config):
                if path := replay_file(config, model, name, part):
                    yield f"models.{model}.file", path
        section = getattr(config, name)
        if name in JUDGED:
            if section.source == "local":
                yield f"{name}.directory", section.directory
            for template, path in section.templates.items():
                yield f"{name}.templates.{template}", path
            for key in ("labels", "extra"):
                if path := getattr(section, key, None):
                    yield f"{name}.{key}", path
