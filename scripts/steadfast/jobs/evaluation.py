"""What a config runs, for the rules: benchmarks, models, judges, and the files of each job."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, product
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.names import suggestion
from steadfast.base.resources import PREFIX
from steadfast.config import settings
from steadfast.contract.components import Component
from steadfast.contract.engine_names import ENGINES, SIMULATED_ENGINES, WITHOUT_MODEL
from steadfast.contract.judge_template import FETCHED, fetched_files
from steadfast.contract.registry import benchmarks_of, check_benchmark_names, checked_task
from steadfast.contract.task import AnyBenchmark, DataFile, Judging, Rewriting, Task
from steadfast.jobs.job import MODELS, REWRITERS, Job
from steadfast.schema.config import Config
from steadfast.schema.model_base import BaseModelSettings


class Evaluation:
    """The jobs and files of a config, for every benchmark with a section, running or not."""

    def __init__(self, config: Config):
        self.config = config
        self.benchmarks: Mapping[str, AnyBenchmark] = benchmarks_of(config)
        self.tasks: dict[str, Task] = {}
        for name, benchmark in self.benchmarks.items():
            self.tasks[name] = checked_task(name, benchmark.of(config))
        check_benchmark_names(self.tasks)
        self.judged = [name for name, task in self.tasks.items() if task.judging]
        self.running = [name for name in self.benchmarks if name in config.benchmarks]
        self.scored = settings.scored_models(config)
        queried = settings.queried_models(config)
        self.evaluated = [name for name in queried if name in config.running]
        self.rounds: dict[str, dict[str, int]] = {}
        """In an adaptive run, the rounds of each benchmark and model by now (``jobs.rounds``)."""

    def evaluated_models(self, benchmark: str) -> list[str]:
        """The running models that a benchmark evaluates; engine ``baseline`` where it has one."""
        if self.tasks[benchmark].baseline:
            return self.evaluated
        models = self.config.models
        return [name for name in self.evaluated if models[name].engine != "baseline"]

    def cells(self, benchmark: str) -> Iterator[tuple[str, str]]:
        """Model and part of each inference job of a benchmark."""
        return product(self.evaluated_models(benchmark), self.tasks[benchmark].parts)

    def evaluates_part_of(self, benchmark: str) -> bool:
        """Whether only some of the prompts are evaluated: in a trial, or in rounds."""
        return self.config.limit is not None or benchmark in self.rounds

    @property
    def unexported(self) -> list[str]:
        """A sentence for each running benchmark that cannot be exported."""
        reason = "cannot be exported: its Task has no exports; add them (docs/share.md)"
        names = [name for name in self.running if not self.tasks[name].exports]
        return [f"{self.benchmarks[name].title} {reason}" for name in names]

    @property
    def real_models(self) -> list[str]:
        """The running models that are neither simulated nor replayed."""
        models = self.config.models
        return [name for name in self.evaluated if models[name].engine not in WITHOUT_MODEL]

    # --- models and judges ---------------------------------------------------------------------

    def models_of(self, benchmark: str) -> list[str]:
        """The running models with results of a benchmark."""
        task = self.tasks[benchmark]
        evaluated = self.evaluated_models(benchmark)
        released = self.scored if task.released_scores is not None else {}
        return [name for name in self.config.running if name in evaluated or name in released]

    def judges_of(self, benchmark: str, model: str) -> list[str]:
        """The judges of a model's responses, the one that counts first."""
        if benchmark not in self.judged:
            return []
        settings.check_judges(self.config, model)
        return settings.judges_of(self.config, model)

    def check_judges(self) -> None:
        """Raises ``UserError`` where responses of a run would have no judge."""
        for name in self.running:
            for model in self.evaluated_models(name):
                self.judges_of(name, model)

    def settings(self, job: Job) -> BaseModelSettings:
        """The settings of a job's model, judge or rewriter."""
        models: Mapping[str, BaseModelSettings] = getattr(self.config, job.role)
        if job.name not in models:
            unknown = f"unknown {job.role[:-1]} {job.name!r}"
            raise UserError(f"{job.role}: {unknown}; {suggestion(job.name, models)}")
        return models[job.name]

    def simulator(self, job: Job) -> Component[Any] | None:
        """The simulator for a simulated model or judge; None for other engines."""
        engine = self.settings(job).engine
        task = self.tasks[job.benchmark]
        if engine not in SIMULATED_ENGINES:
            return None
        if job.role != MODELS:
            return self._requests(job).simulator
        return task.baseline if engine == "baseline" else task.simulator

    def joins(self, job: Job) -> Component[Any]:
        """Joins prompts and data for a model's job, or reads the replies of other jobs."""
        if job.role == MODELS:
            return self.tasks[job.benchmark].samples
        return self._requests(job).readable

    def reply_schema(self, job: Job) -> Component[Any] | None:
        """The JSON schema of a judge's replies; None without structured outputs."""
        if not job.judge or not getattr(self.config.judges[job.judge], "structured", False):
            return None
        return self.judging(job.benchmark).schema

    def _requests(self, job: Job) -> Judging | Rewriting:
        """How the requests of a judge's or rewriter's job are made and its replies are read."""
        return self.judging(job.benchmark) if job.judge else self.rewriting(job.benchmark)

    def params(self, job: Job) -> Record:
        """What determines a job's replies, as plain values: the rule's param ``request``."""
        params: Record = {
            "answers": settings.response_settings(self.settings(job)),
            "simulator": plain(self.simulator(job)),
        }
        if job.role == MODELS:
            keys = self.source_keys(job.benchmark, job.part)
            return params | {"samples": self.joins(job).plain, "sources": keys}
        params |= {"readable": self.joins(job).plain, "attempts": self._requests(job).attempts}
        schema = self.reply_schema(job)
        return params | {"schema": schema.plain} if schema else params

    def prompts(self, job: Job) -> str:
        """The path of a job's prompts, below the results folder."""
        if job.judge:
            return f"{job.benchmark}/judging/{job.model}/{job.part}.jsonl"
        if job.role == REWRITERS:
            return self.rewriting(job.benchmark).requests[job.part]
        folder = "prompts" if self.config.limit is None else "trial"
        if rounds := self.rounds.get(job.benchmark, {}).get(job.model):
            folder = f"rounds/{rounds}"
        return f"{job.benchmark}/{folder}/{job.part}.jsonl"

    def replayed(self, job: Job) -> str | None:
        """The file with a job's replies, for engine replay."""
        return settings.replay_file(self.settings(job), job.benchmark, job.part)

    def engines_planned(self, benchmark: str) -> list[str]:
        """The builders of all engines in a plan: those of models and judges with a cost."""
        models = [self.config.models[name] for name in self.evaluated]
        if benchmark in self.judged:
            models += self.config.judges.values()
        engines = {model.engine for model in models} - WITHOUT_MODEL
        return sorted({ENGINES[engine] for engine in engines})

    def compared(self, benchmark: str) -> list[str]:
        """The running models that are compared with each other."""
        excluded = {*settings.references(self.config), settings.baseline(self.config)}
        return [name for name in self.models_of(benchmark) if name not in excluded]

    def adaptive(self, benchmark: str) -> Record:
        """The inputs of an adaptive run's decisions, as plain values."""
        measures = self.benchmarks[benchmark].measures.items()
        name, measure = next(item for item in measures if item[1].compared)
        assert self.config.adaptive is not None
        return {
            "design": self.config.adaptive.model_dump(),
            "measure": name,
            "compared": dict(measure.compared),
            "models": self.compared(benchmark),
            "rounds": self.rounds[benchmark],
            "decided_by": self.decided_by(benchmark),
        }

    def decided_by(self, benchmark: str) -> Record:
        """Settings other than the design that decide comparisons; they are fixed at the first look.

        Settings of the metrics that name models are left out, since models may be added.
        """
        task = self.tasks[benchmark]
        naming_models = {"references", "baseline", "judges"}
        metrics = task.metrics.function.settings
        first_judges: set[str] = set()
        for model in self.compared(benchmark):
            first_judges.update(self.judges_of(benchmark, model)[:1])
        return {
            "scoring": dict(task.scoring.settings),
            "metrics": {key: metrics[key] for key in metrics if key not in naming_models},
            "first judges": sorted(first_judges),
            "judging.count": self.config.judging.count,
        }

    @cached_property
    def jobs(self) -> list[Job]:
        """All jobs that query a model, judge or rewriter."""
        jobs = []
        for name in self.config.benchmarks:
            jobs += self.rewriter_jobs(name)
            for model, part in self.cells(name):
                jobs.append(Job("inference", name, model, part))
                for judge in self.judges_of(name, model):
                    jobs.append(Job("verdicts", name, model, part, judge))
        return jobs

    def rewriter_jobs(self, benchmark: str) -> list[Job]:
        """The jobs of a benchmark's rewriters; none without rewriting."""
        rewriting = self.tasks[benchmark].rewriting
        if not rewriting:
            return []
        rounds = product(rewriting.rewriters, rewriting.requests)
        return [Job("rewrites", benchmark, rewriter, round) for rewriter, round in rounds]

    # --- files ---------------------------------------------------------------------------------

    @cached_property
    def data(self) -> dict[str, DataFile]:
        """All data files, by their path below the results folder."""
        files = chain.from_iterable(task.data for task in self.tasks.values())
        return {file.path: file for file in files}

    @cached_property
    def rewrites(self) -> dict[str, Job]:
        """The job of each file of rewriters' replies."""
        jobs = chain.from_iterable(map(self.rewriter_jobs, self.tasks))
        return {job.outputs: job for job in jobs}

    @property
    def summary_inputs(self) -> dict[str, Record]:
        """The summary's input of each running benchmark, as plain values."""
        inputs = {}
        for name in self.running:
            inputs[name] = self.benchmarks[name].summary_input(judged=name in self.judged)
        return inputs

    @property
    def running_data(self) -> list[str]:
        """The data files of the benchmarks that run."""
        files = chain.from_iterable(self.tasks[name].data for name in self.running)
        return [file.path for file in files]

    def first_rounds(self, benchmark: str) -> dict[str, str]:
        """The rounds of rewriting that need no earlier replies, and their requests."""
        requests = self.rewriting(benchmark).requests
        return {round: path for round, path in requests.items() if not self.needs_rewrites(path)}

    def prompts_need_rewrites(self, benchmark: str) -> bool:
        """Whether a benchmark's prompts are made from rewriters' replies."""
        parts = self.tasks[benchmark].parts.values()
        sources = chain.from_iterable(part.sources.values() for part in parts)
        return any(map(self.needs_rewrites, sources))

    def needs_rewrites(self, path: str) -> bool:
        """Whether a data file is made from rewriters' replies, directly or not."""
        inputs = self.data[path].inputs.values() if path in self.data else ()
        return path in self.rewrites or any(map(self.needs_rewrites, inputs))

    def evaluated_prompts(self, benchmark: str, part: str, model: str = "") -> str:
        """The prompts of a part that are evaluated (by now with a model), as an input."""
        return f"<results>/{self.prompts(Job('inference', benchmark, model, part))}"

    def all_prompts(self, benchmark: str) -> list[str]:
        """The prompts of all parts that are evaluated, as inputs."""
        return [self.evaluated_prompts(benchmark, part) for part in self.tasks[benchmark].parts]

    def sources(self, benchmark: str, part: str) -> list[str]:
        """The data files that the prompts of a part refer to, as inputs."""
        parts = self.tasks[benchmark].parts
        if part not in parts:
            missing = f"{benchmark} has no part {part!r} in this config"
            raise UserError(f"{missing}; {suggestion(part, parts)}")
        return in_results(parts[part].sources.values())

    def source_keys(self, benchmark: str, part: str) -> list[tuple[str, str]]:
        """Kind and name of each source of a part."""
        return list(self.tasks[benchmark].parts[part].sources)

    def all_sources(self, benchmark: str, kinds: Collection[str] | None = None) -> list[str]:
        """The sources of all parts, part by part; only of some kinds if given."""
        paths = []
        for part in self.tasks[benchmark].parts.values():
            for (kind, _), path in part.sources.items():
                if kinds is None or kind in kinds:
                    paths.append(path)
        return in_results(paths)

    def all_source_keys(
        self, benchmark: str, kinds: Collection[str] | None = None
    ) -> dict[str, list[tuple[str, str]]]:
        """Kind and name of each source, by part."""
        keys = {}
        for name, part in self.tasks[benchmark].parts.items():
            keys[name] = [key for key in part.sources if kinds is None or key[0] in kinds]
        return keys

    def judging(self, benchmark: str) -> Judging:
        """How a benchmark is judged."""
        judging = self.tasks[benchmark].judging
        if judging is None:
            raise UserError(f"{benchmark} is not judged by models; choose a benchmark with judges")
        return judging

    def rewriting(self, benchmark: str) -> Rewriting:
        """How a benchmark's instructions are paraphrased."""
        rewriting = self.tasks[benchmark].rewriting
        if rewriting is None:
            advice = "for lifbench set expressions: recs"
            raise UserError(f"{benchmark} has no rewriters in this config; {advice}")
        return rewriting

    def template_files(self, benchmark: str) -> list[str]:
        """The judge templates of a benchmark that are not packaged, as inputs."""
        own_templates = self.own_templates(benchmark)
        return own_templates + in_results(self.fetched_templates(benchmark))

    def own_templates(self, benchmark: str) -> list[str]:
        """The judge templates that are the user's files; others are packaged or downloaded."""
        prefixes = (PREFIX, FETCHED)
        paths = self.templates(benchmark).values()
        return [path for path in paths if not path.startswith(prefixes)]

    def fetched_templates(self, benchmark: str) -> list[str]:
        """The data files with judge templates of the benchmark's released code."""
        return fetched_files(self.templates(benchmark))

    def templates(self, benchmark: str) -> dict[str, str]:
        """The judge templates of a benchmark; none without judges."""
        judging = self.tasks[benchmark].judging
        return dict(judging.templates) if judging else {}

    def judge_prompts(self, benchmark: str) -> Component[Any] | None:
        """Makes the judge prompts for a response; None without judges."""
        judging = self.tasks[benchmark].judging
        return judging.prompts if judging else None

    def planned(self, benchmark: str) -> dict[str, Any]:
        """The plan's input of a benchmark (``plan.make.PlannedBenchmark``), as plain values."""
        task = self.tasks[benchmark]
        adaptive = self.config.adaptive
        parts = {}
        for name, part in task.parts.items():
            prompts = self.prompts(Job("inference", benchmark, "", name))
            sources = [[*key, path] for key, path in part.sources.items()]
            parts[name] = [part.tokens, prompts, sources]
        return {
            "name": benchmark,
            "samples": task.samples.plain,
            "parts": parts,
            "judge_prompts": plain(self.judge_prompts(benchmark)),
            "templates": self.templates(benchmark),
            "power_analysis": self._power_analysis(benchmark),
            "rounds": adaptive.contexts if adaptive else None,
        }

    def _power_analysis(self, benchmark: str) -> Record | None:
        """The main measures to test and the differences to detect; None where none are wanted."""
        if not self.config.power_analysis:
            return None
        measures = {}
        for name, measure in self.benchmarks[benchmark].measures.items():
            if measure.compared:
                measures[name] = {"compared": dict(measure.compared), "full": measure.full}
        return {"measures": measures, "differences": self.config.power_analysis}


def in_results(paths: Iterable[str]) -> list[str]:
    """Files below the results folder, as inputs of a rule."""
    return [f"<results>/{path}" for path in paths]


def plain(component: Component[Any] | None) -> tuple[str, dict[str, Any]] | None:
    """A component for a rule's params; None where there is none."""
    return component.plain if component else None
