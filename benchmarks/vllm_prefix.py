"""Prompts one call at a time without prefix caching, against ours; and the paper's shape.

A tiny model with random weights, LIFBench's prompts of one length, and real vLLM: each prompt in
a ``generate`` call of its own, nothing shared, as the released code sends them; then the same
prompts through our engine. Both load the model once and are timed without that. The share of
computed tokens at the paper's shape is computed from token counts, not measured. Short prompts,
such as the judged benchmarks', share nothing: side by side, against one after the other.

Run: ``PYTHONPATH=scripts:tests/engines python benchmarks/vllm_prefix.py``, where ``make vllm`` has
installed vLLM, or name an interpreter that has it with ``--python``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import short_lifbench
from prepared import Prepared
from steadfast.engines.base import Setup
from steadfast.engines.fit import fit
from steadfast.engines.request import Item, Request
from steadfast.files import read_jsonl
from steadfast.lifbench.tasks import TASKS

if TYPE_CHECKING:
    from steadfast.engines.vllm_engine import VllmEngine

BUDGETS = {"4k": 3072, "8k": 6144, "16k": 13312, "32k": 28672, "64k": 61440, "128k": 122880}
# Table 2, with the released 12 expressions of LOI: 467 prompts a length.
EXPRESSIONS = dict.fromkeys(TASKS, 5) | {"LOI": 12, "LOE": 12, "LBI": 11, "LBE": 12}
BLOCK = 16  # tokens: vLLM's unit of sharing on GPUs
CPU_BLOCK = 32  # the least on CPUs; 128, if it is not told
OUTPUT = 16  # tokens at most, so that reading is measured and not writing
SHORT = 101  # short prompts, one of which loads the model
HERE = Path(__file__)


def items_of(folder: Path, length: str) -> list[Item]:
    """What is asked at one length, built below a folder."""
    part = Prepared(short_lifbench.config(BUDGETS), folder / "results").part(length)
    return list(map(part.joined.item, part.read()))


def requests(folder: Path, length: str) -> list[Request]:
    """The same as requests; they all fit."""
    return fit(items_of(folder, length), None, "error", None)


def one_at_a_time(folder: Path, length: str) -> dict[str, Any]:
    """Every prompt in a call of its own, without prefix caching."""
    from vllm import LLM, SamplingParams

    engine = our_engine(folder)
    asked = list(engine.tokenizer.encode_prompts(requests(folder, length)))
    llm = LLM(
        model=str(folder / "model"),
        dtype="float32",
        max_model_len=16384,
        enforce_eager=True,
        block_size=CPU_BLOCK,
        enable_prefix_caching=False,
    )
    start, computed, texts = time.perf_counter(), 0, {}
    for request, ids in asked:
        sampling = SamplingParams(temperature=0.0, max_tokens=request.max_tokens)
        (output,) = llm.generate({"prompt_token_ids": ids}, sampling, use_tqdm=False)
        computed += len(output.prompt_token_ids) - (output.num_cached_tokens or 0)
        texts[request.sample_id] = output.outputs[0].text
    return {"seconds": time.perf_counter() - start, "computed": computed, "texts": texts}


def our_engine(folder: Path) -> "VllmEngine":
    """Engine ``vllm`` on the tiny model."""
    from steadfast.engines.vllm_engine import VllmEngine

    answers = {"model": str(folder / "model"), "window": 16384, "dtype": "float32"}
    operation = {"engine_operation_args": {"enforce_eager": True, "block_size": CPU_BLOCK}}
    return VllmEngine(Setup(answers, operation, print))


def ours(folder: Path, length: str) -> dict[str, Any]:
    """Context by context, each computed once; tokenizing is part of the time."""
    engine, groups = our_engine(folder), defaultdict(list)
    for request in requests(folder, length):
        groups[request.group].append(request)
    start, computed, logical, texts = time.perf_counter(), 0, 0, {}
    for request, response in engine.answer(list(groups.values())):
        logical += response.prompt_tokens
        computed += response.prompt_tokens - response.cached_tokens
        texts[request.sample_id] = response.text
    seconds = time.perf_counter() - start - engine.load_seconds
    return {"seconds": seconds, "computed": computed, "logical": logical, "texts": texts}


def short(folder: Path, length: str) -> dict[str, Any]:
    """Short prompts that share nothing: all handed over at once, and one after the other."""
    engine = our_engine(folder)
    texts = dict.fromkeys(item.tail for item in items_of(folder, length))
    asked = [Item(text, text, "", "", text, 4 * OUTPUT) for text in list(texts)[:SHORT]]
    first, *groups = [[request] for request in fit(asked, None, "error", None)]
    list(engine.answer([first]))  # loads
    seconds = {}
    for method, calls in (("together", [groups]), ("alone", [[group] for group in groups])):
        engine.reset_prefix_cache()
        start = time.perf_counter()
        for call in calls:
            list(engine.answer(call))
        seconds[method] = time.perf_counter() - start
    return {"prompts": len(groups), **seconds}


def measure(folder: Path, length: str, python: str) -> None:
    """Each in a process of its own, and their ratios."""
    found = {}
    for method in ("one_at_a_time", "ours", "short"):
        out = folder / f"{method}.json"
        call = [python, HERE, "--method", method, "--length", length]
        call += ["--folder", folder, "--out", out]
        done = subprocess.run(call, env=environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        found[method] = json.loads(out.read_text(encoding="utf-8"))
    times = found.pop("short")
    print(
        f"{times['prompts']} short prompts: one after the other {times['alone']:.1f} s, side by "
        f"side {times['together']:.1f} s, ratio {times['alone'] / times['together']:.1f} ×"
    )
    first, second = found["one_at_a_time"], found["ours"]
    same = sum(first["texts"][name] == text for name, text in second["texts"].items())
    print(f"{length}, {len(first['texts'])} prompts of {second['logical']:,} tokens, measured")
    for method, result in found.items():
        print(
            f"  {method.replace('_', ' '):14} {result['seconds']:8.1f} s {result['computed']:>12,} "
            f"computed tokens ({result['computed'] / second['logical']:.1%})"
        )
    print(
        f"  ratio          {first['seconds'] / second['seconds']:8.1f} × "
        f"{first['computed'] / second['computed']:>11.1f} ×   hit rate "
        f"{1 - second['computed'] / second['logical']:.1%}, {same} answers the same"
    )


def environment() -> dict[str, str]:
    """For the measuring processes: no network, a gigabyte of KV cache on CPUs."""
    quiet = {"VLLM_LOGGING_LEVEL": "ERROR", "VLLM_NO_USAGE_STATS": "1"}
    return {**os.environ, "HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", **quiet}


def paper_shape(folder: Path, length: str) -> None:
    """Computed share and hit rate at six lengths × 467 prompts, from our prompts' token counts."""
    from steadfast.tokens import load_tokenizer

    count = load_tokenizer("o200k_base").count
    tails, heads = defaultdict(list), {}
    for item in items_of(folder, length):
        task = item.sample_id.split("/")[0]
        tails[task].append(count(item.tail))
        heads[TASKS[task].scenario] = count(item.head)
    print("the paper's shape, computed from token counts (blocks of 16 tokens)")
    total = defaultdict(float)
    for name, budget in BUDGETS.items():
        prompts = logical = computed = 0
        for scenario, head in heads.items():
            prefix = head + budget
            computed += prefix  # by the one that warms the cache
            for task in (task for task in tails if TASKS[task].scenario == scenario):
                asked = EXPRESSIONS[task] * TASKS[task].variables
                tail = sum(tails[task]) / len(tails[task])
                prompts += asked
                logical += asked * (prefix + tail)
                computed += asked * (prefix % BLOCK + tail)
        total["logical"] += logical
        total["computed"] += computed
        share = computed / logical
        print(f"  {name:>5} {prompts} prompts {logical:>13,.0f} logical {share:6.2%} computed")
    share = total["computed"] / total["logical"]
    print(f"  all {total['logical']:,.0f} logical, {share:.2%} computed, hit rate {1 - share:.2%}")


def main() -> None:
    """Builds the prompts and the model, measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="interpreter that has vLLM")
    parser.add_argument("--length", default="4k", choices=list(BUDGETS)[:3])
    for hidden in ("--method", "--folder", "--out"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.method:
        methods = {"one_at_a_time": one_at_a_time, "ours": ours, "short": short}
        result = methods[args.method](Path(args.folder), args.length)
        Path(args.out).write_text(json.dumps(result), encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = short_lifbench.build(folder, {args.length: BUDGETS[args.length]}, None, OUTPUT)
        paper_shape(folder, args.length)
        if args.python == sys.executable and find_spec("vllm") is None:
            print("vLLM is not installed here (make vllm): nothing measured")
            return
        contexts = sorted((built.folder / "contexts").rglob("*.jsonl"))
        text = folder / "text.txt"
        text.write_text(
            "\n".join(record["text"] for path in contexts for record in read_jsonl(path)),
            encoding="utf-8",
        )
        make = [args.python, Path(short_lifbench.__file__).with_name("tiny_model.py")]
        subprocess.run([*make, folder / "model", text], check=True, capture_output=True)
        measure(folder, args.length, args.python)


if __name__ == "__main__":
    main()
