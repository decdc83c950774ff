"""What the scripts of all rules share: running the rule's function, and error messages."""

import gc
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import ExitStack, redirect_stdout, suppress
from inspect import signature
from pathlib import Path
from typing import Any, TextIO

from steadfast.base.errors import (
    ERROR,
    STOPPED,
    TEMPORARY,
    TemporaryError,
    UserError,
    fixable_error,
)
from steadfast.base.files import Settings
from steadfast.base.names import escape_hidden
from steadfast.base.provenance import Provenance, provenances
from steadfast.workflow.interpreter import enter

# Params with digests of code and inputs (``jobs.input_digests``), which no function takes.
PROVENANCE = frozenset({"code", "input_digest", "input_digests", "made_from"})


def run_rule(
    function: Callable[..., Any],
    job: Any,
    /,
    *,
    with_provenance: bool = True,
    engines: Iterable[Settings] = (),
    read: Iterable[str] = (),
    **arguments: Any,
) -> None:
    """Runs a rule's function; a user's error becomes an error message and exit code 1.

    Its parameters are the job's params and wildcards of these names, and ``arguments``. A param
    that is neither a parameter nor in ``PROVENANCE`` or ``read`` (by the script itself) is an
    error: otherwise a misspelt one would silently leave a default. What the function prints goes to
    the job's log. Files in the param ``made_from`` are checked before; provenances of its outputs
    are written after it, unless it writes them itself. ``engines`` may need another interpreter.
    """
    collect_seldom()
    with ExitStack() as stack:
        try:
            for path in list(job.log)[:1]:
                log = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115
                stack.callback(_close, log)
                stack.enter_context(redirect_stdout(log))
            enter(engines)
            params = dict(job.params.items())
            for path, input_digest in params.get("made_from", {}).items():
                Provenance.of(Path(job.config["results"]) / path, input_digest).check()
            writes = provenances(job, Path(job.config["results"])) if with_provenance else []
            for provenance in writes:  # an old one would seem to be that of unfinished files
                provenance.path.unlink(missing_ok=True)
            parameters = signature(function).parameters
            unknown = params.keys() - parameters.keys() - PROVENANCE - {*read}
            if unknown:
                raise TypeError(
                    f"rule {job.rule}: {function.__name__} has no parameter "
                    f"{', '.join(sorted(unknown))}; correct the rule's params"
                )
            values = dict(job.wildcards.items()) | params
            values = {name: values[name] for name in parameters if name in values}
            function(**values | arguments)
            for provenance in writes:
                provenance.write()
        except KeyboardInterrupt:
            print(STOPPED)
            sys.exit(128 + signal.SIGINT)
        except Exception as error:
            explained = fixable_error(error) if isinstance(error, OSError) else None
            mistake = explained or error
            mark = TEMPORARY if isinstance(mistake, TemporaryError | OSError) else ERROR
            if not isinstance(mistake, UserError):
                print(traceback.format_exc())
                print(escape_hidden(f"{mark}{type(error).__name__}: {error}".splitlines()[0]))
                raise
            print(escape_hidden(f"error: {mistake}"), file=sys.stderr)
            with suppress(OSError):  # the log may lie on the disk that is full
                print(mark + escape_hidden(" ".join(str(mistake).split("\n"))))
            sys.exit(1)


def collect_seldom() -> None:
    """Makes garbage collection rare: jobs make many records, and few reference cycles."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def _close(log: TextIO) -> None:
    with suppress(OSError):  # the disk is full
        log.close()


def paths(files: Iterable[str]) -> list[Path]:
    """Input or output files of a job as paths."""
    return [Path(file) for file in files]
