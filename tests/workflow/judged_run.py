"""One judged benchmark from data to scores without Snakemake, through its registered surface."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import judge_server
from steadfast.config import load_config
from steadfast.engines.run import run_part
from steadfast.files import read_jsonl, write_jsonl
from steadfast.judging.requests import items, reader
from steadfast.registry import as_paths, benchmark

SMALL = {
    "followbench": {"groups": 1, "languages": ["en", "zh"]},
    "cfbench": {"records": 40},
    "complexbench": {"instances": 12, "languages": ["zh", "en"]},
}
"""Synthetic data of each benchmark, as little as holds every kind of item."""


class JudgedRun:
    """A benchmark's small synthetic run in a folder: a model m, and a judge http.

    Args:
        folder: for all files.
        name: of the benchmark.
        mode: strict or released.
    """

    def __init__(self, folder: Path, name: str, mode: str = "strict"):
        self.folder, self.name = folder, name
        self._module = benchmark(name)
        self._config = load_config(
            {
                "benchmarks": [name],
                name: SMALL[name],
                "judging": {"mode": mode},
                "judges": {"http": {"engine": "openai", "model": "judge-1"}},
                "models": {"m": {"engine": "reference"}},
            }
        )
        self.parts = self._module.parts(self._config)
        for language in self._module.languages(self._config):
            chosen = self._module.data_settings(self._config, language)
            self._module.write_data(chosen, language, folder / f"data/{language}.jsonl")
        for part in self.parts:
            self._module.write_prompts(part, self._sources(part), self._path("prompts", part))

    def fork(self, folder: Path) -> "JudgedRun":
        """A copy that a judge has not yet been asked in."""
        copy = object.__new__(JudgedRun)
        copy.__dict__ |= self.__dict__ | {"folder": folder}
        for stage in ("data", "prompts", "outputs", "judging"):
            shutil.copytree(self.folder / stage, folder / stage)
        return copy

    def _path(self, stage: str, part: str) -> Path:
        return self.folder / stage / f"{part}.jsonl"

    def _sources(self, part: str) -> dict[str, dict[str, Path]]:
        """The part's sources, which are all data, in this folder."""
        sources = as_paths(self._module.sources(self._config, part))
        return {
            kind: {name: self.folder / "data" / path.name for name, path in files.items()}
            for kind, files in sources.items()
        }

    def records(self, stage: str) -> dict[tuple[str, str], dict]:
        """The records of all parts by part and sample (answer) id."""
        return {
            (part, record.get("sample_id") or record["answer_id"]): record
            for part in self.parts
            for record in read_jsonl(self._path(stage, part))
        }

    def answer(self, text: Callable[[str, str], str] | None = None) -> None:
        """Writes answers, the reference's or a function's of part and sample id; judge prompts."""
        for part in self.parts:
            prompts, sources = self._path("prompts", part), self._sources(part)
            oracle = self._module.oracle(prompts, sources)
            outputs = [
                {
                    "sample_id": name,
                    "status": "ok",
                    "text": text(part, name) if text else oracle.reference(name),
                    "truncated_tokens": 0,
                }
                for name in (prompt["sample_id"] for prompt in read_jsonl(prompts))
            ]
            write_jsonl(self._path("outputs", part), outputs)
            templates = self._module.templates(self._config)
            self._module.write_judge_prompts(
                part=part,
                prompts=prompts,
                sources=sources,
                outputs=self._path("outputs", part),
                templates={name: judge_server.ROOT / path for name, path in templates.items()},
                settings=self._module.judge_settings(self._config),
                out=self._path("judging", part),
            )

    def judge(self, url: str, attempts: int = 3) -> None:
        """Asks the judge at an address about every answer."""
        for part in self.parts:
            judging = self._path("judging", part)
            run_part(
                model="http",
                answers={"engine": "openai", "model": "judge-1"},
                operation={
                    "base_url": url,
                    "api_key_env": None,
                    "concurrency": 8,
                    "backoff": 0.01,
                },
                items=items(judging),
                oracle=self._module.judge_oracle(judging),
                journal=self._path("journal", part),
                out=self._path("verdicts", part),
                identity_out=self.folder / f"verdicts/{part}.identity.json",
                log=self.folder / "log",
                readable=reader(judging, self._module.readable),
                attempts=attempts,
            )

    def score(self) -> dict[tuple[str, str], dict]:
        """Scores every answer by the judge's replies; the records by part and sample id."""
        for part in self.parts:
            self._module.score_part(
                part=part,
                settings=self._module.scoring_settings(self._config),
                prompts=self._path("prompts", part),
                sources=self._sources(part),
                outputs=self._path("outputs", part),
                out=self._path("scores", part),
                verdicts={"http": self._path("verdicts", part)},
            )
        return self.records("scores")

    def requests(self) -> list["JudgeRequest"]:
        """What is asked of the judge, as it understands it."""
        return [r for part in self.parts for r in requests_in(self._path("judging", part))]


@dataclass(frozen=True)
class JudgeRequest:
    """One request: part, sample ids of answer and request, and the whole prompt."""

    part: str
    answer_id: str
    sample_id: str
    prompt: str

    @cached_property
    def asked(self) -> judge_server.Asked:
        """How the judge understands it."""
        asked = judge_server.read(self.prompt)
        assert asked, f"not by a template of the project: {self.prompt}"
        return asked

    @property
    def answer(self) -> tuple[str, str]:
        """Part and sample id of the answer."""
        return self.part, self.answer_id

    def verdicts(self, score: dict) -> list[float | bool | None]:
        """What the answer's score record took for the judge's verdicts; none if it took none."""
        if "raw" in score:  # ComplexBench asks about each question by itself
            raw = (score["raw"] or {}).get(self.question)
            return [] if raw is None else [raw]
        return list((score["points"] or {}).values())

    @property
    def question(self) -> str:
        """The number of ComplexBench's question."""
        return self.sample_id.rpartition("/")[2]


def requests_in(judging: Path) -> list[JudgeRequest]:
    """What a file of judge prompts asks; its name is the part."""
    return [
        JudgeRequest(
            judging.stem,
            record["answer_id"],
            request["sample_id"],
            record["head"] + record["answer"] + request["tail"],
        )
        for record in read_jsonl(judging)
        for request in record["requests"]
    ]
