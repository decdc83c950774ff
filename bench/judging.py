"""Judging: requests per second in parallel and context by context, shared tokens, scoring.

The project's instances of ComplexBench, with several questions about each response, and a judge
over HTTP with a fixed time for a reply. The baseline judges one response after the other, which is
right for long contexts; both runs are timed in turn, several times. Shared tokens are counted, not
measured: as with a prefix cache of sufficient size.

Run: ``make bench``, or ``PYTHONPATH=scripts:tests/engines python bench/judging.py``.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from judge_server import judging
from prepared import Prepared
from send_items import send_items
from steadfast.base.files import read_jsonl
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.part_files import judge_items, read_judge_prompts
from steadfast.engines.api import engine as api_engine
from steadfast.engines.cost.forecast import distinct_tokens
from steadfast.engines.fit import fit

MODEL = "reference"
JUDGE = "judge"
PART = "zh"
ANY_LENGTH = 10**9  # characters: every context counts as short


def prepared(folder: Path) -> Prepared:
    """ComplexBench with the reference answers, and the judge prompts about them."""
    raw = {
        "benchmarks": ["complexbench"],
        "models": {MODEL: {"engine": "reference"}},
        "judges": {JUDGE: {"engine": "reference"}},
    }
    built = Prepared(raw, folder)
    built.make_data()
    built.write_prompts()
    built.answer(MODEL, PART)
    built.write_judge_prompts(MODEL, PART)
    return built


def judge(built: Prepared, url: str, concurrency: int, long_prefix: int) -> float:
    """The seconds for all verdicts; contexts of so many characters are requested one by one."""
    api_engine.LONG_PREFIX = long_prefix
    out = built.verdicts(JUDGE, MODEL, PART)
    journal = built.results / "judge.journal"
    journal.unlink(missing_ok=True)
    started = time.perf_counter()
    send_items(
        model=JUDGE,
        answers={"engine": "openai", "model": "judge"},
        operation={"base_url": url, "api_key_env": None, "max_concurrency": concurrency},
        items=judge_items(read_judge_prompts(built.judging(MODEL, PART))),
        journal=journal,
        out=out,
        provenance_out=out.with_suffix(".provenance.json"),
        log=built.results / "log",
    )
    return time.perf_counter() - started


def score(built: Prepared) -> float:
    """The seconds of scoring, including reading and writing."""
    started = time.perf_counter()
    built.score(MODEL, PART, JUDGE)
    return time.perf_counter() - started


def shared(built: Prepared) -> tuple[int, int]:
    """Prompt tokens of all judge prompts: all, and without those shared by an answer's prompts."""
    tokenizer = load_tokenizer("o200k_base")
    prompts = read_judge_prompts(built.judging(MODEL, PART))
    requests = fit(judge_items(prompts), None, "error", None)
    total = sum(tokenizer.count(request.prompt) for request in requests)
    return total, distinct_tokens(requests, tokenizer)


def main() -> None:
    """Prints the figures, each with its ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that a reply takes")
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, judging(arguments.delay) as server:
        built = prepared(Path(folder))
        serial_times = []
        parallel_times = []
        for _ in range(arguments.times):
            serial_times.append(judge(built, server.url, arguments.concurrency, 0))
            parallel_times.append(judge(built, server.url, arguments.concurrency, ANY_LENGTH))
        requests = len(list(read_jsonl(built.verdicts(JUDGE, MODEL, PART))))
        serial = statistics.median(serial_times)
        parallel = statistics.median(parallel_times)
        total, distinct = shared(built)
        scoring = statistics.median(score(built) for _ in range(arguments.times))
    print(
        f"{requests} judge requests about 60 answers, {arguments.delay * 1000:g}"
        f" ms a reply, {arguments.concurrency} at once, medians of {arguments.times}:"
    )
    print(f"  one answer after the other  {requests / serial:8.0f} requests/s")
    print(
        f"  side by side                {requests / parallel:8.0f} requests/s, "
        f"{serial / parallel:.1f} times that"
    )
    share = distinct / total
    print(f"prompt tokens: {total:,}; with the answer's prompt shared {distinct:,} ({share:.1%})")
    print(f"scoring: {requests / scoring:,.0f} questions/s")


if __name__ == "__main__":
    main()
