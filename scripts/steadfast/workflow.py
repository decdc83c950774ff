"""What the rule files and the scripts need of Python: module lists and errors for people."""

import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from steadfast.errors import UserError

PACKAGE = Path(__file__).resolve().parent


@cache  # asked for once a job
def code(*places: str) -> tuple[str, ...]:
    """Module files, for a rule to list as inputs: a change of one re-runs the rule.

    Args:
        places: modules (``files.py``) or packages (``corpora``), below the package.

    Returns:
        Paths relative to the repository, sorted.
    """
    found: list[Path] = []
    for place in places:
        path = PACKAGE / place
        found += path.rglob("*.py") if path.is_dir() else [path]
    return tuple(sorted(path.relative_to(PACKAGE.parents[1]).as_posix() for path in set(found)))


def run_rule(function: Callable[..., Any], logs: Iterable[str], /, **arguments: Any) -> None:
    """Runs a rule's one function; a user's error becomes one sentence, and exit code 1.

    Args:
        function: the function that does the rule's work.
        logs: the rule's log files; what the function prints goes to the first, and so does the
            sentence.
        arguments: passed on.
    """
    with ExitStack() as stack:
        for path in list(logs)[:1]:
            log = stack.enter_context(open(path, "a", encoding="utf-8", buffering=1))
            stack.enter_context(redirect_stdout(log))
        try:
            function(**arguments)
        except UserError as error:
            print(f"error: {error}")
            print(f"error: {error}", file=sys.stderr)
            sys.exit(1)
