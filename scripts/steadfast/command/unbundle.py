"""Unpacks a bundle: steadfast unbundle results/bundle.zip there (docs/share.md)."""

from argparse import Namespace

from steadfast.base.commands import typed
from steadfast.base.names import visible
from steadfast.command.says_why import says_why
from steadfast.share.unbundle import unbundle


def main(given: Namespace) -> None:
    """Unpacks, and says what is taken as it is; ends with 1 where that cannot be done."""
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
        f"Next: {typed('run', config=f'{into}/config.yaml', directory=into)}\n"
        f"Then: diff -rq -x '.*' {into}/results/tables {into}/made/tables"
    )
