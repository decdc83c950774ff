"""A copy of the project that tests may change, and Snakemake on it."""

import atexit
import csv
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from steadfast.base.files import Record, read_jsonl
from warm_python import files, warm_python

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config", "envs", "profiles", "pyproject.toml", "rules")
LINKED = ("resources", "scripts")
"""Folders of many files: copies are hard links, changed by ``edit`` and ``write``."""
SNAKEMAKE = [sys.executable, "-m", "snakemake", "--configfile", "my.yaml", "--cores", "2"]
TINY = {
    "lifbench": {"lengths": {"2k": 2048, "3k": 3072}, "tasks": ["OQ", "LSI", "MB"]},
    "models": {
        "reference": {"engine": "reference", "label": "Reference"},
        "sim-a": {"engine": "simulated", "span": 3000},
    },
}
PAPER = {**TINY, "lifbench": {"lengths": TINY["lifbench"]["lengths"]}}
"""``TINY`` with all tasks of the paper."""
FIGURE = "results/figures/lifbench_ars_by_length.png"

DATA = ("corpora", "lifbench/contexts", "lifbench/expressions")
"""Results that configs of LIFBench have in common."""
SHARED = Path(tempfile.gettempdir())
"""A folder that all workers of a session share (set in conftest)."""


def once(name: str, make: Callable[[Path], object]) -> Path:
    """A folder made by the first worker that needs it; not to be changed."""
    folder = SHARED / name
    marker = SHARED / f"{name}.made"
    with open(SHARED / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not marker.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a worker that did not finish
            folder.mkdir()
            make(folder)
            marker.touch()
    return folder


@cache
def tiny() -> "Project":
    """``TINY``, run to its tables; not to be changed (fork it)."""

    def make(folder: Path) -> None:
        Project.new(folder, TINY, with_data=False).snakemake()

    return Project(once("tiny", make))


def over_http(url: str, model: str = "m", **settings: Any) -> dict[str, Any]:
    """The settings of a model at an address, without a key."""
    return {"engine": "openai", "model": model, "base_url": url, "api_key_env": None} | settings


def command(name: str, *arguments: object, folder: Path = ROOT, cwd: Path | str | None = None):
    """Runs a command beside the workflow, such as ``compare``, of a checkout."""
    return subprocess.run(
        [warm_python(), "-m", "steadfast.command.main", name, *map(str, arguments)],
        cwd=cwd or folder,
        env={**os.environ, "PYTHONPATH": str(folder / "scripts")},
        capture_output=True,
        text=True,
    )


def csv_rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def wait_for(condition: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@cache
def _code() -> tuple[Path, dict[str, tuple[int, int]]]:
    folder = Path(tempfile.mkdtemp(prefix="code-"))
    atexit.register(shutil.rmtree, folder)
    for part in LINKED:
        shutil.copytree(ROOT / part, folder / part)
    return folder, files(folder)


def code() -> Path:
    """A folder with the linked parts, as they were at the first call."""
    folder, before = _code()
    assert files(folder) == before, "a test changed code in place: use Project.write"
    return folder


class Project:
    """A copy of the project with a config of its own."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def new(cls, folder: Path, config: dict, with_data: bool = True) -> "Project":
        """A project before its first run.

        If the config has LIFBench, it begins with the corpora, contexts and expressions of
        ``TINY``; a run makes those anew that the config makes otherwise.
        """
        for part in LINKED:
            shutil.copytree(code() / part, folder / part, copy_function=os.link)
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
            copy(ROOT / part, folder / part)
        for part in DATA if with_data and "lifbench" in config else ():
            results = folder / "results"
            shutil.copytree(tiny().path("results") / part, results / part, dirs_exist_ok=True)
        project = cls(folder)
        project.configure(config)
        return project

    def fork(self, folder: Path) -> "Project":
        """A copy with the same results and modification times."""
        code()
        for part in LINKED:
            shutil.copytree(self.folder / part, folder / part, copy_function=os.link)

        def ignore(directory: str, names: list[str]) -> tuple[str, ...]:
            return LINKED if Path(directory) == self.folder else ()

        shutil.copytree(self.folder, folder, dirs_exist_ok=True, ignore=ignore)
        return Project(folder)

    def configure(self, config: dict) -> None:
        (self.folder / "my.yaml").write_text(yaml.safe_dump(config, sort_keys=False))

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.folder / path).read_text()
        assert old in text, f"{path} has no {old!r}"
        self.write(path, text.replace(old, new, 1))

    def write(self, path: str, text: str) -> None:
        """Replaces a file, so that other projects' links to it stay as they are."""
        self.path(path).unlink(missing_ok=True)
        self.path(path).write_text(text)

    def snakemake(self, *arguments: str, ok: bool = True, **environment: str):
        """Runs Snakemake and returns stdout and stderr as one text."""
        done = subprocess.run(
            [warm_python(), *SNAKEMAKE[1:], *(arguments or ["results/tables"])],
            cwd=self.folder,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert (done.returncode == 0) == ok, done.stdout
        return done.stdout

    def planned(self, *arguments: str, **environment: str) -> dict[str, int]:
        """Jobs that would run, by rule."""
        text = self.snakemake("--dry-run", "results/tables", *arguments, **environment)
        table = re.search(r"^Job stats:\njob +count\n-[- ]+\n(.*?)^total", text, re.M | re.S)
        if not table:
            assert "Nothing to be done" in text, text
            return {}
        jobs: Counter[str] = Counter()
        for line in table[1].splitlines():
            rule, count = line.split()
            jobs[rule] = int(count)
        return jobs

    def killed(self, condition: Callable[[], object]) -> None:
        """Starts a run, and kills its processes once a condition holds."""
        run = subprocess.Popen(
            [warm_python(), *SNAKEMAKE[1:], "results/tables"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(condition)
        finally:
            self.kill()
            run.wait()

    def kill(self) -> None:
        """Kills all processes that work in the folder."""
        while processes := self._processes():
            for process in processes:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)

    def _processes(self) -> list[int]:
        """The processes whose working directory is the folder."""
        processes = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # the process has ended
                if (process / "cwd").readlink() == self.folder:
                    processes.append(int(process.name))
        return processes

    def path(self, name: str) -> Path:
        return self.folder / name

    def rows(self, name: str) -> list[dict[str, str]]:
        """The rows of a CSV file below results."""
        return csv_rows(self.path(f"results/{name}"))

    def records(self, name: str) -> list[Record]:
        """The records of a JSON Lines file below results."""
        return list(read_jsonl(self.path(f"results/{name}")))
