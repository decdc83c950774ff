"""A benchmark's files in a results folder, made by the stages as the rules call them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.config.load import load_config
from steadfast.contract.part_files import PartFiles
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.job import Assignment, Job
from steadfast.judging.ask_judge import write_judge_prompts
from steadfast.stages.make_data import make_data
from steadfast.stages.one_load import run_job
from steadfast.stages.score import score_part
from steadfast.stages.write_prompts import write_prompts


class Prepared:
    """What the rules of one benchmark make, where they make it.

    Args:
        raw: the config; of its benchmarks, the first.
        results: folder of the results.
    """

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

    def answer(self, model: str, part: str) -> None:
        """A model's answers."""
        self._ask(Job("inference", self.name, model, part))

    def assignment(self, job: Job) -> Assignment:
        """What a job is to do, for others to do it too."""
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

    def _ask(self, job: Job) -> None:
        run_job(self.assignment(job), self._raw[job.role][job.name])

    def ask_judge(self, model: str, part: str) -> None:
        """What is asked of a judge about a model's answers."""
        asking = self.task.judging.prompts.plain
        templates = self.task.judging.templates
        outputs = self.outputs(model, part)
        out = self.judging(model, part)
        repeats = self._repeats(model)
        write_judge_prompts(self.part(part), asking, outputs, templates, out, self.results, repeats)

    def judge(self, judge: str, model: str, part: str) -> None:
        """A judge's replies about them."""
        self._ask(Job("verdicts", self.name, model, part, judge))

    def _repeats(self, model: str) -> int:
        known = self.config.models.get(model)  # those that a test adds have one
        return known.repeats if known else 1

    def score(self, model: str, part: str, *judges: str) -> None:
        """The scores of a model's answers, by what the judges replied."""
        verdicts = {judge: self.verdicts(judge, model, part) for judge in judges}
        outputs = self.outputs(model, part)
        out = self.scores(model, part)
        scoring = self.task.scoring.plain
        repeats = self._repeats(model)
        score_part(self.part(part), scoring, outputs, verdicts, out, repeats)
