"""ComplexBench in memory: answers and judges' replies are given, or stood in for."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random

from complexbench_instances import asked
from judged_run import Answers, JudgedRun
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


def task(section: Mapping | None = None, **more) -> Task:
    """What a config asks, with a reference and a judge where it names none."""
    engine = {"engine": "reference"}
    raw = {"benchmarks": ["complexbench"], "models": {"m": engine}, "judges": {"j": engine}}
    settings = Complexbench.model_validate(dict(section or {}))
    return COMPLEXBENCH.task(Config.model_validate({**raw, **more}), settings)


class Run(JudgedRun):
    """A data set of one's own, and what models and judges make of it.

    Args:
        records: instances in the shape of the data files, in the language of all parts.
        mode: strict or released.
        judging: rules or plain.
    """

    def __init__(self, records: Sequence[Record], mode: str = "strict", judging: str = "rules"):
        turned = any(record["turns"] for record in records)
        section = {"languages": ["zh", "en"], "decomposition": turned, "judging": judging}
        self.task = task(section, judging={"mode": mode})
        self.mode = mode
        self.data = {part: {"data": {part.partition("-")[0]: records}} for part in self.task.parts}
        self.samples = {part: self._samples(part) for part in self.task.parts}
        self.scored: list[components.Scored] = []

    def given(self, texts: Mapping[str, str | None] | str, part: str = "zh") -> Answers:
        """Answers with those texts by sample, or one text for all; None is an error."""
        found: Answers = {}
        for sample in self.samples[part]:
            text = texts if isinstance(texts, str) else texts[sample.id]
            before = found[sample.before.id] if sample.before else None
            status = "error" if text is None else "ok"
            found[sample.id] = components.Answer(status, text or "", before=before)
        return found

    def read(self, slip: float = 0.0, part: str = "zh") -> Answers:
        """A simulated model's answers; the reference's where nothing slips."""
        simulator = ComplexbenchSimulator()
        texts = {
            one.id: simulator.simulated(one, {"slip": slip}, 1.0, Random(f"{slip}/{one.id}"))
            if slip
            else simulator.reference(one)
            for one in self.samples[part]
        }
        return self.given(texts, part)

    def score(
        self, answers: Answers, model: str = "m", part: str = "zh", **judges: JudgeReply
    ) -> dict[str, Record]:
        """Score records by sample, kept for the metrics; without judges by one that believes."""
        prompts = self.judge_prompts(part, answers)
        replies = {
            judge: {r.id: _replied(reply(p, r)) for p in prompts for r in p.requests}
            for judge, reply in (judges or {"j": believing()}).items()
        }
        found = self.scores(part, answers, **replies)
        self.scored += [components.Scored(model, part, record) for record in found.values()]
        return found

    def metrics(
        self,
        labels: Sequence[Record] | None = None,
        judges: Sequence[str] = ("j",),
        languages: Sequence[str] = ("zh",),
    ) -> components.Frames:
        """The metrics of all that was scored."""
        people = None if labels is None else components.Labels("people.jsonl", labels)
        return metrics(iter(self.scored), self.data, people, self.mode, languages, judges)


def _replied(text: str | None) -> components.Reply:
    return components.Reply("error" if text is None else "ok", text or "")


def believing(slip: float = 0.0) -> JudgeReply:
    """A simulator for a judge, which goes by what answers say of themselves."""
    judge = ComplexbenchJudge()
    if not slip:
        return judge.reference
    return lambda prompt, request: judge.simulated(
        prompt, request, {"slip": slip}, Random(f"{slip}/{request.id}")
    )


def saying(by_point: Mapping[int, str | None]) -> JudgeReply:
    """A judge that replies by question."""
    return lambda _, request: by_point[request.expected["point"]]


def record(number: int = 0, questions: list[dict] | None = None, **fields) -> dict:
    """An instance in the shape of the data files."""
    made = {
        "main_id": number,
        "group": f"g{number}",
        "idx_in_group": 1,
        "instruction": f"指令{number}",
        "task_types": "Creative Writing",
        "constraint_dimensions": ["Helpfulness"],
        "composition_types": ["And"],
        "category": "And",
        "scoring_questions": [asked()] if questions is None else questions,
        "turns": [],
        "origin": "local",
    }
    made |= fields
    for place, one in enumerate(made["scoring_questions"]):
        one["point_id"] = place
    return made


def turned(*questions: dict, first: int = 1) -> dict:
    """An instance of two turns, of which the first has so many questions."""
    points = list(range(len(questions)))
    turns = [
        {"instruction": "第一步", "points": points[:first]},
        {"instruction": "第二步", "points": points[first:]},
    ]
    kinds = {"composition_types": ["Selection"], "category": "Selection_1"}
    return record(questions=list(questions), turns=turns, **kinds)


@cache
def synthetic(count: int = 60, language: str = "zh") -> list[dict]:
    """The project's own instances in the shape of the data files."""
    return data.sample({}, language, None)[:count]


def verdict(holds: bool) -> str:
    return f"分析：略。\n答案：{'是' if holds else '否'}"


def copied(text: str) -> str:
    return f"【解释】\n略。\n\n【模型回复中评分问题的评测对象】\n评分对象：{text}"
