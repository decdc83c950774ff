"""Time of building contexts by length, on synthetic corpora: seconds per 1,000 tokens.

Run as ``PYTHONPATH=scripts python benchmarks/contexts.py``; the corpora are made first, which takes
some minutes and is not part of the times. Building is linear where the last column stays level.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from steadfast.corpora import CORPORA, build_corpus
from steadfast.files import read_jsonl
from steadfast.lifbench.contexts import CORPORA_OF, build_contexts
from steadfast.tokens import load_tokenizer

LENGTHS = {"64k": 64, "128k": 128, "256k": 256, "512k": 512, "1M": 1024, "2M": 2048}
# Tokens of corpus for each token of the longest context: cuts and unfit texts leave some over.
MARGIN = {"alpaca": 0.5, "paul_graham": 1.2, "govreport": 1.5, "xsum": 1.0, "qmsum": 2.0}


def main(longest: str) -> None:
    """Print a row for each scenario and length up to the longest."""
    names = list(LENGTHS)[: list(LENGTHS).index(longest) + 1]
    with tempfile.TemporaryDirectory() as folder:
        corpora = {corpus: Path(folder) / f"{corpus}.jsonl" for corpus in CORPORA}
        for corpus, path in corpora.items():
            tokens = int(MARGIN[corpus] * 1024 * LENGTHS[longest])
            build_corpus(corpus, {"kind": "synthetic", "tokens": tokens}, 1, path)
        load_tokenizer("o200k_base")
        print(f"{'scenario':10}{'length':>8}{'tokens':>12}{'seconds':>10}{'ms per 1k tokens':>18}")
        for scenario in CORPORA_OF:
            for length in names:
                out = Path(folder) / "contexts.jsonl"
                budget = 1024 * LENGTHS[length]
                start = time.perf_counter()
                build_contexts(scenario, length, budget, [1], corpora, "o200k_base", out)
                seconds = time.perf_counter() - start
                tokens = next(read_jsonl(out))["tokens"]
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
