"""Samples what people are to label, before a score is looked at: steadfast labels (judging.md)."""

import math
from argparse import Namespace
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance
from steadfast.command.error_message import errors_as_messages
from steadfast.config.load import load_config
from steadfast.config.source import default_config, read_source
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.finished import FinishedRun
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import Job
from steadfast.jobs.rounds import follow
from steadfast.label.sheet import drawn, takes_labels, write_sheet

HALF = 1.96 * 0.5
"""Of the 95 % interval of a share, times the root of the number of clusters, at most."""


def main(given: Namespace) -> None:
    """Writes a sheet and a page for each judged benchmark whose answers are there."""
    file = given.config or default_config()
    with errors_as_messages(file):
        evaluation = Evaluation(load_config(read_source(file)))
    results = Path(evaluation.config.pathvars.get("results", "results"))
    with errors_as_messages(results):
        run = FinishedRun(evaluation, results)
        judged = [name for name in evaluation.running if evaluation.tasks[name].judging]
        labelled = [name for name in judged if takes_labels(evaluation.tasks[name])]
        if not labelled:
            titles = ", ".join(evaluation.benchmarks[name].title for name in judged)
            reason = "no benchmark of this config has a judge"
            if judged:
                reason = f"labels are yes or no, and the judge of {titles} gives scores"
            raise UserError(f"{file}: nothing to label: {reason}; name another config")
        follow(evaluation, results)
        written = [name for name in labelled if _written(run, name, given.number)]
        if not written:
            raise UserError(
                f"{results}: no responses of a judged benchmark; run the workflow with this config "
                "first"
            )


def _written(run: FinishedRun, name: str, number: int) -> bool:
    part = next(iter(run.parts(name).values()))
    steps = InputDigests(run.evaluation)
    for model in part.models:
        outputs = run.results / Job("inference", name, model, part.name).outputs
        if outputs.exists():
            Provenance.beside(outputs, steps.outputs(name, model, part.name).input_digest).check()
    answers = drawn(part, part.models, number, run.evaluation.config.seed)
    if not answers:
        return False
    title = run.evaluation.benchmarks[name].title
    flat = [answer for cluster in answers for answer in cluster]
    files = write_sheet(flat, title, run.results / "labels", name)
    questions = sum(len(answer.questions) for answer in flat)
    width = HALF / math.sqrt(len(answers))
    print(f"{title}: {len(flat)} responses, {questions} questions, {len(answers)} clusters")
    print(f"  {' and '.join(map(str, files))}")
    print(
        f"  Shares will be estimated within ± {width:.2f} or better (95 %); four times as many "
        f"responses halve that. When labelled, set {name}.labels in the config to the file."
    )
    return True
