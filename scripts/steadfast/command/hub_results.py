"""Writes a finished run's results for the Hugging Face hub: steadfast export --hub."""

from argparse import Namespace

from steadfast.base.errors import UserError
from steadfast.command.error_message import errors_as_messages
from steadfast.command.inspect_logs import finished_results
from steadfast.jobs.finished import FinishedRun
from steadfast.share.hub_results import write_hub_results


def main(arguments: Namespace) -> None:
    """Writes the files to the folder ``hub`` of the results."""
    results, config = finished_results(arguments)
    with errors_as_messages(results):
        datasets = {}
        for word in arguments.hub:
            benchmark, equals, dataset = word.partition("=")
            if not equals:
                raise UserError(f"--hub: {word!r} has no =; write BENCHMARK=OWNER/NAME")
            datasets[benchmark] = dataset
        run = FinishedRun.of(results, config)
        files = write_hub_results(run, datasets, results / "hub")
    print(f"{len(files)} files written to {results / 'hub'} (docs/share.md)")
