"""Prompts, data, answers and verdicts as components see them, read from the stages' files."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_json, read_jsonl
from steadfast.contract.components import (
    Answer,
    Component,
    Data,
    JudgePrompt,
    JudgeRequest,
    JudgeSimulator,
    Reply,
    Sample,
    Samples,
    Simulator,
    component,
)
from steadfast.contract.records import OutputRecord, read_outputs, read_prompts
from steadfast.contract.request import STATUSES, Item, repeat_key

Sources = Sequence[tuple[str, str, Path]]
"""Data files with the kind and name under which components find them."""


@dataclass(frozen=True)
class PartFiles:
    """One part of a benchmark: its plain ``Samples`` component, prompts and what these refer to."""

    name: str
    samples: Sequence[Any]
    prompts: Path
    sources: Sources

    @classmethod
    def of(cls, job: Any) -> "PartFiles":
        """Returns the part of a job, from Snakemake's object of it."""
        sources = sources_of(job.params.sources, job.input.sources)
        return cls(job.wildcards.part, job.params.samples, Path(job.input.prompts), sources)

    @cached_property
    def joined(self) -> Samples:
        """Returns how its prompts refer to data."""
        reader: Samples = component(self.samples).make()
        return reader

    def read(self, repeats: int = 1) -> list[Sample]:
        """Returns its samples in the order of prompts, one repeat of all of them after another."""
        prompts = list(read_prompts(self.prompts))
        samples: dict[str, Sample] = {}
        sources = list(self.joined.sources(prompts, read_data(self.sources)))
        for repeat in range(repeats):
            for prompt, source in zip(prompts, sources, strict=True):
                before = samples.get(repeat_key(prompt.get("follows") or "", repeat))
                sample = Sample(self.name, prompt, source, before, repeat)
                samples[sample.id] = sample
        return list(samples.values())


def sources_of(keys: Iterable[Sequence[str]], files: Iterable[str | Path]) -> Sources:
    """Returns the data files of a rule's inputs, with the kinds and names of its params."""
    return [(kind, name, Path(path)) for (kind, name), path in zip(keys, files, strict=True)]


def sources_by_part(
    keys: Mapping[str, Sequence[Sequence[str]]], files: Iterable[str]
) -> dict[str, Sources]:
    """Returns those of all parts, whose inputs stand one part after the other."""
    paths = iter(files)
    return {
        part: sources_of(part_keys, [next(paths) for _ in part_keys])
        for part, part_keys in keys.items()
    }


def read_data(sources: Sources) -> Data:
    """Returns what data files hold, by kind and name."""
    data: dict[str, dict[str, object]] = {}
    for kind, name, path in sources:
        held = list(read_jsonl(path)) if path.suffix == ".jsonl" else read_json(path)
        data.setdefault(kind, {})[name] = held
    return data


def read_answers(outputs: Path, samples: Sequence[Sample]) -> dict[str, Answer]:
    """Returns the answer to each sample, by its id; where one is missing, a UserError."""
    records = {
        repeat_key(output["sample_id"], output["repeat"]): output
        for output in read_outputs(outputs)
    }
    answers: dict[str, Answer] = {}
    for sample in samples:
        record = records.get(sample.id)
        if record is None:
            raise UserError(
                f"{outputs}: no output for sample {sample.id}; remove the file and run again"
            )
        if record["status"] not in STATUSES:
            raise UserError(
                f"{outputs}: sample {sample.id} has status {record['status']!r}, not one of "
                f"{', '.join(STATUSES)}; remove the file and run again"
            )
        before = answers[sample.before.id] if sample.before else None
        answers[sample.id] = answer_of(record, before)
    return answers


def answer_of(record: OutputRecord, before: Answer | None = None) -> Answer:
    """Returns an output's record as an answer."""
    truncated = (record.get("prompt_truncated_tokens") or 0) > 0
    text = record["response"] or ""
    reasoning = record.get("reasoning")
    return Answer(record["status"], text, truncated, before, reasoning)


