"""Compares two results folders: make compare A=results B=other/results (docs/compare.md)."""

import argparse
import sys
from pathlib import Path

from steadfast.command.says_why import says_why, take_any_text
from steadfast.compare.results import compare_results
from steadfast.compare.text import comparison_text
from steadfast.run.finished import FinishedRun


def main() -> None:
    """Reads the command line and prints; ends with 1 where the runs cannot be compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("a", type=Path, help="results folder of run A")
    parser.add_argument("b", type=Path, help="results folder of run B")
    parser.add_argument("--config", type=Path, help="config of a folder that does not hold its own")
    parser.add_argument("--out", type=Path, help="folder for everything as CSV files")
    parser.add_argument(
        "--fail", action="store_true", help="end with 3 where prompts, cells or samples differ"
    )
    given = parser.parse_args()
    take_any_text()
    with says_why(given.a, given.b):
        found = compare_results(*(FinishedRun.of(of, given.config) for of in (given.a, given.b)))
        if given.out:
            found.write(given.out)
        print(comparison_text(found, given.a, given.b), end="")
    sys.exit(3 if given.fail and found.differs else 0)


if __name__ == "__main__":
    main()
