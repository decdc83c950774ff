"""One sample whole, joined from the results folder: what was asked, answered, judged and scored."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steadfast.benchmark import Task
from steadfast.components import JudgePrompt, Sample
from steadfast.engines.request import draw_key
from steadfast.errors import UserError
from steadfast.evaluation import Evaluation
from steadfast.files import Record, read_jsonl
from steadfast.names import nearest, shown
from steadfast.show.passages import Passages
from steadfast.stages.samples import PartFiles, read_judge_prompts

NEAR = 5
"""Names that are suggested where there is no sample of a name."""


@dataclass(frozen=True)
class JudgedRequest:
    """What judges were asked about an answer, behind it, and the reply of each that there is."""

    id: str
    tail: str
    replies: Mapping[str, Record]


@dataclass(frozen=True)
class SeenAnswer:
    """One model's answer to a sample.

    Attributes:
        model: its name in the config.
        draw: 0 for the first answer that was drawn.
        output: its record; None where the sample was not asked.
        score: its record; None where there is none yet.
        judged: what judges were asked and replied.
    """

    model: str
    draw: int
    output: Record | None
    score: Record | None
    judged: Sequence[JudgedRequest] = ()


@dataclass(frozen=True)
class SeenSample:
    """A sample and all that the results folder has of it.

    Attributes:
        benchmark: its title.
        sample: the prompt and its source.
        before: the instructions of the turns that it follows.
        passages: what of its context it is about; None where the benchmark has no contexts.
        expected: the reference's answer.
        answers: of the models, draw by draw.
    """

    benchmark: str
    sample: Sample
    before: Sequence[str]
    passages: Passages | None
    expected: str
    answers: Sequence[SeenAnswer] = field(default_factory=tuple)


def view_sample(run: Evaluation, results: Path, name: str, model: str | None) -> list[SeenSample]:
    """What the results folder has of the samples of a name, of which parts may have one each.

    Args:
        run: the config's run.
        results: folder of all results.
        name: the sample's.
        model: the one whose answers are seen; None: all.

    Raises:
        UserError: there is no such sample or model, or a file is damaged.
    """
    models = run.asked
    if model is not None and model not in models:
        raise UserError(f"unknown model {shown(model)}; {nearest(model, models)}")
    known: dict[str, None] = {}
    found = []
    for benchmark in run.running:
        for part in run.tasks[benchmark].parts:
            prompts = results / benchmark / "prompts" / f"{part}.jsonl"
            if prompts.exists():
                here = dict.fromkeys(record["sample_id"] for record in read_jsonl(prompts))
                known |= here
                if name in here:
                    asked = [m for m in run.asked_of(benchmark) if model in (None, m)]
                    found.append(_seen(run, results, benchmark, part, name, asked))
    if not found:
        raise UserError(f"{results}: no sample {shown(name)}; {_near(name, list(known))}")
    return found


def _near(name: str, known: Sequence[str]) -> str:
    if not known:
        return "there are no prompts yet: run the workflow, or name its config as CONFIG"
    longer = [one for one in known if name and name in one][:NEAR]
    near = longer or difflib.get_close_matches(name, known, n=NEAR, cutoff=0.3) or known[:NEAR]
    return f"the nearest are {', '.join(near)}"


def _seen(
    run: Evaluation, results: Path, benchmark: str, part: str, name: str, models: Sequence[str]
) -> SeenSample:
    task = run.tasks[benchmark]
    sources = [(*key, results / path) for key, path in task.parts[part].sources.items()]
    prompts = results / benchmark / "prompts" / f"{part}.jsonl"
    samples = PartFiles(part, task.samples.plain, prompts, sources).read()
    sample = next(one for one in samples if one.id == name)
    return SeenSample(
        run.benchmarks[benchmark].title,
        sample,
        list(_turns_before(sample)),
        task.passages.make(sample) if task.passages else None,
        task.stand_in.make().reference(sample),
        [
            answer
            for model in models
            for answer in _answers(run, results / benchmark, task, model, part, name)
        ],
    )


def _turns_before(sample: Sample) -> Iterator[str]:
    if sample.before:
        yield from _turns_before(sample.before)
        yield sample.before.prompt["instruction"]


def _answers(
    run: Evaluation, folder: Path, task: Task, model: str, part: str, name: str
) -> Iterator[SeenAnswer]:
    """One model's answers to a sample, draw by draw."""
    file = f"{model}/{part}.jsonl"
    outputs, scores = (_records(folder / kind / file, name) for kind in ("outputs", "scores"))
    asking = folder / "judging" / file
    requests = read_judge_prompts(asking) if task.judging and asking.exists() else []
    judges = run.judges_of(folder.name, model) if requests else []
    replies = {judge: _replies(folder / "verdicts" / judge / file) for judge in judges}
    for draw in range(run.config.models[model].draws):
        judged = list(_judged(requests, replies, draw_key(name, draw)))
        yield SeenAnswer(model, draw, outputs.get(draw), scores.get(draw), judged)


def _records(path: Path, name: str) -> dict[int, Record]:
    """The records of a sample by draw; none where there is no such file."""
    if not path.exists():
        return {}
    return {record["draw"]: record for record in read_jsonl(path) if record["sample_id"] == name}


def _replies(path: Path) -> dict[str, Record]:
    return {one["sample_id"]: one for one in read_jsonl(path)} if path.exists() else {}


def _judged(
    prompts: Iterable[JudgePrompt], replies: Mapping[str, Mapping[str, Record]], answer: str
) -> Iterator[JudgedRequest]:
    for prompt in prompts:
        if prompt.answer_id == answer:
            for one in prompt.requests:
                given = {name: of[one.id] for name, of in replies.items() if one.id in of}
                yield JudgedRequest(one.id, one.tail, given)
