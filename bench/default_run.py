"""Wall and CPU seconds of the default run, its jobs, and their time by stage.

Run: ``python bench/default_run.py [COMMIT]``; with a commit, the default run of that commit is
measured in between, and the ratio printed. Each run starts in a fresh folder; a dry run before it
fills the caches that a second run would find. CPU seconds are those of Snakemake and all its jobs,
so that they can be compared on a busy machine too.
"""

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
CORES = "2"
STAGES = 8  # in the list of the longest


def run(tree: Path, folder: Path, *options: str) -> tuple[float, float]:
    """Wall and CPU seconds of the default run of a working tree."""
    profile = ["--workflow-profile", str(tree / "profiles" / "default")]
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(tree / "Snakefile"), *profile]
    started = time.monotonic()
    process = subprocess.Popen(
        [*command, "--directory", str(folder), "--cores", CORES, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"the default run of {tree} failed: {' '.join(command)}")
    return time.monotonic() - started, used.ru_utime + used.ru_stime


def seconds_by_stage(benchmarks: Path) -> Counter[str]:
    """Seconds of the jobs by stage; by file for those that are one for all models."""
    seconds: Counter[str] = Counter()
    for path in benchmarks.rglob("*.tsv"):
        parts = path.relative_to(benchmarks).with_suffix("").parts
        stage = parts[1] if len(parts) > 2 else parts[-1]
        with path.open() as lines:
            row = next(csv.DictReader(lines, delimiter="\t"))
        seconds[stage] += float(row["s"])
    return seconds


def measured(name: str, tree: Path) -> float:
    """Prints the times of a working tree's default run; returns its CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        _, planned = run(tree, Path(folder), "--dry-run")
        wall, cpu = run(tree, Path(folder))
        _, nothing = run(tree, Path(folder))
        benchmarks = Path(folder) / "results" / "benchmarks"
        jobs = len(list(benchmarks.rglob("*.tsv")))
        stages = seconds_by_stage(benchmarks)
    print(f"{name}: {wall:.1f} s, {cpu:.1f} s of CPU, {jobs} jobs of {stages.total():.1f} s in all")
    print(f"  dry run {planned:.1f} s of CPU, nothing to do {nothing:.1f} s")
    print("  " + ", ".join(f"{stage} {s:.1f} s" for stage, s in stages.most_common(STAGES)))
    return cpu


def main(commit: str | None) -> None:
    """Measures this working tree, and a commit."""
    if commit is None:
        measured("default run", HERE)
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "-q", "--detach", str(tree), commit], check=True)
        try:
            ours = [measured("this tree", HERE)]
            theirs = measured(commit, tree)
            ours.append(measured("this tree", HERE))
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)
    print(f"share of its CPU seconds: {min(ours) / theirs:.2f} to {max(ours) / theirs:.2f}")


if __name__ == "__main__":
    main(*(sys.argv[1:2] or [None]))
