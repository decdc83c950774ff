"""Jobs' scripts in processes that are forked from a warm one: imports are paid for once a run.

Snakemake starts a Python for each job, which then imports Snakemake, the job's stage and its
libraries: of a run of many short jobs that is the greater part. Here the scripts that Snakemake
writes are run as they are, in a process each, which ``forks`` forks and which has imported all of
that already. What Snakemake decides (order, params, logs, benchmarks, failures) stays as it is.
"""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from snakemake.script import PythonScript

from steadfast.base.resources import PACKAGE
from steadfast.workflow.insides import has_environment, keep_usage, take_scripts

WORTH = 4
"""Jobs from which on a warm process is worth its start."""
SWITCH = "STEADFAST_FORKS"
"""Variable that turns this off where it is 0, so that Snakemake starts each script."""
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""Environment in which libraries start no threads: a fork would not have them."""


def fork_scripts(tokenizer: str, without_model: Collection[str]) -> None:
    """Has Snakemake fork the scripts of this run's jobs.

    Jobs in a conda environment or a container start as before, and so do those of an engine with a
    model, which may load what cannot be forked.
    """
    # Other systems have libraries that take no fork.
    if sys.platform != "linux" or os.environ.get(SWITCH) == "0":
        return
    address = _start_forks(tokenizer)

    def run(script: PythonScript, file: str) -> bool:
        params = dict(script.params.items())
        engine = params.get("request", params).get("answers", {}).get("engine")
        if has_environment(script) or (engine and engine not in without_model):
            return False
        with socket.socket(socket.AF_UNIX) as connection:
            if not _forked(connection, address):
                return False
            tmpdir = script.resources.get("tmpdir") or tempfile.gettempdir()
            started = time.monotonic()
            usage = _run(connection, [file, str(Path.cwd()), tmpdir])
            keep_usage(script, time.monotonic() - started, usage)
        return True

    take_scripts(run)


def _start_forks(tokenizer: str) -> str:
    """Starts the process that forks; it ends with this one, at the end of its standard input."""
    folder = tempfile.mkdtemp(prefix="steadfast-")
    atexit.register(shutil.rmtree, folder)
    address = str(Path(folder) / "forks")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        # Ctrl-C is for the jobs, and no reason for a traceback while this imports.
        deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        path = f"{deaf}import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); "
        serve = (
            f"from steadfast.workflow.forks import main; main({listener.fileno()}, {tokenizer!r})"
        )
        forks = subprocess.Popen(
            [sys.executable, "-P", "-c", path + serve],
            stdin=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            pass_fds=[listener.fileno()],
        )
        atexit.register(forks.communicate)
    return address


def _forked(connection: socket.socket, address: str) -> bool:
    """Whether there is a process that waits for its script; there is none where memory is short."""
    try:
        connection.connect(address)
        return bool(connection.makefile().readline())
    except OSError:
        return False


def _run(connection: socket.socket, job: Sequence[str]) -> dict[str, float | None]:
    """Has a forked process run its script, and says what that took.

    It fails as a script that Snakemake starts itself.
    """
    connection.sendall(f"{json.dumps(job)}\n".encode())
    reply = connection.makefile().readline()  # nothing where the process was killed
    code, usage = json.loads(reply) if reply else (-signal.SIGKILL, {})
    if code:
        raise subprocess.CalledProcessError(code, job[0])
    return dict(usage)
