"""Our engine against vLLM's ``generate`` on the same prompts; and the paper's shape.

A tiny model with random weights, LIFBench's prompts of one length, and real vLLM: each prompt in
a separate ``generate`` call without a prefix cache, as in the released code; one ``generate`` of
all prompts, shuffled; one of all prompts, in the order of our engine's requests, as an expert in
vLLM would write it; and our engine. Each loads the model once, and the time excludes the load;
steps are those of the engine. With --tight the KV cache has little more than the longest prompt's
size. The share of computed tokens at the paper's shape is computed from token counts, not measured.
Short prompts, such as the judged benchmarks', have no common prefix: in parallel, against one after
the other.

Run: ``PYTHONPATH=scripts:tests/engines python bench/vllm_prefix.py`` after ``make vllm`` has
installed vLLM, or name an interpreter that has it with ``--python``.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import short_lifbench
from prepared import Prepared
from steadfast.base.files import read_jsonl, write_jsonl
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.contract.request import Item, Request, grouped, ordered
from steadfast.engines.base import Setup
from steadfast.engines.fit import fit, fitted_requests
from steadfast.engines.vllm.engine import VllmEngine

BUDGETS = {"4k": 3072, "8k": 6144, "16k": 13312, "32k": 28672, "64k": 61440, "128k": 122880}
# Table 2, with the released 12 expressions of LOI: 467 prompts a length.
EXPRESSIONS = dict.fromkeys(TASKS, 5) | {"LOI": 12, "LOE": 12, "LBI": 11, "LBE": 12}
BLOCK = 16  # tokens: vLLM's unit of sharing on GPUs
CPU_BLOCK = 32  # the smallest on CPUs; the default is 128
WINDOW = 16384
OUTPUT = 16  # tokens at most, so that prefill is measured and not decoding
TIGHT = 1.3
SHORT = 101  # short prompts, one of which loads the model
WAYS = {
    "one_at_a_time": "one call a prompt, nothing cached",
    "shuffled": "generate, shuffled",
    "ordered": "generate, ordered by context",
    "ours": "ours",
    "short": "short prompts",
}
HERE = Path(__file__)


def items_of(folder: Path, length: str) -> list[Item]:
    """The requests of one length, built below a folder."""
    part = Prepared(short_lifbench.config(BUDGETS), folder / "results").part(length)
    return list(map(part.joined.item, part.read()))


def requests(folder: Path, length: str) -> list[Request]:
    """The same in the order in which our engine sends them."""
    engine = our_engine(folder)
    answers = {"window": WINDOW}
    return ordered(grouped(fitted_requests("tiny", engine, answers, items_of(folder, length))))


class Measured:
    """Steps, computed tokens, time and responses of one way to send requests.

    Args:
        engine: vLLM's, once it is loaded.
    """

    def __init__(self, engine: Any):
        self._step = engine.step
        self._steps = 0
        engine.step = self._count
        self._started = time.perf_counter()
        self._computed = 0
        self._logical = 0
        self._texts: dict[str, str] = {}

    def _count(self) -> Any:
        self._steps += 1
        return self._step()

    def add(self, request: Request, prompt: int, cached: int, text: str) -> None:
        """Counts a response."""
        self._logical += prompt
        self._computed += prompt - cached
        self._texts[request.sample_id] = text

    @property
    def result(self) -> dict[str, Any]:
        """The measurements, for a JSON file."""
        return {
            "seconds": time.perf_counter() - self._started,
            "steps": self._steps,
            "computed": self._computed,
            "logical": self._logical,
            "texts": self._texts,
        }


def generate(folder: Path, way: str, length: str, tight: bool) -> dict[str, Any]:
    """vLLM's own ``generate``, in one of three ways; the time excludes tokenizing."""
    from vllm import LLM, SamplingParams

    tokenizer = our_engine(folder).tokenizer
    all_requests = requests(folder, length)
    encoded = list(tokenizer.encode_prompts(all_requests))
    if way == "shuffled":
        random.Random(1).shuffle(encoded)
    llm = LLM(
        model=str(folder / "model"),
        dtype="float32",
        max_model_len=room(all_requests) if tight else WINDOW,
        enable_prefix_caching=way != "one_at_a_time",
        **operation(all_requests if tight else []),
    )
    measured = Measured(llm.llm_engine)
    batches = [[pair] for pair in encoded] if way == "one_at_a_time" else [encoded]
    for batch in batches:
        prompts = []
        sampling = []
        for request, ids in batch:
            prompts.append({"prompt_token_ids": ids})
            options = {"max_tokens": request.max_tokens, "stop_token_ids": tokenizer.stop_token_ids}
            sampling.append(SamplingParams(temperature=0.0, **options))
        outputs = llm.generate(prompts, sampling, use_tqdm=False)
        for (request, ids), output in zip(batch, outputs, strict=True):
            cached = output.num_cached_tokens or 0
            measured.add(request, len(ids), cached, output.outputs[0].text)
    return measured.result


