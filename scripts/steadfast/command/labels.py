"""Draws what people are to label, before a score is looked at: steadfast labels (judging.md)."""

import math
from argparse import Namespace
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.command.says_why import says_why
from steadfast.config.load import load_config
from steadfast.config.source import default_config, read_source
from steadfast.label.sheet import drawn, write_sheet
from steadfast.run.evaluation import Evaluation
from steadfast.run.finished import FinishedRun

HALF = 1.96 * 0.5
"""Of the 95 % interval of a share, times the root of the number of clusters, at most."""


def main(given: Namespace) -> None:
    """Writes a sheet and a page for each judged benchmark whose answers are there."""
    file = given.config or default_config()
    with says_why(file):
        evaluation = Evaluation(load_config(read_source(file)))
    results = Path(evaluation.config.pathvars.get("results", "results"))
    with says_why(results):
        run = FinishedRun(evaluation, results)
        found = [name for name in evaluation.running if _written(run, name, given.number)]
        if not found:
            raise UserError(
                f"{results}: no judged benchmark has answers there; run the config first, so that "
                "there is something to label"
            )


def _written(run: FinishedRun, name: str, number: int) -> bool:
    task, config = run.evaluation.tasks[name], run.evaluation.config
    part = run.parts(name)[next(iter(task.parts))]
    answers = drawn(part, part.models, number, config.seed)
    if not answers:
        return False
    title = run.evaluation.benchmarks[name].title
    flat = [one for cluster in answers for one in cluster]
    files = write_sheet(flat, title, run.results / "labels", name)
    questions = sum(len(one.questions) for one in flat)
    width = HALF / math.sqrt(len(answers))
    print(f"{title}: {len(flat)} answers with {questions} questions, in {len(answers)} clusters")
    print(f"  {' and '.join(map(str, files))}")
    print(
        f"  Shares are then known to ± {width:.2f} at most; the better the judge, the less. Four "
        f"times as many answers halve that. The config's key for the file: {name}.labels"
    )
    return True
