"""Time of metrics, tables and figure for 20 models at 6 lengths, 467 samples each.

Run: ``PYTHONPATH=scripts python benchmarks/metrics.py``
"""

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from steadfast.files import write_jsonl
from steadfast.lifbench.figures import ars_by_length
from steadfast.lifbench.metrics import compute_metrics
from steadfast.lifbench.tables import build_tables
from steadfast.lifbench.tasks import RUBRIC, TASKS

MODELS = [f"model-{i}" for i in range(20)]
LENGTHS = ["4k", "8k", "16k", "32k", "64k", "128k"]
FILES = ("ars", "ifp", "ifs", "coverage", "comparisons", "variance", "depth", "rubrics")
# Table 2, with the released 12 expressions of LOI: 467 samples a length.
EXPRESSIONS = dict.fromkeys(TASKS, 5) | {"LOI": 12, "LOE": 12, "LBI": 11, "LBE": 12}


def samples(length: str) -> list[dict[str, Any]]:
    """The prompts of one length, as far as metrics and tables need them."""
    return [
        {
            "sample_id": f"{id}/{task.scenario}-{length}-s1/e{e}/v{v}",
            "task": id,
            "context_id": f"{task.scenario}-{length}-s1",
            "expression_id": e,
            "variable_id": v,
        }
        for id, task in TASKS.items()
        for e in range(EXPRESSIONS[id])
        for v in range(task.variables)
    ]


def scored(sample: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A line of a score file."""
    points = {name: rng.random() for name in RUBRIC[sample["task"]]}
    rest = {"status": "ok", "truncated": False, "points": points, "total": rng.random()}
    also = {"corrected": {"points": points, "total": rng.random()}}
    more = {"rubric": "released", "also": also, "depth": rng.random()}
    return sample | rest | more | {"extracted": {"answer": "text " * 20}}


def timed(name: str, function: Callable[..., None], *args: Any) -> None:
    """Calls a function and prints its seconds."""
    start = time.perf_counter()
    function(*args)
    print(f"{name:10} {time.perf_counter() - start:6.2f} s")


def main() -> None:
    """Writes a run of random scores and times what follows from it."""
    with tempfile.TemporaryDirectory() as name:
        directory, rng = Path(name), random.Random("benchmark")
        prompts = {length: directory / f"{length}.jsonl" for length in LENGTHS}
        for length, path in prompts.items():
            write_jsonl(path, samples(length))
        scores = {}
        for model in MODELS:
            for length in LENGTHS:
                scores[model, length] = directory / f"{model}-{length}.jsonl"
                write_jsonl(scores[model, length], [scored(s, rng) for s in samples(length)])
        metrics = {name: directory / f"{name}.csv" for name in FILES}
        display = {"digits": 3}
        print(f"{len(MODELS)} models × {len(LENGTHS)} lengths × {len(samples('4k'))} samples")
        timed("metrics", compute_metrics, scores, "rubric", metrics)
        timed("tables", build_tables, metrics, prompts, display, directory)
        timed("figure", ars_by_length, metrics, display, directory / "figure.png")


if __name__ == "__main__":
    main()
