"""What the scripts of the rules share: errors for people, and paths out of Snakemake's lists."""

import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import Any

from steadfast.engines.interpreter import enter
from steadfast.errors import ERROR, PASSING, PassingError, UserError
from steadfast.files import Settings
from steadfast.seal import Seal


def run_rule(
    function: Callable[..., Any],
    logs: Iterable[str],
    /,
    *,
    reads: Iterable[Seal] = (),
    writes: Iterable[Seal] = (),
    engines: Iterable[Settings] = (),
    **arguments: Any,
) -> None:
    """Runs a rule's one function; a user's error becomes one sentence, and exit code 1.

    Args:
        function: the function that does the rule's work.
        logs: the rule's log files; what the function prints goes to the first, and so does the
            sentence.
        reads: of sealed files that the function reads: they are checked before.
        writes: of files that it makes, whose identity is written after it.
        engines: settings of the models whose engines it makes, which may need another interpreter.
        arguments: passed on.
    """
    with ExitStack() as stack:
        for path in list(logs)[:1]:
            log = stack.enter_context(open(path, "a", encoding="utf-8", buffering=1))
            stack.enter_context(redirect_stdout(log))
        try:
            enter(engines)
            for seal in reads:
                seal.check()
            function(**arguments)
            for seal in writes:
                seal.write()
        except Exception as error:
            mark = PASSING if isinstance(error, PassingError | OSError) else ERROR
            if not isinstance(error, UserError):
                print(traceback.format_exc())
                print(f"{mark}{type(error).__name__}: {error}".splitlines()[0])
                raise
            print(mark + " ".join(str(error).split("\n")))
            print(f"error: {error}", file=sys.stderr)
            sys.exit(1)


def paths(files: Iterable[str]) -> list[Path]:
    """Some input or output files, as paths."""
    return [Path(file) for file in files]
