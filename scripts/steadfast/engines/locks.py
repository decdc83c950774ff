"""A file that one job holds at a time; the next waits for it, and says for whom."""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from steadfast.errors import UserError

FOLDER = "STEADFAST_LOCKS"
"""Environment variable with a folder for locks, where the file system of the results has none."""


class Lock:
    """Holds a file until it is closed, or its process ends in whatever way.

    While it is held, a hidden file beside it says by whom: a job of SLURM's or a process.

    Args:
        path: the file; it is made where it is missing.
        say: takes a line where the lock is waited for.

    Raises:
        UserError: the file system locks no files.
    """

    def __init__(self, path: Path, say: Callable[[str], None]):
        self._holder = path.with_name(f".{path.name}.holder")
        self._fd = os.open(_lock_file(path), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"waits for {self._held_by()}, which holds {path}")
                fcntl.flock(self._fd, fcntl.LOCK_EX)
            self._holder.write_text(_myself(), encoding="utf-8")
        except OSError as error:
            os.close(self._fd)
            raise UserError(
                f"{path}: the file system cannot lock it ({error.strerror}); set {FOLDER} to a "
                "folder on one that can, such as /tmp/locks of the node, and run again "
                "(docs/slurm.md says what that does not guard against)"
            ) from None
        except BaseException:
            os.close(self._fd)
            raise

    def close(self) -> None:
        """Lets another job have the file."""
        with contextlib.suppress(OSError):
            self._holder.unlink()
        os.close(self._fd)

    def _held_by(self) -> str:
        try:
            return self._holder.read_text(encoding="utf-8") or "another job"
        except OSError:
            return "another job"


def _lock_file(path: Path) -> Path:
    """What is locked: the file itself, or one that stands for it in the user's folder."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return path
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{FOLDER}: {folder} is no folder for locks ({error.strerror}); name another one"
        ) from None
    return Path(folder) / f"{name}.lock"


def _myself() -> str:
    job = os.environ.get("SLURM_JOB_ID")
    return f"SLURM job {job}" if job else f"process {os.getpid()}"
