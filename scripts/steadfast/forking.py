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
from collections.abc import Collection
from contextlib import nullcontext
from pathlib import Path

from snakemake.benchmark import BenchmarkRecord, benchmarked
from snakemake.script import PythonScript

WORTH = 12
"""Jobs from which on a warm process is worth its start."""
ONE_THREAD = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""Environment in which libraries start no threads: a fork would not have them."""


def fork_scripts(tokenizer: str, without_model: Collection[str]) -> None:
    """Has Snakemake fork the scripts of this run's jobs.

    Started as before are jobs in a conda environment or a container, and those of an engine with a
    model, which may load what cannot be forked.

    Args:
        tokenizer: of the config, which is loaded once for all jobs.
        without_model: the engines that have none.
    """
    if sys.platform != "linux":  # others have libraries that take no fork
        return
    start, address = PythonScript.execute_script, _start_forks(tokenizer)

    def execute_script(self: PythonScript, fname: str, edit: bool = False) -> None:
        engine = dict(self.params.items()).get("answers", {}).get("engine")
        elsewhere = self.conda_env or self.container_img or self.env_modules
        if elsewhere or (engine and engine not in without_model):
            start(self, fname, edit=edit)
            return
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(address)
            except OSError:  # a machine without room for it, say
                start(self, fname, edit=edit)
            else:
                tmpdir = self.resources.get("tmpdir") or tempfile.gettempdir()
                _run(connection, [fname, str(Path.cwd()), tmpdir], self.bench_record)

    PythonScript.execute_script = execute_script


def _start_forks(tokenizer: str) -> str:
    """Starts the process that forks; it ends with this one, at the end of its standard input."""
    folder = tempfile.mkdtemp(prefix="steadfast-")
    atexit.register(shutil.rmtree, folder)
    address = str(Path(folder) / "forks")
    environment = os.environ | ONE_THREAD
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        command = [sys.executable, "-m", "steadfast.forks", str(listener.fileno()), tokenizer]
        forks = subprocess.Popen(
            command, stdin=subprocess.PIPE, env=environment, pass_fds=[listener.fileno()]
        )
        atexit.register(forks.communicate)
    return address


def _run(connection: socket.socket, job: list[str], record: BenchmarkRecord | None) -> None:
    """Has one script run, and waits for its end.

    Raises:
        CalledProcessError: it failed, as of a script that Snakemake starts itself.
    """
    with connection.makefile("rw") as replies:
        print(json.dumps(job), file=replies, flush=True)
        pid = replies.readline()
        with benchmarked(int(pid), record) if pid and record else nullcontext():
            code = replies.readline()  # nothing where the process was killed
    if code.strip() != "0":
        raise subprocess.CalledProcessError(int(code or -signal.SIGKILL), job[0])
