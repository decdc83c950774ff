"""Writes a finished run as logs of Inspect: steadfast export --inspect (docs/share.md)."""

import os
from argparse import Namespace
from pathlib import Path

from steadfast.command.error_message import errors_as_messages
from steadfast.config.load import load_config
from steadfast.config.source import default_config, read_source
from steadfast.jobs.finished import FinishedRun
from steadfast.share.inspect_logs import write_logs


def main(arguments: Namespace) -> None:
    """Writes the logs to the folder ``inspect`` of the results."""
    results, config = finished_results(arguments)
    with errors_as_messages(results):
        logs = write_logs(FinishedRun.of(results, config), results / "inspect")
    print(f"{len(logs)} logs written; inspect view --log-dir {results / 'inspect'} shows them")


def finished_results(arguments: Namespace) -> tuple[Path, Path]:
    """Changes to the folder of a run, and returns its results folder and its config."""
    config = arguments.config.resolve() if arguments.config else None
    os.chdir(arguments.directory or ".")
    file = config or default_config()
    with errors_as_messages(file):
        settings = load_config(read_source(file))
    return Path(settings.pathvars.get("results", "results")), Path(file)
