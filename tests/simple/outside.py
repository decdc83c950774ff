"""The benchmarks of docs/examples as another package brings them, and a run of them."""

import shutil
from pathlib import Path

from project import ROOT

EXAMPLES = ROOT / "docs/examples/benchmarks"
POINTS = {"constraints": "constraints:CONSTRAINTS", "longchoice": "longchoice:LONGCHOICE"}
SMALL = {
    "benchmarks": list(POINTS),
    "longchoice": {"lengths": {"1k": 1024, "2k": 2048}, "documents": 4},
    "nondeterminism": {"requests": 3, "repeats": 2},
}


def installed(folder: Path, **further: str) -> None:
    """Puts the examples into a folder of ``PYTHONPATH``, as an installer would."""
    for path in EXAMPLES.glob("*.*"):
        shutil.copy2(path, folder)
    (folder / "outside-1.0.dist-info").mkdir()
    (folder / "outside-1.0.dist-info/METADATA").write_text("Name: outside\nVersion: 1.0\n")
    points = POINTS | further
    lines = [f"{name} = {value}\n" for name, value in points.items()]
    entry_points = f"[steadfast.benchmarks]\n{''.join(lines)}"
    (folder / "outside-1.0.dist-info/entry_points.txt").write_text(entry_points)
