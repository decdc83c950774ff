"""One run at a time in a results folder; what a killed run has locked is taken over."""

import atexit
import os
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.locks import take
from steadfast.workflow.insides import Snakemake

LOCK = "journal/.locks/run.lock"
"""Below the results folder, beside the locks of loads."""
HELD: set[Path] = set()
"""The folders that this process holds, also where it reads the Snakefile more than once."""


def hold(results: Path, snakemake: Snakemake) -> None:
    """Takes a results folder for a run that makes files, and what dead runs have locked there.

    Snakemake's own locks lie in its working directory. They outlive a process that is killed, and
    say nothing to a run from another directory. This one does neither: the system gives it up with
    the process, and no job inherits it.
    """
    if results in HELD or not snakemake.holds_folder:
        return
    lock = results / LOCK
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise UserError(
            f"{lock}: it cannot be written ({error.strerror}); mend that, or name another "
            "folder under pathvars, results"
        ) from None
    try:
        held = take(fd)
    except OSError:  # a file system without locks: Snakemake's own must do
        os.close(fd)
        return
    if not held:
        holder = os.read(fd, 99).decode("utf-8", errors="replace").strip()
        raise UserError(
            f"{results}: another run makes files there ({holder}); wait for its end, or "
            "name another folder under pathvars, results"
        )
    os.truncate(fd, 0)
    os.write(fd, f"process {os.getpid()}\n".encode())
    atexit.register(os.truncate, fd, 0)
    HELD.add(results)
    # Of Snakemake's locks, those on files of this folder are nobody's now.
    for dead, locked in snakemake.locks:
        if any(Path(path).is_relative_to(results) for path in locked):
            dead.with_name(dead.name.replace("output", "input")).unlink(missing_ok=True)
            dead.unlink(missing_ok=True)
