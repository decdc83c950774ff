"""A run of ComplexBench without engines: answers and judges' replies are given, or stood in for."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path

from steadfast.complexbench import benchmark
from steadfast.complexbench.ways import TEMPLATES
from steadfast.files import read_jsonl, write_jsonl

ROOT = Path(__file__).resolve().parents[2]
JUDGE_TEMPLATES = {name: ROOT / f"resources/complexbench/judge/{name}.txt" for name in TEMPLATES}
STRICT = {"mode": "strict", "judging": "rules"}
RELEASED = {"mode": "released", "judging": "rules"}

Reply = Callable[[dict, dict], str | None]
"""A judge's reply to a request (its record, itself); None where the request fails."""


class Run:
    """The files of one data set: prompts, outputs, judge prompts, verdicts, scores, metrics.

    Args:
        directory: for the files.
        records: instances in the shape of the data files, in the language of all parts.
    """

    def __init__(self, directory: Path, records: list[dict], settings: Mapping = STRICT):
        self.directory, self.settings = directory, dict(settings)
        self.data = {"zh": directory / "zh.jsonl", "en": directory / "en.jsonl"}
        for path in self.data.values():
            write_jsonl(path, records)
        self.scores: dict[tuple[str, str], Path] = {}

    def sources(self, part: str) -> dict[str, dict[str, Path]]:
        language = part.partition("-")[0]
        return {"data": {language: self.data[language]}}

    def prompts(self, part: str = "zh") -> Path:
        path = self.directory / f"prompts-{part}.jsonl"
        benchmark.write_prompts(part, self.sources(part), path)
        return path

    def answer(self, texts: Mapping[str, str | None] | str, model="m", part="zh") -> Path:
        """Outputs with those texts by sample id, or one text for all; None is an error."""
        rows = []
        for prompt in read_jsonl(self.prompts(part)):
            text = texts if isinstance(texts, str) else texts[prompt["sample_id"]]
            status = "error" if text is None else "ok"
            rows.append({"sample_id": prompt["sample_id"], "status": status, "text": text or ""})
        path = self.directory / f"outputs-{model}-{part}.jsonl"
        write_jsonl(path, [row | {"truncated_tokens": 0} for row in rows])
        return path

    def stand_in(self, model: str = "reference", part: str = "zh", reader=None) -> Path:
        """Outputs of the reference, or of a simulated reader."""
        oracle = benchmark.oracle(self.prompts(part), self.sources(part))
        ids = [prompt["sample_id"] for prompt in read_jsonl(self.prompts(part))]
        return self.answer({i: _said(oracle, i, reader) for i in ids}, model, part)

    def ask(self, model: str = "m", part: str = "zh", templates=JUDGE_TEMPLATES) -> list[dict]:
        """The records of the judge prompts."""
        benchmark.write_judge_prompts(
            part,
            self.prompts(part),
            self.sources(part),
            self.directory / f"outputs-{model}-{part}.jsonl",
            templates,
            self.settings,
            self._judging(model, part),
        )
        return list(read_jsonl(self._judging(model, part)))

    def judge(self, reply: Reply | None = None, judge="j", model="m", part="zh", reader=None):
        """Replies of a judge to the judge prompts; without ``reply`` of a stand-in."""
        oracle = None if reply else benchmark.judge_oracle(self._judging(model, part))
        rows = []
        for record in self.ask(model, part):
            for request in record["requests"]:
                sample = request["sample_id"]
                text = reply(record, request) if reply else _said(oracle, sample, reader)
                status = "error" if text is None else "ok"
                rows.append({"sample_id": sample, "status": status, "text": text or ""})
        write_jsonl(self._verdicts(judge, model, part), rows)

    def score(self, judges=("j",), model="m", part="zh") -> dict[str, dict]:
        """Score records by sample id."""
        path = self.scores[model, part] = self.directory / f"scores-{model}-{part}.jsonl"
        benchmark.score_part(
            part,
            self.settings,
            self.prompts(part),
            self.sources(part),
            self.directory / f"outputs-{model}-{part}.jsonl",
            path,
            {judge: self._verdicts(judge, model, part) for judge in judges},
        )
        return {record["sample_id"]: record for record in read_jsonl(path)}

    def stood_in(self, model: str, part: str = "zh", reader=None, judges=(("j", None),)) -> dict:
        """The scores of a stand-in for a model by stand-ins for judges."""
        self.stand_in(model, part, reader)
        for judge, settings in judges:
            self.ask(model, part)
            self.judge(judge=judge, model=model, part=part, reader=settings)
        return self.score([judge for judge, _ in judges], model, part)

    def metrics(self, labels: Path | None = None) -> dict[str, Path]:
        """The metrics' files of all that was scored."""
        outs = {name: self.directory / f"metrics-{name}.csv" for name in benchmark.METRICS}
        parts = {part for _, part in self.scores}
        benchmark.compute_metrics(
            self.scores,
            {part: self.sources(part) for part in sorted(parts)},
            {"mode": self.settings["mode"], "languages": ["zh"]},
            {"labels": labels} if labels else {},
            outs,
        )
        return outs

    def _judging(self, model: str, part: str) -> Path:
        return self.directory / f"judging-{model}-{part}.jsonl"

    def _verdicts(self, judge: str, model: str, part: str) -> Path:
        return self.directory / f"verdicts-{judge}-{model}-{part}.jsonl"


def _said(oracle, sample: str, reader) -> str:
    if reader is None:
        return oracle.reference(sample)
    return oracle.simulated(
        sample, reader, 1.0, random.Random(f"{sorted(reader.items())}/{sample}")
    )


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


def asked(text: str = "是否满足？", **fields) -> dict:
    """A scoring question in the shape of the data files."""
    made = {
        "question": text,
        "rule": None,
        "constraint_dimensions": ["Helpfulness"],
        "composition_types": [],
        "dep": [],
    }
    return made | fields


def synthetic(directory: Path, count: int = 60, language: str = "zh") -> list[dict]:
    """Generated instances in the shape of the data files."""
    path = directory / "synthetic.jsonl"
    settings = {"source": "synthetic", "extra": None, "instances": count, "seed": 1}
    benchmark.write_data(settings, language, path)
    return list(read_jsonl(path))


def verdict(holds: bool) -> str:
    return f"分析：略。\n答案：{'是' if holds else '否'}"


def copied(text: str) -> str:
    return f"【解释】\n略。\n\n【模型回复中评分问题的评测对象】\n评分对象：{text}"