def room(tight: Sequence[Request]) -> int:
    """Tokens of a KV cache that is TIGHT times as large as the longest of some requests."""
    longest = max(request.prompt_tokens + request.max_tokens for request in tight)
    return round(TIGHT * longest / CPU_BLOCK) * CPU_BLOCK


def operation(tight: Sequence[Request]) -> dict[str, Any]:
    """The options of every engine here."""
    options = {"enforce_eager": True, "block_size": CPU_BLOCK}
    return options | ({"num_gpu_blocks_override": room(tight) // CPU_BLOCK + 1} if tight else {})


def our_engine(folder: Path, tight: Sequence[Request] = ()) -> VllmEngine:
    """Engine ``vllm`` on the tiny model."""
    window = room(tight) if tight else WINDOW
    answers = {"model": str(folder / "model"), "window": window}
    answers["engine_args"] = {"dtype": "float32"}
    return VllmEngine(Setup(answers, {"engine_operation_args": operation(tight)}, print))


def ours(folder: Path, length: str, tight: bool) -> dict[str, Any]:
    """Our engine; the time includes tokenizing."""
    all_requests = requests(folder, length)
    engine = our_engine(folder, all_requests if tight else [])
    groups = grouped(all_requests)
    engine.load()
    measured = Measured(engine.engine)
    for request, response in engine.answer(groups):
        measured.add(request, response.prompt_tokens, response.cached_tokens, response.text)
    return measured.result


def short(folder: Path, length: str) -> dict[str, Any]:
    """Short prompts without a common prefix: all at once, and one after the other."""
    engine = our_engine(folder)
    texts = dict.fromkeys(item.tail for item in items_of(folder, length))
    items = [Item(text, text, "", "", text, 4 * OUTPUT) for text in list(texts)[:SHORT]]
    first, *groups = [[request] for request in fit(items, None, "error", None)]
    list(engine.answer([first]))  # loads
    seconds = {}
    for method, calls in (("together", [groups]), ("alone", [[group] for group in groups])):
        engine.engine.reset_prefix_cache()
        start = time.perf_counter()
        for call in calls:
            list(engine.answer(call))
        seconds[method] = time.perf_counter() - start
    return {"prompts": len(groups), **seconds}


def measure(folder: Path, length: str, python: str, tight: bool, ways: Sequence[str]) -> None:
    """Measures each way in a process of its own, and prints a table."""
    results = {}
    for way in ways:
        out = folder / f"{way}.json"
        call = [python, HERE, "--measured", way, "--length", length]
        call += ["--folder", folder, "--out", out]
        call += ["--tight"] if tight else []
        done = subprocess.run(call, env=environment(), capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        results[way] = json.loads(out.read_text(encoding="utf-8"))
    times = results.pop("short", None)
    if times:
        print(
            f"{times['prompts']} short prompts: one after the other {times['alone']:.1f} s, side "
            f"by side {times['together']:.1f} s, ratio {times['alone'] / times['together']:.1f} ×"
        )
    engine = results["ours"]
    print(f"{length}, {len(engine['texts'])} prompts of {engine['logical']:,} tokens, measured")
    for way, result in results.items():
        same = sum(result["texts"][name] == text for name, text in engine["texts"].items())
        computed = result["computed"]
        print(
            f"  {WAYS[way]:32} {result['seconds']:8.1f} s {result['steps']:6} steps "
            f"{computed:>10,} computed tokens ({computed / engine['logical']:.2%})"
            f"   ours: steps {engine['steps'] / result['steps']:.3f} ×, {same} answers the same"
        )


def environment() -> dict[str, str]:
    """The measuring processes' environment: no network, a gigabyte of KV cache on CPUs."""
    quiet = {"VLLM_LOGGING_LEVEL": "ERROR", "VLLM_NO_USAGE_STATS": "1"}
    return {**os.environ, "HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", **quiet}


def paper_shape(folder: Path, length: str) -> None:
    """Prints computed share and hit rate at six lengths × 467 prompts, from our token counts."""
    from steadfast.base.tokens import load_tokenizer

    count = load_tokenizer("o200k_base").count
    tails = defaultdict(list)
    heads = {}
    for item in items_of(folder, length):
        task = item.sample_id.split("/")[0]
        tails[task].append(count(item.tail))
        heads[TASKS[task].scenario] = count(item.head)
    print("the paper's shape, computed from token counts (blocks of 16 tokens)")
    total = defaultdict(float)
    for name, budget in BUDGETS.items():
        prompts = 0
        logical = 0
        computed = 0
        for scenario, head in heads.items():
            prefix = head + budget
            computed += prefix  # by the first prompt, which fills the cache
            scenario_tasks = [task for task in tails if TASKS[task].scenario == scenario]
            for task in scenario_tasks:
                task_prompts = EXPRESSIONS[task] * (TASKS[task].number or 1)
                tail = sum(tails[task]) / len(tails[task])
                prompts += task_prompts
                logical += task_prompts * (prefix + tail)
                computed += task_prompts * (prefix % BLOCK + tail)
        total["logical"] += logical
        total["computed"] += computed
        share = computed / logical
        print(f"  {name:>5} {prompts} prompts {logical:>13,.0f} logical {share:6.2%} computed")
    share = total["computed"] / total["logical"]
    print(f"  all {total['logical']:,.0f} logical, {share:.2%} computed, hit rate {1 - share:.2%}")


def reference_lengths(built: Prepared, length: str) -> None:
    """Sets the output limit of each prompt to the tokens of its reference answer."""
    from steadfast.base.tokens import load_tokenizer
    from steadfast.contract.components import component

    count = load_tokenizer("o200k_base").count
    simulator = component(built.task.simulator.plain).make()
    samples = {sample.id: sample for sample in built.part(length).read()}
    records = []
    for record in read_jsonl(built.prompts(length)):
        reference = simulator.reference(samples[record["sample_id"]])
        records.append(record | {"max_tokens": max(1, count(reference))})
    write_jsonl(built.prompts(length), records)


def main() -> None:
    """Builds the prompts and the model, and prints the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="interpreter that has vLLM")
    parser.add_argument("--length", default="4k", choices=list(BUDGETS)[:3])
    parser.add_argument("--tight", action="store_true", help="a KV cache for hardly one context")
    parser.add_argument(
        "--output",
        type=int,
        help=f"tokens of an answer, such as {OUTPUT}; by default as long as the reference answers",
    )
    parser.add_argument(
        "--ways", nargs="+", choices=WAYS, default=list(WAYS), help="ours and others"
    )
    for hidden in ("--measured", "--folder", "--out"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measured:
        folder = Path(args.folder)
        if args.measured == "short":
            result = short(folder, args.length)
        elif args.measured == "ours":
            result = ours(folder, args.length, args.tight)
        else:
            result = generate(folder, args.measured, args.length, args.tight)
        Path(args.out).write_text(json.dumps(result), encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lengths = {args.length: BUDGETS[args.length]}
        built = short_lifbench.build(folder, lengths, None, args.output)
        if args.output is None:
            reference_lengths(built, args.length)
        paper_shape(folder, args.length)
        if args.python == sys.executable and find_spec("vllm") is None:
            print("vLLM is not installed here (make vllm): nothing measured")
            return
        contexts = sorted((built.folder / "contexts").rglob("*.jsonl"))
        texts = []
        for path in contexts:
            texts += [record["text"] for record in read_jsonl(path)]
        text = folder / "text.txt"
        text.write_text("\n".join(texts), encoding="utf-8")
        make = [args.python, Path(short_lifbench.__file__).with_name("tiny_model.py")]
        subprocess.run([*make, folder / "model", text], check=True, capture_output=True)
        measure(folder, args.length, args.python, args.tight, args.ways)


if __name__ == "__main__":
    main()
