"""Writes a finished run for other programs: steadfast export --inspect, --scores or --hub."""

import os
from argparse import Namespace
from collections.abc import Sequence

from steadfast.base.errors import UserError
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
        datasets = hub_datasets(arguments.hub or [])
        run = FinishedRun.of(results, file)
        if arguments.scores:
            table = score_table(run)
            write_csv(results / "scores.csv", table)
            print(f"{results / 'scores.csv'}: {len(table)} responses")
        if arguments.inspect:
            logs = write_logs(run, results / "inspect")
            print(
                f"{len(logs)} logs written; inspect view --log-dir {results / 'inspect'} shows them"
            )
        if datasets:
            files = write_hub_results(run, datasets, results / "hub")
            print(f"{len(files)} files written to {results / 'hub'} (docs/share.md)")


def hub_datasets(words: Sequence[str]) -> dict[str, str]:
    """The data set on the hub of each benchmark, from words BENCHMARK=OWNER/NAME."""
    datasets = {}
    for word in words:
        benchmark, equals, dataset = word.partition("=")
        if not equals:
            raise UserError(f"--hub: {word!r} has no =; write BENCHMARK=OWNER/NAME")
        datasets[benchmark] = dataset
    return datasets
