"""Time of metrics, tables and figure for 20 models at 6 lengths, 467 samples each.

Run: ``PYTHONPATH=scripts python benchmarks/metrics.py``
"""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from steadfast.components import Scored
from steadfast.lifbench.figures import figures
from steadfast.lifbench.metrics import metrics
from steadfast.lifbench.tables import tables
from steadfast.lifbench.tasks import TASKS
from steadfast.lifbench.weights import RUBRICS
from steadfast.show.display import Display

T = TypeVar("T")
MODELS = [f"model-{i}" for i in range(20)]
LENGTHS = ["4k", "8k", "16k", "32k", "64k", "128k"]
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
    """A score's record."""
    points = {name: rng.random() for name in RUBRICS["released"][sample["task"]]}
    asked = {"draw": 0, "status": "ok", "truncated": False, "judge": None}
    rest = {**asked, "points": points, "total": rng.random()}
    others = {"corrected": {"points": points, "total": rng.random()}}
    more = {"rubric": "released", "other_raters": others, "depth": rng.random()}
    return sample | rest | more | {"extracted": {"answer": "text " * 20}}


def scores() -> Iterator[Scored]:
    """Random scores of all models and lengths."""
    rng = random.Random("benchmark")
    for model in MODELS:
        for length in LENGTHS:
            yield from (Scored(model, length, scored(s, rng)) for s in samples(length))


def timed(name: str, function: Callable[[], T]) -> T:
    """Calls a function and prints its seconds."""
    start = time.perf_counter()
    made = function()
    print(f"{name:10} {time.perf_counter() - start:6.2f} s")
    return made


def main() -> None:
    """Times what follows from random scores."""
    found = list(scores())
    print(f"{len(MODELS)} models × {len(LENGTHS)} lengths × {len(samples('4k'))} samples")
    frames = timed("metrics", lambda: metrics(iter(found), {}, None, "rubric", "released"))
    timed("tables", lambda: list(tables(frames, Display(), "rubric", "released")))
    timed("figures", lambda: figures(frames, Display(), "rubric", "released"))


if __name__ == "__main__":
    main()
