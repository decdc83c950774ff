"""A benchmark's files in a results folder, made by the stages as the rules call them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.config import settings
from steadfast.config.load import load_config
from steadfast.contract.engine_names import STAND_INS
from steadfast.contract.part_files import PartFiles
from steadfast.contract.registry import benchmarks
from steadfast.judging.ask_judge import write_judge_prompts
from steadfast.run.request_of_job import Asked
from steadfast.stages.answer import Job, answer_part, judge_part
from steadfast.stages.make_data import make_data
from steadfast.stages.score import score_part
from steadfast.stages.write_prompts import write_prompts


class Prepared:
    """What the rules of one benchmark make, where they make it.

    Args:
        raw: the config; of its benchmarks, the first.
        results: folder of the results.
    """

    def __init__(self, raw: Mapping[str, Any], results: Path):
        self._raw, self.config = raw, load_config(raw)
        self.name = self.config.benchmarks[0]
        self.task = benchmarks()[self.name].of(self.config)
        self.results, self.folder = results, results / self.name

    def prompts(self, part: str) -> Path:
        return self.folder / f"prompts/{part}.jsonl"

    def outputs(self, model: str, part: str) -> Path:
        return self.folder / f"outputs/{model}/{part}.jsonl"

    def judging(self, model: str, part: str) -> Path:
        return self.folder / f"judging/{model}/{part}.jsonl"

    def verdicts(self, judge: str, model: str, part: str) -> Path:
        return self.folder / f"verdicts/{judge}/{model}/{part}.jsonl"

    def scores(self, model: str, part: str) -> Path:
        return self.folder / f"scores/{model}/{part}.jsonl"

    def part(self, name: str) -> PartFiles:
        """A part's files."""
        files = self.task.parts[name].sources.items()
        sources = [(kind, file, self.results / path) for (kind, file), path in files]
        return PartFiles(name, self.task.samples.plain, self.prompts(name), sources)

    def make_data(self) -> None:
        """Makes the data of all parts."""
        for part in self.task.parts.values():
            for path in part.sources.values():
                self.make_file(path)

    def make_file(self, path: str) -> None:
        """Makes a data file, and before it those that it is made of, where there is none yet."""
        if (out := self.results / path).exists():
            return
        (file,) = (file for file in self.task.data if file.path == path)
        for needed in file.inputs.values():
            self.make_file(needed)
        inputs = {name: self.results / needed for name, needed in file.inputs.items()}
        make_data(file.content.plain, inputs, out)

    def write_prompts(self) -> None:
        """Writes the prompts of all parts."""
        for part in map(self.part, self.task.parts):
            write_prompts(part.name, self.task.prompts.plain, part.sources, part.prompts)

    def answer(self, model: str, part: str, log: Path) -> None:
        """A model's answers."""
        how, out = settings.model_settings(self.config, model), self.outputs(model, part)
        job = self._job(model, how, self._raw["models"][model], self.task.stand_in, out, log)
        answer_part(job, self.part(part), None)

    def asked(self, model: str, part: str, run: str = "") -> Asked:
        """What a model's job asks, for others to ask it too."""
        how, out, files = self.config.models[model], self.outputs(model, part), self.part(part)
        params = {
            "answers": settings.answer_settings(how),
            "stand_in": None,
            "samples": files.samples,
            "sources": [(kind, name) for kind, name, _ in files.sources],
            "lineage": "",
        }
        sources = [str(path) for *_, path in files.sources]
        identity, log = out.with_suffix(".identity.json"), f"results/logs/{model}-{part}.log"
        named = "models", model, self.name, model, part, params, str(files.prompts), sources, ""
        return Asked(*named, str(out), str(identity), log, f"models.{model}", run)

    def ask_judge(self, model: str, part: str) -> None:
        """What is asked of a judge about a model's answers."""
        asking, templates = self.task.judging.prompts.plain, self.task.judging.templates
        outputs, out = self.outputs(model, part), self.judging(model, part)
        draws = self._draws(model)
        write_judge_prompts(self.part(part), asking, outputs, templates, out, draws)

    def judge(self, judge: str, model: str, part: str, log: Path) -> None:
        """A judge's replies about them."""
        how, out = settings.judge_settings(self.config, judge), self.verdicts(judge, model, part)
        of = self.task.judging
        job = self._job(model, how, self._raw["judges"][judge], of.stand_in, out, log)
        readable, judging = of.readable.plain, self.judging(model, part)
        judge_part(job, judge, part, readable, of.attempts, judging)

    def _draws(self, model: str) -> int:
        known = self.config.models.get(model)  # those that a test adds have one
        return known.draws if known else 1

    def _job(self, model, how, operation, stand_in, out: Path, log: Path) -> Job:
        return Job(
            benchmark=self.name,
            model=model,
            answers=settings.answer_settings(how),
            operation=operation,
            stand_in=stand_in.plain if how.engine in STAND_INS else None,
            lineage="",
            inputs=(),
            results=self.results,
            out=out,
            identity_out=out.with_suffix(".identity.json"),
            log=log,
        )

    def score(self, model: str, part: str, *judges: str) -> None:
        """The scores of a model's answers, by what the judges replied."""
        verdicts = {judge: self.verdicts(judge, model, part) for judge in judges}
        outputs, out = self.outputs(model, part), self.scores(model, part)
        scoring, draws = self.task.scoring.plain, self._draws(model)
        score_part(self.part(part), scoring, outputs, verdicts, out, draws)
