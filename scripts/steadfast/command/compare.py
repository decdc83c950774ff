"""Compares two results folders: steadfast compare results other/results (docs/compare.md)."""

from argparse import Namespace

from steadfast.command.error_message import errors_as_messages
from steadfast.compare.results import compare_results
from steadfast.compare.text import comparison_text
from steadfast.jobs.finished import FinishedRun


def main(given: Namespace) -> int:
    """Prints what differs; 3 where that is to count as a failure."""
    with errors_as_messages(given.a, given.b):
        found = compare_results(*(FinishedRun.of(of, given.config) for of in (given.a, given.b)))
        if given.out:
            found.write(given.out)
        print(comparison_text(found, given.a, given.b), end="")
    return 3 if given.fail and found.differs else 0
