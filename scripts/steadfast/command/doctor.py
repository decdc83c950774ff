"""Looks at what a config needs of this machine: make doctor CONFIG=my.yaml (docs/doctor.md)."""

import argparse
import sys

from steadfast.base.visible import visible
from steadfast.command.says_why import take_any_text
from steadfast.doctor.examine import examine

DEFAULT = "config/config.yaml"


def main() -> None:
    """Prints a line a check, and ends with 1 where something is missing that is needed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", default=DEFAULT, help="a config file")
    parser.add_argument(
        "--profile", action="append", default=[], help="a profile that the run is started with"
    )
    parser.add_argument("--offline", action="store_true", help="ask nothing of the network")
    given = parser.parse_args()
    take_any_text()
    missing = 0
    for check in examine(given.config, given.profile, online=not given.offline):
        print(visible(str(check)), flush=True)
        missing += check.status == "missing"
    things = "thing is" if missing == 1 else "things are"
    print(f"{missing} {things} missing" if missing else "nothing is missing")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
