"""A file lock: one job has it at a time, others wait and report which job they wait for."""

import contextlib
import fcntl
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from steadfast.base.errors import UserError, fixable_error

# Between two attempts at a lock, where waiting for it may become needless.
LOOK_SECONDS = 0.5
# Environment variable with a folder for locks, where the file system of the results has none.
FOLDER = "STEADFAST_LOCKS"


def acquire_lock(file: int | BinaryIO, wait: bool = False) -> bool:
    """Locks an open file until its process ends; False where another process has the lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


class Lock:
    """Locks a file until it is closed, or the process ends in whatever way.

    A hidden file beside it names the SLURM job or process that has the lock, for the message to
    those who wait. Waiting ends once it is ``needless``; the lock is not ``held`` then.
    """

    def __init__(
        self,
        path: Path,
        report: Callable[[str], None],
        needless: Callable[[], bool] | None = None,
    ):
        self._holder = path.with_name(f".{path.name}.holder")
        file = _lock_file(path)
        try:
            self._fd = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
        except PermissionError as error:
            advice = "work in a folder of your own (docs/slurm.md, Several users)"
            if file != path:
                advice = f"set {FOLDER} to a folder of your own, such as /tmp/locks-$USER"
            raise UserError(f"{file}: cannot be written ({error.strerror}); {advice}") from None
        except OSError as error:
            raise fixable_error(error) or error from None
        try:
            self.held = acquire_lock(self._fd)
            if not self.held:
                report(f"waiting for {self._holder_name()}, which has locked {path}")
                self.held = self._wait(needless)
        except OSError as error:
            os.close(self._fd)
            raise UserError(
                f"{path}: its file system does not support file locks ({error.strerror}); set "
                f"{FOLDER} to a folder on one that does, such as /tmp/locks-$USER of the node, and "
                "run again (limits: docs/slurm.md)"
            ) from None
        except BaseException:  # such as an interrupt while waiting
            os.close(self._fd)
            raise
        if self.held:
            job = os.environ.get("SLURM_JOB_ID")
            holder = f"SLURM job {job}" if job else f"process {os.getpid()}"
            # Only a message reads it: a full disk must not end the job here.
            with contextlib.suppress(OSError):
                self._holder.write_text(holder, encoding="utf-8")

    def close(self) -> None:
        """Releases the lock."""
        if self.held:
            with contextlib.suppress(OSError):
                self._holder.unlink()
        os.close(self._fd)

    def _wait(self, needless: Callable[[], bool] | None) -> bool:
        if needless is None:
            return acquire_lock(self._fd, wait=True)
        while not acquire_lock(self._fd):
            if needless():
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def _holder_name(self) -> str:
        try:
            return self._holder.read_text(encoding="utf-8") or "another job"
        except OSError:
            return "another job"


def _lock_file(path: Path) -> Path:
    """The locked file: the file itself, or one for it in the folder named by ``FOLDER``."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return path
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{FOLDER}: {folder} cannot hold lock files ({error.strerror}); name another folder"
        ) from None
    return Path(folder) / f"{name}.lock"
