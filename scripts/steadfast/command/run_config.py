"""The config of a run that a command looks at, and where its results are."""

from pathlib import Path

from steadfast.command.error_message import errors_as_messages
from steadfast.config.load import load_config
from steadfast.config.source import default_config, read_source
from steadfast.schema.config import Config


def read_config(path: Path | None) -> tuple[Path, Config, Path]:
    """A config's file (by default the default one), its content, and its results folder."""
    file = path or default_config()
    with errors_as_messages(file):
        config = load_config(read_source(file))
    return file, config, Path(config.pathvars.get("results", "results"))
