"""Time and memory of metrics, tables and figures for 20, 100 and 200 models at 6 lengths.

Of each model and length there are 467 samples; beside the time stands that of the processor.

Run: ``PYTHONPATH=scripts python bench/metrics.py``

The scores are files, read as the rule reads them; a process of its own each.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
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
        for v in range(task.number or 1)
    ]


def scored(sample: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A score's record."""
    points = {name: rng.random() for name in RUBRICS["released"][sample["task"]]}
    asked = {"repeat": 0, "status": "ok", "prompt_truncated": False, "judge": None}
    rest = {**asked, "points": points, "total": rng.random()}
    others = {"corrected": {"points": points, "total": rng.random()}}
    more = {"rubric": "released", "other_raters": others, "depth": rng.random()}
    return sample | rest | more | {"extracted": {"answer": "text " * 20}}


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
    used = time.process_time()
    made = function()
    passed = time.perf_counter() - start
    used = time.process_time() - used
    print(f"{name:10} {passed:6.2f} s, {used:6.2f} s of CPU")
    return made


def sampling_units(frames: Frames, folder: Path) -> None:
    """Draws all figures and writes them, as the rule does."""
    with style.context(["default", STYLE]):
        for name, picture in figures(frames, Display(), "rubric", "released").items():
            write_picture(picture, folder / name)


def measured(models: int) -> None:
    """Times what follows from random scores of so many models."""
    collect_seldom()
    print(f"{models} models × {len(LENGTHS)} lengths × {len(samples('4k'))} samples")
    with tempfile.TemporaryDirectory() as folder:
        files = write_scores(models, Path(folder))
        found = read_scores(files, ["rubric", "depth"])
        frames = timed("metrics", lambda: metrics(found, {}, None, "rubric", "released"))
        timed("tables", lambda: list(tables(frames, Display(), "rubric", "released")))
        timed("figures", lambda: sampling_units(frames, Path(folder)))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{'memory':10} {most} MB at most")


def main() -> None:
    """Measures each number of models in a process of its own."""
    if len(sys.argv) > 1:
        measured(int(sys.argv[1]))
    else:
        for models in MODELS:
            subprocess.run([sys.executable, __file__, str(models)], check=True)


if __name__ == "__main__":
    main()
