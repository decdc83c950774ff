"""Runs jobs' scripts in forks of a process that has imported their libraries already.

Snakemake starts a Python for each job, which imports Snakemake, the job's stage and its libraries:
in a run of many short jobs this takes most of the time. Here each script that Snakemake writes runs
unchanged, in a process of its own that ``forks`` forks. What Snakemake decides (order, params,
logs, benchmarks, failures) stays as it is.
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
from steadfast.workflow.insides import has_environment, record_usage, replace_script_runner

# Minimum jobs for which starting the process saves time.
WORTH = 4
# Environment variable: 0 turns this off, and Snakemake starts each script.
SWITCH = "STEADFAST_FORKS"
# Environment in which libraries start no threads, which a fork would not have.
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}


def fork_scripts(tokenizer: str, without_model: Collection[str]) -> None:
    """Makes Snakemake fork the scripts of this run's jobs.

    Snakemake itself starts jobs in a conda environment or a container, and jobs with a model, whose
    libraries may not survive a fork.
    """
    # On other systems, more libraries do not survive a fork.
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
            record_usage(script, time.monotonic() - started, usage)
        return True

    replace_script_runner(run)


def _start_forks(tokenizer: str) -> str:
    """Starts the process that is forked; it ends with this one, as its standard input ends."""
    folder = tempfile.mkdtemp(prefix="steadfast-")
    atexit.register(shutil.rmtree, folder)
    address = str(Path(folder) / "forks")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        program = (
            # Ctrl-C is for the jobs, and no reason for a traceback during the imports.
            "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
            f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); "
            f"from steadfast.workflow.forks import main; main({listener.fileno()}, {tokenizer!r})"
        )
        forks = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            pass_fds=[listener.fileno()],
        )
        atexit.register(forks.communicate)
    return address


def _forked(connection: socket.socket, address: str) -> bool:
    """Whether a forked process waits for its script; without free memory there is none."""
    try:
        connection.connect(address)
        return bool(connection.makefile().readline())
    except OSError:
        return False


def _run(connection: socket.socket, job: Sequence[str]) -> dict[str, float | None]:
    """Runs a script in a forked process, and returns its resource usage.

    Raises:
        CalledProcessError: it failed, as for a script that Snakemake starts itself.
    """
    connection.sendall(f"{json.dumps(job)}\n".encode())
    reply = connection.makefile().readline()  # empty if the process was killed
    code, usage = json.loads(reply) if reply else (-signal.SIGKILL, {})
    if code:
        raise subprocess.CalledProcessError(code, job[0])
    return dict(usage)
