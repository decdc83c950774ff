"""One run at a time in a results folder; what a killed run has locked is taken over."""

import atexit
import fcntl
import os
from pathlib import Path
from typing import Any

from snakemake_interface_common.exceptions import ApiError

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

    def hold(self, workflow: Any) -> None:
        """Takes the folder for a run that makes files, and what dead runs have locked there.

        Args:
            workflow: Snakemake's, whose DAG is prepared.

        Raises:
            ApiError: another run holds it, or it cannot be written.
        """
        makes = workflow.executor_plugin is not None and not workflow.dryrun
        if self._fd is not None or not makes or not workflow.execution_settings.lock:
            return
        lock = self._results / LOCK
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise ApiError(
                f"{lock}: it cannot be written ({error.strerror}); mend that, or name another "
                "folder under pathvars, results"
            ) from None
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            holder = os.read(fd, 99).decode("utf-8", errors="replace").strip()
            raise ApiError(
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
        for dead in Path(getattr(workflow.persistence, "_lockdir", "")).glob("*.output.lock"):
            locked = dead.read_text(encoding="utf-8").splitlines()
            if any(Path(path).is_relative_to(self._results) for path in locked):
                dead.with_name(dead.name.replace("output", "input")).unlink(missing_ok=True)
                dead.unlink(missing_ok=True)
