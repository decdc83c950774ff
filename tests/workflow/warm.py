"""Snakemake, and commands beside it, forked from a process that has imported what they import.

A start takes seconds, most of them for imports; here they are paid for once. The processes are
those of ``steadfast.workflow.forks``, which run a script each: it says what is run, and where its
words go.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from project import ROOT
from steadfast.workflow.forking import ONE_THREAD

SERVE = """
import sys
sys.path.insert(0, {scripts!r})
import snakemake.cli, snakemake.workflow, steadfast.jobs.evaluation, steadfast.compare.results
import steadfast.share.unbundle
from steadfast.workflow.forks import main
main({listener}, "o200k_base")
"""
SCRIPT = """
import atexit, os, runpy, signal, stat, subprocess, sys
os.setsid()
again = []

def execv(program, words):
    # A run that starts itself anew has another process here, which gets its files' locks.
    for fd in map(int, os.listdir("/proc/self/fd")):
        try:
            if fd > 2 and stat.S_ISREG(os.fstat(fd).st_mode):
                os.close(fd)
        except OSError:
            pass
    again.append(subprocess.call([program, *words[1:]]))

os.execv = execv
log = os.open({log!r}, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
os.dup2(log, 1)
os.dup2(log, 2)
sys.argv = {argv!r}
from steadfast.workflow import forking
fork = forking.fork_scripts
forking.WORTH = 1
forking._start_forks = lambda tokenizer: {address!r}
forking.fork_scripts = lambda tokenizer, without: fork(tokenizer, [*without, "openai"])
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
finally:
    atexit._run_exitfuncs()
    if any(again):
        sys.exit(again[0])
"""


class Job(NamedTuple):
    """A process that was started: what it prints, and the connection on which it ends."""

    log: Path
    connection: socket.socket

    def wait(self) -> tuple[int, str]:
        """Its exit code, and what it has printed."""
        with self.connection as connection:
            reply = connection.makefile().readline()  # nothing where it was killed
        code, _ = json.loads(reply) if reply else (-signal.SIGKILL, {})
        return code, self.log.read_text("utf-8", errors="replace")


class Warm:
    """Starts processes that need not import anything."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._started = 0
        self._address = str(folder / "forks")

    def start(self, argv: Sequence[object], cwd: Path) -> Job:
        """Starts a module as ``python -m`` does, by its name, with arguments, in a folder.

        Snakemake's jobs are forked from the same process.
        """
        self._started += 1
        log = self._folder / f"{self._started}.log"
        log.touch()
        script = log.with_suffix(".py")
        words = {"log": str(log), "argv": [*map(str, argv)], "address": self._address}
        script.write_text(SCRIPT.format(**words))
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._address)
        connection.makefile().readline()  # that it is there
        connection.sendall(f"{json.dumps([str(script), str(cwd), '/tmp'])}\n".encode())
        return Job(log, connection)

    def run(self, argv: Sequence[object], cwd: Path) -> tuple[int, str]:
        """Runs it to its end."""
        return self.start(argv, cwd).wait()


@contextmanager
def warm(folder: Path) -> Iterator[Warm]:
    """A process from which others are forked as long as the block runs."""
    with socket.socket(socket.AF_UNIX) as listener:
        started = Warm(folder)
        listener.bind(started._address)
        listener.listen()
        serve = SERVE.format(scripts=str(ROOT / "scripts"), listener=listener.fileno())
        forks = subprocess.Popen(
            [sys.executable, "-P", "-c", serve],
            stdin=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
            pass_fds=[listener.fileno()],
        )
    try:
        yield started
    finally:
        forks.communicate()
