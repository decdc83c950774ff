"""The papers' configs, and the jobs of a run of one."""

import os
import re
import subprocess
from pathlib import Path

from warm_python import warm_python

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ROOT / "config"


def dry_run(config: Path, directory: Path) -> dict[str, int]:
    """Jobs of tables and plan by rule, without a key in the environment."""
    command = [warm_python(), "-m", "snakemake", "--snakefile", ROOT / "Snakefile"]
    command += ["--directory", directory, "--configfile", config, "--cores", "1", "--dry-run"]
    environment = {name: value for name, value in os.environ.items() if "KEY" not in name}
    done = subprocess.run(
        [*command, "--", "results/tables", "plan"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, text
    return {rule: int(count) for rule, count in re.findall(r"^ *(\S+) +(\d+) *$", text, re.M)}
