"""GPUs of this machine for the jobs that run side by side: each holds its own while it lives."""

import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.locks import take

VISIBLE = "CUDA_VISIBLE_DEVICES"
LOOK_SECONDS = 1.0
NODES = Path("/proc/driver/nvidia/gpus")
"""A folder for each GPU, where there is a driver."""


def devices(environment: Mapping[str, str], nodes: Path = NODES) -> list[str]:
    """The GPUs that this job may choose from, as CUDA names them; none within a cluster's job."""
    if "SLURM_JOB_ID" in environment:
        return []
    if (named := environment.get(VISIBLE)) is not None:
        return [name.strip() for name in named.split(",") if name.strip()]
    return [str(number) for number in range(len(list(nodes.iterdir())))] if nodes.is_dir() else []


def hold(count: int, say: Callable[[str], None]) -> None:
    """Takes GPUs of this machine until this process ends, with all that it started."""
    if count and (names := devices(os.environ)):
        os.environ[VISIBLE] = ",".join(Lease(count, names, say).names)


class Lease:
    """Some GPUs, held until the process ends or gives them back.

    Each GPU has a file to lock in the machine's temporary folder. Who waits stands in a queue, so
    that a job of many GPUs gets them.
    """

    def __init__(
        self,
        count: int,
        names: list[str],
        say: Callable[[str], None] = print,
        folder: Path | None = None,
    ):
        if count > len(names):
            raise UserError(
                f"{count} GPUs are wanted, and this job may use {len(names)} "
                f"({', '.join(names)}); lower gpus, tensor_parallel_size or data_parallel_size, or "
                f"set {VISIBLE}"
            )
        self._folder = folder or Path(tempfile.gettempdir()) / "steadfast-gpus"
        self._folder.mkdir(exist_ok=True)
        _for_all(self._folder, 0o777)
        self._held: dict[str, int] = {}
        queue = self._open("queue")
        try:
            take(queue, wait=True)
            self._wait(count, names, say)
        except BaseException:
            self.give_back()
            raise
        finally:
            os.close(queue)

    @property
    def names(self) -> list[str]:
        """The GPUs that are held."""
        return list(self._held)

    def give_back(self) -> None:
        """Lets others have them."""
        for lock in self._held.values():
            os.close(lock)
        self._held = {}

    def _wait(self, count: int, names: list[str], say: Callable[[str], None]) -> None:
        waited = False
        while True:
            for name in (name for name in names if name not in self._held):
                lock = self._open(name)
                if take(lock):
                    self._held[name] = lock
                else:
                    os.close(lock)
                if len(self._held) == count:
                    return
            if not waited:
                say(f"waits for {count} of the GPUs {', '.join(names)}: other jobs hold them")
            waited = True
            time.sleep(LOOK_SECONDS)

    def _open(self, name: str) -> int:
        path = self._folder / f"{name.replace('/', '_')}.lock"
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        _for_all(path, 0o666)
        return lock


def _for_all(path: Path, mode: int) -> None:
    """Lets other users' jobs lock it too, whatever the umask."""
    if path.stat().st_uid == os.getuid():
        path.chmod(mode)
