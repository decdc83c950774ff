"""Reads the stages' files: samples with their data, responses, and judges' prompts and replies."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
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

# Data files with the kind and name under which components find them.
Sources = Sequence[tuple[str, str, Path]]


@dataclass(frozen=True)
class PartFiles:
    """The files of one part of a benchmark: prompts, their data, and the ``Samples`` component."""

    name: str
    samples: Sequence[Any]
    prompts: Path
    sources: Sources

    @classmethod
    def of(cls, job: Any) -> "PartFiles":
        """The part of a job, from Snakemake's object."""
        sources = sources_of(job.params.sources, job.input.sources)
        return cls(job.wildcards.part, job.params.samples, Path(job.input.prompts), sources)

    @cached_property
    def joined(self) -> Samples:
        """The component that joins its prompts with the data."""
        reader: Samples = component(self.samples).make()
        return reader

    def read(self, repeats: int = 1) -> list[Sample]:
        """Its samples, repeat after repeat, each in the order of the prompts."""
        prompts = list(read_prompts(self.prompts))
        samples: dict[str, Sample] = {}
        sources = list(self.joined.sources(prompts, read_data(self.sources)))
        for repeat in range(repeats):
            for prompt, source in zip(prompts, sources, strict=True):
                # A conversation's turns are in their order in the file.
                before = samples.get(repeat_key(prompt.get("follows") or "", repeat))
                sample = Sample(self.name, prompt, source, before, repeat)
                samples[sample.id] = sample
        return list(samples.values())


def sources_of(keys: Iterable[Sequence[str]], files: Iterable[str | Path]) -> Sources:
    """A rule's data files, with the kinds and names in its params."""
    return [(kind, name, Path(path)) for (kind, name), path in zip(keys, files, strict=True)]


def sources_by_part(
    keys: Mapping[str, Sequence[Sequence[str]]], files: Iterable[str]
) -> dict[str, Sources]:
    """A rule's data files by part, whose inputs are listed part after part."""
    paths = iter(files)
    sources: dict[str, Sources] = {}
    for part, part_keys in keys.items():
        sources[part] = sources_of(part_keys, islice(paths, len(part_keys)))
    return sources


def read_data(sources: Sources) -> Data:
    """The content of data files, by kind and name."""
    data: dict[str, dict[str, object]] = {}
    for kind, name, path in sources:
        content = list(read_jsonl(path)) if path.suffix == ".jsonl" else read_json(path)
        data.setdefault(kind, {})[name] = content
    return data


def read_answers(outputs: Path, samples: Sequence[Sample]) -> dict[str, Answer]:
    """The response to each sample, by sample key; raises UserError where one is missing."""
    records: dict[str, OutputRecord] = {}
    for output in read_outputs(outputs):
        records[repeat_key(output["sample_id"], output["repeat"])] = output
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
    """The response in a line of the outputs."""
    truncated = (record.get("prompt_truncated_tokens") or 0) > 0
    text = record["response"] or ""
    reasoning = record.get("reasoning")
    return Answer(record["status"], text, truncated, before, reasoning)


def read_replies(verdicts: Path) -> dict[str, Reply]:
    """A judge's replies by request, of the first repeat."""
    return read_repeats(verdicts).get(0, {})


def read_repeats(verdicts: Path) -> dict[int, dict[str, Reply]]:
    """A judge's replies by repeat and request."""
    replies: dict[int, dict[str, Reply]] = defaultdict(dict)
    for record in read_outputs(verdicts):
        reply = Reply(record["status"], record["response"], record.get("attempts"))
        replies[record["repeat"]][record["sample_id"]] = reply
    return dict(replies)


class SampleOracle:
    """A benchmark's simulated models, by sample key."""

    def __init__(self, simulator: Simulator, samples: Iterable[Sample]):
        self._simulator = simulator
        self._samples = {sample.id: sample for sample in samples}

    def reference(self, sample_id: str) -> str:
        """The reference answer of a sample."""
        return self._simulator.reference(self._samples[sample_id])

    def simulated(self, sample_id: str, settings: Settings, seen: float, rng: Random) -> str:
        """The response of a simulated model that saw this fraction of the context."""
        return self._simulator.simulated(self._samples[sample_id], settings, seen, rng)

    def baseline(self, sample_id: str) -> str | None:
        """The no-lookup baseline's response; None where it has none."""
        return self._simulator.baseline(self._samples[sample_id])


def read_judge_prompts(judging: Path) -> list[JudgePrompt]:
    """The judge prompts of one model and part, as ``dataclasses.asdict`` wrote them."""
    prompts: list[JudgePrompt] = []
    for record in read_jsonl(judging):
        requests = [JudgeRequest(**request) for request in record["requests"]]
        prompts.append(JudgePrompt(**record | {"requests": requests}))
    return prompts


def judge_items(
    prompts: Sequence[JudgePrompt],
    schema: Component[Record | None] | None = None,
    repeats: int = 1,
) -> list[Item]:
    """The requests to a judge, repeat after repeat.

    Those about one response share their prompt up to its end. With ``schema`` (``task.Judging``),
    replies follow the JSON schema that it returns for a request, if any.
    """
    items: list[Item] = []
    for repeat in range(repeats):
        for prompt in prompts:
            for request in prompt.requests:
                reply_schema = schema.make(request.expected) if schema else None
                # Not sorted: a judge replies with the properties in their order.
                schema_text = json.dumps(reply_schema, ensure_ascii=False) if reply_schema else ""
                item = Item(
                    sample_id=request.id,
                    context_id=f"{prompt.answer_id}/{prompt.template}",
                    head=prompt.head,
                    context=prompt.answer,
                    tail=request.tail,
                    max_tokens=request.max_tokens,
                    reminder=request.reminder,
                    schema=schema_text,
                    repeat=repeat,
                )
                items.append(item)
    return items


class JudgeOracle:
    """A benchmark's simulated judges, by key of the request."""

    def __init__(self, simulator: JudgeSimulator, prompts: Iterable[JudgePrompt], repeats: int = 1):
        self._simulator = simulator
        self._requests: dict[str, tuple[JudgePrompt, JudgeRequest]] = {}
        for prompt in prompts:
            for request in prompt.requests:
                for repeat in range(repeats):
                    self._requests[repeat_key(request.id, repeat)] = (prompt, request)

    def reference(self, sample_id: str) -> str:
        """The reply with the verdicts that the response itself states."""
        return self._simulator.reference(*self._requests[sample_id])

    def simulated(self, sample_id: str, settings: Settings, seen: float, rng: Random) -> str:
        """The reply of a simulated judge with these settings."""
        return self._simulator.simulated(*self._requests[sample_id], settings, rng)


# Gives the responses of engines without a model.
Oracle = SampleOracle | JudgeOracle
