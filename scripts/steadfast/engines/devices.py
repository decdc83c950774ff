"""Locks GPUs of this machine, so that concurrent jobs do not share them."""

import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.locks import acquire_lock

VISIBLE = "CUDA_VISIBLE_DEVICES"
LOOK_SECONDS = 1.0
# Has a folder for each GPU where a driver is installed.
NODES = Path("/proc/driver/nvidia/gpus")


def devices(environment: Mapping[str, str], nodes: Path = NODES) -> list[str]:
    """The GPUs that a process may use, as CUDA names them."""
    if (named := environment.get(VISIBLE)) is not None:
        return [name.strip() for name in named.split(",") if name.strip() not in ("", "-1")]
    return [str(number) for number in range(len(list(nodes.iterdir())))] if nodes.is_dir() else []


def lock_gpus(count: int, report: Callable[[str], None]) -> None:
    """Locks GPUs of this machine until this process and its children end.

    In a cluster's job the GPUs are already its own.
    """
    names = [] if "SLURM_JOB_ID" in os.environ else devices(os.environ)
    if count and names:
        os.environ[VISIBLE] = ",".join(acquire_gpus(count, names, report))


def acquire_gpus(
    count: int, names: list[str], report: Callable[[str], None], folder: Path | None = None
) -> dict[str, int]:
    """Waits for free GPUs; returns their locks, which hold until closed.

    Each GPU has a lock file in the machine's temporary folder. A waiting job holds the queue's
    lock, so that a job that needs many GPUs gets them in turn.
    """
    if count > len(names):
        raise UserError(
            f"the job needs {count} GPUs, but only {len(names)} are visible ({', '.join(names)}); "
            f"lower gpus, tensor_parallel_size or data_parallel_size, or set {VISIBLE}"
        )
    folder = folder or Path(tempfile.gettempdir()) / "steadfast-gpus"
    folder.mkdir(exist_ok=True)
    _for_all(folder, 0o777)
    queue = _lock_file(folder, "queue")
    acquire_lock(queue, wait=True)
    held: dict[str, int] = {}
    waited = False
    while len(held) < count:
        if waited:
            time.sleep(LOOK_SECONDS)
        for name in names:
            if name not in held and len(held) < count:
                lock = _lock_file(folder, name)
                if acquire_lock(lock):
                    held[name] = lock
                else:
                    os.close(lock)
        if len(held) < count and not waited:
            report(f"waiting for {count} of the GPUs {', '.join(names)}, which other jobs use")
            waited = True
    os.close(queue)
    return held


def _lock_file(folder: Path, name: str) -> int:
    path = folder / f"{name.replace('/', '_')}.lock"
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    _for_all(path, 0o666)
    return lock


def _for_all(path: Path, mode: int) -> None:
    """Lets other users' jobs lock it too, whatever the umask; fails where it is already theirs."""
    with suppress(PermissionError):
        path.chmod(mode)
