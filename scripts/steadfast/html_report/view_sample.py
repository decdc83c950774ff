"""One sample by its name, with its responses, judges' replies and scores."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.names import quoted, suggestion
from steadfast.base.provenance import Provenance
from steadfast.config.portable import CONFIG_FILE
from steadfast.config.source import read_source
from steadfast.contract.components import Sample
from steadfast.contract.records import read_prompts
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.finished import FinishedAnswer, FinishedPart, FinishedRun
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.rounds import follow_decisions
from steadfast.show.passages import Passages

NEAR = 5  # names that are suggested for an unknown one
EXAMPLES = "examples"  # in place of a sample's name: one of each task


@dataclass(frozen=True)
class SampleView:
    """A sample with its context, responses, judges' replies and scores.

    Attributes:
        part: its part of a run.
        sample: the prompt's record, and the data that it is about.
        answers: each model's response with its score and the judges' replies.
    """

    part: FinishedPart
    sample: Sample
    answers: Sequence[FinishedAnswer] = ()

    @property
    def benchmark(self) -> str:
        """The benchmark's title."""
        return self.part.run.evaluation.benchmarks[self.part.benchmark].title

    @cached_property
    def passages(self) -> Passages | None:
        """The context and the passages that the instruction is about; None without a context."""
        passages = self.part.task.passages
        return passages.make(self.sample) if passages else None

    @cached_property
    def expected(self) -> str:
        """The reference answer."""
        return self.part.simulator.reference(self.sample)

    @property
    def before(self) -> list[str]:
        """Its system message, and the turns that it follows."""
        prompt: Mapping[str, Any] = self.sample.prompt
        before = [f"System message: {prompt['system']}"] if "system" in prompt else []
        for query, response in prompt.get("turns", ()):
            before.append(f"{query}\nResponse: {response}")
        for turn in self.sample.turns[:-1]:  # the last one is the sample itself
            before.append(turn.prompt["instruction"])
        return before

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of its data, without the instruction."""
        instruction = self.sample.prompt["instruction"]
        return {name: value for name, value in self.sample.source.items() if value != instruction}


def examples(run: Evaluation, results: Path) -> list[SampleView]:
    """A sample of each task, of the first part that has it (LIFBench, Table 12)."""
    accepted = _accepted_digests(run, results)
    by_task: dict[tuple[str, str], SampleView] = {}  # by benchmark and task
    for part in _parts(run, results):
        _check(accepted, part, [])
        for sample in part.samples:
            task = (part.benchmark, str(sample.prompt["task"]))
            by_task.setdefault(task, SampleView(part, sample))
    if not by_task:
        raise UserError(f"{results}: {nearest_samples('', [])}")
    return list(by_task.values())


def view_sample(run: Evaluation, results: Path, name: str, model: str | None) -> list[SampleView]:
    """Returns the samples of a name, at most one of each part, with all their results."""
    if model is not None and model not in run.evaluated:
        raise UserError(f"unknown model {quoted(model)}; {suggestion(model, run.evaluated)}")
    accepted = _accepted_digests(run, results)
    names: list[str] = []
    samples = []
    for part in _parts(run, results):
        part_names = [prompt["sample_id"] for prompt in read_prompts(part.files.prompts)]
        names += part_names
        if name not in part_names:
            continue
        models = [m for m in part.models if model in (None, m)]
        _check(accepted, part, models)
        answers: list[FinishedAnswer] = []
        for answering_model in models:
            answers += part.answers(answering_model, [name])
        sample = next(sample for sample in part.samples if sample.id == name)
        samples.append(SampleView(part, sample, answers))
    if not samples:
        near = nearest_samples(name, list(dict.fromkeys(names)))
        raise UserError(f"{results}: no sample {quoted(name)}; {near}")
    return samples


def _parts(run: Evaluation, results: Path) -> list[FinishedPart]:
    """The parts that have prompts: also in a trial's folder those of the full run."""
    follow_decisions(run, results)
    full_run = FinishedRun(_with_limit(run, None), results)
    parts = chain.from_iterable(full_run.parts(name).values() for name in run.running)
    return [part for part in parts if part.files.prompts.exists()]


def _accepted_digests(run: Evaluation, results: Path) -> list[InputDigests]:
    """The input digests that files may have: by the config, and by the last run's limit."""
    config_of_last_run = results / CONFIG_FILE
    digests = [InputDigests(run)]
    if config_of_last_run.is_file():
        limit = read_source(str(config_of_last_run)).get("limit")
        if isinstance(limit, int) and limit != run.config.limit:
            digests.append(InputDigests(_with_limit(run, limit)))
    return digests


def _with_limit(run: Evaluation, limit: int | None) -> Evaluation:
    return Evaluation(run.config.model_copy(update={"limit": limit}))


def _check(digests: Sequence[InputDigests], part: FinishedPart, models: Sequence[str]) -> None:
    """Raises UserError where a file is not of this config."""
    input_digests: dict[Path, list[str]] = {}
    for steps in digests:
        prompts = steps.prompts(part.benchmark, part.name)
        input_digests.setdefault(part.files.prompts, []).append(prompts.input_digest)
        for model in models:
            for path, step in steps.answered_part(part.benchmark, model, part.name).items():
                input_digests.setdefault(part.run.results / path, []).append(step.input_digest)
    for file, acceptable in input_digests.items():
        if file.exists():
            provenances = [Provenance.beside(file, input_digest) for input_digest in acceptable]
            # By the full run or by the trial; if by neither, the full run's check fails.
            matching = (provenance for provenance in provenances if provenance.has_input_digest)
            next(matching, provenances[0]).check()


def nearest_samples(name: str, sample_ids: Sequence[str]) -> str:
    """Returns a clause with the sample names nearest to a name."""
    if not sample_ids:
        return "no prompts yet: run the workflow, or name the config of its run"
    # A name that is part of others is the beginning of one more often than a misspelt one.
    near: Sequence[str] = [sample_id for sample_id in sample_ids if name and name in sample_id]
    near = near or difflib.get_close_matches(name, sample_ids, n=NEAR, cutoff=0.3) or sample_ids
    return f"did you mean {', '.join(near[:NEAR])}?"
