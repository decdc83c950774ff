"""Asks what an inference job asks: prompts, and a model, judge or rewriter to answer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.files import Settings
from steadfast.base.seal import Seal
from steadfast.contract.components import JudgePrompt, component
from steadfast.contract.part_files import (
    JudgeOracle,
    PartFiles,
    SampleOracle,
    judge_items,
    read_judge_prompts,
    sources_of,
)
from steadfast.contract.request import Item, Oracle
from steadfast.engines.asking.run import run_part
from steadfast.engines.base import Loaded, Setup
from steadfast.run.job import MODELS, Assignment, Journals

Readable = Callable[[str, str], bool]


def ask(
    one: Assignment, operation: Settings, loaded: Loaded | None = None, folder: Path | None = None
) -> None:
    """Asks what one job asks of whom ``operation`` describes, and writes the replies.

    Outputs and identity go where they belong, or into a folder. The settings of who answers come
    from Snakemake's config, so that a change of one that determines no reply re-runs nothing.
    """
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


def _answers(one: Assignment) -> tuple[Sequence[Item], Oracle | None, None]:
    """What a model is asked, every draw of it, and what stands in for it."""
    params, stand_in = one.params, one.params["stand_in"]
    sources = sources_of(params["sources"], one.sources)
    part = PartFiles(one.job.part, params["samples"], Path(one.prompts), sources)
    samples = part.read(params["answers"].get("draws") or 1)
    oracle = SampleOracle(component(stand_in).make(), samples) if stand_in else None
    return [part.joined.item(sample) for sample in samples], oracle, None


def _replies(one: Assignment) -> tuple[Sequence[Item], Oracle | None, Readable]:
    """Returns what a judge or a rewriter is asked, what stands in for it, and which replies can be
    read.

    A reply that cannot be read is asked for again; the last one is written.
    """
    prompts, stand_in = read_judge_prompts(Path(one.prompts)), one.params["stand_in"]
    oracle = JudgeOracle(component(stand_in).make(), prompts) if stand_in else None
    return judge_items(prompts), oracle, _readable(one.params["readable"], prompts)


def _readable(readable: Sequence[Any], prompts: Sequence[JudgePrompt]) -> Readable:
    read = component(readable)
    expected = {r.id: (r.expected, prompt.answer) for prompt in prompts for r in prompt.requests}

    def reads(request: str, reply: str) -> bool:
        wanted, answer = expected[request]
        return bool(read.make(wanted, reply, answer))

    return reads
