"""Every benchmark with reasoning models and judges: only the answer after the reasoning counts."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import short_lifbench
from judged_run import SMALL, JudgedRun
from send_items import send_items
from steadfast.base.files import Record, read_jsonl
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH
from steadfast.benchmarks.lifbench.samples import LifbenchSamples
from steadfast.contract.components import Sample, Scoring
from steadfast.contract.part_files import SampleOracle, judge_items, read_answers, read_replies
from steadfast.contract.request import Item
from steadfast.stages.score import score_records

# What would be read as an answer, or as a verdict, of any benchmark.
REASONING = """The first is [1, 2, 3], or {"doc1": "label"}. Is it "Yes"? No: "No".
Answer: no
答案：否
1. NO 2. NO ['NO', 'NO', 'NO'] 【0】 [[0]] all"""
# Other forms are parsed in tests/engines/test_reasoning.py.
CLOSED = "<think>\n{reasoning}\n</think>\n\n{answer}"
WRAPPED = "<think>\n{reasoning}\n</think>\n<answer>\n{answer}\n</answer>"
UNFINISHED = "<think>\n{reasoning} So: {answer}"
FORMS = pytest.mark.parametrize(
    ("form", "parser"),
    [(CLOSED, "qwen3"), (WRAPPED, "hunyuan_a13b")],
    ids=["closed", "wrapped"],
)


def outputs(
    items: Sequence[Item],
    texts: Mapping[str, str],
    folder: Path,
    form: str = "{answer}",
    parser: str | None = None,
    finish_reason: str = "stop",
) -> Path:
    """The file of outputs of a model that replies with texts, by key, in a form."""
    folder.mkdir(exist_ok=True)
    replies = folder / "replies.jsonl"
    with replies.open("w") as lines:
        for item in items:
            text = form.format(reasoning=REASONING, answer=texts[item.key])
            reply = {"sample_id": item.sample_id, "text": text, "finish_reason": finish_reason}
            lines.write(json.dumps(reply) + "\n")
    out = folder / "out.jsonl"
    send_items(
        model="replayed",
        answers={"engine": "replay", "reasoning": parser and {"parser": parser, "tokens": 4096}},
        operation={"file": str(replies)},
        items=items,
        journal=folder / "journal.jsonl",
        out=out,
        provenance_out=folder / "out.provenance.json",
        log=folder / "log",
    )
    return out


class LifbenchRun:
    """Samples of all tasks at one length."""

    def __init__(self, folder: Path):
        lifbench = short_lifbench.build(folder, {"2k": 2048})
        self.task = LIFBENCH.of(lifbench.config)
        self.samples = {"2k": lifbench.part("2k").read()}


@pytest.fixture(scope="module", params=["lifbench", *SMALL])
def run(request, tmp_path_factory):
    if request.param == "lifbench":
        return LifbenchRun(tmp_path_factory.mktemp("lifbench"))
    return JudgedRun(request.param)


@pytest.fixture(scope="module", params=list(SMALL))
def judged(request):
    return JudgedRun(request.param)


def reference_answers(run, samples: Sequence[Sample]) -> dict[str, str]:
    oracle = SampleOracle(run.task.simulator.make(), samples)
    return {sample.id: oracle.reference(sample.id) for sample in samples}


def items_of(run, samples: Sequence[Sample]) -> list[Item]:
    kind = LifbenchSamples() if isinstance(run, LifbenchRun) else run.task.samples.make()
    return [kind.item(sample) for sample in samples]


def scores(run, part: str, outputs: Path) -> list[Record]:
    """Score records of outputs, with the verdicts on the reference answers."""
    samples = run.samples[part]
    replies = {"first": run.replies(part, run.answers(part))} if run.task.judging else {}
    scoring = run.task.scoring.make()
    assert isinstance(scoring, Scoring)
    return list(score_records(scoring, samples, read_answers(outputs, samples), replies))


@pytest.mark.quick(2)
@FORMS
def test_reasoning_does_not_change_scores(run, form, parser, tmp_path):
    for part, samples in run.samples.items():
        answers = reference_answers(run, samples)
        items = items_of(run, samples)
        plain = outputs(items, answers, tmp_path / f"{part}-plain")
        reasoned = outputs(items, answers, tmp_path / f"{part}-reasoned", form, parser)
        assert {record["reasoning"] for record in read_jsonl(reasoned)} == {REASONING}
        assert scores(run, part, reasoned) == scores(run, part, plain)


@pytest.mark.quick(2)
@FORMS
def test_reasoning_of_a_judge_does_not_change_verdicts(judged, form, parser, tmp_path):
    for part in judged.samples:
        answers = judged.answers(part)
        items = judge_items(judged.judge_prompts(part, answers))
        plain = judged.replies(part, answers)
        texts = {key: reply.text for key, reply in plain.items()}
        reasoned = read_replies(outputs(items, texts, tmp_path / part, form, parser))
        stripped = {key: text.strip() for key, text in texts.items()}
        assert {key: reply.text for key, reply in reasoned.items()} == stripped
        assert judged.scores(part, answers, first=reasoned) == judged.scores(
            part, answers, first=plain
        )


def test_judge_with_unfinished_reasoning_gives_no_verdict(judged, tmp_path):
    for part in judged.samples:
        answers = judged.answers(part)
        prompts = judged.judge_prompts(part, answers)
        texts = {key: reply.text for key, reply in judged.replies(part, answers).items()}
        items = judge_items(prompts)
        out = outputs(items, texts, tmp_path / part, UNFINISHED, "qwen3", "length")
        scored = judged.scores(part, answers, first=read_replies(out))
        records = [scored[prompt.answer_id] for prompt in prompts]
        assert {(score["status"], score["total"]) for score in records} == {("invalid", None)}
