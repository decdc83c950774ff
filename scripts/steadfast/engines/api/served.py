"""A model's server that a job starts for its requests and ends with itself."""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.request import urlopen

from steadfast.base.errors import UserError
from steadfast.engines.base import EngineExhausted

# Placeholder of the server's port in a command.
PORT = "{port}"
LOOK_SECONDS = 1.0
# Maximum time for a server to load its model.
READY_MINUTES = 60.0
STOP_SECONDS = 30.0
SHOWN_LINES = 20
PR_SET_PDEATHSIG = 1


class ServerProcess:
    """An OpenAI-compatible server on a free port, ready for requests, ended with the process."""

    def __init__(self, command: Sequence[str], report: Callable[[str], None]):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        self._name = command[0]
        arguments = [argument.replace(PORT, str(port)) for argument in command]
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # _stop closes it
        started = time.monotonic()
        try:
            self._process = subprocess.Popen(
                ["/usr/bin/env", *arguments],
                env={**os.environ, "PATH": program_path()},
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        except OSError as error:
            self._output.close()
            raise UserError(
                f"serve: cannot start {self._name} ({error.strerror}); check the command in serve"
            ) from None
        self.close = weakref.finalize(self, _stop, self._process, self._output)
        self._wait(started + 60 * READY_MINUTES, report)
        self.seconds = time.monotonic() - started
        report(f"server ready after {self.seconds:.0f} s")

    def check(self, report: Callable[[str], None]) -> None:
        """Raises EngineExhausted where the server has exited."""
        if (code := self._process.poll()) is not None:
            self._report_last(report)
            raise EngineExhausted(
                f"serve: {self._name} exited (code {code}) during requests; the log has its last "
                "output; responses so far are cached: run again to continue"
            )

    def _report_last(self, report: Callable[[str], None]) -> None:
        if self._output.closed:
            return
        self._output.seek(0)
        lines = self._output.read().decode("utf-8", errors="replace").splitlines()
        for line in lines[-SHOWN_LINES:]:
            report(f"server: {line}")

    def _wait(self, end: float, report: Callable[[str], None]) -> None:
        while not _ready(self.url):
            code = self._process.poll()
            if code is None and time.monotonic() < end:
                time.sleep(LOOK_SECONDS)
                continue
            self._report_last(report)
            self.close()
            late = f"was not ready within {READY_MINUTES:g} minutes"
            raise UserError(
                f"serve: {self._name} {late if code is None else f'exited (code {code})'}; the log "
                "has its last output: correct the command in serve, then run again"
            )


def program_path(python: Path | str = sys.executable) -> str:
    """The PATH for programs: first an interpreter's environment, active or not."""
    return f"{Path(python).parent}{os.pathsep}{os.environ.get('PATH', '')}"


def _ready(url: str) -> bool:
    try:
        with urlopen(f"{url}/models", timeout=5) as reply:
            return bool(reply.status == 200)
    except (URLError, OSError):
        return False


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _stop(process: "subprocess.Popen[bytes]", output: IO[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    output.close()
