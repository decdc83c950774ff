"""The benchmarks of docs/examples as an installed package, and projects that use them."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from project import ROOT, Project
from steadfast.contract import registry

EXAMPLES = ROOT / "docs/examples/benchmarks"
WORDBENCH = EXAMPLES / "wordbench"
ENTRY_POINTS = {"constraints": "constraints:CONSTRAINTS", "longchoice": "longchoice:LONGCHOICE"}


@contextmanager
def installed_project(folder: Path, **entry_points: str) -> Iterator[Project]:
    """A project beside which the examples are installed, for its jobs and for this process."""
    project = Project.new(folder, {})
    for path in EXAMPLES.glob("*.*"):
        shutil.copy2(path, folder)
    shutil.copytree(WORDBENCH / "wordbench", folder / "wordbench")
    wordbench = tomllib.loads((WORDBENCH / "pyproject.toml").read_text())["project"]
    _write_metadata(folder, "outside", ENTRY_POINTS | entry_points)
    _write_metadata(folder, "wordbench", wordbench["entry-points"]["steadfast.benchmarks"])
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        registry.installed.cache_clear()
        yield project
    registry.installed.cache_clear()
    for name in list(sys.modules):
        if (folder / f"{name}.py").exists() or name.startswith("wordbench"):
            del sys.modules[name]


def _write_metadata(folder: Path, package: str, entry_points: dict[str, str]) -> None:
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}\n" for name, value in entry_points.items()]
    (metadata / "entry_points.txt").write_text(f"[steadfast.benchmarks]\n{''.join(lines)}")


def steadfast_output(project: Project, *arguments: str) -> str:
    """What a command prints in such a project."""
    folders = os.pathsep.join([str(ROOT / "scripts"), str(project.folder)])
    return subprocess.run(
        [sys.executable, "-m", "steadfast.command.main", *arguments],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": folders},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
