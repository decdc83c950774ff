"""Judging: requests per second side by side against context by context, tokens shared, scoring.

Generated instances of ComplexBench, whose answers are asked several questions each, and a judge
over HTTP that takes a fixed time for a reply. The baseline asks about one answer after the other,
as is right for long contexts; both runs are timed in turn, several times. Tokens that are shared
are counted, not measured: by a prefix cache that holds.

Run: ``make bench``, or ``PYTHONPATH=scripts:tests/engines python benchmarks/judging.py``.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from judge_server import judging
from steadfast.complexbench import benchmark as complexbench
from steadfast.config import load_config
from steadfast.engines import openai_api
from steadfast.engines.fit import fit
from steadfast.engines.plan import distinct_tokens
from steadfast.engines.run import run_part
from steadfast.files import read_jsonl
from steadfast.judging.requests import items
from steadfast.registry import as_paths
from steadfast.tokens import load_tokenizer

CONFIG = {
    "benchmarks": ["complexbench"],
    "models": {"reference": {"engine": "reference"}},
    "judges": {"judge": {"engine": "reference"}},
}
ENOUGH = 10**9  # characters: every context counts as short


class Part:
    """One part in a folder: its prompts, the reference's answers, and what a judge is asked."""

    def __init__(self, folder: Path, instances: int):
        self.folder = folder
        self.config = load_config({**CONFIG, "complexbench": {"instances": instances}})
        self.prompts, self.outputs = folder / "prompts.jsonl", folder / "outputs.jsonl"
        self.judging = folder / "judging.jsonl"
        (data,) = complexbench.sources(self.config, "zh")["data"].values()
        complexbench.write_data(complexbench.data_settings(self.config, "zh"), "zh", folder / data)
        self.sources = as_paths({"data": {"zh": str(folder / data)}})
        complexbench.write_prompts("zh", self.sources, self.prompts)
        self.ask({"engine": "reference"}, {}, complexbench.items, complexbench.oracle)
        complexbench.write_judge_prompts(
            "zh",
            self.prompts,
            self.sources,
            self.outputs,
            {name: Path(path) for name, path in complexbench.templates(self.config).items()},
            complexbench.judge_settings(self.config),
            self.judging,
        )

    def ask(self, answers: dict[str, Any], operation: dict[str, Any], *of: Callable) -> None:
        """The model's answers."""
        asked, oracle = (function(self.prompts, self.sources) for function in of)
        self._run("reference", answers, operation, asked, oracle, self.outputs)

    def judge(self, url: str, concurrency: int, long_prefix: int) -> float:
        """Seconds that all verdicts take, with contexts of so many characters asked one by one."""
        openai_api.LONG_PREFIX = long_prefix
        operation = {"base_url": url, "api_key_env": None, "concurrency": concurrency}
        answers = {"engine": "openai", "model": "judge"}
        (self.folder / "judge.journal").unlink(missing_ok=True)
        started = time.perf_counter()
        asked, out = items(self.judging), self.folder / "verdicts.jsonl"
        self._run("judge", answers, operation, asked, None, out)
        return time.perf_counter() - started

    def score(self) -> float:
        """Seconds that scoring takes, reading and writing included."""
        started = time.perf_counter()
        complexbench.score_part(
            "zh",
            complexbench.scoring_settings(self.config),
            self.prompts,
            self.sources,
            self.outputs,
            self.folder / "scores.jsonl",
            {"judge": self.folder / "verdicts.jsonl"},
        )
        return time.perf_counter() - started

    def _run(self, model: str, answers: Any, operation: Any, asked: Any, oracle: Any, out: Path):
        run_part(
            model=model,
            answers=answers,
            operation=operation,
            items=asked,
            oracle=oracle,
            journal=self.folder / f"{model}.journal",
            out=out,
            identity_out=self.folder / f"{model}.identity.json",
            log=self.folder / "log",
        )


def shared(part: Part) -> tuple[int, int]:
    """Prompt tokens of all judge prompts: whole, and left when those about one answer share."""
    tokenizer = load_tokenizer("o200k_base")
    requests = fit(items(part.judging), None, "error", None)
    return sum(tokenizer.count(r.prompt) for r in requests), distinct_tokens(requests, tokenizer)


def main() -> None:
    """Prints the figures, each with its ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that a reply takes")
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, judging(arguments.delay) as server:
        part = Part(Path(folder), arguments.instances)
        pairs = [
            [part.judge(server.url, arguments.concurrency, limit) for limit in (0, ENOUGH)]
            for _ in range(arguments.times)
        ]
        requests = sum(1 for _ in read_jsonl(part.folder / "verdicts.jsonl"))
        one_by_one, abreast = (statistics.median(column) for column in zip(*pairs, strict=True))
        whole, left = shared(part)
        scoring = statistics.median(part.score() for _ in range(arguments.times))
    print(
        f"{requests} judge requests about {arguments.instances} answers, {arguments.delay * 1000:g}"
        f" ms a reply, {arguments.concurrency} at once, medians of {arguments.times}:"
    )
    print(f"  one answer after the other  {requests / one_by_one:8.0f} requests/s")
    print(
        f"  side by side                {requests / abreast:8.0f} requests/s, "
        f"{one_by_one / abreast:.1f} times that"
    )
    print(
        f"prompt tokens: {whole:,}; with the answer's prompt shared {left:,} ({left / whole:.1%})"
    )
    print(f"scoring: {requests / scoring:,.0f} questions/s")


if __name__ == "__main__":
    main()
