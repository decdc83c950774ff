"""Time and memory of metrics, tables and figures for 20, 100 and 200 models at 6 lengths.

Each model has 467 samples a length; wall-clock and CPU time are printed.

Run: ``PYTHONPATH=scripts python bench/metrics.py``

The scores are files, read as the rule reads them; each number of models has its own process.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

from matplotlib import style

from steadfast.base.files import write_jsonl
from steadfast.benchmarks.lifbench.figures import figures
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS
from steadfast.benchmarks.lifbench.tables import tables
from steadfast.contract.components import Frames
from steadfast.show.figures import STYLE, write_picture
from steadfast.show.roster import Display
from steadfast.stats.scores import read_scores
from steadfast.workflow.script import collect_seldom

T = TypeVar("T")
MODELS = (20, 100, 200)
LENGTHS = ["4k", "8k", "16k", "32k", "64k", "128k"]
# Table 2, with the released 12 expressions of LOI: 467 samples a length.
EXPRESSIONS = dict.fromkeys(TASKS, 5) | {"LOI": 12, "LOE": 12, "LBI": 11, "LBE": 12}


def samples(length: str) -> list[dict[str, Any]]:
    """The prompts of one length, with the fields that metrics and tables need."""
    prompts = []
    for name, task in TASKS.items():
        context_id = f"{task.scenario}-{length}-s1"
        for e, v in product(range(EXPRESSIONS[name]), range(task.number or 1)):
            sample_id = f"{name}/{context_id}/e{e}/v{v}"
            prompt = {"sample_id": sample_id, "task": name, "context_id": context_id}
            prompts.append({**prompt, "expression_id": e, "variable_id": v})
    return prompts


def scored(sample: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A score's record."""
    points = {name: rng.random() for name in RUBRICS["released"][sample["task"]]}
    response = {"repeat": 0, "status": "ok", "prompt_truncated": False, "judge": None}
    score = {**response, "points": points, "total": rng.random()}
    other_raters = {"corrected": {"points": points, "total": rng.random()}}
    rubric = {"rubric": "released", "other_raters": other_raters, "depth": rng.random()}
    return sample | score | rubric | {"extracted": {"answer": "text " * 20}}


def write_scores(models: int, folder: Path) -> dict[tuple[str, str], Path]:
    """Files with random scores of so many models at all lengths."""
    rng = random.Random("benchmark")
    cells = [(f"model-{i}", length) for i in range(models) for length in LENGTHS]
    files = {(model, length): folder / model / f"{length}.jsonl" for model, length in cells}
    for (_, length), path in files.items():
        write_jsonl(path, (scored(sample, rng) for sample in samples(length)))
    return files


def timed(name: str, function: Callable[[], T]) -> T:
    """Calls a function and prints its seconds."""
    start = time.perf_counter()
    cpu_start = time.process_time()
    result = function()
    wall = time.perf_counter() - start
    cpu = time.process_time() - cpu_start
    print(f"{name:10} {wall:6.2f} s, {cpu:6.2f} s of CPU")
    return result


def write_figures(frames: Frames, folder: Path) -> None:
    """Draws all figures and writes them, as the rule does."""
    with style.context(["default", STYLE]):
        for name, picture in figures(frames, Display(), "rubric", "released").items():
            write_picture(picture, folder / name)


def measured(models: int) -> None:
    """Times metrics, tables and figures of random scores of so many models."""
    collect_seldom()
    print(f"{models} models × {len(LENGTHS)} lengths × {len(samples('4k'))} samples")
    with tempfile.TemporaryDirectory() as folder:
        files = write_scores(models, Path(folder))
        scores = read_scores(files, ["rubric", "depth"])
        frames = timed("metrics", lambda: metrics(scores, {}, None, "rubric", "released"))
        timed("tables", lambda: list(tables(frames, Display(), "rubric", "released")))
        timed("figures", lambda: write_figures(frames, Path(folder)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{'memory':10} {peak} MB at most")


def main() -> None:
    """Measures each number of models in a process of its own."""
    if len(sys.argv) > 1:
        measured(int(sys.argv[1]))
    else:
        for models in MODELS:
            subprocess.run([sys.executable, __file__, str(models)], check=True)


if __name__ == "__main__":
    main()
