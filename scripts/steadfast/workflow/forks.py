"""The process that is forked for each job (``forking``), with the imports of most jobs."""

import gc
import json
import os
import re
import resource
import runpy
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from socketserver import ForkingMixIn, StreamRequestHandler, UnixStreamServer
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer

STAGES = ("collect", "draw", "make_data", "measure", "one_load", "score", "tabulate")
# Modules that take long to import and that several jobs need; none of them starts threads.
PRELOADED = (
    "snakemake.logging",
    "snakemake.iocontainers",
    "steadfast.contract.task",
    *(f"steadfast.stages.{name}" for name in STAGES),
    "steadfast.judging.judge_prompts",
    "matplotlib.figure",
    *(f"matplotlib.backends.backend_{kind}" for kind in ("agg", "pdf", "svg")),
    "scipy.special",
)
# A line of a file in /proc.
NUMBER = re.compile(r"^(\w+):\s+(\d+)", re.MULTILINE)


class ForkedJob(StreamRequestHandler):
    """One job, in a process of its own: it receives its script, and replies how that ended."""

    def handle(self) -> None:
        """Runs the script that it receives with its working directory and temporary folder."""
        assert isinstance(self.server, Forks), "only Forks makes jobs"
        self.server.socket.close()  # only the process that is forked listens
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.wfile.write(b"ready\n")
        script, folder, os.environ["TMPDIR"] = json.loads(self.rfile.readline())
        os.chdir(folder)
        code = run_script(script)
        self.wfile.write(f"{json.dumps([code, usage()])}\n".encode())


def run_script(script: str) -> int:
    """Runs a script as Python runs the file that it is started with; returns its exit code."""
    code: Any = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def usage() -> dict[str, float | None]:
    """The resource usage of this process, in the fields of Snakemake's benchmark files (s, MB).

    None where the system does not report it.
    """
    numbers: dict[str, int] = {}
    for file in ("status", "io"):
        with suppress(OSError):
            text = Path("/proc/self", file).read_text(encoding="utf-8")
            numbers |= {name: int(number) for name, number in NUMBER.findall(text)}
    process = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "cpu_time": process.ru_utime + process.ru_stime + children.ru_utime + children.ru_stime,
        "max_rss": max(process.ru_maxrss, children.ru_maxrss) / 1024,
        "max_vms": numbers["VmPeak"] / 1024 if "VmPeak" in numbers else None,
        "io_in": numbers["read_bytes"] / 2**20 if "read_bytes" in numbers else None,
        "io_out": numbers["write_bytes"] / 2**20 if "write_bytes" in numbers else None,
    }


class Forks(ForkingMixIn, UnixStreamServer):
    """Forks a process for each job, until the process that started this one ends."""

    max_children = sys.maxsize

    def __init__(self, listener: socket.socket):
        UnixStreamServer.__init__(self, listener.getsockname(), ForkedJob, bind_and_activate=False)
        self.socket.close()
        self.socket = listener

    def service_actions(self) -> None:
        """Collects ended jobs, and ends with the process that started this one."""
        super().service_actions()
        if select.select([sys.stdin], [], [], 0)[0]:
            raise SystemExit


def main(listener: int, tokenizer: str) -> None:
    """Serves jobs on a listening socket, by its file descriptor, with the tokenizer loaded."""
    for name in PRELOADED:
        import_module(name)
    with suppress(UserError):  # the jobs report it
        load_tokenizer(tokenizer)
    gc.freeze()  # garbage collection would write to the memory that forks share
    with Forks(socket.socket(fileno=listener)) as forks:
        forks.serve_forever(poll_interval=0.05)
