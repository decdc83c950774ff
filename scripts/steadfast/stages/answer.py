"""Rules inference, verdicts and rewrites: prompts, and a model, judge or rewriter to answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steadfast.base.commit import asked_of_git
from steadfast.base.files import Settings
from steadfast.base.paths import (
    REWRITES,
    VERDICTS,
    JournalFolders,
    journal_path,
    rewrites_journal_path,
    verdicts_journal_path,
)
from steadfast.contract.components import component
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
from steadfast.engines.base import Loaded
from steadfast.run.request_of_job import JUDGES, MODELS, Asked


@dataclass(frozen=True)
class Job:
    """One inference job.

    Attributes:
        benchmark: its name.
        model: who answers or rewords, or whose answers are judged, by its name in the config.
        answers: the settings that determine the responses; a change of one re-runs the job.
        operation: all settings of who answers, from Snakemake's config, so that a change of one of
            the others re-runs nothing.
        stand_in: the benchmark's stand-in; None where the engine has a model.
        lineage: of the responses, for their seal.
        inputs: files that what is asked is read from.
        results: folder of all results, which holds them and the journal.
        out: where the responses go.
        identity_out: where goes what produced them.
        log: the rule's log file.
        loaded: the model, where it may be loaded already.
    """

    benchmark: str
    model: str
    answers: Settings
    operation: Settings
    stand_in: Sequence[Any] | None
    lineage: str
    inputs: Sequence[Path]
    results: Path
    out: Path
    identity_out: Path
    log: Path
    loaded: Loaded | None = None

    def replaying(self, file: Path | None) -> "Job":
        """The job with the file that it replays; itself where there is none."""
        return replace(self, operation={**self.operation, "file": file}) if file else self

    def run(
        self,
        name: str,
        what: str,
        items: Sequence[Item],
        oracle: Oracle | None,
        journal: Path,
        bill: JournalFolders,
        **further: Any,
    ) -> None:
        """Asks a model or judge of that name, and writes its responses; ``what`` is shown."""
        run_part(
            model=name,
            answers=dict(self.answers),
            operation={**self.operation, "bill": bill},
            items=items,
            oracle=oracle,
            journal=journal,
            out=self.out,
            identity_out=self.identity_out,
            log=self.log,
            commit=_commit(),
            lineage=self.lineage,
            inputs=self.inputs,
            results=self.results,
            label=f"{self.benchmark} {what}",
            loaded=self.loaded,
            **further,
        )


def ask(
    asked: Asked, operation: Settings, loaded: Loaded | None = None, folder: Path | None = None
) -> None:
    """Asks what one job asks, and writes the replies.

    Args:
        asked: what it asks of whom.
        operation: all settings of who answers.
        loaded: the model, where it may be loaded already.
        folder: where outputs and identity go; by default where they belong.

    Raises:
        UserError: the surroundings do not let it finish; what is answered is kept.
    """
    files = (Path(asked.outputs), Path(asked.identity))
    out, identity_out = (folder / file.name for file in files) if folder else files
    params, prompts = asked.params, Path(asked.prompts)
    job = Job(
        benchmark=asked.benchmark,
        model=asked.model,
        answers=params["answers"],
        operation=operation,
        stand_in=params["stand_in"],
        lineage=params["lineage"],
        inputs=[prompts, *map(Path, asked.sources)],
        results=asked.results,
        out=out,
        identity_out=identity_out,
        log=Path(asked.log),
        loaded=loaded,
    )
    replayed = Path(asked.replay) if asked.replay else None
    if asked.role == MODELS:
        sources = sources_of(params["sources"], asked.sources)
        answer_part(job, PartFiles(asked.part, params["samples"], prompts, sources), replayed)
        return
    readable, attempts = params["readable"], params["attempts"]
    if asked.role == JUDGES:
        judge_part(job, asked.name, asked.part, readable, attempts, prompts)
    else:
        rewrite_part(job, asked.part, readable, attempts, prompts, replayed)


def answer_part(job: Job, part: PartFiles, replayed: Path | None) -> None:
    """Asks one model every prompt of one part, and writes the responses.

    Args:
        job: who is asked, and where everything goes.
        part: that is asked.
        replayed: file with the responses, of engine replay.

    Raises:
        UserError: the surroundings do not let the job finish; what is answered is kept.
    """
    samples = part.read(job.answers.get("draws") or 1)
    job.replaying(replayed).run(
        job.model,
        f"{part.name} {job.model}",
        [part.joined.item(sample) for sample in samples],
        SampleOracle(component(job.stand_in).make(), samples) if job.stand_in else None,
        journal_path(job.results, job.benchmark, job.model, part.name),
        JournalFolders(job.results, job.model),
    )


def judge_part(
    job: Job, judge: str, part: str, readable: Sequence[Any], attempts: int, judging: Path
) -> None:
    """Asks a judge about every answer of one model to one part, and writes its replies.

    Args:
        job: whose answers are judged, and where everything goes.
        judge: the judge's name in the config.
        part: of the benchmark.
        readable: the benchmark's function that tells whether a reply can be read.
        attempts: times that a reply is asked for.
        judging: the judge prompts.

    Raises:
        UserError: the surroundings do not let the job finish; what is answered is kept.
    """
    journal = verdicts_journal_path(job.results, job.benchmark, judge, job.model, part)
    bill = JournalFolders(job.results, judge, VERDICTS)
    _ask_readably(
        job, judge, f"{part} {job.model}, judge {judge}", readable, attempts, judging, journal, bill
    )


def rewrite_part(
    job: Job,
    round: str,
    readable: Sequence[Any],
    attempts: int,
    requests: Path,
    replayed: Path | None,
) -> None:
    """Asks a rewriter to reword what a benchmark wants reworded, and writes its replies.

    Args:
        job: who rewords, and where everything goes.
        round: of the benchmark's rewriting.
        readable: the benchmark's function that tells whether a reply can be read.
        attempts: times that a reply is asked for.
        requests: what is asked, as judge prompts.
        replayed: file with the replies, of engine replay.

    Raises:
        UserError: the surroundings do not let the job finish; what is answered is kept.
    """
    journal = rewrites_journal_path(job.results, job.benchmark, job.model, round)
    bill = JournalFolders(job.results, job.model, REWRITES)
    job = job.replaying(replayed)
    _ask_readably(
        job, job.model, f"{round} {job.model}", readable, attempts, requests, journal, bill
    )


def _ask_readably(
    job: Job,
    name: str,
    what: str,
    readable: Sequence[Any],
    attempts: int,
    asked: Path,
    journal: Path,
    bill: JournalFolders,
) -> None:
    """Asks what stands in a file of judge prompts.

    A reply that cannot be read is asked for again; the last one is written.
    """
    prompts = read_judge_prompts(asked)
    read = component(readable)
    expected = {r.id: (r.expected, prompt.answer) for prompt in prompts for r in prompt.requests}

    def reads(request: str, reply: str) -> bool:
        wanted, answer = expected[request]
        return read.make(wanted, reply, answer)

    job.run(
        name,
        what,
        judge_items(prompts),
        JudgeOracle(component(job.stand_in).make(), prompts) if job.stand_in else None,
        journal,
        bill,
        readable=reads,
        attempts=attempts,
    )


def _commit() -> str | None:
    """The workflow's commit, with a plus sign where files differ from it; None outside git."""
    return asked_of_git("describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+")
