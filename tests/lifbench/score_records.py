"""Scores of small LIFBench runs as metrics take them, and the released ones."""

import random
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pandas as pd

from small_contexts import CASES
from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS, released_scores
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, Rubric
from steadfast.contract.components import Scored
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
    place: tuple[int, int, int] = (1, 0, 0),
    **more,
) -> Record:
    """A score's record of a context, expression and variable; without points it is unscored."""
    context, expression, variable = place
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
        "status": "error" if points is None else "ok",
        "points": points,
        "total": totals["released"],
        "other_raters": {"corrected": {"points": points, "total": totals["corrected"]}},
        **more,
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
    for model, level in levels.items():
        for length in lengths:
            rng = random.Random(f"{model}/{length}")
            for task in tasks:
                for place in _places(contexts):
                    points = {
                        name: min(1.0, level * rng.uniform(0.6, 1.3))
                        for name in RUBRICS["released"][task]
                    }
                    depth = rng.random() if task in LIST_TASKS else None
                    yield Scored(model, length, record(task, points, length, place, depth=depth))


def _places(contexts: int) -> Iterator[tuple[int, int, int]]:
    for context in range(1, contexts + 1):
        for expression in range(EXPRESSIONS):
            for variable in range(VARIABLES):
                yield context, expression, variable


def unscored(scored: Scored, status: str = "error") -> Scored:
    """The same sample without a score."""
    _, length, old = scored
    place = (int(old["context_id"][-1]), old["expression_id"], old["variable_id"])
    return scored._replace(record=record(old["task"], None, length, place, status=status))


def frames_of(scores: Iterable[Scored], folder: Path, **settings) -> dict[str, pd.DataFrame]:
    """The metrics of a run as tables get them: written and read again."""
    chosen = {"weighting": "rubric", "rubric": "released", "references": ["reference"]} | settings
    found = {}
    for name, rows in metrics(scores, {}, None, **chosen).items():
        write_csv(folder / f"{name}.csv", rows)
        found[name] = read_csv(folder / f"{name}.csv")
    return found


@cache
def released_records() -> dict[tuple[str, str], list[Record]]:
    """The released scores of all models of the paper, by model and length."""
    models = {name: name for name in PAPER_MODELS}
    cells = [(model, length) for model in models for length in PAPER_LENGTHS]
    return released_scores(models, cells, str(CASES / "released"), list(TASKS))


def released(*models: str) -> Iterator[Scored]:
    """The released scores of some models, or of all real ones."""
    wanted = models or [name for name, model in PAPER_MODELS.items() if not model.is_reference]
    for model in wanted:
        for length in PAPER_LENGTHS:
            for found in released_records()[model, length]:
                yield Scored(model, length, found)


@cache
def released_frame(*models: str) -> pd.DataFrame:
    """The same as a frame."""
    return score_frame(released(*models), "released")
