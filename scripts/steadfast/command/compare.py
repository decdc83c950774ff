"""Compares two results folders: steadfast compare results other/results (docs/compare.md)."""

from argparse import Namespace

from steadfast.command.error_message import errors_as_messages
from steadfast.compare.results import compare_results
from steadfast.compare.text import comparison_text
from steadfast.jobs.finished import FinishedRun


def main(given: Namespace) -> int:
    """Prints what differs; 3 where that is to count as a failure."""
    with errors_as_messages(given.a, given.b):
        comparison = compare_results(
            *(FinishedRun.of(run, given.config) for run in (given.a, given.b))
        )
        if given.out:
            comparison.write(given.out)
        print(comparison_text(comparison, given.a, given.b), end="")
    return 3 if given.fail and comparison.differs else 0
