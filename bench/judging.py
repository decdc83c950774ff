"""Judging: requests per second side by side against context by context, tokens shared, scoring.

The project's instances of ComplexBench, whose answers are asked several questions each, and a judge
over HTTP that takes a fixed time for a reply. The baseline asks about one answer after the other,
as is right for long contexts; both runs are timed in turn, several times. Tokens that are shared
are counted, not measured: by a prefix cache that holds.

Run: ``make bench``, or ``PYTHONPATH=scripts:tests/engines python bench/judging.py``.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from ask_items import ask_items
from judge_server import judging
from prepared import Prepared
from steadfast.base.files import read_jsonl
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.part_files import judge_items, read_judge_prompts
from steadfast.engines.api import engine as api_engine
from steadfast.engines.cost.forecast import distinct_tokens
from steadfast.engines.fit import fit

MODEL = "reference"
JUDGE = "judge"
PART = "zh"
ENOUGH = 10**9  # characters: every context counts as short


def prepared(folder: Path) -> Prepared:
    """ComplexBench with the reference's answers, and what a judge is asked about them."""
    raw = {
        "benchmarks": ["complexbench"],
        "models": {MODEL: {"engine": "reference"}},
        "judges": {JUDGE: {"engine": "reference"}},
    }
    built = Prepared(raw, folder)
    built.make_data()
    built.write_prompts()
    built.answer(MODEL, PART)
    built.ask_judge(MODEL, PART)
    return built


def judge(built: Prepared, url: str, concurrency: int, long_prefix: int) -> float:
    """Seconds that all verdicts take, with contexts of so many characters asked one by one."""
    api_engine.LONG_PREFIX = long_prefix
    out = built.verdicts(JUDGE, MODEL, PART)
    journal = built.results / "judge.journal"
    journal.unlink(missing_ok=True)
    started = time.perf_counter()
    ask_items(
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
    """Seconds that scoring takes, reading and writing included."""
    started = time.perf_counter()
    built.score(MODEL, PART, JUDGE)
    return time.perf_counter() - started


def shared(built: Prepared) -> tuple[int, int]:
    """Prompt tokens of all judge prompts: whole, and left when those about one answer share."""
    tokenizer = load_tokenizer("o200k_base")
    prompts = read_judge_prompts(built.judging(MODEL, PART))
    requests = fit(judge_items(prompts), None, "error", None)
    return sum(tokenizer.count(r.prompt) for r in requests), distinct_tokens(requests, tokenizer)


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
        pairs = [
            [judge(built, server.url, arguments.concurrency, limit) for limit in (0, ENOUGH)]
            for _ in range(arguments.times)
        ]
        requests = sum(1 for _ in read_jsonl(built.verdicts(JUDGE, MODEL, PART)))
        one_by_one, side_by_side = (
            statistics.median(column) for column in zip(*pairs, strict=True)
        )
        whole, left = shared(built)
        scoring = statistics.median(score(built) for _ in range(arguments.times))
    print(
        f"{requests} judge requests about 60 answers, {arguments.delay * 1000:g}"
        f" ms a reply, {arguments.concurrency} at once, medians of {arguments.times}:"
    )
    print(f"  one answer after the other  {requests / one_by_one:8.0f} requests/s")
    print(
        f"  side by side                {requests / side_by_side:8.0f} requests/s, "
        f"{one_by_one / side_by_side:.1f} times that"
    )
    print(
        f"prompt tokens: {whole:,}; with the answer's prompt shared {left:,} ({left / whole:.1%})"
    )
    print(f"scoring: {requests / scoring:,.0f} questions/s")


if __name__ == "__main__":
    main()
