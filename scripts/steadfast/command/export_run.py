"""Writes a finished run for other programs: steadfast export --inspect, --scores or --hub."""

import os
from argparse import Namespace

from steadfast.command.error_message import errors_as_messages
from steadfast.command.run_config import read_config
from steadfast.jobs.finished import FinishedRun
from steadfast.share.hub_results import write_hub_results
from steadfast.share.inspect_logs import write_logs
from steadfast.share.score_table import score_table
from steadfast.stats.tidy import write_csv


def main(arguments: Namespace) -> None:
    """Writes to the results the folder ``inspect`` or ``hub``, or the table ``scores.csv``."""
    config = arguments.config.resolve() if arguments.config else None
    os.chdir(arguments.directory or ".")
    file, _, results = read_config(config)
    with errors_as_messages(results):
        run = FinishedRun.of(results, file)
        if arguments.hub:
            files = write_hub_results(run, arguments.hub, results / "hub")
            print(f"{len(files)} files written to {results / 'hub'} (docs/share.md)")
        if arguments.scores:
            table = score_table(run)
            write_csv(results / "scores.csv", table)
            print(f"{results / 'scores.csv'}: {len(table)} responses")
        if arguments.inspect:
            folder = results / "inspect"
            logs = write_logs(run, folder)
            print(f"{len(logs)} logs written; inspect view --log-dir {folder} shows them")
