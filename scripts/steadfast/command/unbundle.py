"""Unpacks a bundle: make unbundle BUNDLE=results/bundle.zip INTO=there (docs/bundle.md)."""

import argparse
from pathlib import Path

from steadfast.base.visible import visible
from steadfast.command.says_why import says_why, take_any_text
from steadfast.share.unbundle import unbundle


def main() -> None:
    """Reads the command line and unpacks; ends with 1 where that cannot be done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path, help="the file")
    parser.add_argument("into", type=Path, help="a folder that is not there yet, or is empty")
    parser.add_argument("--code", action="store_true", help="take a bundle that brings code")
    given = parser.parse_args()
    take_any_text()
    with says_why(given.bundle):
        found = unbundle(given.bundle, given.into, given.code)
    print(
        f"{len(found.kept)} files are taken as they are, of workflow {found.commit or 'unknown'}."
    )
    if found.made_again:
        print(
            f"{len(found.made_again)} files would be made otherwise by the code here: they are "
            "made again, answers from the journal where their requests are the same."
        )
    into = visible(str(given.into))
    print(
        f"Next: make tables CONFIG={into}/config.yaml DIRECTORY={into}\n"
        f"Then: diff -rq -x '.*' {into}/results/tables {into}/made/tables"
    )


if __name__ == "__main__":
    main()
