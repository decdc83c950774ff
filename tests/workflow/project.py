"""A copy of the project that tests may change, and Snakemake on it."""

import collections
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from warm_python import warm_python

ROOT = Path(__file__).parents[2]
PARTS = (
    "Snakefile",
    "config",
    "envs",
    "profiles",
    "pyproject.toml",
    "resources",
    "rules",
    "scripts",
)
SNAKEMAKE = [sys.executable, "-m", "snakemake", "--configfile", "my.yaml", "--cores", "2"]
TINY = {
    "lifbench": {"lengths": {"2k": 2048, "3k": 3072}},
    "models": {
        "reference": {"engine": "reference", "label": "Reference"},
        "sim-a": {"engine": "simulated", "span": 3000},
    },
}


def command(name: str, *arguments: object, folder: Path = ROOT, cwd: Path | str | None = None):
    """Runs one of the commands beside the workflow, such as ``compare``, of a checkout."""
    return subprocess.run(
        [warm_python(), "-m", "steadfast.command.main", name, *map(str, arguments)],
        cwd=cwd or folder,
        env={**os.environ, "PYTHONPATH": str(folder / "scripts")},
        capture_output=True,
        text=True,
    )


class Project:
    """A copy of the project with a config of its own."""

    def __init__(self, folder: Path):
        self.folder = folder

    @classmethod
    def new(cls, folder: Path, config: dict) -> "Project":
        for part in PARTS:
            source = ROOT / part
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            copy(source, folder / part)
        project = cls(folder)
        project.configure(config)
        return project

    def fork(self, folder: Path) -> "Project":
        """A copy with the same results and the same times of change."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Project(folder)

    def configure(self, config: dict) -> None:
        (self.folder / "my.yaml").write_text(yaml.safe_dump(config, sort_keys=False))

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.folder / path).read_text()
        assert old in text, f"{path} has no {old!r}"
        (self.folder / path).write_text(text.replace(old, new, 1))

    def snakemake(self, *arguments: str, ok: bool = True, **environment: str):
        """Runs Snakemake; stdout and stderr come back as one text."""
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
        rows = (line.split() for line in table[1].splitlines())
        return collections.Counter({rule: int(count) for rule, count in rows})

    def path(self, name: str) -> Path:
        return self.folder / name
