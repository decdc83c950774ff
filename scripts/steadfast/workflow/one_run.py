"""One run at a time in a results folder; what a killed run has locked is taken over."""

import atexit
import fcntl
import os
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.workflow.insides import Snakemake

LOCK = "journal/.locks/run.lock"
"""Below the results folder, beside the locks of loads."""


class OneRun:
    """Holds a results folder for a run of Snakemake, until its process ends in whatever way.

    Snakemake's own locks lie in its working directory. They outlive a process that is killed, and
    say nothing to a run from another directory. This one does neither: the system gives it up with
    the process, and no job inherits it.

    Args:
        results: folder of all results.
    """

    def __init__(self, results: Path):
        self._results = results
        self._fd: int | None = None

    def hold(self, snakemake: Snakemake) -> None:
        """Takes the folder for a run that makes files, and what dead runs have locked there.

        Args:
            snakemake: the run, whose DAG is prepared.

        Raises:
            UserError: another run holds it, or it cannot be written.
        """
        if self._fd is not None or not snakemake.holds_folder:
            return
        lock = self._results / LOCK
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise UserError(
                f"{lock}: it cannot be written ({error.strerror}); mend that, or name another "
                "folder under pathvars, results"
            ) from None
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            holder = os.read(fd, 99).decode("utf-8", errors="replace").strip()
            raise UserError(
                f"{self._results}: another run makes files there ({holder}); wait for its end, or "
                "name another folder under pathvars, results"
            ) from None
        except OSError:  # a file system without locks: Snakemake's own must do
            os.close(fd)
            return
        os.truncate(fd, 0)
        os.write(fd, f"process {os.getpid()}\n".encode())
        atexit.register(os.truncate, fd, 0)
        self._fd = fd
        # Of Snakemake's locks, those on files of this folder are nobody's now.
        for dead, locked in snakemake.locks:
            if any(Path(path).is_relative_to(self._results) for path in locked):
                dead.with_name(dead.name.replace("output", "input")).unlink(missing_ok=True)
                dead.unlink(missing_ok=True)
