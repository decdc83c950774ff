"""The input digest of each file: a digest of its job's code and settings, and of all inputs.

Snakemake compares a job's own params with those of its last run, and forgets the last run with the
output of a failed job. So the params of each job contain the input digest of its file: as long as a
failed job has not made its new file, all jobs that depend on it are outdated too.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from steadfast.base.checksums import contents
from steadfast.base.files import file_sha256
from steadfast.base.provenance import Provenance, digest_of
from steadfast.config.settings import judges_of
from steadfast.contract.components import Component
from steadfast.contract.engine_names import ENGINES
from steadfast.contract.registry import families
from steadfast.jobs.digests import digest
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.job import REWRITERS, Job, nondeterminism_path, scores_path
from steadfast.schema.models import ScoredModel


class Step(NamedTuple):
    """How a file is made.

    Attributes:
        code: names and a digest of the job's code.
        input_digest: 16 hexadecimal digits for its code, settings and all inputs.
        made_from: input digests of the files that are checked before the job reads them, by path.
    """

    code: str
    input_digest: str
    made_from: Mapping[str, str]


def step(
    script: str,
    *used: str | Component[Any] | None,
    settings: object = None,
    reads: Mapping[str, Step] = MappingProxyType({}),
    before: Iterable[Step] = (),
) -> Step:
    """The step of a job.

    Args:
        script: its module, below the package.
        used: components and modules that it loads by name; components count with their settings.
        settings: its other parameters, as plain values.
        reads: the steps of input files that are checked before it reads them, by path.
        before: the steps of its other input files.
    """
    code = digest(f"steadfast.{script}", *used)
    components = [component.plain for component in used if isinstance(component, Component)]
    made_from = {path: read_step.input_digest for path, read_step in reads.items()}
    inputs = [*made_from.values(), *(input_step.input_digest for input_step in before)]
    return Step(code, digest_of([code, components, settings, inputs]), made_from)


class InputDigests:
    """The step of each file of a config's run, by a method for each kind, in the flow's order."""

    def __init__(self, run: Evaluation):
        self._run = run
        self._tasks = run.tasks
        for name in ("data", "replies", "scores", "metrics"):  # needed by many other steps
            setattr(self, name, cache(getattr(self, name)))

    def data(self, path: str) -> Step:
        """A data file, or a rewriter's replies."""
        if path in self._run.rewrites:
            return self.replies(self._run.rewrites[path])
        file = self._run.data[path]
        settings = [list(file.inputs), contents(file.files)]
        reads = {source: self.data(source) for source in file.inputs.values()}
        return step("stages.make_data", file.content, settings=settings, reads=reads)

    def has_replies(self, job: Job, results: Path) -> bool:
        """Whether a job's replies are those of the current config; else they are made again."""
        input_digest = self.replies(job).input_digest
        return Provenance.beside(results / job.outputs, input_digest).has_input_digest

    def plannable(self, benchmark: str, results: Path) -> bool:
        """Whether a benchmark's prompts can be made without new requests to a rewriter."""
        if not self._run.prompts_need_rewrites(benchmark):
            return True
        return all(self.has_replies(job, results) for job in self._run.rewriter_jobs(benchmark))

    def prompts(self, benchmark: str, part: str) -> Step:
        """The prompts of a part; the data that they refer to are inputs."""
        task = self._tasks[benchmark]
        settings = [part, self._run.source_keys(benchmark, part)]
        before = map(self.data, task.parts[part].sources.values())
        return step("stages.write_prompts", task.prompts, settings=settings, before=before)

    def evaluated_prompts(self, benchmark: str, part: str, rounds: int | None = None) -> Step:
        """The evaluated prompts of a part: all, those of a trial, or of some rounds."""
        config = self._run.config
        before = [self.prompts(benchmark, part)]
        if rounds is not None:
            contexts = config.adaptive and config.adaptive.contexts
            settings: list[Any] = [rounds, contexts, config.seed]
            return step("stages.choose_prompts", settings=settings, before=before)
        if config.limit is None:
            return before[0]
        trial = self._tasks[benchmark].trial
        settings = [config.limit, trial.together, list(trial.spread), config.seed]
        return step("stages.choose_prompts", settings=settings, before=before)

    def replies(self, job: Job) -> Step:
        """The replies of a model, judge or rewriter."""
        run = self._run
        used = (
            ENGINES[run.settings(job).engine],
            run.joins(job),
            run.simulator(job),
            run.reply_schema(job),
        )
        replayed = run.replayed(job)
        settings = [run.params(job), *contents([replayed] if replayed else [])]
        return step("stages.one_load", *used, settings=settings, before=[self.requests(job)])

    def requests(self, job: Job) -> Step:
        """The prompts of a job."""
        if job.judge:
            return self.judge_prompts(job.benchmark, job.model, job.part)
        if job.role == REWRITERS:
            return self.data(self._run.prompts(job))
        rounds = self._run.rounds.get(job.benchmark, {}).get(job.model)
        return self.evaluated_prompts(job.benchmark, job.part, rounds)

    def outputs(self, benchmark: str, model: str, part: str) -> Step:
        """A model's responses to a part."""
        return self.replies(Job("inference", benchmark, model, part))

    def nondeterminism(self, benchmark: str, model: str, part: str) -> Step:
        """The run-to-run variation of a model's responses to a part."""
        job = Job("inference", benchmark, model, part)
        task = self._tasks[benchmark]
        engine = ENGINES[self._run.settings(job).engine]
        simulator = self._run.simulator(job)
        used = engine, task.samples, task.scoring, task.weights, simulator
        return step("stages.measure_nondeterminism", *used, before=[self.replies(job)])

    def measured_nondeterminism(self, results: Path) -> dict[str, list[str]]:
        """Input digest and sha256 of each current file of run-to-run variation, by path.

        Outputs that show run-to-run variation use it where it was measured, and request nothing.
        """
        measured = {}
        for name in self._run.running:
            for model, part in self._run.cells(name):
                path = nondeterminism_path(name, model, part)
                input_digest = self.nondeterminism(name, model, part).input_digest
                if Provenance.beside(results / path, input_digest).has_input_digest:
                    measured[path] = [input_digest, file_sha256(results / path)]
        return measured

    def judge_prompts(self, benchmark: str, model: str, part: str) -> Step:
        """The judge prompts for a model's responses to a part."""
        run = self._run
        samples = self._tasks[benchmark].samples
        settings = [run.templates(benchmark), contents(run.own_templates(benchmark))]
        job = Job("inference", benchmark, model, part)
        return step(
            "judging.judge_prompts",
            samples,
            run.judging(benchmark).prompts,
            settings=settings,
            reads={job.outputs: self.replies(job)},
            before=map(self.data, run.fetched_templates(benchmark)),
        )

    def answers(self, benchmark: str, model: str, part: str) -> dict[str, Step]:
        """A model's responses to a part, and each judge's verdicts on them, by path."""
        jobs = [Job("inference", benchmark, model, part)]
        for judge in self._judges(benchmark, model):
            jobs.append(Job("verdicts", benchmark, model, part, judge))
        return {job.outputs: self.replies(job) for job in jobs}

    def _judges(self, benchmark: str, model: str) -> list[str]:
        return judges_of(self._run.config, model) if benchmark in self._run.judged else []

    def scores(self, benchmark: str, model: str, part: str) -> Step:
        """The scores of a model's responses, or its released scores."""
        run = self._run
        task = self._tasks[benchmark]
        if isinstance(run.config.models[model], ScoredModel):
            settings: list[Any] = [run.scored[model], contents(task.released_files)]
            return step("stages.release_scores", task.released_scores, settings=settings)
        settings = [self._judges(benchmark, model), run.config.judging.count]
        reads = self.answers(benchmark, model, part)
        return step("stages.score", task.samples, task.scoring, settings=settings, reads=reads)

    def released_scores(self, benchmark: str) -> dict[str, Any]:
        """The params ``code`` and ``input_digests`` of the job with all released scores."""
        cells = product(self._run.scored, self._tasks[benchmark].parts)
        steps = [self.scores(benchmark, model, part) for model, part in cells]
        digests = [score_step.input_digest for score_step in steps]
        return {"code": steps[0].code, "input_digests": digests}

    def metrics(self, benchmark: str) -> Step:
        """The metrics of all models."""
        task = self._tasks[benchmark]
        scores = {}
        for cell in product(self._run.models_of(benchmark), task.parts):
            scores[scores_path(benchmark, *cell)] = self.scores(benchmark, *cell)
        settings = [
            task.metrics.fields,
            list(scores),
            contents([task.labels] if task.labels else []),
            self._run.adaptive(benchmark) if benchmark in self._run.rounds else None,
        ]
        return step("stages.measure", task.metrics.function, settings=settings, reads=scores)

    def metric_files(self, *benchmarks: str) -> dict[str, Step]:
        """The metrics of benchmarks, by path."""
        files = {}
        for benchmark in benchmarks:
            for name in self._tasks[benchmark].metrics.names:
                files[f"{benchmark}/metrics/{name}.csv"] = self.metrics(benchmark)
        return files

    def tables(self, benchmark: str) -> Step:
        """A benchmark's tables."""
        function = self._tasks[benchmark].tables.function
        return step("stages.tabulate", function, reads=self.metric_files(benchmark))

    def figures(self, benchmark: str) -> Step:
        """A benchmark's figures."""
        function = self._tasks[benchmark].figures.function
        return step("stages.draw", function, reads=self.metric_files(benchmark))

    def summary(self) -> Step:
        """The summary of all benchmarks that run."""
        names = self._run.running
        reads = {f"{name}/metrics/summary.csv": self.metrics(name) for name in names}
        return step("stages.write_summary", settings=names, reads=reads)

    def collected_tables(self) -> Step:
        """The folder of all tables."""
        names = self._run.config.benchmarks
        before = [self.summary(), *map(self.tables, names)]
        return step("stages.collect", settings=names, before=before)

    @property
    def _task_makers(self) -> list[Component[Any] | str | None]:
        """The code that makes a config's tasks, for jobs that read the config themselves."""
        makers: list[Component[Any] | str | None] = []
        for family in families().values():
            makers.append(f"{family.benchmark.__module__}:{family.benchmark.__name__}")
        for benchmark in self._run.benchmarks.values():
            makers += benchmark.made_by
        return makers

    def bundle(self) -> Step:
        """The bundle of a run."""
        used = self._task_makers
        for name in self._run.running:
            task = self._tasks[name]
            used += [task.samples, task.simulator, task.exports]
        return step("share.bundle", *used, before=[self.collected_tables()])

    def export(self, benchmark: str) -> Step:
        """A benchmark as an exported dataset."""
        task = self._tasks[benchmark]
        used = task.samples, task.exports, task.simulator
        before = [self.prompts(benchmark, part) for part in task.parts]
        return step("share.export", *used, before=before)

    def answered_files(self) -> dict[str, Step]:
        """Outputs, verdicts and scores of all evaluated models, by path below the results."""
        steps: dict[str, Step] = {}
        for name in self._run.running:
            for model, part in self._run.cells(name):
                steps |= self.answered_part(name, model, part)
        return steps

    def answered_part(self, benchmark: str, model: str, part: str) -> dict[str, Step]:
        """Outputs, verdicts and scores of one model and part, by path."""
        scores = {scores_path(benchmark, model, part): self.scores(benchmark, model, part)}
        return self.answers(benchmark, model, part) | scores

    def html_report(self) -> Step:
        """The HTML report of a run."""
        run = self._run
        used = self._task_makers
        titles = []
        before = [self.usage()]
        for name in run.running:
            task = self._tasks[name]
            benchmark = run.benchmarks[name]
            used += [task.tables.function, task.samples, task.simulator, task.passages]
            summary_input = benchmark.summary_input(judged=name in run.judged)
            titles.append([benchmark.title, task.data_note, summary_input])
            before += [self.tables(name), self.figures(name)]
        settings = [run.config.name, titles]
        reads = self.answered_files() | self.metric_files(*run.running)
        return step("html_report.write", *used, settings=settings, reads=reads, before=before)

    def usage(self) -> Step:
        """The usage of inference."""
        jobs = self._run.jobs
        names = [job.outputs for job in jobs]
        return step("stages.count_usage", settings=names, before=map(self.replies, jobs))
