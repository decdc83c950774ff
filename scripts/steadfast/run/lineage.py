"""What each file was made by: its job's code and settings, and all that came before, in a word.

Snakemake compares a job's own params with those of its last run, and forgets the last run with the
output of a job that failed. So the params of each job have the lineage of its file: a change that
one job could not carry out is still wanted by all that follow, until it is carried out.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from steadfast.base.checksums import contents
from steadfast.base.files import file_sha256
from steadfast.base.seal import Seal, digest_of
from steadfast.config.settings import judges_of
from steadfast.contract.components import Component
from steadfast.contract.engine_names import ENGINES
from steadfast.contract.registry import families
from steadfast.contract.task import Output
from steadfast.run.digests import digest
from steadfast.run.evaluation import Evaluation, plain
from steadfast.run.job import REWRITERS, Job, noise_path
from steadfast.schema.models import ScoredModel


class Step(NamedTuple):
    """What made a file: its job's code, and 16 digits for that, settings and all steps before."""

    code: str
    lineage: str

    @classmethod
    def of(cls, code: str, settings: object, before: Iterable["Step"] = ()) -> "Step":
        """A step by its code and settings, plain values, after others."""
        return cls(code, digest_of([code, settings, [step.lineage for step in before]]))


class Lineage:
    """The step of each file of a config's run."""

    def __init__(self, run: Evaluation):
        self._run = run
        for name in ("data", "replies", "scores", "metrics"):  # many ask for them
            setattr(self, name, cache(getattr(self, name)))

    def data(self, path: str) -> Step:
        """A file that data or prompts are made of: other data, or a rewriter's replies."""
        if path in self._run.rewrites:
            return self.replies(Job("rewrites", *self._run.rewrites[path]))
        file = self._run.data[path]
        settings = [file.content.plain, list(file.inputs), contents(file.files)]
        code = digest("steadfast.stages.make_data", file.content)
        return Step.of(code, settings, map(self.data, file.inputs.values()))

    def plannable(self, benchmark: str, results: Path) -> bool:
        """Whether a benchmark's prompts can be made without asking a rewriter anew."""
        own = [path for path, of in self._run.rewrites.items() if of[0] == benchmark]
        return not self._run.prompts_wait(benchmark) or all(
            Seal.beside(results / path, self.data(path).lineage).names_lineage for path in own
        )

    def prompts(self, benchmark: str, part: str) -> Step:
        """The prompts of a part; what they refer to is a step before."""
        task = self._run.tasks[benchmark]
        settings = [part, task.prompts.plain, self._run.source_keys(benchmark, part)]
        before = map(self.data, task.parts[part].sources.values())
        return Step.of(digest("steadfast.stages.write_prompts", task.prompts), settings, before)

    def asked(self, benchmark: str, part: str, rounds: int | None = None) -> Step:
        """The prompts of a part that are asked: all, those of a trial, or of some rounds."""
        prompts, limit = self.prompts(benchmark, part), self._run.config.limit
        if rounds is not None:
            adaptive = self._run.config.adaptive
            settings = [rounds, adaptive and adaptive.contexts, self._run.config.seed]
            return Step.of(digest("steadfast.stages.choose_round"), settings, [prompts])
        if limit is None:
            return prompts
        trial = self._run.tasks[benchmark].trial
        chosen = [limit, trial.together, list(trial.spread), self._run.config.seed]
        return Step.of(digest("steadfast.stages.choose_prompts"), chosen, [prompts])

    def replies(self, job: Job) -> Step:
        """What a model, judge or rewriter answers."""
        run, replayed = self._run, self._run.replayed(job)
        engine = ENGINES[run.settings(job).engine]
        used = engine, run.joins(job), run.stand_in(job), run.form(job)
        code = digest("steadfast.stages.one_load", *used)
        settings = [run.params(job), *contents([replayed] if replayed else [])]
        if job.judge:
            return Step.of(code, settings, [self.judge_prompts(job.benchmark, job.model, job.part)])
        if job.role == REWRITERS:
            return Step.of(code, settings, [self.data(run.prompts(job))])
        rounds = run.rounds.get(job.benchmark, {}).get(job.model)
        return Step.of(code, settings, [self.asked(job.benchmark, job.part, rounds)])

    def outputs(self, benchmark: str, model: str, part: str) -> Step:
        """A model's answers to a part."""
        return self.replies(Job("inference", benchmark, model, part))

    def noise(self, benchmark: str, model: str, part: str) -> Step:
        """How much a model's answers to a part differ when they are asked again."""
        job, task = Job("inference", benchmark, model, part), self._run.tasks[benchmark]
        engine, stand_in = ENGINES[self._run.settings(job).engine], self._run.stand_in(job)
        used = engine, task.samples, task.scoring, task.weights, stand_in
        code = digest("steadfast.stages.measure_noise", *used)
        settings = [task.scoring.plain, plain(task.weights)]
        return Step.of(code, settings, [self.replies(job)])

    def measured_noise(self, results: Path) -> dict[str, list[str]]:
        """Lineage and sha256 of each file of noise that holds for the config, by path below them.

        What shows noise takes it where it is, and has nobody asked for it.
        """
        found = {}
        for name in self._run.running:
            for model, part in product(self._run.asked_of(name), self._run.tasks[name].parts):
                path = noise_path(name, model, part)
                if (results / path).is_file():
                    lineage = self.noise(name, model, part).lineage
                    if Seal.beside(results / path, lineage).names_lineage:
                        found[path] = [lineage, file_sha256(results / path)]
        return found

    def judge_prompts(self, benchmark: str, model: str, part: str) -> Step:
        """What is asked of a judge about them."""
        task, asking = self._run.tasks[benchmark], self._run.judging(benchmark).prompts
        code = digest("steadfast.judging.ask_judge", task.samples, asking)
        settings: list[Any] = [asking.plain, self._run.templates(benchmark)]
        settings += contents(self._run.own_templates(benchmark))
        fetched = map(self.data, self._run.fetched_templates(benchmark))
        return Step.of(code, settings, [self.outputs(benchmark, model, part), *fetched])

    def all_verdicts(self, benchmark: str, model: str, part: str) -> dict[str, Step]:
        """Those of each judge of the model's answers."""
        judged = benchmark in self._run.judged
        judges = judges_of(self._run.config, model) if judged else []
        return {
            judge: self.replies(Job("verdicts", benchmark, model, part, judge)) for judge in judges
        }

    def answered(self, benchmark: str, model: str, part: str) -> dict[str, str]:
        """The lineage of a model's answers (the key "") and of each judge's verdicts."""
        answers = {"": self.outputs(benchmark, model, part)}
        return lineages(answers | self.all_verdicts(benchmark, model, part))

    def scores(self, benchmark: str, model: str, part: str) -> Step:
        """The scores of a model's answers, or those that were released of it."""
        task = self._run.tasks[benchmark]
        if isinstance(self._run.config.models[model], ScoredModel):
            released = task.released_scores
            assert released is not None, "no other scores are released"
            settings = [released.plain, self._run.scored[model], *contents(task.released_files)]
            return Step.of(digest("steadfast.stages.release_scores", released), settings)
        judged = self.all_verdicts(benchmark, model, part)
        code = digest("steadfast.stages.score", task.samples, task.scoring)
        before = [self.outputs(benchmark, model, part), *judged.values()]
        settings = [task.scoring.plain, list(judged), self._run.config.judging.count]
        return Step.of(code, settings, before)

    def metrics(self, benchmark: str) -> Step:
        """The metrics of all models."""
        task, before = self._run.tasks[benchmark], self.all_scores(benchmark)
        settings: list[Any] = [task.metrics.function.plain, task.metrics.fields, list(before)]
        settings += contents([task.labels] if task.labels else [])
        if benchmark in self._run.rounds:
            settings.append(self._run.adaptive(benchmark))
        code = digest("steadfast.stages.measure", task.metrics.function)
        return Step.of(code, settings, before.values())

    def all_scores(self, benchmark: str) -> dict[str, Step]:
        """The scores that a benchmark's metrics are made of, by model and part."""
        return {
            f"{model}/{part}": self.scores(benchmark, model, part)
            for model in self._run.models_of(benchmark)
            for part in self._run.tasks[benchmark].parts
        }

    def tables(self, benchmark: str) -> Step:
        """A benchmark's tables."""
        return self._shown("tabulate", benchmark, self._run.tasks[benchmark].tables)

    def figures(self, benchmark: str) -> Step:
        """A benchmark's figures."""
        return self._shown("draw", benchmark, self._run.tasks[benchmark].figures)

    def _shown(self, stage: str, benchmark: str, output: Output) -> Step:
        code = digest(f"steadfast.stages.{stage}", output.function)
        return Step.of(code, output.function.plain, [self.metrics(benchmark)])

    def report(self) -> Step:
        """The report on all benchmarks that run."""
        names = self._run.running
        return Step.of(digest("steadfast.stages.report"), names, map(self.metrics, names))

    def collected_tables(self) -> Step:
        """The folder of all tables."""
        names = self._run.config.benchmarks
        before = [self.report(), *map(self.tables, names)]
        return Step.of(digest("steadfast.stages.collect"), names, before)

    @property
    def _tasks(self) -> list[Component[Any] | str | None]:
        """What makes the tasks of a config, for jobs that read the config themselves."""
        own = [
            f"{one.benchmark.__module__}:{one.benchmark.__name__}" for one in families().values()
        ]
        return [*own, *(name for one in self._run.benchmarks.values() for name in one.made_by)]

    def bundle(self) -> Step:
        """The bundle of a run."""
        used = self._tasks
        for task in (self._run.tasks[name] for name in self._run.running):
            used += [task.samples, task.stand_in, task.exports]
        return Step.of(digest("steadfast.share.bundle", *used), [], [self.collected_tables()])

    def export(self, benchmark: str) -> Step:
        """A benchmark as a data set of its own."""
        task = self._run.tasks[benchmark]
        before = [self.prompts(benchmark, part) for part in task.parts]
        used = task.samples, task.exports, task.stand_in
        return Step.of(digest("steadfast.share.export", *used), list(map(plain, used)), before)

    def answered_files(self) -> dict[str, Step]:
        """Outputs, verdicts and scores of the models that are asked, by path below the results."""
        return {
            path: step
            for name in self._run.running
            for model, part in product(self._run.asked_of(name), self._run.tasks[name].parts)
            for path, step in self.answered_part(name, model, part).items()
        }

    def answered_part(self, benchmark: str, model: str, part: str) -> dict[str, Step]:
        """Those of one model's answers to one part."""
        file = f"{model}/{part}.jsonl"
        found = {f"{benchmark}/outputs/{file}": self.outputs(benchmark, model, part)}
        for judge, step in self.all_verdicts(benchmark, model, part).items():
            found[f"{benchmark}/verdicts/{judge}/{file}"] = step
        return found | {f"{benchmark}/scores/{file}": self.scores(benchmark, model, part)}

    def page(self) -> Step:
        """The page that shows a run."""
        of = {name: self._run.tasks[name] for name in self._run.running}
        used = [
            one
            for task in of.values()
            for one in (task.tables.function, task.samples, task.stand_in, task.passages)
        ]
        judged = self._run.judged
        titles = [
            [one.title, of[name].asked, one.reported(judged=name in judged)]
            for name, one in self._run.benchmarks.items()
            if name in of
        ]
        before = [*self.answered_files().values(), self.usage()]
        before += [step for name in of for step in (self.tables(name), self.figures(name))]
        settings = [self._run.config.name, titles, list(map(plain, used))]
        code = digest("steadfast.page.make_page", *self._tasks, *used)
        return Step.of(code, settings, before)

    def usage(self) -> Step:
        """What inference took."""
        jobs = self._run.jobs
        names = [job.outputs for job in jobs]
        return Step.of(digest("steadfast.stages.count_usage"), names, map(self.replies, jobs))


def lineages(steps: Mapping[str, Step]) -> dict[str, str]:
    """The lineage of each of some steps."""
    return {name: step.lineage for name, step in steps.items()}
