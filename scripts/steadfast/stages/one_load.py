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
from itertools import product
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.locks import Lock
from steadfast.base.provenance import Provenance
from steadfast.contract import part_files
from steadfast.contract.components import component
from steadfast.contract.request import Item, repeat_key
from steadfast.engines.base import EngineFailed, Loaded, Setup
from steadfast.engines.sending.joint import JointPart, answer_jointly
from steadfast.engines.sending.run import run_part
from steadfast.jobs.job import MODELS, Assignment, Journals
from steadfast.workflow.script import run_rule

# Between two checks for new prompts.
LOOK_SECONDS = 0.5
Readable = Callable[[str, str], bool]


def run_with_siblings(
    assignment: Assignment, operation: Settings, together: Sequence[Assignment]
) -> None:
    """Runs a job, and with the model that it loads its siblings (the others in ``together``)."""
    prefetched = Prefetched(assignment)
    siblings = [sibling for sibling in together if sibling.job != assignment.job]
    if not siblings:
        run_job(assignment, operation)
        prefetched.remove_all()
        return
    lock_file = assignment.path(f"journal/.locks/{siblings[0].load}.lock")
    lock_file.parent.mkdir(parents=True, exist_ok=True)
    # While a job waits for the lock, the job that holds it may write the outputs of both: ``take``
    # is tried again and again.
    with closing(Lock(lock_file, print, prefetched.take)) as lock, closing(Loaded()) as loaded:
        if not lock.held or prefetched.take():
            return
        failure: UserError | None = None
        _answer_jointly([assignment, *siblings], operation, loaded)
        try:
            run_job(assignment, operation, loaded)
        except EngineFailed:  # without a model for the siblings
            raise
        except UserError as error:
            failure = error  # raised once the siblings have run: the model is loaded for them too
        prefetched.remove_all()
        if loaded.model is not None:
            _run_siblings(siblings, operation, loaded)
        if failure:
            raise failure


def _answer_jointly(assignments: Sequence[Assignment], operation: Settings, loaded: Loaded) -> None:
    """Sends the requests of all parts with prompts in one pass; ``run_job`` finds the responses.

    Contexts of several lengths that begin alike are so computed once (``engines.sending.joint``).
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


def _run_siblings(siblings: Iterable[Assignment], operation: Settings, loaded: Loaded) -> None:
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
        prefetched = Prefetched(sibling)
        if prefetched.exist:
            continue
        title = sibling.job.title
        log = sibling.path(sibling.job.log)
        print(f"{sibling.job.name} is loaded: also running {title}, log: {log}")
        try:
            run_job(sibling, operation, loaded, prefetched.folder)
        except UserError as error:
            print(f"{title}: {error}")
            if isinstance(error, EngineFailed):
                return


class Prefetched:
    """Prefetched outputs: what another job wrote for this one, in a hidden folder.

    Its subfolders are named by a fingerprint of all inputs of the outputs.
    """

    def __init__(self, assignment: Assignment):
        self._outputs = assignment.path(assignment.job.outputs)
        self._provenance = assignment.path(assignment.job.provenance)
        self._all = self._outputs.with_name(f".{assignment.job.part}.ahead")
        self._assignment = assignment

    @cached_property
    def folder(self) -> Path:
        """The folder of the outputs with the inputs of this job; computing it reads all inputs."""
        return self._all / self._assignment.fingerprint

    @property
    def exist(self) -> bool:
        """Whether they are complete; the provenance is written last."""
        return (self.folder / self._provenance.name).exists()

    def take(self) -> bool:
        """Moves them to the place of the job's outputs; False where there are none."""
        if not self.exist:
            return False
        for path in (self._outputs, self._provenance):
            os.replace(self.folder / path.name, path)
        self.remove_all()
        return True

    def remove_all(self) -> None:
        """Removes them, and those of other settings."""
        shutil.rmtree(self._all, ignore_errors=True)


def run_job(
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
    readable = None
    if job.role == MODELS:
        items, oracle = _model_items(assignment)
    else:
        items, oracle, readable = _judge_items(assignment)
    outputs = assignment.path(job.outputs)
    if folder:
        outputs = folder / outputs.name
    provenance = Provenance.beside(
        outputs,
        assignment.input_digest,
        inputs=tuple(map(Path, (assignment.prompts, *assignment.sources))),
        results=Path(assignment.results),
    )
    setup = _setup(assignment, operation, loaded, oracle)
    attempts = assignment.params.get("attempts", 1)
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
    schema = component(params["schema"]) if "schema" in params else None
    items = part_files.judge_items(prompts, schema, repeats)
    reader = component(params["readable"])
    expected = {}
    for prompt in prompts:
        for request, repeat in product(prompt.requests, range(repeats)):
            expected[repeat_key(request.id, repeat)] = (request.expected, prompt.answer)

    def is_readable(request: str, reply: str) -> bool:
        values, response = expected[request]
        return bool(reader.make(values, reply, response))

    return items, oracle, is_readable


# An engine's worker processes may import this file anew, under another name.
if (job := globals().get("snakemake")) and __name__ == "__main__":
    assignment = Assignment.of(job)
    operation = job.config[assignment.job.role][assignment.job.name]
    assignments = list(map(Assignment.plain, job.config["assignments"]))
    load = [other.load for other in assignments if other.job == assignment.job]
    together = [other for other in assignments if [other.load] == load]
    run_rule(
        run_with_siblings,
        job,
        read=("request",),
        with_provenance=False,
        engines=[operation],
        assignment=assignment,
        operation=operation,
        together=together,
    )
