"""ComplexBench in memory: records, responses and judges' replies, by hand or simulated."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from judged_run import Answers, JudgedRun
from released_files import released_folder
from steadfast.base.files import Record
from steadfast.benchmarks.complexbench import data
from steadfast.benchmarks.complexbench.benchmark import COMPLEXBENCH, Complexbench
from steadfast.benchmarks.complexbench.metrics import metrics
from steadfast.benchmarks.complexbench.simulator import ComplexbenchJudge, ComplexbenchSimulator
from steadfast.contract import components
from steadfast.contract.task import Task
from steadfast.schema.config import Config

MODES = ("strict", "released")
JudgeReply = Callable[[components.JudgePrompt, components.JudgeRequest], str | None]
"""A judge's reply; None where the request fails."""


def data_file(name: str) -> Path:
    """A file of the published data."""
    return released_folder("complexbench", "data") / name


def task(section: Mapping | None = None, **config) -> Task:
    """The task of a config; model and judge are references if it names none."""
    engine = {"engine": "reference"}
    raw = {"benchmarks": ["complexbench"], "models": {"m": engine}, "judges": {"j": engine}}
    settings = Complexbench.model_validate(dict(section or {}))
    return COMPLEXBENCH.task(Config.model_validate({**raw, **config}), settings)


class Run(JudgedRun):
    """A run over records in the shape of the data files, the same for all parts."""

    def __init__(self, records: Sequence[Record], mode: str = "strict", judging: str = "rules"):
        decomposition = any(record["turns"] for record in records)
        section = {"languages": ["zh", "en"], "decomposition": decomposition, "judging": judging}
        self.task = task(section, judging={"mode": mode})
        self.mode = mode
        self.data = {part: {"data": {part.partition("-")[0]: records}} for part in self.task.parts}
        self.samples = {part: self._samples(part) for part in self.task.parts}
        self.scored: list[components.Scored] = []

    def responses(self, texts: Mapping[str, str | None] | str, part: str = "zh") -> Answers:
        """Responses with these texts by sample, or one text for all; None is an error."""
        answers: Answers = {}
        for sample in self.samples[part]:
            text = texts if isinstance(texts, str) else texts[sample.id]
            before = answers[sample.before.id] if sample.before else None
            status = "error" if text is None else "ok"
            answers[sample.id] = components.Answer(status, text or "", before=before)
        return answers

    def simulated_responses(self, slip: float = 0.0, part: str = "zh") -> Answers:
        """A simulated model's responses; without slips those of the reference."""
        simulator = ComplexbenchSimulator()
        texts = {}
        for sample in self.samples[part]:
            texts[sample.id] = simulator.reference(sample)
            if slip:
                rng = Random(f"{slip}/{sample.id}")
                texts[sample.id] = simulator.simulated(sample, {"slip": slip}, 1.0, rng)
        return self.responses(texts, part)

    def score(
        self, answers: Answers, model: str = "m", part: str = "zh", **judges: JudgeReply
    ) -> dict[str, Record]:
        """Score records by sample, also collected for the metrics.

        Without judges, a simulated one replies.
        """
        prompts = self.judge_prompts(part, answers)
        replies: dict[str, dict] = {}
        for judge, reply in (judges or {"j": simulated_judge()}).items():
            replies[judge] = {}
            for prompt in prompts:
                for request in prompt.requests:
                    text = reply(prompt, request)
                    status = "error" if text is None else "ok"
                    replies[judge][request.id] = components.Reply(status, text or "")
        records = self.scores(part, answers, **replies)
        self.scored += [components.Scored(model, part, record) for record in records.values()]
        return records

    def metrics(
        self,
        labels: Sequence[Record] | None = None,
        judges: Sequence[str] = ("j",),
        languages: Sequence[str] = ("zh",),
    ) -> components.Frames:
        """The metrics of all scores so far."""
        people = None if labels is None else components.Labels("people.jsonl", labels)
        return metrics(iter(self.scored), self.data, people, self.mode, languages, judges)


def simulated_judge(slip: float = 0.0) -> JudgeReply:
    """A judge that believes what simulated responses declare."""
    judge = ComplexbenchJudge()
    if not slip:
        return judge.reference
    return lambda prompt, request: judge.simulated(
        prompt, request, {"slip": slip}, Random(f"{slip}/{request.id}")
    )


def judge_replying(replies_by_point: Mapping[int, str | None]) -> JudgeReply:
    """A judge with a fixed reply to each question."""
    return lambda _, request: replies_by_point[request.expected["point"]]


def verdict_reply(holds: bool) -> str:
    return f"分析：略。\n答案：{'是' if holds else '否'}"


def extraction_reply(text: str) -> str:
    return f"【解释】\n略。\n\n【模型回复中评分问题的评测对象】\n评分对象：{text}"


def question(text: str = "是否满足？", **fields) -> dict:
    """A scoring question in the shape of the data files."""
    return {
        "question": text,
        "rule": None,
        "constraint_dimensions": ["Helpfulness"],
        "composition_types": [],
        "dep": [],
        **fields,
    }


def record(number: int = 0, questions: list[dict] | None = None, **fields) -> dict:
    """An instance in the shape of the data files."""
    questions = [question()] if questions is None else questions
    for point, scoring_question in enumerate(questions):
        scoring_question["point_id"] = point
    return {
        "main_id": number,
        "group": f"g{number}",
        "idx_in_group": 1,
        "instruction": f"指令{number}",
        "task_types": "Creative Writing",
        "constraint_dimensions": ["Helpfulness"],
        "composition_types": ["And"],
        "category": "And",
        "scoring_questions": questions,
        "turns": [],
        "origin": "local",
        **fields,
    }


def decomposed_record(*questions: dict) -> dict:
    """An instance of two turns, the first with one question."""
    points = list(range(len(questions)))
    turns = [
        {"instruction": "第一步", "points": points[:1]},
        {"instruction": "第二步", "points": points[1:]},
    ]
    kinds = {"composition_types": ["Selection"], "category": "Selection_1"}
    return record(questions=list(questions), turns=turns, **kinds)


@cache
def synthetic_records(count: int = 60, language: str = "zh") -> list[dict]:
    """The first synthetic instances in the shape of the data files."""
    return data.sample({}, language, None)[:count]
