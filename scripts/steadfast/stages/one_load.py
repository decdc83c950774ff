"""Rule inference: runs one job; a job that loads a model also runs its sibling jobs.

Shared model load: every part has its own job, journal and outputs. The first of a model's jobs
takes the model's lock and sends the requests of all parts of this run whose prompts exist. Then it
runs its own part and, with the model loaded, each other part. It writes these *prefetched outputs*
next to the place of the sibling's outputs. The sibling job moves them there, and loads nothing.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.locks import Lock
from steadfast.base.provenance import Provenance
from steadfast.contract import part_files
from steadfast.contract.components import JudgePrompt, component
from steadfast.contract.request import Item, repeat_key
from steadfast.engines.asking.joint import JointPart, answer_jointly
from steadfast.engines.asking.run import run_part
from steadfast.engines.base import EngineFailed, Loaded, Setup
from steadfast.jobs.job import MODELS, Assignment, Journals
from steadfast.workflow.script import run_rule

LOOK_SECONDS = 0.5
"""Between two checks for new prompts."""
Readable = Callable[[str, str], bool]


def ask_together(own: Assignment, operation: Settings, together: Sequence[Assignment]) -> None:
    """Runs a job, and with the model that it loads its siblings (the others in ``together``)."""
    prefetched = Prefetched(own)
    siblings = [assignment for assignment in together if assignment.job != own.job]
    if not siblings:
        ask(own, operation)
        prefetched.remove_all()
        return
    lock = own.path(f"journal/.locks/{siblings[0].load}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    # While a job waits for the lock, the job that holds it may write the outputs of both: ``take``
    # is tried again and again.
    with closing(Lock(lock, print, prefetched.take)) as model, closing(Loaded()) as loaded:
        if not model.held or prefetched.take():
            return
        failure: UserError | None = None
        _answer_jointly([own, *siblings], operation, loaded)
        try:
            ask(own, operation, loaded)
        except EngineFailed:  # without a model for the siblings
            raise
        except UserError as error:
            failure = error  # raised once the siblings have run: the model is loaded for them too
        prefetched.remove_all()
        if loaded.model is not None:
            _ask_siblings(siblings, operation, loaded)
        if failure:
            raise failure


def _answer_jointly(assignments: Sequence[Assignment], operation: Settings, loaded: Loaded) -> None:
    """Sends the requests of all parts whose prompts exist in one pass; ``ask`` finds the responses.

    Contexts of several lengths that begin alike are so computed once (``engines.asking.joint``).
    """
    parts = []
    for assignment in assignments:
        if assignment.job.role != MODELS or not assignment.ready or assignment.done:
            continue
        if Prefetched(assignment).exist:
            continue
        try:
            items, oracle = _model_items(assignment)
        except UserError:  # its own job will raise it
            continue
        setup = _setup(assignment, operation, loaded, oracle)
        log = assignment.path(assignment.job.log)
        parts.append(JointPart(assignment.job.title, items, setup, log))
    if len(parts) > 1:
        answer_jointly(assignments[0].job.name, parts)


def _ask_siblings(siblings: Iterable[Assignment], operation: Settings, loaded: Loaded) -> None:
    """Runs each sibling as soon as its prompts exist.

    A sibling that fails is left to its own job, which reports the error.
    """
    pending = list(siblings)
    patience = loaded.seconds  # waiting longer than the load took would gain nothing
    while pending:
        pending = [sibling for sibling in pending if not sibling.done]
        sibling = next((sibling for sibling in pending if sibling.ready), None)
        if sibling is None:
            if patience <= 0:
                return
            time.sleep(LOOK_SECONDS)
            patience -= LOOK_SECONDS
            continue
        pending.remove(sibling)
        try:
            _prefetch(sibling, operation, loaded)
        except EngineFailed as error:
            print(f"{sibling.job.title}: {error}")
            return
        except UserError as error:
            print(f"{sibling.job.title}: {error}")


def _prefetch(sibling: Assignment, operation: Settings, loaded: Loaded) -> None:
    """Runs a sibling, unless its prefetched outputs exist already."""
    prefetched = Prefetched(sibling)
    if prefetched.exist:
        return
    log = sibling.path(sibling.job.log)
    print(f"{sibling.job.name} is loaded: also running {sibling.job.title}, log: {log}")
    ask(sibling, operation, loaded, prefetched.folder)


class Prefetched:
    """Prefetched outputs: what another job wrote for this one, in a hidden folder.

    Its subfolders are named by a fingerprint of all inputs of the outputs, and of the run.
    """

    def __init__(self, assignment: Assignment):
        self._files = [
            assignment.path(path) for path in (assignment.job.outputs, assignment.job.provenance)
        ]
        self._all = self._files[0].with_name(f".{assignment.job.part}.ahead")
        self._assignment = assignment

    @cached_property
    def folder(self) -> Path:
        """The folder of the outputs with the inputs of this job; computing it reads all inputs."""
        return self._all / self._assignment.fingerprint

    @property
    def exist(self) -> bool:
        """Whether they are complete; the provenance is written last."""
        return (self.folder / self._files[-1].name).exists()

    def take(self) -> bool:
        """Moves them to the place of the job's outputs; False where there are none."""
        if not self.exist:
            return False
        for path in self._files:
            os.replace(self.folder / path.name, path)
        self.remove_all()
        return True

    def remove_all(self) -> None:
        """Removes them, and those of other settings or other runs."""
        shutil.rmtree(self._all, ignore_errors=True)


