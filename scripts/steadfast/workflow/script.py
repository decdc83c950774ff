"""What the scripts of the rules share: errors for people, and paths out of Snakemake's lists."""

import gc
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import ExitStack, redirect_stdout, suppress
from inspect import signature
from pathlib import Path
from typing import Any, TextIO

from steadfast.base.errors import ERROR, PASSING, STOPPED, PassingError, UserError, of_system
from steadfast.base.files import Settings
from steadfast.base.names import visible
from steadfast.base.provenance import Provenance, provenances
from steadfast.workflow.interpreter import enter

PROVENANCE = frozenset({"code", "input_digest", "input_digests", "made_from", "measured_from"})
"""Params on what a file is made by and from (``jobs.input_digests``): no function takes them."""


def run_rule(
    function: Callable[..., Any],
    job: Any,
    /,
    *,
    reads: Iterable[Provenance] = (),
    with_provenance: bool = True,
    engines: Iterable[Settings] = (),
    read: Iterable[str] = (),
    **arguments: Any,
) -> None:
    """Runs a rule's one function; a user's error becomes one sentence, and exit code 1.

    It is given what it takes by the names of the job's params and wildcards, and the arguments. A
    param that it does not take is an error, but for those of ``PROVENANCE`` and those that the
    script itself has ``read``: one that is misspelt would leave a default to count. What the
    function prints goes to the job's first log. Provenances of what it reads are checked before it,
    those of what it makes are written after it, unless the function writes them itself.
    """
    collect_seldom()
    with ExitStack() as stack:
        try:
            for path in list(job.log)[:1]:
                log = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115
                stack.callback(_close, log)
                stack.enter_context(redirect_stdout(log))
            enter(engines)
            for provenance in reads:
                provenance.check()
            writes = provenances(job, Path(job.config["results"])) if with_provenance else []
            for provenance in writes:  # that of files which nobody finished would be that of others
                provenance.path.unlink(missing_ok=True)
            named = {**dict(job.wildcards.items()), **dict(job.params.items())}
            parameters = signature(function).parameters
            unknown = dict(job.params.items()).keys() - parameters.keys() - PROVENANCE - {*read}
            if unknown:
                raise TypeError(
                    f"rule {job.rule}: {function.__name__} has no parameter "
                    f"{', '.join(sorted(unknown))}; correct the rule's params"
                )
            taken = {name: named[name] for name in parameters if name in named}
            function(**taken | arguments)
            for provenance in writes:
                provenance.write()
        except KeyboardInterrupt:
            print(STOPPED)
            sys.exit(128 + signal.SIGINT)
        except Exception as error:
            explained = of_system(error) if isinstance(error, OSError) else None
            mistake = explained or error
            mark = PASSING if isinstance(mistake, PassingError | OSError) else ERROR
            if not isinstance(mistake, UserError):
                print(traceback.format_exc())
                print(visible(f"{mark}{type(error).__name__}: {error}".splitlines()[0]))
                raise
            print(visible(f"error: {mistake}"), file=sys.stderr)
            with suppress(OSError):  # the log may lie on the disk that is full
                print(mark + visible(" ".join(str(mistake).split("\n"))))
            sys.exit(1)


def of_metrics(job: Any) -> dict[str, Any]:
    """What shows a benchmark's metrics: them, and their provenance."""
    files = paths(job.input.metrics)
    return {
        "reads": [Provenance(job.params.made_from, Path(job.input.provenance), tuple(files))],
        "metrics": dict(zip(job.params.metrics, files, strict=True)),
    }


def collect_seldom() -> None:
    """Looks for cycles seldom, and not in what is imported: jobs make many records, few cycles."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def _close(log: TextIO) -> None:
    with suppress(OSError):  # what could not be printed
        log.close()


def paths(files: Iterable[str]) -> list[Path]:
    """Some input or output files, as paths."""
    return [Path(file) for file in files]
