"""Scores of small LIFBench runs as metrics take them, the released ones, and printed tables."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from io import StringIO
from itertools import product
from pathlib import Path

import pandas as pd

from small_contexts import CASES
from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS, released_scores
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, Rubric
from steadfast.benchmarks.lifbench.tables import tables
from steadfast.contract.components import Frames, Scored
from steadfast.show.render import Printed, printed
from steadfast.show.roster import Display
from steadfast.stats.tidy import read_csv, write_csv

LENGTHS = ("4k", "8k")
PAPER_LENGTHS = ("4k", "8k", "16k", "32k", "64k", "128k")
LIST_TASKS = ("LSI", "LOI", "LOE", "LBI", "LBE")
EXPRESSIONS = 2
VARIABLES = 3
FEW = ("LSI", "MF", "OQ")
"""A task of each scenario, where no more are needed: metrics take as long as there are tasks."""


def record(
    task: str,
    points: Mapping[str, float] | None,
    length: str = "4k",
    ids: Sequence[int] = (1, 0, 0),
    **fields,
) -> Record:
    """A score's record of a context, expression and variable; without points it is unscored."""
    context, expression, variable = ids
    context_id = f"{TASKS[task].scenario}-{length}-s{context}"
    totals = {rubric: points and _total(task, points, rubric) for rubric in RUBRICS}
    return {
        "sample_id": f"{task}/{context_id}/e{expression}/v{variable}",
        "repeat": 0,
        "task": task,
        "context_id": context_id,
        "expression_id": expression,
        "variable_id": variable,
        "length": length,
        "rubric": "released",
        "depth": None,
        "prompt_truncated": False,
        "judge": None,
        "status": "error" if points is None else "ok",
        "points": points,
        "total": totals["released"],
        "other_raters": {"corrected": {"points": points, "total": totals["corrected"]}},
        **fields,
    }


def _total(task: str, points: Mapping[str, float], rubric: str) -> float:
    total = sum(points[name] * point.weight for name, point in RUBRICS[rubric][task].items())
    return total / Rubric(rubric).total_weight(task)


def run(
    levels: Mapping[str, float],
    lengths: Iterable[str] = LENGTHS,
    contexts: int = 1,
    tasks: Iterable[str] = TASKS,
) -> Iterator[Scored]:
    """Scores of models about their levels, the same at every call."""
    cells = list(product(tasks, range(1, contexts + 1), range(EXPRESSIONS), range(VARIABLES)))
    for model, length in product(levels, lengths):
        rng = random.Random(f"{model}/{length}")
        for task, *ids in cells:
            points = {}
            for name in RUBRICS["released"][task]:
                points[name] = min(1.0, levels[model] * rng.uniform(0.6, 1.3))
            depth = rng.random() if task in LIST_TASKS else None
            yield Scored(model, length, record(task, points, length, ids, depth=depth))


def unscored(scored: Scored, status: str = "error") -> Scored:
    """The same sample without a score."""
    _, length, fields = scored
    ids = (int(fields["context_id"][-1]), fields["expression_id"], fields["variable_id"])
    return scored._replace(record=record(fields["task"], None, length, ids, status=status))


def frames_of(scores: Iterable[Scored], folder: Path, **settings) -> Frames:
    """The metrics of a run as tables get them: written and read again."""
    settings = {"weighting": "rubric", "rubric": "released", "references": ["reference"]} | settings
    frames = {}
    for name, rows in metrics(scores, {}, None, **settings).items():
        write_csv(folder / f"{name}.csv", rows)
        frames[name] = read_csv(folder / f"{name}.csv")
    return frames


def printed_tables(
    frames: Frames, display: Display, rubric: str = "released", **settings
) -> dict[str, Printed]:
    """The printed tables, by name without the benchmark's."""
    settings = {"weighting": "rubric"} | settings
    pages = map(printed, tables(frames, display, rubric=rubric, **settings))
    return {page.name.removeprefix("lifbench_"): page for page in pages}


def cells_of(page: Printed, *index: str) -> pd.DataFrame:
    """A printed table's cells as text, by model or other columns."""
    cells = pd.read_csv(StringIO(page.csv), dtype=str, keep_default_na=False)
    return cells.set_index(list(index) or "Model")


@cache
def released_records() -> dict[tuple[str, str], list[Record]]:
    """The released scores of all models of the paper, by model and length."""
    models = {name: name for name in PAPER_MODELS}
    cells = list(product(models, PAPER_LENGTHS))
    return released_scores(models, cells, str(CASES / "released"), list(TASKS))


def released(*models: str) -> Iterator[Scored]:
    """The released scores of some models, or of all real ones."""
    real_models = [name for name, model in PAPER_MODELS.items() if not model.is_reference]
    for model, length in product(models or real_models, PAPER_LENGTHS):
        for record in released_records()[model, length]:
            yield Scored(model, length, record)


@cache
def released_frame(*models: str) -> pd.DataFrame:
    """The same as a frame."""
    return score_frame(released(*models), "released")
