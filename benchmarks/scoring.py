"""Responses scored per second by each rubric and by both, on one core.

Run: ``PYTHONPATH=scripts python benchmarks/scoring.py [directory of the released tasks.json]``

The responses answer to the prompts of the paper's six lengths, our own templates' or the released
ones' (2,802 with these), in contexts of synthetic corpora:
each prompt has the reference answer, or what a simulated reader makes of it. A time includes all
that is prepared once per context. The released scorer itself is not part of this project, so there
are rates, and the ratio of both rubrics to the released one, but no ratio to the released scorer.
"""

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from steadfast.corpora import CORPORA, build_corpus
from steadfast.lifbench.answers import reference_answer
from steadfast.lifbench.contexts import CORPORA_OF, build_contexts
from steadfast.lifbench.expressions import build_expressions
from steadfast.lifbench.prompts import build_prompts, load_part
from steadfast.lifbench.readers import Reader, simulated_answer
from steadfast.lifbench.rubric import RUBRICS, score
from steadfast.lifbench.tasks import RESOURCES, SCENARIOS, TASKS

BUDGETS = {"4k": 3, "8k": 6, "16k": 13, "32k": 28, "64k": 60, "128k": 120}  # × 1,024 tokens
READERS = [
    None,  # the reference
    Reader(name="sim-careful", span=200_000, position_bias=0.2, slip=0.1),
    Reader(name="sim-hasty", span=20_000, position_bias=0.6, slip=0.3),
]
CORPUS_TOKENS = 300_000
REPEATS = 5
Sample = tuple[dict, dict, str, str]


def samples(folder: Path, released: Path | None) -> Iterator[tuple[str, list[Sample]]]:
    """Each length with its prompts, contexts, scenario prompts and responses."""
    corpora = {corpus: folder / f"{corpus}.jsonl" for corpus in CORPORA}
    for corpus, path in corpora.items():
        build_corpus(corpus, {"kind": "synthetic", "tokens": CORPUS_TOKENS}, 1, path)
    expressions = {task: folder / f"{task}.json" for task in TASKS}
    for task, path in expressions.items():
        own = RESOURCES / "expressions" / f"{task}.yaml"
        build_expressions(task, "released" if released else "own", own, released, path)
    for length, budget in BUDGETS.items():
        contexts = {scenario: folder / f"{scenario}-{length}.jsonl" for scenario in SCENARIOS}
        for scenario, path in contexts.items():
            needed = {corpus: corpora[corpus] for corpus in CORPORA_OF[scenario]}
            build_contexts(scenario, length, 1024 * budget, [1], needed, "o200k_base", path)
        prompts = folder / f"{length}.jsonl"
        build_prompts(length, 1, list(TASKS), contexts, expressions, prompts)
        part = load_part(prompts, contexts, expressions)
        yield length, [(*sample, response(*sample[:2], k)) for k, sample in enumerate(part)]


def response(prompt: dict, context: dict, number: int) -> str:
    """What one of the readers answers."""
    reader = READERS[number % len(READERS)]
    if reader is None:
        return reference_answer(prompt, context)
    return simulated_answer(prompt, context, reader, 1.0, random.Random(prompt["sample_id"]))


def seconds(parts: dict[str, list[Sample]], rubrics: list[str]) -> float:
    """Processor time to score every response by some rubrics, nothing prepared before."""
    contexts = {id(context): dict(context) for part in parts.values() for _, context, *_ in part}
    start = time.process_time()
    for part in parts.values():
        for prompt, context, scenario_prompt, text in part:
            for rubric in rubrics:
                score(prompt, contexts[id(context)], scenario_prompt, text, rubric)
    return time.process_time() - start


def main(released: Path | None) -> None:
    """Prints a Markdown table, a row a choice of rubrics.

    Args:
        released: holds the released templates; None takes our own.
    """
    choices = {name: [name] for name in RUBRICS} | {"both": list(RUBRICS)}
    with tempfile.TemporaryDirectory() as folder:
        parts = dict(samples(Path(folder), released))
    count = sum(map(len, parts.values()))
    times: dict[str, list[float]] = {name: [] for name in choices}
    longest: dict[str, list[float]] = {name: [] for name in choices}
    for _ in range(REPEATS):  # one after another, so that a slow moment strikes all
        for name, rubrics in choices.items():
            times[name].append(seconds(parts, rubrics))
            longest[name].append(seconds({"128k": parts["128k"]}, rubrics))
    base = median(times["released"])
    print(f"{count:,} responses, {len(parts)} lengths, median of {REPEATS}\n")
    print("| rubric | responses per second | time / released | seconds for 128k |")
    print("| --- | ---: | ---: | ---: |")
    for name in choices:
        taken = median(times[name])
        ratio = f"{taken / base:.2f}"
        print(f"| {name} | {count / taken:,.0f} | {ratio} | {median(longest[name]):.2f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