def read_replies(verdicts: Path) -> dict[str, Reply]:
    """Returns a judge's replies by request, the first repeat of each."""
    return read_repeats(verdicts).get(0, {})


def read_repeats(verdicts: Path) -> dict[int, dict[str, Reply]]:
    """Returns a judge's replies by repeat and request."""
    replies: dict[int, dict[str, Reply]] = defaultdict(dict)
    for record in read_outputs(verdicts):
        reply = Reply(record["status"], record["response"], record.get("attempts"))
        replies[record["repeat"]][record["sample_id"]] = reply
    return dict(replies)


class SampleOracle:
    """A benchmark's simulator for models, asked by sample id as engines do."""

    def __init__(self, simulator: Simulator, samples: Iterable[Sample]):
        self._simulator = simulator
        self._samples = {sample.id: sample for sample in samples}

    def reference(self, sample_id: str) -> str:
        """Returns the reference answer of a sample."""
        return self._simulator.reference(self._samples[sample_id])

    def simulated(self, sample_id: str, settings: Settings, seen: float, rng: Random) -> str:
        """Returns a simulated model's response, which saw that fraction of the context."""
        return self._simulator.simulated(self._samples[sample_id], settings, seen, rng)

    def baseline(self, sample_id: str) -> str | None:
        """Returns the no-lookup baseline's response; None where it has none."""
        return self._simulator.baseline(self._samples[sample_id])


# --- what is asked of a judge ------------------------------------------------------------------


def read_judge_prompts(judging: Path) -> list[JudgePrompt]:
    """Returns the judge prompts of one model and part, as ``dataclasses.asdict`` gave them."""
    return [
        JudgePrompt(
            **record | {"requests": [JudgeRequest(**request) for request in record["requests"]]}
        )
        for record in read_jsonl(judging)
    ]


def judge_items(
    prompts: Sequence[JudgePrompt],
    schema: Component[Record | None] | None = None,
    repeats: int = 1,
) -> list[Item]:
    """Returns what is asked of a judge, all of it so many times.

    Requests about one answer share all up to its end. With ``schema`` (``task.Judging``) a reply
    has to follow one, where there is one.
    """
    return [
        Item(
            sample_id=request.id,
            context_id=f"{prompt.answer_id}/{prompt.template}",
            head=prompt.head,
            context=prompt.answer,
            tail=request.tail,
            max_tokens=request.max_tokens,
            reminder=request.reminder,
            schema=_schema_of(request, schema),
            repeat=repeat,
        )
        for repeat in range(repeats)
        for prompt in prompts
        for request in prompt.requests
    ]


def _schema_of(request: JudgeRequest, schema: Component[Record | None] | None) -> str:
    reply_schema = schema.make(request.expected) if schema else None
    # Properties are replied in their order, which sorting would change.
    return json.dumps(reply_schema, ensure_ascii=False) if reply_schema else ""


class JudgeOracle:
    """A benchmark's simulator for judges, asked by request and repeat as engines do."""

    def __init__(self, simulator: JudgeSimulator, prompts: Iterable[JudgePrompt], repeats: int = 1):
        self._simulator = simulator
        self._requests = {
            repeat_key(request.id, repeat): (prompt, request)
            for prompt in prompts
            for request in prompt.requests
            for repeat in range(repeats)
        }

    def reference(self, sample_id: str) -> str:
        """Returns the reply that goes by the answer's own account."""
        return self._simulator.reference(*self._requests[sample_id])

    def simulated(self, sample_id: str, settings: Settings, seen: float, rng: Random) -> str:
        """Returns what a judge of those settings replies."""
        return self._simulator.simulated(*self._requests[sample_id], settings, rng)


Oracle = SampleOracle | JudgeOracle
"""What engines without a model answer from."""
