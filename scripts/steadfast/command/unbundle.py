"""Unpacks a bundle: steadfast unbundle results/bundle.zip there (docs/share.md)."""

from argparse import Namespace

from steadfast.base.names import escape_hidden
from steadfast.command.error_message import errors_as_messages
from steadfast.share.unbundle import unbundle


def main(arguments: Namespace) -> None:
    """Unpacks a bundle, and prints how many files are kept; exit code 1 if that fails."""
    with errors_as_messages(arguments.bundle):
        unpacked = unbundle(arguments.bundle, arguments.into, arguments.code)
    print(f"{len(unpacked.kept)} files unpacked, made by commit {unpacked.commit or 'unknown'}.")
    if unpacked.outdated:
        print(
            f"{len(unpacked.outdated)} files differ from what the code here makes: they will be "
            "remade, from responses in the journal where the requests are the same."
        )
    folder = escape_hidden(str(arguments.into))
    print(
        f"Next: steadfast run {folder}/config.yaml --directory {folder}\n"
        f"Then: diff -rq -x '.*' {folder}/results/tables {folder}/made/tables"
    )
