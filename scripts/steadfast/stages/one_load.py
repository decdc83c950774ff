"""One load a model: the job that loads it asks for its siblings too, and they take what it wrote.

Every part keeps its own job, journal and outputs. The first of a model's jobs holds the model's
lock, asks its own part and then, with the model at hand, each other part that the run is to ask and
whose prompts are made. Their outputs lie beside where their own jobs will want them, which come,
find them, and load nothing.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.locks import Lock
from steadfast.base.seal import Seal
from steadfast.contract import part_files
from steadfast.contract.components import JudgePrompt, component
from steadfast.contract.request import Item, draw_key
from steadfast.engines.asking.run import run_part
from steadfast.engines.base import EngineFailed, Loaded, Setup
from steadfast.run.job import MODELS, Assignment, Journals
from steadfast.workflow.script import run_rule

LOOK_SECONDS = 0.5
"""Between two looks at whether prompts are made."""
Readable = Callable[[str, str], bool]


def ask_together(own: Assignment, operation: Settings, together: Sequence[Assignment]) -> None:
    """Asks what a job asks, and what others (``together``) ask of a model that was loaded."""
    others = [one for one in together if one.job != own.job]
    if not others:
        ask(own, operation)
        Ahead.remove(own)
        return
    ahead = Ahead(own)
    lock = own.path(f"journal/.locks/{others[0].load}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with closing(Lock(lock, print, ahead.take)) as model, closing(Loaded()) as loaded:
        if not model.held or ahead.take():
            return
        failed: UserError | None = None
        try:
            ask(own, operation, loaded)
        except EngineFailed:
            raise
        except UserError as error:
            failed = error
        Ahead.remove(own)
        if loaded.model is not None:
            _ask_others(others, operation, loaded)
        if failed:
            raise failed


def _ask_others(others: Iterable[Assignment], operation: Settings, loaded: Loaded) -> None:
    """Asks others' parts, waiting for prompts no longer than the load took.

    A part that fails is left to its own job, which says why.
    """
    waiting, patience = list(others), loaded.seconds
    while waiting := [one for one in waiting if not one.done]:
        one = next((one for one in waiting if one.ready), None)
        if one is None:
            if patience <= 0:
                return
            time.sleep(LOOK_SECONDS)
            patience -= LOOK_SECONDS
            continue
        waiting.remove(one)
        try:
            ahead = Ahead(one)
            if not ahead.there:
                log = one.path(one.job.log)
                print(f"{one.job.name} is loaded: asked {one.job.title} too, see {log}")
                ask(one, operation, loaded, ahead.folder)
        except EngineFailed as error:
            print(f"{one.job.title}: {error}")
            return
        except UserError as error:
            print(f"{one.job.title}: {error}")


class Ahead:
    """Outputs for another job, in a hidden folder named after all that they were made of."""

    def __init__(self, asked: Assignment):
        self._asked = asked
        self._files = asked.path(asked.job.outputs), asked.path(asked.job.identity)
        self.folder = self._root(asked) / asked.fingerprint

    @property
    def there(self) -> bool:
        """Whether they are written; the identity is written last."""
        return (self.folder / self._files[1].name).exists()

    def take(self) -> bool:
        """Moves them to where they belong; False where there are none."""
        if not self.there:
            return False
        for path in self._files:
            os.replace(self.folder / path.name, path)
        self.remove(self._asked)
        return True

    @staticmethod
    def _root(asked: Assignment) -> Path:
        return asked.path(asked.job.outputs).with_name(f".{asked.job.part}.ahead")

    @classmethod
    def remove(cls, asked: Assignment) -> None:
        """Removes all that was written ahead of a job, for other settings and by other runs too."""
        shutil.rmtree(cls._root(asked), ignore_errors=True)


def ask(
    one: Assignment, operation: Settings, loaded: Loaded | None = None, folder: Path | None = None
) -> None:
    """Asks what one job asks of whom ``operation`` describes, and writes the replies."""
    job, params, results = one.job, one.params, Path(one.results)
    items, oracle, readable = _answers(one) if job.role == MODELS else _replies(one)
    out, identity = (
        folder / path.name if folder else path
        for path in map(one.path, (job.outputs, job.identity))
    )
    how = {**operation, "bill": Journals(results, job.role, job.name)}
    if one.replay:
        how["file"] = Path(one.replay)
    run_part(
        job.name,
        job.title,
        items,
        Setup(
            params["answers"],
            how,
            journal=one.path(job.journal),
            oracle=oracle,
            loaded=loaded or Loaded(),
        ),
        Seal(
            one.lineage,
            identity,
            (out,),
            "",
            tuple(map(Path, (one.prompts, *one.sources))),
            results,
        ),
        one.path(job.log),
        readable,
        params.get("attempts", 1),
    )


def _answers(one: Assignment) -> tuple[Sequence[Item], part_files.Oracle | None, None]:
    """What a model is asked, every draw of it, and what stands in for it."""
    params, stand_in = one.params, one.params["stand_in"]
    sources = part_files.sources_of(params["sources"], one.sources)
    part = part_files.PartFiles(one.job.part, params["samples"], Path(one.prompts), sources)
    samples = part.read(params["answers"].get("draws") or 1)
    oracle = part_files.SampleOracle(component(stand_in).make(), samples) if stand_in else None
    return [part.joined.item(sample) for sample in samples], oracle, None


def _replies(one: Assignment) -> tuple[Sequence[Item], part_files.Oracle | None, Readable]:
    """Returns what a judge or rewriter is asked, its stand-in, and which replies can be read."""
    prompts, stand_in = part_files.read_judge_prompts(Path(one.prompts)), one.params["stand_in"]
    draws = one.params["answers"].get("draws") or 1
    made = component(stand_in).make() if stand_in else None
    oracle = part_files.JudgeOracle(made, prompts, draws) if made else None
    form = component(one.params["schema"]) if "schema" in one.params else None
    items = part_files.judge_items(prompts, form, draws)
    return items, oracle, _readable(one.params["readable"], prompts, draws)


def _readable(readable: Sequence[Any], prompts: Sequence[JudgePrompt], draws: int) -> Readable:
    read = component(readable)
    expected = {
        draw_key(request.id, draw): (request.expected, prompt.answer)
        for prompt in prompts
        for request in prompt.requests
        for draw in range(draws)
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
        sealed=False,
        engines=[operation],
        own=own,
        operation=operation,
        together=next((load for load in alike if own.job in [one.job for one in load]), []),
    )
