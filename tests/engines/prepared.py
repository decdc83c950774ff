"""A benchmark's files in a results folder, made by the stages as the rules call them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.config.load import load_config
from steadfast.contract.part_files import PartFiles
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.job import Assignment, Job
from steadfast.judging.judge_prompts import write_judge_prompts
from steadfast.stages.make_data import make_data
from steadfast.stages.one_load import run_job
from steadfast.stages.score import score_part
from steadfast.stages.write_prompts import write_prompts


class Prepared:
    """The files of a config's first benchmark in a folder of results."""

    def __init__(self, raw: Mapping[str, Any], results: Path):
        self._raw = raw
        self.config = load_config(raw)
        self.name = self.config.benchmarks[0]
        self._run = Evaluation(self.config)
        self.task = self._run.tasks[self.name]
        self.results = results
        self.folder = results / self.name

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
        files = self.task.parts[name].sources.items()
        sources = [(kind, file, self.results / path) for (kind, file), path in files]
        return PartFiles(name, self.task.samples.plain, self.prompts(name), sources)

    def make_data(self) -> None:
        for part in self.task.parts.values():
            for path in part.sources.values():
                self.make_file(path)

    def make_file(self, path: str) -> None:
        """Makes a missing data file, after its inputs."""
        out = self.results / path
        if out.exists():
            return
        (file,) = (file for file in self.task.data if file.path == path)
        inputs = {}
        for name, input_path in file.inputs.items():
            self.make_file(input_path)
            inputs[name] = self.results / input_path
        make_data(file.content.plain, inputs, out)

    def write_prompts(self) -> None:
        for part in map(self.part, self.task.parts):
            write_prompts(part.name, self.task.prompts.plain, part.sources, part.prompts)

    def answer(self, model: str, part: str) -> None:
        self._run_job(Job("inference", self.name, model, part))

    def assignment(self, job: Job) -> Assignment:
        """A job, as tests and benches pass it on."""
        sources = self.part(job.part).sources if job.rule == "inference" else ()
        return Assignment(
            job,
            self._run.params(job),
            "",
            str(self.results / self._run.prompts(job)),
            [str(path) for *_, path in sources],
            str(self.results),
            load=f"{job.role}.{job.name}",
        )

    def _run_job(self, job: Job) -> None:
        run_job(self.assignment(job), self._raw[job.role][job.name])

    def write_judge_prompts(self, model: str, part: str) -> None:
        """Writes the judge prompts about a model's responses."""
        write_judge_prompts(
            self.part(part),
            self.task.judging.prompts.plain,
            self.outputs(model, part),
            self.task.judging.templates,
            self.judging(model, part),
            self.results,
            self._repeats(model),
        )

    def judge(self, judge: str, model: str, part: str) -> None:
        self._run_job(Job("verdicts", self.name, model, part, judge))

    def _repeats(self, model: str) -> int:
        settings = self.config.models.get(model)
        return settings.repeats if settings else 1  # models that a test adds have one

    def score(self, model: str, part: str, *judges: str) -> None:
        score_part(
            self.part(part),
            self.task.scoring.plain,
            self.outputs(model, part),
            {judge: self.verdicts(judge, model, part) for judge in judges},
            self.scores(model, part),
            self._repeats(model),
        )
