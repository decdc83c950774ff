"""Samples responses for people to label: steadfast labels my.yaml (docs/judging.md)."""

import math
from argparse import Namespace
from itertools import chain

from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance
from steadfast.command.error_message import errors_as_messages
from steadfast.command.run_config import read_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.finished import FinishedRun
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import Job
from steadfast.jobs.rounds import follow_decisions
from steadfast.label.sheet import can_be_labelled, sample_responses, write_sheet

# Half the 95 % interval of a share p of n clusters (Wald): 1.96 √(p(1 - p)/n), widest at p = 0.5.
# Times 1/√n, an upper bound before there are labels.
HALF_WIDTH = 1.96 * 0.5


def main(arguments: Namespace) -> None:
    """Writes a sheet and a page for each judged benchmark with responses."""
    file, config, results = read_config(arguments.config)
    with errors_as_messages(results):
        evaluation = Evaluation(config)
        run = FinishedRun(evaluation, results)
        judged = [name for name in evaluation.running if evaluation.tasks[name].judging]
        labelable = [name for name in judged if can_be_labelled(evaluation.tasks[name])]
        if not labelable:
            titles = ", ".join(evaluation.benchmarks[name].title for name in judged)
            reason = "no benchmark of this config has a judge"
            if judged:
                reason = f"labels are yes or no, and the judge of {titles} gives scores"
            raise UserError(f"{file}: nothing to label: {reason}; name another config")
        follow_decisions(evaluation, results)
        # A list, not any(…) of a generator: each benchmark gets its sheet.
        written = [_write_labels(run, name, arguments.number) for name in labelable]
        if not any(written):
            raise UserError(
                f"{results}: no responses of a judged benchmark; run the workflow with this config "
                "first"
            )


def _write_labels(run: FinishedRun, name: str, number: int) -> bool:
    """Writes the sheet and the page of a benchmark; False where it has no responses."""
    parts = run.parts(name)
    part = next(iter(parts.values()))
    digests = InputDigests(run.evaluation)
    for model in part.models:
        outputs = run.results / Job("inference", name, model, part.name).outputs
        if outputs.exists():
            input_digest = digests.outputs(name, model, part.name).input_digest
            Provenance.beside(outputs, input_digest).check()
    clusters = sample_responses(part, part.models, number, run.evaluation.config.seed)
    if not clusters:
        return False
    title = run.evaluation.benchmarks[name].title
    if len(parts) > 1:
        title = f"{title}, {part.name}"  # the language whose values labels correct
    answers = list(chain.from_iterable(clusters))
    files = write_sheet(answers, title, run.results / "labels", name)
    questions = sum(len(answer.questions) for answer in answers)
    width = HALF_WIDTH / math.sqrt(len(clusters))
    print(f"{title}: {len(answers)} responses, {questions} questions, {len(clusters)} clusters")
    print(f"  {' and '.join(map(str, files))}")
    print(
        f"  Shares will be estimated within ± {width:.2f} or better (95 %); four times as many "
        f"responses halve that. When labelled, set {name}.labels in the config to the file."
    )
    return True
