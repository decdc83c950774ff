"""Responses scored per second by each rubric and by both, on one core.

Run: ``PYTHONPATH=scripts:tests/engines python bench/scoring.py [DIRECTORY]``, the directory
of the released tasks.json.

The prompts have the paper's six lengths, with our own templates or the released ones (2,802
prompts), on contexts of synthetic corpora. A response is the reference answer, or a simulated
model's version of it. A time includes the preparation of each context. The released scorer itself
is not part of this project, so there are rates, and the ratio of both rubrics to the released one,
but no ratio to the released scorer.
"""

import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from prepared import Prepared
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.benchmarks.lifbench.simulator import LifbenchSimulator
from steadfast.contract.components import Sample

BUDGETS = {"4k": 3, "8k": 6, "16k": 13, "32k": 28, "64k": 60, "128k": 120}  # × 1,024 tokens
MODELS = [
    None,  # the reference answer
    {"span": 200_000, "position_bias": 0.2, "slip": 0.1, "seed": 1},
    {"span": 20_000, "position_bias": 0.6, "slip": 0.3, "seed": 1},
]
REPEATS = 5
Answered = list[tuple[Sample, str]]


def answered(folder: Path, released: Path | None) -> dict[str, Answered]:
    """The samples of each length with their responses."""
    source = {"expressions": "released", "released": {"directory": str(released)}}
    lengths = {"lengths": {name: 1024 * budget for name, budget in BUDGETS.items()}}
    raw = {
        "lifbench": lengths | (source if released else {}),
        "models": {"reference": {"engine": "reference"}},
    }
    built = Prepared(raw, folder)
    built.make_data()
    built.write_prompts()
    parts = {}
    for length in BUDGETS:
        samples = enumerate(built.part(length).read())
        parts[length] = [(sample, response(sample, number)) for number, sample in samples]
    return parts


def response(sample: Sample, number: int) -> str:
    """The response of one of the simulated models, by turns."""
    model = MODELS[number % len(MODELS)]
    if model is None:
        return LifbenchSimulator().reference(sample)
    return LifbenchSimulator().simulated(sample, model, 1.0, random.Random(sample.id))


def seconds(parts: dict[str, Answered], rubrics: list[str]) -> float:
    """CPU time to score every response by some rubrics, with nothing prepared before."""
    contexts = {}
    for part in parts.values():
        for sample, _ in part:
            context = sample.source["context"]
            contexts[id(context)] = dict(context)
    start = time.process_time()
    for part in parts.values():
        for sample, text in part:
            context = contexts[id(sample.source["context"])]
            for rubric in rubrics:
                score(sample.prompt, context, sample.source["scenario_prompt"], text, rubric)
    return time.process_time() - start


def main(released: Path | None) -> None:
    """Prints a Markdown table with a row for each choice of rubrics.

    Args:
        released: directory of the released templates; None is our own.
    """
    choices = {name: [name] for name in RUBRICS} | {"both": list(RUBRICS)}
    with tempfile.TemporaryDirectory() as folder:
        parts = answered(Path(folder), released)
    count = sum(map(len, parts.values()))
    times: dict[str, list[float]] = {name: [] for name in choices}
    longest: dict[str, list[float]] = {name: [] for name in choices}
    for _ in range(REPEATS):  # by turns, so that a slow moment affects all choices
        for name, rubrics in choices.items():
            times[name].append(seconds(parts, rubrics))
            longest[name].append(seconds({"128k": parts["128k"]}, rubrics))
    base = median(times["released"])
    print(f"{count:,} responses, {len(parts)} lengths, median of {REPEATS}\n")
    print("| rubric | responses per second | time / released | seconds for 128k |")
    print("| --- | ---: | ---: | ---: |")
    for name in choices:
        duration = median(times[name])
        ratio = f"{duration / base:.2f}"
        print(f"| {name} | {count / duration:,.0f} | {ratio} | {median(longest[name]):.2f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
