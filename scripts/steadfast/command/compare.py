"""Compares two results folders: steadfast compare results other/results (docs/compare.md)."""

from argparse import Namespace

from steadfast.command.error_message import errors_as_messages
from steadfast.compare.results import compare_results
from steadfast.compare.text import comparison_text
from steadfast.jobs.finished import FinishedRun


def main(arguments: Namespace) -> int:
    """Prints the differences; returns 3 if there are some, with ``--fail``."""
    with errors_as_messages(arguments.a, arguments.b):
        run_a = FinishedRun.of(arguments.a, arguments.config)
        run_b = FinishedRun.of(arguments.b, arguments.config)
        comparison = compare_results(run_a, run_b)
        if arguments.out:
            comparison.write(arguments.out)
        print(comparison_text(comparison, arguments.a, arguments.b), end="")
    return 3 if arguments.fail and comparison.differs else 0
