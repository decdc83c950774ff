"""Every benchmark, with models and judges that think: only what they answer counts."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import short_lifbench
from ask_items import ask_items
from judged_run import SMALL, JudgedRun
from steadfast.base.files import Record, read_jsonl
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH
from steadfast.benchmarks.lifbench.samples import LifbenchSamples
from steadfast.contract.components import Sample, Scoring
from steadfast.contract.part_files import (
    SampleOracle,
    judge_items,
    read_answers,
    read_replies,
)
from steadfast.contract.request import Item
from steadfast.stages.score import score_records

# What would be read for an answer, or for a verdict, of any benchmark.
REASONING = """The first is [1, 2, 3], or {"doc1": "label"}. Is it "Yes"? No: "No".
Answer: no
答案：否
1. NO 2. NO ['NO', 'NO', 'NO'] 【0】 [[0]] all"""
# Other forms are read in tests/engines/test_reasoning.py.
PROVIDERS = {
    "closed": ("<think>\n{reasoning}\n</think>\n\n{answer}", {"parser": "qwen3"}),
    "wrapped": (
        "<think>\n{reasoning}\n</think>\n<answer>\n{answer}\n</answer>",
        {"parser": "hunyuan_a13b"},
    ),
}
CUT = "<think>\n{reasoning} So: {answer}"
BENCHMARKS = ("lifbench", *SMALL)


class Thinker:
    """Texts by key, behind reasoning, as an engine gives them.

    Args:
        form: of a reply, with reasoning and answer.
        reasoning: the config's, without tokens.
        finish_reason: of each reply.
        folder: for what is written.
    """

    def __init__(self, form: str, reasoning: Record | None, finish_reason: str, folder: Path):
        self._form = form
        self._reason = finish_reason
        self._folder = folder
        self._reasoning = reasoning and {**reasoning, "tokens": 4096}

    def outputs(self, items: Sequence[Item], texts: Mapping[str, str]) -> Path:
        """The file of outputs."""
        folder = self._folder
        replies = (self._form.format(reasoning=REASONING, answer=texts[item.key]) for item in items)
        records = (
            {"sample_id": item.sample_id, "text": reply, "finish_reason": self._reason}
            for item, reply in zip(items, replies, strict=True)
        )
        file = folder / "replies.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        ask_items(
            model="thinker",
            answers={"engine": "replay", "reasoning": self._reasoning},
            operation={"file": str(file)},
            items=items,
            journal=folder / "journal.jsonl",
            out=folder / "out.jsonl",
            provenance_out=folder / "out.provenance.json",
            log=folder / "log",
        )
        return folder / "out.jsonl"


class Lifbench:
    """Samples of all tasks at one length, and their gold answers."""

    def __init__(self, folder: Path):
        built = short_lifbench.build(folder, {"2k": 2048})
        self.task = LIFBENCH.of(built.config)
        self.samples = {"2k": built.part("2k").read()}
        self.joined = LifbenchSamples()


@pytest.fixture(scope="module", params=BENCHMARKS)
def benchmark_run(request, tmp_path_factory):
    if request.param == "lifbench":
        return Lifbench(tmp_path_factory.mktemp("lifbench"))
    return JudgedRun(request.param)


@pytest.fixture(scope="module", params=list(SMALL))
def judged(request):
    return JudgedRun(request.param)


def gold(run, samples: Sequence[Sample]) -> dict[str, str]:
    oracle = SampleOracle(run.task.simulator.make(), samples)
    return {sample.id: oracle.reference(sample.id) for sample in samples}


def scored(run, part: str, outputs: Path, like: Mapping[str, str]) -> list[Record]:
    """Score records of outputs, with the verdicts that the gold answers get."""
    samples = run.samples[part]
    scoring = run.task.scoring.make()
    assert isinstance(scoring, Scoring)
    replies = {}
    if run.task.judging:
        replies = {"first": run.replies(part, run.answers(part))}
    answers = read_answers(outputs, samples)
    return list(score_records(scoring, samples, answers, replies))


def items(run, samples: Sequence[Sample]) -> list[Item]:
    joined = run.joined if isinstance(run, Lifbench) else run.task.samples.make()
    return [joined.item(sample) for sample in samples]


@pytest.mark.quick(2)
@pytest.mark.parametrize("dialect", PROVIDERS)
def test_gold_behind_reasoning_scores_what_gold_scores(benchmark_run, dialect, tmp_path):
    run = benchmark_run
    (form, reasoning) = PROVIDERS[dialect]
    for part, samples in run.samples.items():
        texts = gold(run, samples)
        asked = items(run, samples)
        plain = tmp_path / f"{part}-plain"
        behind = tmp_path / f"{part}-behind"
        for folder in (plain, behind):
            folder.mkdir()
        of_gold = Thinker("{answer}", None, "stop", plain).outputs(asked, texts)
        outputs = Thinker(form, reasoning, "stop", behind).outputs(asked, texts)
        records = list(read_jsonl(outputs))
        assert {record["reasoning"] for record in records} == {REASONING}
        assert scored(run, part, outputs, texts) == scored(run, part, of_gold, texts)


def test_an_unfinished_reasoning_scores_nothing(benchmark_run, tmp_path):
    run = benchmark_run
    for part, samples in run.samples.items():
        texts = gold(run, samples)
        thinker = Thinker(CUT, {"parser": "qwen3"}, "length", tmp_path)
        outputs = thinker.outputs(items(run, samples), texts)
        scores = scored(run, part, outputs, texts)
        assert {(s["status"], s["total"], s["points"]) for s in scores} == {
            ("unfinished", None, None)
        }


@pytest.mark.quick(2)
@pytest.mark.parametrize("dialect", PROVIDERS)
def test_a_judge_that_thinks_gives_the_verdicts_of_one_that_does_not(judged, dialect, tmp_path):
    form, reasoning = PROVIDERS[dialect]
    for part in judged.samples:
        answers = judged.answers(part)
        prompts = judge_items(judged.judge_prompts(part, answers))
        told = judged.replies(part, answers)
        texts = {key: reply.text for key, reply in told.items()}
        outputs = Thinker(form, reasoning, "stop", tmp_path).outputs(prompts, texts)
        replies = read_replies(outputs)
        assert {key: reply.text for key, reply in replies.items()} == {
            key: text.strip() for key, text in texts.items()
        }
        found = judged.scores(part, answers, first=replies)
        assert found == judged.scores(part, answers, first=told)


def test_a_judge_cut_in_its_reasoning_gives_no_verdict(judged, tmp_path):
    for part in judged.samples:
        answers = judged.answers(part)
        asked = judged.judge_prompts(part, answers)
        texts = {key: reply.text for key, reply in judged.replies(part, answers).items()}
        thinker = Thinker(CUT, {"parser": "qwen3"}, "length", tmp_path)
        replies = read_replies(thinker.outputs(judge_items(asked), texts))
        found = judged.scores(part, answers, first=replies)
        judged_answers = {prompt.answer_id for prompt in asked}
        assert {found[name]["status"] for name in judged_answers} == {"invalid"}
        assert {found[name]["total"] for name in judged_answers} == {None}
