"""Checks a config's requirements of this machine: steadfast doctor my.yaml (docs/checks.md)."""

from argparse import Namespace

from steadfast.base.names import escape_hidden
from steadfast.config.source import default_config
from steadfast.doctor.examine import examine


def main(arguments: Namespace) -> int:
    """Prints a line for each check; returns 1 if a needed thing is missing."""
    missing = 0
    config = str(arguments.config or default_config())
    for check in examine(config, arguments.profile, online=not arguments.offline):
        print(escape_hidden(str(check)), flush=True)  # at once: the next may wait for the network
        if check.status == "missing":
            missing += 1
    things = "thing is" if missing == 1 else "things are"
    print(f"{missing} {things} missing" if missing else "nothing is missing")
    return int(missing > 0)
