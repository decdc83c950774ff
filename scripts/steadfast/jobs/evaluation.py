"""What a config runs, as the rules ask: benchmarks, models, judges, and the files of each job."""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from itertools import product
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.names import nearest
from steadfast.base.resources import PREFIX
from steadfast.config.settings import (
    answer_settings,
    asked_models,
    baseline,
    check_judges,
    judges_of,
    references,
    replay_file,
    scored_models,
)
from steadfast.contract.components import Component
from steadfast.contract.engine_names import ENGINES, SIMULATED_ENGINES, WITHOUT_MODEL
from steadfast.contract.judge_template import FETCHED, fetched
from steadfast.contract.registry import benchmarks_of, check_benchmark_names, checked_task
from steadfast.contract.task import (
    AnyBenchmark,
    DataFile,
    Judging,
    Rewriting,
    Task,
    rewrites_file,
)
from steadfast.jobs.job import MODELS, REWRITERS, Job
from steadfast.schema.config import Config
from steadfast.schema.model_base import BaseModelSettings


class Evaluation:
    """What a config asks of every benchmark that it has a section of, whether or not it runs."""

    def __init__(self, config: Config):
        self.config = config
        self.benchmarks: Mapping[str, AnyBenchmark] = benchmarks_of(config)
        self.tasks: Mapping[str, Task] = {
            name: checked_task(name, one.of(config)) for name, one in self.benchmarks.items()
        }
        check_benchmark_names(self.tasks)
        self.judged = [name for name, task in self.tasks.items() if task.judging]
        self.running = [name for name in self.benchmarks if name in config.benchmarks]
        self.scored = scored_models(config)
        self.asked = [name for name in asked_models(config) if name in config.running]
        self.rounds: dict[str, dict[str, int]] = {}
        """Of an adaptive run, those that each benchmark asks of each model by now (``rounds``)."""

    def asked_of(self, benchmark: str) -> list[str]:
        """The models that a benchmark evaluates; of engine ``baseline`` where it has one."""
        models, baseline = self.config.models, self.tasks[benchmark].baseline
        return [name for name in self.asked if baseline or models[name].engine != "baseline"]

    def asks_part_of(self, benchmark: str) -> bool:
        """Whether not all is asked that could be: in a trial, or in rounds."""
        return self.config.limit is not None or benchmark in self.rounds

    @property
    def unexported(self) -> list[str]:
        """Of which running benchmarks there is no data set, a sentence each."""
        return [
            f"{self.benchmarks[name].title} is no data set: its Task names no exports "
            "(docs/share.md)"
            for name in self.running
            if not self.tasks[name].exports
        ]

    @property
    def models_asked(self) -> list[str]:
        """The running models that are no simulated models and replay nothing."""
        return [m for m in self.asked if self.config.models[m].engine not in WITHOUT_MODEL]

    # --- models and judges ---------------------------------------------------------------------

    def models_of(self, benchmark: str) -> list[str]:
        """The running models that a benchmark has results of."""
        task, asked = self.tasks[benchmark], self.asked_of(benchmark)
        released = self.scored if task.released_scores is not None else {}
        return [name for name in self.config.running if name in asked or name in released]

    def judges_of(self, benchmark: str, model: str) -> list[str]:
        """Returns the judges of a model's answers, the one that counts first."""
        if benchmark not in self.judged:
            return []
        check_judges(self.config, model)
        return judges_of(self.config, model)

    def check_judges(self) -> None:
        """Raises a ``UserError`` where answers of a run have no judge, before anything is asked."""
        for name in self.running:
            for model in self.asked_of(name):
                self.judges_of(name, model)

    def settings(self, job: Job) -> BaseModelSettings:
        """Returns the settings of a job's model, judge or rewriter."""
        known: Mapping[str, BaseModelSettings] = getattr(self.config, job.role)
        if job.name not in known:
            raise UserError(
                f"{job.role}: unknown {job.role[:-1]} {job.name!r}; {nearest(job.name, known)}"
            )
        return known[job.name]

    def simulator(self, job: Job) -> Component[Any] | None:
        """What answers a job in place of a model or judge; None where the engine has one."""
        engine, task = self.settings(job).engine, self.tasks[job.benchmark]
        if engine not in SIMULATED_ENGINES:
            return None
        if job.role != MODELS:
            return self._asking(job).simulator
        return task.baseline if engine == "baseline" else task.simulator

    def joins(self, job: Job) -> Component[Any]:
        """How prompts and data are joined for a job, or how its replies are read."""
        if job.role == MODELS:
            return self.tasks[job.benchmark].samples
        return self._asking(job).readable

    def form(self, job: Job) -> Component[Any] | None:
        """The form in which a judge is to reply; None where it may be any text."""
        if not job.judge or not getattr(self.config.judges[job.judge], "structured", False):
            return None
        return self.judging(job.benchmark).schema

    def _asking(self, job: Job) -> Judging | Rewriting:
        return self.judging(job.benchmark) if job.judge else self.rewriting(job.benchmark)

    def params(self, job: Job) -> Record:
        """What determines a job's replies, as plain values: the rule's param ``request``."""
        found: Record = {
            "answers": answer_settings(self.settings(job)),
            "simulator": plain(self.simulator(job)),
        }
        if job.role == MODELS:
            keys = self.source_keys(job.benchmark, job.part)
            return found | {"samples": self.joins(job).plain, "sources": keys}
        found |= {"readable": self.joins(job).plain, "attempts": self._asking(job).attempts}
        form = self.form(job)
        return found | {"schema": form.plain} if form else found

    def prompts(self, job: Job) -> str:
        """The path of what a job asks, below the results folder."""
        if job.judge:
            return f"{job.benchmark}/judging/{job.model}/{job.part}.jsonl"
        if job.role == REWRITERS:
            return self.rewriting(job.benchmark).requests[job.part]
        folder = "prompts" if self.config.limit is None else "trial"
        if rounds := self.rounds.get(job.benchmark, {}).get(job.model):
            folder = f"rounds/{rounds}"
        return f"{job.benchmark}/{folder}/{job.part}.jsonl"

    def replayed(self, job: Job) -> str | None:
        """The file with a job's replies, of engine replay."""
        return replay_file(self.settings(job), job.benchmark, job.part)

    def engines_planned(self, benchmark: str) -> list[str]:
        """What builds the engines that a plan makes: of models and judges that cost something."""
        models = [self.config.models[name] for name in self.asked]
        if benchmark in self.judged:
            models += self.config.judges.values()
        return sorted({ENGINES[one.engine] for one in models if one.engine not in WITHOUT_MODEL})

    def compared(self, benchmark: str) -> list[str]:
        """The running models that are compared with each other."""
        others = {*references(self.config), baseline(self.config)}
        return [name for name in self.models_of(benchmark) if name not in others]

    def adaptive(self, benchmark: str) -> Record:
        """What decides an adaptive run, as plain values."""
        measures = self.benchmarks[benchmark].measures.items()
        name, measure = next((name, one) for name, one in measures if one.compared)
        assert self.config.adaptive is not None
        return {
            "design": self.config.adaptive.model_dump(),
            "measure": name,
            "compared": dict(measure.compared),
            "models": self.compared(benchmark),
            "asked": self.rounds[benchmark],
            "decided_by": self.decided_by(benchmark),
        }

    def decided_by(self, benchmark: str) -> Record:
        """What beside the design decides which model is told worse: it is fixed at the first look.

        Of the metrics' settings those that name models are left out, since models may be added.
        """
        task = self.tasks[benchmark]
        named = {"references", "baseline", "judges"}
        metrics = task.metrics.function.settings
        judged = [self.judges_of(benchmark, model)[:1] for model in self.compared(benchmark)]
        return {
            "scoring": dict(task.scoring.settings),
            "metrics": {key: metrics[key] for key in metrics if key not in named},
            "first judges": sorted({name for first in judged for name in first}),
            "judging.count": self.config.judging.count,
        }

    @cached_property
    def jobs(self) -> list[Job]:
        """All jobs that ask a model, judge or rewriter."""
        jobs = []
        for name in self.config.benchmarks:
            jobs += [Job("rewrites", *of) for of in self.rewrites.values() if of[0] == name]
            for model, part in product(self.asked_of(name), self.tasks[name].parts):
                jobs.append(Job("inference", name, model, part))
                judges = self.judges_of(name, model)
                jobs += [Job("verdicts", name, model, part, judge) for judge in judges]
        return jobs

    # --- files ---------------------------------------------------------------------------------

    @cached_property
    def data(self) -> dict[str, DataFile]:
        """All data files, by their path below the results folder."""
        return {file.path: file for task in self.tasks.values() for file in task.data}

    @cached_property
    def rewrites(self) -> dict[str, tuple[str, str, str]]:
        """Benchmark, rewriter and round of each file of rewriters' replies."""
        return {
            rewrites_file(name, rewriter, round): (name, rewriter, round)
            for name, task in self.tasks.items()
            if task.rewriting
            for rewriter in task.rewriting.rewriters
            for round in task.rewriting.requests
        }

    @property
    def reported(self) -> dict[str, Record]:
        """What the summary has of each benchmark that runs, as plain values."""
        benchmarks = self.benchmarks
        return {n: benchmarks[n].reported(judged=n in self.judged) for n in self.running}

    @property
    def running_data(self) -> list[str]:
        """The data files of the benchmarks that run."""
        return [file.path for name in self.running for file in self.tasks[name].data]

    def first_rounds(self, benchmark: str) -> dict[str, str]:
        """The rounds of rewriting that wait for no replies, and their requests."""
        requests = self.rewriting(benchmark).requests
        return {round: path for round, path in requests.items() if not self.waits(path)}

    def prompts_wait(self, benchmark: str) -> bool:
        """Whether a benchmark's prompts are made of rewriters' replies."""
        parts = self.tasks[benchmark].parts.values()
        return any(self.waits(path) for part in parts for path in part.sources.values())

    def waits(self, path: str) -> bool:
        """Whether a data file is made of rewriters' replies, directly or not."""
        inputs = self.data[path].inputs.values() if path in self.data else ()
        return path in self.rewrites or any(map(self.waits, inputs))

    def asked_prompts(self, benchmark: str, part: str, model: str = "") -> str:
        """The prompts of a part that are asked, of a model by now or of any at all, as an input."""
        return f"<results>/{self.prompts(Job('inference', benchmark, model, part))}"

    def sources(self, benchmark: str, part: str) -> list[str]:
        """The data files that the prompts of a part refer to, as inputs."""
        parts = self.tasks[benchmark].parts
        if part not in parts:
            raise UserError(
                f"{benchmark} has no part {part!r} by this config; {nearest(part, parts)}"
            )
        return in_results(parts[part].sources.values())

    def source_keys(self, benchmark: str, part: str) -> list[tuple[str, str]]:
        """Kind and name of each of them."""
        return list(self.tasks[benchmark].parts[part].sources)

    def all_sources(self, benchmark: str, kinds: Collection[str] | None = None) -> list[str]:
        """Those of all parts, one part after the other; of some kinds only where they are given."""
        return in_results(
            path
            for part in self.tasks[benchmark].parts.values()
            for (kind, _), path in part.sources.items()
            if kinds is None or kind in kinds
        )

    def all_source_keys(
        self, benchmark: str, kinds: Collection[str] | None = None
    ) -> dict[str, list[tuple[str, str]]]:
        """Kind and name of each of them, by part."""
        return {
            name: [key for key in part.sources if kinds is None or key[0] in kinds]
            for name, part in self.tasks[benchmark].parts.items()
        }

    def judging(self, benchmark: str) -> Judging:
        """Returns how a benchmark is judged."""
        judging = self.tasks[benchmark].judging
        if judging is None:
            raise UserError(f"{benchmark}: no model judges this benchmark")
        return judging

    def rewriting(self, benchmark: str) -> Rewriting:
        """Returns how a benchmark's instructions are reworded."""
        rewriting = self.tasks[benchmark].rewriting
        if rewriting is None:
            raise UserError(f"{benchmark}: no model rewords anything of this benchmark")
        return rewriting

    def own_templates(self, benchmark: str) -> list[str]:
        """The judge templates that are the user's files; the others are packaged or fetched."""
        others = (PREFIX, FETCHED)
        return [path for path in self.templates(benchmark).values() if not path.startswith(others)]

    def fetched_templates(self, benchmark: str) -> list[str]:
        """The data files that are judge templates out of the benchmark's released program."""
        return fetched(self.templates(benchmark))

    def templates(self, benchmark: str) -> dict[str, str]:
        """The judge templates of a benchmark; none where no model judges."""
        judging = self.tasks[benchmark].judging
        return dict(judging.templates) if judging else {}

    def judge_prompts(self, benchmark: str) -> Component[Any] | None:
        """What is asked of judges about an answer; None where none is asked."""
        judging = self.tasks[benchmark].judging
        return judging.prompts if judging else None

    def planned(self, benchmark: str) -> dict[str, Any]:
        """What the plan takes of a benchmark (``plan.make.PlannedBenchmark``), as plain values."""
        task = self.tasks[benchmark]
        wanted, adaptive = self.config.power_analysis, self.config.adaptive
        measures = {
            name: {"compared": dict(measure.compared), "full": measure.full}
            for name, measure in self.benchmarks[benchmark].measures.items()
            if measure.compared
        }
        return {
            "name": benchmark,
            "samples": task.samples.plain,
            "parts": {
                name: [
                    part.tokens,
                    self.prompts(Job("inference", benchmark, "", name)),
                    [[*key, path] for key, path in part.sources.items()],
                ]
                for name, part in task.parts.items()
            },
            "judge_prompts": plain(self.judge_prompts(benchmark)),
            "templates": self.templates(benchmark),
            "power_analysis": {"measures": measures, "differences": wanted} if wanted else None,
            "rounds": adaptive.contexts if adaptive else None,
        }


def in_results(paths: Iterable[str]) -> list[str]:
    """Files below the results folder, as inputs of a rule."""
    return [f"<results>/{path}" for path in paths]


def plain(component: Component[Any] | None) -> tuple[str, dict[str, Any]] | None:
    """A component for a rule's params; None where there is none."""
    return component.plain if component else None
