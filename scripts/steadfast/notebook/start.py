"""Runs the workflow from Python, as ``steadfast run`` does (docs/elsewhere.md)."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.config.source import default_config, read_source
from steadfast.notebook.run import Run, load

# The folder of the package, which need not be installed.
SCRIPTS = Path(__file__).parents[2]


def run(
    config: str | Path | None = None,
    directory: str | Path = ".",
    cores: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Run:
    """Runs the workflow and loads its results.

    The run's output is printed. After a failure the same call continues the run.

    Args:
        config: a config file; by default the directory's ``config/config.yaml``, or the project's.
        directory: the working directory of the run.
        cores: maximum cores; by default all.
        settings: other values of some keys of the config.

    Returns:
        The run, as from ``load``.

    Raises:
        UserError: the run failed; its error messages were printed.
    """
    file = Path(config).resolve() if config else None
    changes = settings or {}
    command = [sys.executable, "-m", "steadfast.command.main", "run"]
    if file:
        command.append(str(file))
    if cores:
        command += ["--cores", str(cores)]
    for key, value in changes.items():
        command += ["--set", f"{key}={json.dumps(value)}"]  # JSON is YAML, which the command reads
    _print_output(command, Path(directory))
    # The default config is the directory's, as for the command above.
    with chdir(directory):
        chosen = {**read_source(file or default_config()), **changes}
    results = chosen.get("pathvars", {}).get("results", "results")
    return load(Path(directory) / results)


def _print_output(command: list[str], directory: Path) -> None:
    """Runs a command and prints its output line by line, so that a notebook shows it."""
    path = os.pathsep.join(filter(None, [str(SCRIPTS), os.environ.get("PYTHONPATH")]))
    with subprocess.Popen(
        command,
        cwd=directory,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout or ():
            print(line, end="")
    if process.returncode:
        raise UserError(
            f"the run failed (exit code {process.returncode}); see the error message above"
        )
