"""Time of building contexts by length, on synthetic corpora: seconds per 1,000 tokens.

Run as ``PYTHONPATH=scripts:tests/engines python benchmarks/contexts.py``; the corpora are made
first, which takes some minutes and is not part of the times. Building is linear where the last
column stays level.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from prepared import Prepared
from steadfast.lifbench.data import NAME, context_file

LENGTHS = {"64k": 64, "128k": 128, "256k": 256, "512k": 512, "1M": 1024, "2M": 2048}


def main(longest: str) -> None:
    """Print a row for each scenario and length up to the longest."""
    names = list(LENGTHS)[: list(LENGTHS).index(longest) + 1]
    raw = {
        NAME: {"lengths": {name: 1024 * LENGTHS[name] for name in names}},
        "models": {"reference": {"engine": "reference"}},
    }
    with tempfile.TemporaryDirectory() as folder:
        built = Prepared(raw, Path(folder))
        files = {file.path: file for file in built.task.data}
        for path in files:
            if path.startswith("corpora/"):
                built.make_file(path)
        print(f"{'scenario':10}{'length':>8}{'tokens':>12}{'seconds':>10}{'ms per 1k tokens':>18}")
        for scenario in ("list", "multidoc", "onedoc"):
            for length in names:
                file = files[context_file(scenario, length)]
                inputs = {name: built.results / path for name, path in file.inputs.items()}
                start = time.perf_counter()
                (context,) = file.content.make(inputs)
                seconds, tokens = time.perf_counter() - start, context["tokens"]
                print(
                    f"{scenario:10}{length:>8}{tokens:>12,}{seconds:>10.2f}"
                    f"{1e6 * seconds / tokens:>18.2f}",
                    flush=True,
                )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory: {peak:,.0f} MiB", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("longest", nargs="?", default="2M", choices=LENGTHS)
    main(parser.parse_args().longest)