def ask(
    assignment: Assignment,
    operation: Settings,
    loaded: Loaded | None = None,
    folder: Path | None = None,
) -> None:
    """Runs one job, and writes its outputs to their place or to a ``folder`` of prefetched outputs.

    Args:
        operation: settings of the model, judge or rewriter.
        loaded: the model, for a shared load.
    """
    job = assignment.job
    params = assignment.params
    results = Path(assignment.results)
    if job.role == MODELS:
        items, oracle = _model_items(assignment)
        readable = None
    else:
        items, oracle, readable = _judge_items(assignment)
    outputs = assignment.path(job.outputs)
    record = assignment.path(job.provenance)
    if folder:
        outputs = folder / outputs.name
        record = folder / record.name
    inputs = tuple(map(Path, (assignment.prompts, *assignment.sources)))
    setup = _setup(assignment, operation, loaded, oracle)
    provenance = Provenance(
        assignment.input_digest, record, (outputs,), inputs=inputs, results=results
    )
    attempts = params.get("attempts", 1)
    run_part(
        job.name, job.title, items, setup, provenance, assignment.path(job.log), readable, attempts
    )


def _setup(
    assignment: Assignment,
    operation: Settings,
    loaded: Loaded | None,
    oracle: part_files.Oracle | None,
) -> Setup:
    job = assignment.job
    operation = {**operation, "bill": Journals(Path(assignment.results), job.role, job.name)}
    if assignment.replay:
        operation["file"] = Path(assignment.replay)
    return Setup(
        assignment.params["answers"],
        operation,
        journal=assignment.path(job.journal),
        oracle=oracle,
        loaded=loaded or Loaded(),
    )


def _model_items(assignment: Assignment) -> tuple[Sequence[Item], part_files.Oracle | None]:
    """A model's items with all repeats, and the oracle of a simulated model."""
    params = assignment.params
    sources = part_files.sources_of(params["sources"], assignment.sources)
    prompts = Path(assignment.prompts)
    part = part_files.PartFiles(assignment.job.part, params["samples"], prompts, sources)
    repeated = part.read(params["answers"].get("repeats") or 1)
    simulator = params["simulator"]
    oracle = part_files.SampleOracle(component(simulator).make(), repeated) if simulator else None
    return [part.joined.item(sample) for sample in repeated], oracle


def _judge_items(
    assignment: Assignment,
) -> tuple[Sequence[Item], part_files.Oracle | None, Readable]:
    """Items of a judge or rewriter, the oracle of a simulated one, and a check of replies."""
    params = assignment.params
    prompts = part_files.read_judge_prompts(Path(assignment.prompts))
    repeats = params["answers"].get("repeats") or 1
    simulator = component(params["simulator"]).make() if params["simulator"] else None
    oracle = part_files.JudgeOracle(simulator, prompts, repeats) if simulator else None
    form = component(params["schema"]) if "schema" in params else None
    items = part_files.judge_items(prompts, form, repeats)
    return items, oracle, _readable(params["readable"], prompts, repeats)


def _readable(reader: Sequence[Any], prompts: Sequence[JudgePrompt], repeats: int) -> Readable:
    read = component(reader)
    expected = {
        repeat_key(request.id, repeat): (request.expected, prompt.answer)
        for prompt in prompts
        for request in prompt.requests
        for repeat in range(repeats)
    }

    def is_readable(request: str, reply: str) -> bool:
        expected_form, response = expected[request]
        return bool(read.make(expected_form, reply, response))

    return is_readable


# An engine's worker processes may import this file anew, under another name.
if (job := globals().get("snakemake")) and __name__ == "__main__":
    loads = job.config.get("loads", {})
    own = Assignment.of(job, loads.get("run", ""))
    operation = job.config[own.job.role][own.job.name]
    together: list[Assignment] = []
    for load in loads.get("assignments", ()):
        assignments = list(map(Assignment.plain, load))
        if own.job in [assignment.job for assignment in assignments]:
            together = assignments
            break
    run_rule(
        ask_together,
        job,
        read=("request",),
        with_provenance=False,
        engines=[operation],
        own=own,
        operation=operation,
        together=together,
    )
