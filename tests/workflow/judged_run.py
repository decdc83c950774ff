"""A judged benchmark from data to scores in memory, by its task's components."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import judge_server
from send_items import send_items
from steadfast.base.files import Record
from steadfast.config.load import load_config
from steadfast.contract.components import Answer, JudgePrompt, Reply, Sample
from steadfast.contract.part_files import JudgeOracle, SampleOracle, judge_items, read_replies
from steadfast.contract.registry import benchmarks
from steadfast.judging.judge_prompts import judge_prompts_of, load_templates
from steadfast.stages.score import score_records

SMALL = {
    "followbench": {"languages": ["en", "zh"]},
    "cfbench": {},
    "complexbench": {"languages": ["zh", "en"]},
}
"""Synthetic data with every kind of item of each benchmark."""
READER = {"span": 1000, "position_bias": 0.4, "slip": 0.2, "seed": 1}
Answers = dict[str, Answer]
Replies = dict[str, Reply]
Changes = Mapping[str, Record]
"""Fields of answers or replies to replace, by sample or request."""


class JudgedRun:
    """A benchmark's parts, data and samples, with simulated models and judges.

    Args:
        name: of the benchmark.
        section: its section of the config.
        mode: strict or released.
        judging: further settings of that section.
    """

    def __init__(
        self, name: str, section: Mapping | None = None, mode: str = "strict", **judging: object
    ):
        config = load_config(
            {
                "benchmarks": [name],
                name: SMALL[name] if section is None else section,
                "judging": {"mode": mode, **judging},
                "judges": {key: {"engine": "reference"} for key in ("first", "second")},
                "models": {"m": {"engine": "reference"}},
            }
        )
        self.task = benchmarks()[name].of(config)
        files = {file.path: list(file.content.make({})) for file in self.task.data}
        self.data = {}
        self.samples = {}
        for name, part in self.task.parts.items():
            data = {}
            for (kind, file), path in part.sources.items():
                data.setdefault(kind, {})[file] = files[path]
            self.data[name] = data
            self.samples[name] = self._samples(name)

    def _samples(self, part: str) -> list[Sample]:
        data = self.data[part]
        prompts = list(self.task.prompts.make(part, data))
        sources = self.task.samples.make().sources(prompts, data)
        samples = {}
        for prompt, source in zip(prompts, sources, strict=True):
            before = samples.get(prompt.get("follows"))
            samples[prompt["sample_id"]] = Sample(part, prompt, source, before)
        return list(samples.values())

    def answers(self, part: str, how: str = "reference", changes: Changes | None = None) -> Answers:
        """Simulated answers, some of them changed."""
        oracle = SampleOracle(self.task.simulator.make(), self.samples[part])
        answers = {}
        for sample in self.samples[part]:
            before = answers[sample.before.id] if sample.before else None
            answer = Answer("ok", _reply(oracle, sample.id, how), before=before)
            answers[sample.id] = replace(answer, **(changes or {}).get(sample.id, {}))
        return answers

    def judge_prompts(
        self, part: str, answers: Answers, templates: Mapping[str, str] | None = None
    ) -> list[JudgePrompt]:
        """The judge prompts of answers."""
        builder = self.task.judging.prompts.make()
        loaded = load_templates(builder, templates or self.task.judging.templates, Path())
        return list(judge_prompts_of(builder, loaded, self.samples[part], answers))

    def replies(
        self, part: str, answers: Answers, how: str = "reference", changes: Changes | None = None
    ) -> Replies:
        """A simulated judge's replies, some of them changed."""
        prompts = self.judge_prompts(part, answers)
        oracle = JudgeOracle(self.task.judging.simulator.make(), prompts)
        replies = {}
        for prompt in prompts:
            for request in prompt.requests:
                reply = Reply("ok", _reply(oracle, request.id, how))
                replies[request.id] = replace(reply, **(changes or {}).get(request.id, {}))
        return replies

    def query_judge(self, part: str, answers: Answers, url: str, folder: Path, attempts: int = 3):
        """The replies of the judge at an address, by request; their records stay in a folder."""
        prompts = self.judge_prompts(part, answers)
        out = folder / f"{part}.jsonl"
        judged = {}
        for prompt in prompts:
            for request in prompt.requests:
                judged[request.id] = (request.expected, prompt.answer)

        def readable(request: str, reply: str) -> bool:
            expected, answer = judged[request]
            return self.task.judging.readable.make(expected, reply, answer)

        send_items(
            model="http",
            answers={"engine": "openai", "model": "judge-1"},
            operation={"base_url": url, "api_key_env": None, "max_concurrency": 8},
            items=judge_items(prompts),
            journal=folder / f"journal/{part}.jsonl",
            out=out,
            provenance_out=folder / f"{part}.provenance.json",
            log=folder / "log",
            readable=readable,
            attempts=attempts,
        )
        return read_replies(out)

    def scores(self, part: str, answers: Answers, **replies: Replies) -> dict[str, Record]:
        """Score records by sample; the first judge's replies count."""
        scoring = self.task.scoring.make()
        records = score_records(scoring, self.samples[part], answers, replies)
        return {record["sample_id"]: record for record in records}


def _reply(oracle: SampleOracle | JudgeOracle, name: str, how: str) -> str:
    if how == "reference":
        return oracle.reference(name)
    return oracle.simulated(name, READER, 1.0, random.Random(f"{how}/{name}"))


@dataclass(frozen=True)
class SentRequest:
    """A request to a judge, with its complete prompt."""

    part: str
    answer_id: str
    id: str
    prompt: str

    @cached_property
    def query(self) -> judge_server.JudgeQuery:
        """The prompt as the simulated judge parses it."""
        parsed = judge_server.read(self.prompt)
        assert parsed, f"not by a template of the project: {self.prompt}"
        return parsed

    @property
    def answer(self) -> tuple[str, str]:
        """Part and sample id of the answer."""
        return self.part, self.answer_id

    def verdicts(self, score: Record) -> list[float | bool | None]:
        """The judge's verdicts in the answer's score record."""
        if "raw" in score:  # ComplexBench has a request for each question
            raw = (score["raw"] or {}).get(self.question)
            return [] if raw is None else [raw]
        return list((score["points"] or {}).values())

    @property
    def question(self) -> str:
        """The number of ComplexBench's question."""
        return self.id.rpartition("/")[2]


def sent(part: str, prompts: Iterable[JudgePrompt]) -> list[SentRequest]:
    """The requests of judge prompts."""
    requests = []
    for prompt in prompts:
        for request in prompt.requests:
            text = prompt.head + prompt.answer + request.tail
            requests.append(SentRequest(part, prompt.answer_id, request.id, text))
    return requests
