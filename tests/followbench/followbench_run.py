"""FollowBench from data to scores without Snakemake, with models and judges that need none."""

import random
from pathlib import Path

from followbench_data import data_file
from steadfast.files import read_jsonl, write_jsonl
from steadfast.followbench import benchmark

ROOT = Path(__file__).resolve().parents[2]
READER = {"span": 1000, "position_bias": 0.4, "slip": 0.2, "seed": 1}


class Run:
    """One language's data and prompts, and what models and judges make of them.

    Args:
        folder: for all files.
        source: synthetic, or local: the released data.
        language: en or zh.
        mode: strict or released.
    """

    def __init__(self, folder: Path, source="synthetic", language="en", mode="strict"):
        self.folder, self.language, self.mode = folder, language, mode
        self.data = data_file(folder, source, language)
        self.sources = {"data": {language: self.data}}
        self.prompts = folder / f"prompts.{language}.jsonl"
        benchmark.write_prompts(language, self.sources, self.prompts)
        self.template = ROOT / f"resources/followbench/judge/{language}.txt"

    def path(self, *names: str) -> Path:
        return self.folder / f"{'.'.join([*names, self.language])}.jsonl"

    def answer(self, model: str, how: str = "reference", **changes) -> list[dict]:
        """Outputs of a stand-in; ``changes`` replaces whole outputs by their sample's name."""
        oracle = benchmark.oracle(self.prompts, self.sources)
        outputs = [_output(p["sample_id"], oracle, how) for p in read_jsonl(self.prompts)]
        outputs = [output | changes.get(output["sample_id"], {}) for output in outputs]
        write_jsonl(self.path("outputs", model), outputs)
        return outputs

    def judge(self, model: str, judge: str, how: str = "reference", **changes) -> list[dict]:
        """Judge prompts about a model's answers, and a stand-in's replies, likewise changed."""
        judging = self.path("judging", model)
        benchmark.write_judge_prompts(
            self.language,
            self.prompts,
            self.sources,
            self.path("outputs", model),
            {self.language: self.template},
            {},
            judging,
        )
        oracle = benchmark.judge_oracle(judging)
        asked = [request["sample_id"] for r in read_jsonl(judging) for request in r["requests"]]
        replies = [_output(name, oracle, how, judge) for name in asked]
        replies = [reply | changes.get(reply["sample_id"], {}) for reply in replies]
        write_jsonl(self.path("verdicts", judge, model), replies)
        return replies

    def score(self, model: str, *judges: str) -> list[dict]:
        """Score records of a model."""
        out = self.path("scores", model)
        benchmark.score_part(
            self.language,
            {"mode": self.mode},
            self.prompts,
            self.sources,
            self.path("outputs", model),
            out,
            {judge: self.path("verdicts", judge, model) for judge in judges},
        )
        return list(read_jsonl(out))

    def whole(self, model: str, how: str, judge: str = "judge", judging: str = "reference"):
        """A model's scores, from the start."""
        self.answer(model, how)
        self.judge(model, judge, judging)
        return self.score(model, judge)


def _output(sample_id: str, oracle, how: str, judge: str = "") -> dict:
    rng = random.Random(f"{judge}/{sample_id}")
    text = (
        oracle.reference(sample_id)
        if how == "reference"
        else oracle.simulated(sample_id, READER, 1.0, rng)
    )
    return {"sample_id": sample_id, "status": "ok", "text": text, "truncated_tokens": 0}
