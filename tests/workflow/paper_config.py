"""The papers' configs: where they lie, and what a run of one would do."""

import os
import subprocess
from pathlib import Path

from warm_python import warm_python

ROOT = Path(__file__).resolve().parents[2]
PAPERS = ROOT / "config"


def dry_run(config: Path, directory: Path) -> dict[str, int]:
    """Jobs by rule that tables and plan would take, without a key in the environment."""
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
    lines = (line.split() for line in text.splitlines())
    return {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}
