"""A small run of CFBench on files: prompts, answers, judge prompts, replies, scores."""

import random
from collections.abc import Callable
from pathlib import Path

from steadfast.cfbench.answers import CfbenchJudge, CfbenchOracle
from steadfast.cfbench.data import write_data
from steadfast.cfbench.facts import RESOURCES
from steadfast.cfbench.judge import write_judge_prompts
from steadfast.cfbench.prompts import write_prompts
from steadfast.cfbench.scoring import score_part
from steadfast.files import Record, read_jsonl, write_jsonl

TEMPLATE = RESOURCES / "judge/zh.txt"
READER = {"slip": 0.3, "position_bias": 0.3, "span": 1000, "name": "sim-a", "seed": 1}
CAREFUL = {"slip": 0.0, "position_bias": 0.0, "span": 1000, "name": "sim-b", "seed": 1}


def output(sample_id: str, text: str, status: str = "ok") -> Record:
    return {"sample_id": sample_id, "status": status, "text": text, "truncated_tokens": 0}


class Run:
    """Files of one run in a folder; each stage writes what the next one reads."""

    def __init__(self, folder: Path, mode: str = "strict", settings: dict | None = None):
        self.folder, self.mode = folder, mode
        self.data = {"zh": folder / "data.jsonl"}
        self.prompts = folder / "prompts.jsonl"
        settings = settings or {"source": "synthetic", "records": 24, "seed": 1}
        write_data(settings, "zh", self.data["zh"])
        write_prompts(self.data["zh"], self.prompts)
        self.records = list(read_jsonl(self.data["zh"]))
        self.ids = [record["sample_id"] for record in self.records]

    def answer(self, model: str, text: Callable[[str], str | None]) -> Path:
        """Writes a model's outputs; None is a refusal."""
        answers = {name: text(name) for name in self.ids}
        path = self.folder / f"{model}.outputs.jsonl"
        write_jsonl(
            path,
            [output(n, t or "", "refused" if t is None else "ok") for n, t in answers.items()],
        )
        return path

    def reference(self, model: str = "reference") -> Path:
        return self.answer(model, CfbenchOracle(self.prompts, self.data).reference)

    def simulated(self, model: str, reader: dict) -> Path:
        oracle = CfbenchOracle(self.prompts, self.data)
        return self.answer(
            model, lambda n: oracle.simulated(n, reader, 1.0, random.Random(f"{model}/{n}"))
        )

    def judging(self, model: str, template: Path = TEMPLATE) -> Path:
        path = self.folder / f"{model}.judging.jsonl"
        outputs = self.folder / f"{model}.outputs.jsonl"
        write_judge_prompts(self.prompts, self.data, outputs, template, self.mode, path)
        return path

    def judge(self, model: str, judge: str, slip: float | None = None) -> Path:
        """Writes a stand-in judge's replies; without a slip it is the reference judge."""
        oracle = CfbenchJudge(self.judging(model))
        ids = [r["answer_id"] for r in read_jsonl(self.folder / f"{model}.judging.jsonl")]
        if slip is None:
            return self.reply(model, judge, {n: oracle.reference(n) for n in ids})
        seeds = {n: random.Random(f"{judge}/{model}/{n}") for n in ids}
        reader = {"slip": slip}
        return self.reply(
            model, judge, {n: oracle.simulated(n, reader, 1.0, seeds[n]) for n in ids}
        )

    def reply(self, model: str, judge: str, replies: dict[str, str]) -> Path:
        path = self.folder / f"{model}.{judge}.verdicts.jsonl"
        write_jsonl(path, [output(name, text) for name, text in replies.items()])
        return path

    def score(self, model: str, *judges: str) -> Path:
        path = self.folder / f"{model}.scores.jsonl"
        verdicts = {j: self.folder / f"{model}.{j}.verdicts.jsonl" for j in judges}
        outputs = self.folder / f"{model}.outputs.jsonl"
        score_part(self.prompts, self.data, outputs, verdicts, self.mode, path)
        return path

    def scores(self, model: str, *judges: str) -> list[Record]:
        return list(read_jsonl(self.score(model, *judges)))
