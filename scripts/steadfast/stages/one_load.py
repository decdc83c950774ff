"""One load a model: the job that loads it answers for its siblings too, which take what it wrote.

Every part keeps its own job, journal and outputs. The first of a model's jobs takes the model's
lock, answers its own part and then, with the model at hand, each other part that the run is to
answer and whose prompts are made. Such prefetched outputs lie beside where the part's own job will
want them. That job comes, finds them, and loads nothing.
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
from steadfast.engines.asking.run import run_part
from steadfast.engines.base import EngineFailed, Loaded, Setup
from steadfast.jobs.job import MODELS, Assignment, Journals
from steadfast.workflow.script import run_rule

LOOK_SECONDS = 0.5
"""Between two looks at whether prompts are made."""
Readable = Callable[[str, str], bool]


def ask_together(own: Assignment, operation: Settings, together: Sequence[Assignment]) -> None:
    """Answers a job's part, and those of its siblings (``together``) with a model that it loads."""
    prefetched = Prefetched(own)
    siblings = [assignment for assignment in together if assignment.job != own.job]
    if not siblings:
        ask(own, operation)
        prefetched.remove_all()
        return
    lock = own.path(f"journal/.locks/{siblings[0].load}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    # While a job waits for the model, the one that has it may write the outputs of both.
    with closing(Lock(lock, print, prefetched.take)) as model, closing(Loaded()) as loaded:
        if not model.held or prefetched.take():
            return
        failure: UserError | None = None
        try:
            ask(own, operation, loaded)
        except EngineFailed:  # which leaves no model for the siblings
            raise
        except UserError as error:
            failure = error
        prefetched.remove_all()
        if loaded.model is not None:
            _ask_siblings(siblings, operation, loaded)
        if failure:
            raise failure


def _ask_siblings(siblings: Iterable[Assignment], operation: Settings, loaded: Loaded) -> None:
    """Answers each sibling's part as soon as its prompts are made.

    A part that fails is left to its own job, which says why.
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
    """Answers a sibling's part, unless that was done in this run already."""
    prefetched = Prefetched(sibling)
    if prefetched.exist:
        return
    log = sibling.path(sibling.job.log)
    print(f"{sibling.job.name} is loaded: asked {sibling.job.title} too, see {log}")
    ask(sibling, operation, loaded, prefetched.folder)


class Prefetched:
    """Outputs that another job wrote for this one, in a hidden folder of all such.

    Each folder in it is named after all that its outputs were made of, and the run.
    """

    def __init__(self, assignment: Assignment):
        self._files = [
            assignment.path(path) for path in (assignment.job.outputs, assignment.job.provenance)
        ]
        self._all = self._files[0].with_name(f".{assignment.job.part}.ahead")
        self._assignment = assignment

    @cached_property
    def folder(self) -> Path:
        """The folder of those that were made of just this; found by reading all of it."""
        return self._all / self._assignment.fingerprint

    @property
    def exist(self) -> bool:
        """Whether they are written; the provenance is written last."""
        return (self.folder / self._files[-1].name).exists()

    def take(self) -> bool:
        """Moves them to where they belong; False where there are none."""
        if not self.exist:
            return False
        for path in self._files:
            os.replace(self.folder / path.name, path)
        self.remove_all()
        return True

    def remove_all(self) -> None:
        """Removes them, and what was written of other settings or by other runs."""
        shutil.rmtree(self._all, ignore_errors=True)


def ask(
    assignment: Assignment,
    operation: Settings,
    loaded: Loaded | None = None,
    folder: Path | None = None,
) -> None:
    """Asks what one job asks of whom ``operation`` describes, and writes the replies.

    They are written where the job wants them, or to a ``folder`` of prefetched outputs.
    """
    job, params, results = assignment.job, assignment.params, Path(assignment.results)
    items, oracle, readable = _answers(assignment) if job.role == MODELS else _replies(assignment)
    outputs, record = assignment.path(job.outputs), assignment.path(job.provenance)
    if folder:
        outputs, record = folder / outputs.name, folder / record.name
    operation = {**operation, "bill": Journals(results, job.role, job.name)}
    if assignment.replay:
        operation["file"] = Path(assignment.replay)
    inputs = tuple(map(Path, (assignment.prompts, *assignment.sources)))
    setup = Setup(
        params["answers"],
        operation,
        journal=assignment.path(job.journal),
        oracle=oracle,
        loaded=loaded or Loaded(),
    )
    provenance = Provenance(
        assignment.input_digest, record, (outputs,), inputs=inputs, results=results
    )
    attempts = params.get("attempts", 1)
    run_part(
        job.name, job.title, items, setup, provenance, assignment.path(job.log), readable, attempts
    )


def _answers(
    assignment: Assignment,
) -> tuple[Sequence[Item], part_files.Oracle | None, None]:
    """What a model is asked, with every repeat, and what stands in for it."""
    params = assignment.params
    sources = part_files.sources_of(params["sources"], assignment.sources)
    prompts, samples = Path(assignment.prompts), params["samples"]
    part = part_files.PartFiles(assignment.job.part, samples, prompts, sources)
    repeated = part.read(params["answers"].get("repeats") or 1)
    simulator = params["simulator"]
    oracle = part_files.SampleOracle(component(simulator).make(), repeated) if simulator else None
    return [part.joined.item(sample) for sample in repeated], oracle, None


def _replies(
    assignment: Assignment,
) -> tuple[Sequence[Item], part_files.Oracle | None, Readable]:
    """Returns what a judge or rewriter is asked, its simulator, and which replies can be read."""
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

    def reads(request: str, reply: str) -> bool:
        wanted, answer = expected[request]
        return bool(read.make(wanted, reply, answer))

    return reads


# An engine's worker processes may import this file anew, under another name.
if (job := globals().get("snakemake")) and __name__ == "__main__":
    loads = job.config.get("loads", {})
    own = Assignment.of(job, loads.get("run", ""))
    operation = job.config[own.job.role][own.job.name]
    alike = (list(map(Assignment.plain, load)) for load in loads.get("asked", ()))
    run_rule(
        ask_together,
        job,
        read=("request",),
        with_provenance=False,
        engines=[operation],
        own=own,
        operation=operation,
        together=next((load for load in alike if own.job in [one.job for one in load]), []),
    )
