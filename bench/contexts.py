"""Time and memory of building contexts by length, on synthetic corpora.

Run as ``PYTHONPATH=scripts:tests/engines python bench/contexts.py``; the corpora are made
first, which takes some minutes and is not part of the times. Each context is built and written as
the rule does it, in a process of its own. Building is linear where the last column stays level;
what a process takes before it builds anything is in its memory. On Linux.
"""

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from prepared import Prepared
from steadfast.base.files import read_jsonl
from steadfast.benchmarks.lifbench.data import NAME, context_file
from steadfast.stages.make_data import make_data

LENGTHS = {"64k": 64, "128k": 128, "256k": 256, "512k": 512, "1M": 1024, "2M": 2048}
BASE = "128k"
"""The paper's longest, to which others are compared."""


def measured(content: tuple[str, Any], inputs: Mapping[str, Path], out: Path) -> tuple[float, int]:
    """CPU seconds of making a file, and the peak memory of the process, in MB of 10^6 bytes."""
    start = time.process_time()
    make_data(content, inputs, out)
    seconds = time.process_time() - start
    # Not getrusage: on Linux its peak is that of the parent too.
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return seconds, int(status["VmHWM"].split()[0]) * 1024 // 10**6


def main(longest: str) -> None:
    """Print a row for each scenario and length up to the longest."""
    names = list(LENGTHS)[: list(LENGTHS).index(longest) + 1]
    raw = {
        NAME: {"lengths": {name: 1024 * LENGTHS[name] for name in names}},
        "models": {"reference": {"engine": "reference"}},
    }
    row = "{:10}{:>8}{:>12}{:>9}{:>8}{:>18}{:>20}"
    spawned = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, spawned, max_tasks_per_child=1) as apart,
    ):
        built = Prepared(raw, Path(folder))
        files = {file.path: file for file in built.task.data}
        for path in files:
            if path.startswith("corpora/"):
                built.make_file(path)
        ratio = f"time ÷ {BASE}'s"
        print(
            row.format("scenario", "length", "tokens", "seconds", "MB", "ms per 1k tokens", ratio)
        )
        for scenario in ("list", "multidoc", "onedoc"):
            base = 0.0
            for length in names:
                path = context_file(scenario, length)
                file = files[path]
                inputs = {name: built.results / source for name, source in file.inputs.items()}
                out = built.results / path
                seconds, peak = apart.submit(measured, file.content.plain, inputs, out).result()
                tokens = next(read_jsonl(out))["tokens"]
                base = seconds if length == BASE else base
                time_ratio = f"{seconds / base:.1f}" if base else ""
                per_token = f"{1e6 * seconds / tokens:.2f}"
                cells = (scenario, length, f"{tokens:,}", f"{seconds:.2f}", peak, per_token)
                print(row.format(*cells, time_ratio), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("longest", nargs="?", default="2M", choices=LENGTHS)
    main(parser.parse_args().longest)
